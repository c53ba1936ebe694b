"""The results of a reader: items for the API, excluded parts, and parts that could not be parsed."""

import hashlib
import json
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: The endpoint of an item: POST /events/batch, /captures/batch or /memories/batch.
Endpoint = Literal["events", "captures", "memories"]


@dataclass(frozen=True, slots=True)
class Item:
    """One event, one capture or one memory."""

    #: The position in the source, for messages.
    place: str
    #: The body of POST /events or POST /captures, without its id. Of POST /memories, text, value and metadata are in
    #: `content`.
    body: dict[str, Any]
    #: Identifies the item within its kind: by its id in the source, or by its words if it has none.
    name: tuple[str, ...]
    endpoint: Endpoint = "events"
    #: The id, if it does not depend on the name: a capture gets the id that its hook would give it, and a memory that
    #: Suture exported keeps its own.
    id: str = ""
    #: The number of secrets that the reader has masked, by kind.
    masked: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class NotParsed:
    """A part of the source that could not be parsed. It is not imported, and the exit code is 1."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A known part of the source that is not memory, such as a system prompt. It is counted by its reason."""

    reason: str
    count: int = 1


Read = Item | NotParsed | LeftOut


class BadSource(Exception):  # noqa: N818 (the message is for the person who runs the import)
    """The path cannot be imported as this kind. The message gives the reason and a solution."""


@dataclass(frozen=True, slots=True)
class Options:
    """Options from the command line for every item."""

    #: "" for the default.
    channel: str = ""
    #: The session of every event, instead of the one that the reader names.
    session: str = ""
    #: The subject (type and id) of items for which the source names none.
    subject: tuple[str, str] | None = None
    project: str = ""
    tags: tuple[str, ...] = field(default=())


def identity(kind: str, name: tuple[str, ...], ts: datetime | None) -> str:
    """Return the id of an item: a UUIDv7 of its time and 74 bits of SHA-256 over its kind and its name.

    Without a time, it sorts before all others, because it must not depend on the time of the import.
    """
    digest = int.from_bytes(hashlib.sha256(json.dumps([kind, *name], ensure_ascii=True).encode()).digest()[:10])
    milliseconds = max((ts - _EPOCH) // timedelta(milliseconds=1), 0) if ts is not None else 0
    number = milliseconds << 80 | digest
    number = number & ~(0xF << 76) | 0x7 << 76  # the version
    number = number & ~(0x3 << 62) | 0x2 << 62  # the variant
    return str(uuid.UUID(int=number))


def fingerprint(value: Any) -> str:
    """Return the SHA-256 of a JSON value, in hex: the name of an item without an id in its source."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


class InvalidValueError(ValueError):
    """A value does not follow the format."""


def parse_time(value: Any) -> datetime | None:
    """Parse a time: ISO 8601 text (UTC if it has no offset) or seconds since 1970; None if it is empty.

    Raises InvalidValueError.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool):
            raise TypeError
        if isinstance(value, int | float | Decimal):
            return _EPOCH + timedelta(seconds=float(value))
        found = datetime.fromisoformat(value)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    except (TypeError, ValueError, OverflowError):
        raise InvalidValueError(f"{str(value)[:40]!r} is not a time") from None


def as_text(value: Any) -> str:
    """Return the value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def non_empty(**fields: Any) -> dict[str, Any]:
    """Return the fields that are not None, and not an empty string, list or object."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}
