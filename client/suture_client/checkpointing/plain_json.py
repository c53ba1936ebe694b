"""Lossless JSON, for the parts of a run's state other than its variables."""

import json
import math
from typing import Any

from suture_client.checkpointing.values import MAX_INT, MIN_INT, NOT_IN_JSON, name_of_type, step_of_path

#: The API accepts 64 levels, and the body is the first.
_MAX_LEVELS = 63


class NotJson(ValueError):  # noqa: N818 (it reads as a sentence)
    """JSON cannot represent a value; the message names its path."""

    def __init__(self, place: str, value: object, why: str) -> None:
        self.place = place
        super().__init__(f"{place} is {name_of_type(value)}, which a checkpoint cannot hold: {why}.")


def json_of(value: object, name: str) -> str:
    """Encode the value as JSON. Raises NotJson if decoding would give another value. `name` is the path of the
    value."""
    _check(value, [name], set())
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _check(value: Any, path: list[object], inside: set[int]) -> None:
    kind = type(value)
    if value is None or kind is bool:
        return
    if kind is str:
        if NOT_IN_JSON.search(value):
            raise _refused(path, value, "the text has a NUL character or half of a surrogate pair")
    elif kind is int:
        if not MIN_INT <= value <= MAX_INT:
            raise _refused(path, value, "the number is beyond 64 bits; write it as text")
    elif kind is float:
        if not math.isfinite(value):
            raise _refused(path, value, f"JSON has no {value}")
    elif kind is list or kind is dict:
        _check_container(value, path, inside)
    elif isinstance(value, tuple):
        raise _refused(path, value, "JSON would turn it into a list; pass a list, or keep it in the variables")
    else:
        raise _refused(path, value, "pass a JSON value, or keep it in the variables")


def _check_container(value: Any, path: list[object], inside: set[int]) -> None:
    if id(value) in inside:
        raise _refused(path, value, "it contains itself")
    if len(inside) >= _MAX_LEVELS:
        raise _refused(path, value, f"it is nested deeper than {_MAX_LEVELS} levels")
    inside.add(id(value))
    is_object = type(value) is dict
    for key, one in value.items() if is_object else enumerate(value):
        if is_object and (type(key) is not str or NOT_IN_JSON.search(key)):
            raise _refused([*path, key], key, "the key is not a valid JSON string")
        path.append(key)
        _check(one, path, inside)
        path.pop()
    inside.discard(id(value))


def _refused(path: list[object], value: object, why: str) -> NotJson:
    name, *steps = path
    return NotJson("".join([str(name), *map(step_of_path, steps)]), value, why)
