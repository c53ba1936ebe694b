"""Values of Python as JSON, exactly: what JSON has no form for gets an object with a tag, and what has no tag is named.

`{"$suture": "tuple", "items": [1, 2]}` is a tuple. Nothing is imported to read a value, and nothing is pickled.
docs/checkpoints.md lists the tags.
"""

import base64
import json
import math
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID
from zoneinfo import ZoneInfo

TAG = "$suture"
#: JSON levels that containers may have: the API takes 64, a variable is at the fourth, and a tag has three at most.
LEVELS = 58
#: The API takes no more in one checkpoint.
MOST_VALUES = 4_000_000
#: Problems that are named for one variable.
NAMED = 10

SMALLEST, BIGGEST = -(2**63), 2**63 - 1
#: What JSON's texts cannot carry: NUL, which servers refuse, and halves of surrogate pairs.
NOT_CARRIED = re.compile("[\x00\ud800-\udfff]")

#: Where a value is in the encoded variables: keys and indexes from the top.
Place = tuple[str | int, ...]


class Fault(NamedTuple):
    """A value that has no exact form."""

    #: As Python would reach it: orders[0]["due"].
    path: str
    #: Its type, with its module.
    kind: str
    why: str


class Unreadable(ValueError):  # noqa: N818 (it is the value that is so)
    """An encoded value that no value can be made of here; the message says where and why."""


class _Words(str):
    """A step of a path that is neither a key nor an index."""


_A_KEY, _AN_ELEMENT = _Words(" (a key)"), _Words(" (an element)")


def name_of_type(value: object) -> str:
    """A type's name with its module, which builtins need not have."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class Encoder:
    """Encodes variables one by one. What two of them share is encoded once: they still share it afterwards."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._path: list[object] = []
        self._place: list[str | int] = []
        self._levels = 0
        self._values = 0
        #: By id: where a container that others may refer to was encoded. The containers stay alive in `_kept`.
        self._known: dict[int, Place] = {}
        self._kept: list[object] = []
        self._open: set[int] = set()
        #: More than 0 in what is hashed, where there are no references.
        self._hashed = 0

    def variable(self, name: str, value: object) -> Any:
        """The encoded value of a variable; `faults` then names what has no exact form."""
        self.faults, self._path, self._place = [], [name], [name]
        known = len(self._kept)
        encoded = self._encode(value)
        if self.faults:
            # Nothing may refer to what is left out.
            for container in self._kept[known:]:
                self._known.pop(id(container), None)
            del self._kept[known:]
        return encoded

    def _encode(self, value: object) -> Any:
        kind = type(value)
        if kind in _SIMPLE:
            return _simple(value)
        if leaf := _LEAVES.get(kind):
            encoded = leaf(value)
            return self._fault(value, "its time zone has no exact form") if encoded is None else encoded
        if kind in _CONTAINERS:
            return self._container(value)
        return self._fault(value, _why(value))

    def _container(self, value: Any) -> Any:
        if id(value) in self._open:
            return self._fault(value, "it contains itself")
        known = self._known.get(id(value))
        if known is not None and not self._hashed:
            return {TAG: "same", "as": list(known)}
        if not self._hashed:
            self._known[id(value)] = tuple(self._place)
            self._kept.append(value)
        self._open.add(id(value))
        try:
            return self._content(value)
        finally:
            self._open.discard(id(value))

    def _content(self, value: Any) -> Any:
        if isinstance(value, bytearray):
            return {TAG: "bytearray", "base64": base64.b64encode(value).decode()}
        is_plain = type(value) is list or (type(value) is dict and _is_plain(value))
        levels = 1 if is_plain else 3 if type(value) is dict else 2
        if self._levels + levels > LEVELS:
            return self._fault(value, f"it is nested deeper than {LEVELS} levels of JSON")
        self._values += len(value)
        if self._values > MOST_VALUES:
            return self._fault(value, f"there are more than {MOST_VALUES:,} values")
        self._levels += levels
        try:
            return self._plain(value) if is_plain else self._tagged(value)
        finally:
            self._levels -= levels

    def _plain(self, value: Any) -> Any:
        if type(value) is list:
            return [
                _simple(one) if type(one) in _SIMPLE else self._child(one, index, index)
                for index, one in enumerate(value)
            ]
        return {key: _simple(one) if type(one) in _SIMPLE else self._child(one, key, key) for key, one in value.items()}

    def _tagged(self, value: Any) -> Any:
        if type(value) is tuple:
            items = [self._child(one, index, "items", index) for index, one in enumerate(value)]
            return {TAG: "tuple", "items": items}
        if type(value) is dict:
            pairs = []
            for index, (key, one) in enumerate(value.items()):
                with self._in_what_is_hashed():
                    first = self._child(key, _A_KEY, "items", index, 0)
                pairs.append([first, self._child(one, key, "items", index, 1)])
            return {TAG: "dict", "items": pairs}
        with self._in_what_is_hashed():
            items = [self._child(one, _AN_ELEMENT, "items", index) for index, one in enumerate(value)]
        # The order of a set differs from process to process, and the same state must have the same form.
        return {TAG: type(value).__name__, "items": sorted(items, key=_as_json)}

    def _child(self, value: object, step: object, *place: str | int) -> Any:
        self._path.append(step)
        self._place.extend(place)
        try:
            return self._encode(value)
        finally:
            self._path.pop()
            del self._place[-len(place) :]

    @contextmanager
    def _in_what_is_hashed(self) -> Iterator[None]:
        self._hashed += 1
        try:
            yield
        finally:
            self._hashed -= 1

    def _fault(self, value: object, why: str) -> None:
        if len(self.faults) < NAMED:
            name, *steps = self._path
            self.faults.append(Fault("".join([str(name), *map(step_of_path, steps)]), name_of_type(value), why))


class Decoder:
    """Makes the values again, from what an Encoder made. It trusts nothing: a checkpoint may come from anybody."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self._variables = variables
        self._made: dict[Place, Any] = {}
        self._open: set[Place] = set()

    def variable(self, name: str) -> Any:
        """The value of a variable. Raises Unreadable."""
        try:
            return self._decode(self._variables[name], (name,))
        except RecursionError:
            raise Unreadable(f"{name} is nested too deep") from None

    def _decode(self, encoded: Any, place: Place) -> Any:
        if not isinstance(encoded, dict | list):
            return encoded
        if place in self._made:
            return self._made[place]
        if place in self._open:
            raise Unreadable(f"{_shown(place)} refers to what it is in")
        self._open.add(place)
        try:
            made = self._make(encoded, place)
        except (Unreadable, RecursionError):
            raise
        except Exception as error:
            raise Unreadable(f"{_shown(place)} cannot be read: {type(error).__name__}: {error}") from None
        finally:
            self._open.discard(place)
        self._made[place] = made
        return made

    def _make(self, encoded: Any, place: Place) -> Any:
        if isinstance(encoded, list):
            return [self._decode(one, (*place, index)) for index, one in enumerate(encoded)]
        tag = encoded.get(TAG)
        if tag is None:
            return {key: self._decode(one, (*place, key)) for key, one in encoded.items()}
        if tag == "same":
            return self._at(encoded["as"])
        if tag == "dict":
            inside = (*place, "items")
            return {
                self._decode(key, (*inside, index, 0)): self._decode(one, (*inside, index, 1))
                for index, (key, one) in enumerate(encoded["items"])
            }
        if tag in _SEQUENCES:
            items = [self._decode(one, (*place, "items", index)) for index, one in enumerate(encoded["items"])]
            return _SEQUENCES[tag](items)
        if tag in _READERS:
            return _READERS[tag](encoded)
        raise Unreadable(f"{_shown(place)} has the tag {str(tag)[:50]!r}, which this version does not know")

    def _at(self, tokens: list[str | int]) -> Any:
        found: Any = self._variables
        for token in tokens:
            found = found[token]
        return self._decode(found, tuple(tokens))


def _simple(value: Any) -> Any:
    """The form of a value of a type in _SIMPLE, which always has one."""
    kind = type(value)
    if kind is str:
        return _text(value)
    if kind is int:
        return value if SMALLEST <= value <= BIGGEST else {TAG: "int", "hex": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {TAG: "float", "value": str(value)}
    return value


def _text(value: str) -> Any:
    if NOT_CARRIED.search(value):
        return {TAG: "str", "escaped": value.encode("unicode_escape").decode("ascii")}
    return value


def _text_in(encoded: Any) -> str:
    if isinstance(encoded, str):
        return encoded
    return str(encoded["escaped"].encode("ascii").decode("unicode_escape"))


def _is_plain(value: dict[Any, Any]) -> bool:
    """Whether JSON has an object for it that is not taken for a tag."""
    return TAG not in value and all(type(key) is str for key in value) and not NOT_CARRIED.search("".join(value))


def step_of_path(step: object) -> str:
    """How a path goes on: with a key or an index, as Python writes it, or with words."""
    if isinstance(step, _Words):
        return str(step)
    if type(step) is str:
        return f"[{json.dumps(step if len(step) <= 60 else step[:60] + '…', ensure_ascii=False)}]"
    if type(step) in (bool, float, type(None)) or (type(step) is int and SMALLEST <= step <= BIGGEST):
        return f"[{step!r}]"
    return f"[a {name_of_type(step)}]"


def _shown(place: Place) -> str:
    return "".join([str(place[0]), *map(step_of_path, place[1:])])


def _as_json(encoded: Any) -> str:
    return json.dumps(encoded, sort_keys=True)


def _why(value: object) -> str:
    if isinstance(value, type):
        return "a class: define or import it again"
    if callable(value):
        return "a function or another callable: define or import it again"
    if type(value).__name__ == "module":
        return "a module: import it again"
    if isinstance(value, int | float | str | bytes | list | dict | tuple | set | frozenset | date | timedelta | Path):
        return "a subclass, whose other properties would be lost: convert it to the type that it comes from"
    return "it has no exact form in JSON: keep what it is made of"


def _base64(encoded: dict[str, Any]) -> bytes:
    return base64.b64decode(encoded["base64"], validate=True)


def _zone(zone: tzinfo | None) -> Any:
    """A time zone: its offset, in microseconds, and name, or its key; False for one without an exact form."""
    if zone is None:
        return None
    if type(zone) is timezone:
        return {
            "microseconds": zone.utcoffset(None) // timedelta(microseconds=1),
            "name": _text(zone.tzname(None)),
        }
    if type(zone) is ZoneInfo and zone.key:
        return {"key": zone.key}
    return False


def _zone_in(encoded: Any) -> tzinfo | None:
    if encoded is None:
        return None
    if "key" in encoded:
        return ZoneInfo(encoded["key"])
    offset, name = timedelta(microseconds=encoded["microseconds"]), _text_in(encoded["name"])
    unnamed = timezone(offset)
    return unnamed if unnamed.tzname(None) == name else timezone(offset, name)


def _moment(value: Any) -> Any:
    """A datetime or a time; None if its time zone has no exact form."""
    zone = _zone(value.tzinfo)
    if zone is False:
        return None
    return {
        TAG: type(value).__name__,
        "value": value.replace(tzinfo=None).isoformat(),
        "fold": value.fold,
        "zone": zone,
    }


def _moment_in(kind: type[Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda encoded: kind.fromisoformat(encoded["value"]).replace(
        fold=encoded["fold"], tzinfo=_zone_in(encoded["zone"])
    )


def _path_in(encoded: dict[str, Any]) -> Path:
    path = Path(_text_in(encoded["value"]))
    if type(path).__name__ != encoded["kind"]:
        raise Unreadable(f"a {encoded['kind']} cannot be made on this system")
    return path


#: By type, what encodes it; None from one means that it has no exact form.
_LEAVES: dict[type, Callable[[Any], Any]] = {
    bytes: lambda value: {TAG: "bytes", "base64": base64.b64encode(value).decode()},
    complex: lambda value: {TAG: "complex", "real": str(value.real), "imag": str(value.imag)},
    Decimal: lambda value: {TAG: "Decimal", "value": str(value)},
    UUID: lambda value: {TAG: "UUID", "value": str(value)},
    date: lambda value: {TAG: "date", "value": value.isoformat()},
    datetime: _moment,
    time: _moment,
    timedelta: lambda value: {
        TAG: "timedelta",
        "days": value.days,
        "seconds": value.seconds,
        "microseconds": value.microseconds,
    },
    type(Path()): lambda value: {TAG: "Path", "kind": type(value).__name__, "value": _text(str(value))},
}
_SIMPLE = frozenset({str, int, float, bool, type(None)})
_CONTAINERS = frozenset({list, dict, tuple, set, frozenset, bytearray})
_SEQUENCES: dict[str, Callable[[list[Any]], Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset}
#: By tag, what decodes it.
_READERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "str": _text_in,
    "int": lambda encoded: int(encoded["hex"], 16),
    "float": lambda encoded: float(encoded["value"]),
    "bytes": _base64,
    "bytearray": lambda encoded: bytearray(_base64(encoded)),
    "complex": lambda encoded: complex(float(encoded["real"]), float(encoded["imag"])),
    "Decimal": lambda encoded: Decimal(encoded["value"]),
    "UUID": lambda encoded: UUID(encoded["value"]),
    "date": lambda encoded: date.fromisoformat(encoded["value"]),
    "datetime": _moment_in(datetime),
    "time": _moment_in(time),
    "timedelta": lambda encoded: timedelta(encoded["days"], encoded["seconds"], encoded["microseconds"]),
    "Path": _path_in,
}
