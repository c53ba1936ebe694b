"""Encodes Python values exactly as JSON. Values that JSON lacks become tagged objects; other values are reported.

`{"$suture": "tuple", "items": [1, 2]}` is a tuple. Decoding imports nothing, and nothing is pickled.
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
#: The deepest nesting of containers: the API accepts 64 levels, a variable is at the fourth, and a tag has up to three.
MAX_LEVELS = 58
#: The API's limit for one checkpoint.
MAX_VALUES = 4_000_000
#: The most problems that are reported for one variable.
MAX_FAULTS = 10

MIN_INT, MAX_INT = -(2**63), 2**63 - 1
#: Characters that JSON strings cannot contain: NUL, which servers refuse, and lone surrogates.
NOT_IN_JSON = re.compile("[\x00\ud800-\udfff]")

#: The position of a value in the encoded variables: keys and indexes from the top.
Place = tuple[str | int, ...]


class Fault(NamedTuple):
    """A value that cannot be encoded exactly."""

    #: As a Python expression: orders[0]["due"].
    path: str
    #: Its type, with its module.
    kind: str
    why: str


class Unreadable(ValueError):  # noqa: N818 (the value is at fault)
    """An encoded value cannot be decoded here; the message gives the path and the reason."""


class _Label(str):
    """A step of a path that is neither a key nor an index."""


_A_KEY, _AN_ELEMENT = _Label(" (a key)"), _Label(" (an element)")


def name_of_type(value: object) -> str:
    """Return the name of a value's type, with its module unless it is a builtin."""
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


class Encoder:
    """Encodes variables one by one. Shared containers are encoded once and stay shared."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._path: list[object] = []
        self._place: list[str | int] = []
        self._levels = 0
        self._values = 0
        #: The position of each encoded container, by its id(). `_kept` keeps the containers alive.
        self._known: dict[int, Place] = {}
        self._kept: list[object] = []
        self._open: set[int] = set()
        #: Greater than 0 inside hashed values, where there are no references.
        self._hashed = 0

    def variable(self, name: str, value: object) -> Any:
        """Encode the value of a variable. `faults` then lists the parts that have no exact form."""
        self.faults, self._path, self._place = [], [name], [name]
        known = len(self._kept)
        encoded = self._encode(value)
        if self.faults:
            # Nothing may refer to a variable that is left out.
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
        return self._fault(value, _reason(value))

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
        if self._levels + levels > MAX_LEVELS:
            return self._fault(value, f"it is nested deeper than {MAX_LEVELS} levels of JSON")
        self._values += len(value)
        if self._values > MAX_VALUES:
            return self._fault(value, f"there are more than {MAX_VALUES:,} values")
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
                with self._in_hashed_value():
                    first = self._child(key, _A_KEY, "items", index, 0)
                pairs.append([first, self._child(one, key, "items", index, 1)])
            return {TAG: "dict", "items": pairs}
        with self._in_hashed_value():
            items = [self._child(one, _AN_ELEMENT, "items", index) for index, one in enumerate(value)]
        # The order of a set differs between processes, but equal states must be encoded equally.
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
    def _in_hashed_value(self) -> Iterator[None]:
        self._hashed += 1
        try:
            yield
        finally:
            self._hashed -= 1

    def _fault(self, value: object, why: str) -> None:
        if len(self.faults) < MAX_FAULTS:
            name, *steps = self._path
            self.faults.append(Fault("".join([str(name), *map(step_of_path, steps)]), name_of_type(value), why))


class Decoder:
    """Decodes the output of an Encoder. The input is not trusted, because anybody may have made the checkpoint."""

    def __init__(self, variables: dict[str, Any]) -> None:
        self._variables = variables
        self._made: dict[Place, Any] = {}
        self._open: set[Place] = set()

    def variable(self, name: str) -> Any:
        """Decode a variable. Raises Unreadable."""
        try:
            return self._decode(self._variables[name], (name,))
        except RecursionError:
            raise Unreadable(f"{name} is nested too deeply") from None

    def _decode(self, encoded: Any, place: Place) -> Any:
        if not isinstance(encoded, dict | list):
            return encoded
        if place in self._made:
            return self._made[place]
        if place in self._open:
            raise Unreadable(f"{_shown(place)} refers to its own container")
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
        if tag in _DECODERS:
            return _DECODERS[tag](encoded)
        raise Unreadable(f"{_shown(place)} has the tag {str(tag)[:50]!r}, which this version does not know")

    def _at(self, tokens: list[str | int]) -> Any:
        found: Any = self._variables
        for token in tokens:
            found = found[token]
        return self._decode(found, tuple(tokens))


def _simple(value: Any) -> Any:
    """Encode a value whose type is in _SIMPLE, which is always possible."""
    kind = type(value)
    if kind is str:
        return _text(value)
    if kind is int:
        return value if MIN_INT <= value <= MAX_INT else {TAG: "int", "hex": hex(value)}
    if kind is float:
        return value if math.isfinite(value) else {TAG: "float", "value": str(value)}
    return value


def _text(value: str) -> Any:
    if NOT_IN_JSON.search(value):
        return {TAG: "str", "escaped": value.encode("unicode_escape").decode("ascii")}
    return value


def _decode_text(encoded: Any) -> str:
    if isinstance(encoded, str):
        return encoded
    return str(encoded["escaped"].encode("ascii").decode("unicode_escape"))


def _is_plain(value: dict[Any, Any]) -> bool:
    """Return whether a dict can be a JSON object that does not look like a tag."""
    return TAG not in value and all(type(key) is str for key in value) and not NOT_IN_JSON.search("".join(value))


def step_of_path(step: object) -> str:
    """Format a step of a path: a key or an index as in Python, or a description."""
    if isinstance(step, _Label):
        return str(step)
    if type(step) is str:
        return f"[{json.dumps(step if len(step) <= 60 else step[:60] + '…', ensure_ascii=False)}]"
    if type(step) in (bool, float, type(None)) or (type(step) is int and MIN_INT <= step <= MAX_INT):
        return f"[{step!r}]"
    return f"[a {name_of_type(step)}]"


def _shown(place: Place) -> str:
    return "".join([str(place[0]), *map(step_of_path, place[1:])])


def _as_json(encoded: Any) -> str:
    return json.dumps(encoded, sort_keys=True)


def _reason(value: object) -> str:
    if isinstance(value, type):
        return "a class: define or import it again"
    if callable(value):
        return "a function or another callable: define or import it again"
    if type(value).__name__ == "module":
        return "a module: import it again"
    if isinstance(value, int | float | str | bytes | list | dict | tuple | set | frozenset | date | timedelta | Path):
        return "a subclass, whose extra properties would be lost: convert it to its base type"
    return "it has no exact form in JSON: store its parts instead"


def _decode_base64(encoded: dict[str, Any]) -> bytes:
    return base64.b64decode(encoded["base64"], validate=True)


def _zone(zone: tzinfo | None) -> Any:
    """Encode a time zone: its offset in microseconds and its name, or its key; False if there is no exact form."""
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


def _decode_zone(encoded: Any) -> tzinfo | None:
    if encoded is None:
        return None
    if "key" in encoded:
        return ZoneInfo(encoded["key"])
    offset, name = timedelta(microseconds=encoded["microseconds"]), _decode_text(encoded["name"])
    unnamed = timezone(offset)
    return unnamed if unnamed.tzname(None) == name else timezone(offset, name)


def _encode_time(value: Any) -> Any:
    """Encode a datetime or a time; None if its time zone has no exact form."""
    zone = _zone(value.tzinfo)
    if zone is False:
        return None
    return {
        TAG: type(value).__name__,
        "value": value.replace(tzinfo=None).isoformat(),
        "fold": value.fold,
        "zone": zone,
    }


def _time_decoder(kind: type[Any]) -> Callable[[dict[str, Any]], Any]:
    return lambda encoded: kind.fromisoformat(encoded["value"]).replace(
        fold=encoded["fold"], tzinfo=_decode_zone(encoded["zone"])
    )


def _decode_path(encoded: dict[str, Any]) -> Path:
    path = Path(_decode_text(encoded["value"]))
    if type(path).__name__ != encoded["kind"]:
        raise Unreadable(f"a {encoded['kind']} cannot be made on this system")
    return path


#: Encoders by type. They return None if there is no exact form.
_LEAVES: dict[type, Callable[[Any], Any]] = {
    bytes: lambda value: {TAG: "bytes", "base64": base64.b64encode(value).decode()},
    complex: lambda value: {TAG: "complex", "real": str(value.real), "imag": str(value.imag)},
    Decimal: lambda value: {TAG: "Decimal", "value": str(value)},
    UUID: lambda value: {TAG: "UUID", "value": str(value)},
    date: lambda value: {TAG: "date", "value": value.isoformat()},
    datetime: _encode_time,
    time: _encode_time,
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
#: Decoders by tag.
_DECODERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "str": _decode_text,
    "int": lambda encoded: int(encoded["hex"], 16),
    "float": lambda encoded: float(encoded["value"]),
    "bytes": _decode_base64,
    "bytearray": lambda encoded: bytearray(_decode_base64(encoded)),
    "complex": lambda encoded: complex(float(encoded["real"]), float(encoded["imag"])),
    "Decimal": lambda encoded: Decimal(encoded["value"]),
    "UUID": lambda encoded: UUID(encoded["value"]),
    "date": lambda encoded: date.fromisoformat(encoded["value"]),
    "datetime": _time_decoder(datetime),
    "time": _time_decoder(time),
    "timedelta": lambda encoded: timedelta(encoded["days"], encoded["seconds"], encoded["microseconds"]),
    "Path": _decode_path,
}
