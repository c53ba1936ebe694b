"""JSON that gives back what it was given: the state of a run but for its variables."""

import json
import math
from typing import Any

from suture_client.checkpointing.values import BIGGEST, NOT_CARRIED, SMALLEST, name_of_type, step_of_path

#: The API takes 64 levels, and the body is the first.
_LEVELS = 63


class NotJson(ValueError):  # noqa: N818 (it reads as a sentence)
    """A value has no form in JSON; the message names its place."""

    def __init__(self, place: str, value: object, why: str) -> None:
        self.place = place
        super().__init__(f"{place} is {name_of_type(value)}, which a checkpoint cannot hold: {why}.")


def json_of(value: object, name: str) -> str:
    """The value as JSON. Raises NotJson for what would come back as something else: `name` is where the value is."""
    _check(value, [name], set())
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _check(value: Any, path: list[object], inside: set[int]) -> None:
    kind = type(value)
    if value is None or kind is bool:
        return
    if kind is str:
        if NOT_CARRIED.search(value):
            raise _refused(path, value, "the text has a NUL character or half of a surrogate pair")
    elif kind is int:
        if not SMALLEST <= value <= BIGGEST:
            raise _refused(path, value, "the number is beyond 64 bits; write it as text")
    elif kind is float:
        if not math.isfinite(value):
            raise _refused(path, value, f"JSON has no {value}")
    elif kind is list or kind is dict:
        _check_container(value, path, inside)
    elif isinstance(value, tuple):
        raise _refused(path, value, "JSON would make a list of it; pass a list, or keep it among the variables")
    else:
        raise _refused(path, value, "pass what JSON has a form for, or keep it among the variables")


def _check_container(value: Any, path: list[object], inside: set[int]) -> None:
    if id(value) in inside:
        raise _refused(path, value, "it contains itself")
    if len(inside) >= _LEVELS:
        raise _refused(path, value, f"it is nested deeper than {_LEVELS} levels")
    inside.add(id(value))
    is_object = type(value) is dict
    for key, one in value.items() if is_object else enumerate(value):
        if is_object and (type(key) is not str or NOT_CARRIED.search(key)):
            raise _refused([*path, key], key, "the key is not a text of JSON")
        path.append(key)
        _check(one, path, inside)
        path.pop()
    inside.discard(id(value))


def _refused(path: list[object], value: object, why: str) -> NotJson:
    name, *steps = path
    return NotJson("".join([str(name), *map(step_of_path, steps)]), value, why)
