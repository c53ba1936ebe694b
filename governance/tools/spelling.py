"""Arguments in camelCase and in snake_case: both are accepted, and errors use the caller's spelling."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rest_framework import serializers

from governance.faults import hint, unknown_fields
from governance.refusals import Fault, json_pointer

Path = tuple[str, ...]
Field = serializers.Field[Any, Any, Any, Any]


def camel_case(name: str) -> str:
    """`max_tokens` as `maxTokens`."""
    return re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)


def snake_case(name: str) -> str:
    """`maxTokens` as `max_tokens`."""
    return re.sub(r"(?<=[a-z0-9])[A-Z]", lambda found: f"_{found[0].lower()}", name)


def spelled(name: str, *, in_camel_case: bool) -> str:
    """The name of a snake_case argument in a tool's spelling."""
    return camel_case(name) if in_camel_case else name


@dataclass
class Written:
    """The arguments of a call as its author wrote them. `values` are those with known names, by the names of the tool's
    serializer; `faults` are the errors in names."""

    values: Any = None
    faults: list[Fault] = field(default_factory=list)
    in_camel_case: bool = False
    _names: dict[Path, str] = field(default_factory=dict)

    def as_written(self, faults: Iterable[Fault]) -> list[Fault]:
        """Faults of the values, with the places in the author's spelling."""
        return [
            {**fault, "pointer": self._pointer(fault["pointer"])} if "pointer" in fault else fault for fault in faults
        ]

    def _pointer(self, pointer: str) -> str:
        tokens = [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
        names = (self._names.get(tuple(tokens[: place + 1]), token) for place, token in enumerate(tokens))
        return json_pointer(names)


def read(given: Any, shape: Field, *, in_camel_case: bool) -> Written:
    """Read arguments in either spelling, by the names of the serializer `shape`. Errors about missing arguments use the
    spelling of the author's other arguments, or else `in_camel_case`."""
    reading = _Reading()
    values = reading.read(given, shape, (), ())
    styles = {
        name != snake_case(name) for name in reading.names.values() if camel_case(snake_case(name)) != snake_case(name)
    }
    written = Written(values, in_camel_case=styles.pop() if len(styles) == 1 else in_camel_case, _names=reading.names)
    for path, known in reading.absent.items():
        written._names[path] = spelled(known, in_camel_case=written.in_camel_case)
    written.faults = [one(written.in_camel_case) for one in reading.faults]
    return written


class _Reading:
    """A walk through the arguments and their serializer in parallel."""

    def __init__(self) -> None:
        self.names: dict[Path, str] = {}
        self.absent: dict[Path, str] = {}
        #: Each creates a fault, once the author's spelling is known.
        self.faults: list[Callable[[bool], Fault]] = []

    def read(self, given: Any, shape: Field, path: Path, shown: Path) -> Any:
        """`given` with the names of `shape`. `path` is its place by these names, `shown` its place as written."""
        if isinstance(shape, serializers.ListField | serializers.ListSerializer) and isinstance(given, list):
            child: Any = shape.child
            return [self.read(one, child, (*path, str(place)), (*shown, str(place))) for place, one in enumerate(given)]
        if not (isinstance(shape, serializers.Serializer) and isinstance(given, Mapping)):
            return given
        fields: Mapping[str, Field] = shape.fields
        found: dict[str, Any] = {}
        unknown = []
        for name, value in given.items():
            meant = _meant(name, fields)
            if meant is None:
                unknown.append(name)
            elif meant in found:
                self.faults.append(partial(_given_twice, (*shown, name), self.names[*path, meant]))
            else:
                self.names[*path, meant] = name
                found[meant] = self.read(value, fields[meant], (*path, meant), (*shown, name))
        self.absent |= {(*path, name): name for name in fields if name not in found}
        self.faults += [
            partial(_unknown, (*shown, name), fault, list(fields), getattr(shape, "elsewhere", {}))
            for name, fault in unknown_fields(unknown)
        ]
        return found


def _meant(name: str, fields: Mapping[str, Field]) -> str | None:
    """The field with this name, or with its snake_case form."""
    if name in fields:
        return name
    plain = snake_case(name)
    return plain if plain in fields and camel_case(plain) == name else None


def _given_twice(place: Path, other: str, in_camel_case: bool) -> Fault:
    detail = f"This is the same argument as {other}. Give one of the two."
    return Fault(pointer=json_pointer(place), detail=detail, code="given-twice")


def _unknown(
    place: Path, fault: str, known: list[str], elsewhere: Mapping[str, Sequence[str]], in_camel_case: bool
) -> Fault:
    names = [spelled(name, in_camel_case=in_camel_case) for name in known]
    others = {spelled(name, in_camel_case=in_camel_case): of_others for name, of_others in elsewhere.items()}
    meant = hint(place[-1], names, others) if names else " This tool has no arguments." if len(place) == 1 else ""
    return Fault(pointer=json_pointer(place), detail=f"{fault}{meant}", code="unknown-field")
