"""Read the arguments of a call by the names of a serializer, and name its faults by the names that the caller wrote.

Models and the programs between them and a tool write arguments in many ways. What can only mean one thing is read as
that (docs/decisions/0085-tolerant-tools.md); everything else is a fault.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from rest_framework import serializers

from governance.faults import Faults, hint, invalid, is_near_miss, unknown_fields
from governance.inputs import StrictSerializer
from governance.refusals import Fault, json_pointer
from governance.tools.meant import Field, as_meant, is_absent
from governance.tools.spelling import camel_case, snake_case, spelled

Path = tuple[str, ...]


@dataclass
class Written:
    """The arguments of a call as its author wrote them. `values` are those with known names, by the names of the
    serializer; `faults` are the errors in names; `ignored` are the unknown names that resemble no known one."""

    shape: StrictSerializer
    values: Any = None
    faults: list[Fault] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    in_camel_case: bool = False
    _names: dict[Path, str] = field(default_factory=dict)

    def checked(self) -> dict[str, Any]:
        """The values that the serializer reads. Raises Invalid with every fault, at its place as written."""
        faults = Faults()
        values = self.shape.read(self.values, "", faults)
        found = [*self.faults, *self.as_written(faults.found)]
        if any(fault.get("code") == "required" for fault in faults.found):
            # one of them may be meant for the missing argument
            known, others = _known_to(self.shape, in_camel_case=self.in_camel_case)
            found += [_unknown_field((name,), fault, known, others) for name, fault in unknown_fields(self.ignored)]
        if found:
            raise invalid(found)
        return values

    def as_written(self, faults: Iterable[Fault]) -> list[Fault]:
        """Faults of the values, with the places in the author's spelling."""
        return [
            {**fault, "pointer": self._pointer(fault["pointer"])} if "pointer" in fault else fault for fault in faults
        ]

    def _pointer(self, pointer: str) -> str:
        tokens = [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]
        names = (self._names.get(tuple(tokens[: place + 1]), token) for place, token in enumerate(tokens))
        return json_pointer(names)


def read(given: Any, shape: StrictSerializer, *, in_camel_case: bool, is_tolerant: bool = True) -> Written:
    """Read arguments in either spelling, by the names of `shape`. Errors about missing arguments use the spelling of
    the author's other arguments, or else `in_camel_case`. Without `is_tolerant`, values are left as they are, and every
    unknown name is a fault."""
    reading = _Reading(is_tolerant=is_tolerant)
    values = reading.read(given, shape, (), ())
    styles = {
        name != snake_case(name) for name in reading.names.values() if camel_case(snake_case(name)) != snake_case(name)
    }
    written = Written(
        shape,
        values,
        ignored=reading.ignored,
        in_camel_case=styles.pop() if len(styles) == 1 else in_camel_case,
        _names=reading.names,
    )
    for path, known in reading.absent.items():
        written._names[path] = spelled(known, in_camel_case=written.in_camel_case)
    written.faults = [one(written.in_camel_case) for one in reading.faults]
    return written


def read_in_any_case(given: Any, shape: StrictSerializer) -> dict[str, Any]:
    """Read a body whose names may be in snake_case or camelCase, and which is otherwise read strictly. Raises Invalid
    with every fault."""
    return read(given, shape, in_camel_case=False, is_tolerant=False).checked()


class _Reading:
    """A walk through the arguments and their serializer in parallel."""

    def __init__(self, *, is_tolerant: bool) -> None:
        self.is_tolerant = is_tolerant
        self.names: dict[Path, str] = {}
        self.absent: dict[Path, str] = {}
        self.ignored: list[str] = []
        #: Each creates a fault, once the author's spelling is known.
        self.faults: list[Callable[[bool], Fault]] = []

    def read(self, given: Any, shape: Field, path: Path, shown: Path) -> Any:
        """`given` with the names of `shape`. `path` is its place by these names, `shown` its place as written."""
        if self.is_tolerant:
            given = as_meant(given, shape)
        if isinstance(shape, serializers.ListField | serializers.ListSerializer) and isinstance(given, list):
            child: Any = shape.child
            return [self.read(one, child, (*path, str(place)), (*shown, str(place))) for place, one in enumerate(given)]
        if isinstance(shape, StrictSerializer) and isinstance(given, Mapping):
            return self._read_object(given, shape, path, shown)
        return given

    def _read_object(
        self, given: Mapping[str, Any], shape: StrictSerializer, path: Path, shown: Path
    ) -> dict[str, Any]:
        fields: Mapping[str, Field] = shape.fields
        found: dict[str, Any] = {}
        unknown = []
        for name, value in given.items():
            meant = _meant(name, shape)
            if meant is None:
                unknown.append(name)
            elif self.is_tolerant and is_absent(value, fields[meant]):
                continue
            elif meant in found:
                self.faults.append(partial(_given_twice, (*shown, name), self.names[*path, meant]))
            else:
                self.names[*path, meant] = name
                found[meant] = self.read(value, fields[meant], (*path, meant), (*shown, name))
        self.absent |= {(*path, name): name for name in fields if name not in found}
        if self.is_tolerant and not path:
            # Programs add arguments to every call. Within an argument, only the author can have written the name.
            known = [*fields, *(other for others in shape.also_named.values() for other in others)]
            self.ignored = [name for name in unknown if not is_near_miss(snake_case(name), known, shape.elsewhere)]
            ignored = set(self.ignored)
            unknown = [name for name in unknown if name not in ignored]
        self.faults += [partial(_unknown, (*shown, name), fault, shape) for name, fault in unknown_fields(unknown)]
        return found


def _meant(name: str, shape: StrictSerializer) -> str | None:
    """The field with this name or another name for it, in snake_case or camelCase."""
    plain = snake_case(name)
    known = [name, plain] if camel_case(plain) == name else [name]
    for one in known:
        if one in shape.fields:
            return one
    return next((one for one, others in shape.also_named.items() if set(known) & set(others)), None)


def _given_twice(place: Path, other: str, in_camel_case: bool) -> Fault:
    detail = f"This is the same argument as {other}. Give one of the two."
    return Fault(pointer=json_pointer(place), detail=detail, code="given-twice")


def _unknown(place: Path, fault: str, shape: StrictSerializer, in_camel_case: bool) -> Fault:
    return _unknown_field(place, fault, *_known_to(shape, in_camel_case=in_camel_case))


def _unknown_field(place: Path, fault: str, known: list[str], others: Mapping[str, Sequence[str]]) -> Fault:
    meant = hint(place[-1], known, others) if known else " This tool has no arguments." if len(place) == 1 else ""
    return Fault(pointer=json_pointer(place), detail=f"{fault}{meant}", code="unknown-field")


def _known_to(shape: StrictSerializer, *, in_camel_case: bool) -> tuple[list[str], dict[str, Sequence[str]]]:
    """The names of a serializer's fields in a spelling, and other systems' names for them."""
    return (
        [spelled(str(name), in_camel_case=in_camel_case) for name in shape.fields],
        {spelled(name, in_camel_case=in_camel_case): others for name, others in shape.elsewhere.items()},
    )
