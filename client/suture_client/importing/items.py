"""What a reader answers: items for the API, and what it leaves out or does not understand."""

import hashlib
import json
import uuid
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Literal

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

#: Where an item goes: POST /events/batch or POST /captures/batch.
Door = Literal["events", "captures"]


@dataclass(frozen=True, slots=True)
class Item:
    """One event or one capture."""

    #: Where it stands in the source, for people.
    place: str
    #: The body of POST /events or POST /captures, without its id.
    body: dict[str, Any]
    #: What tells it from all others of its kind: its id in the source, or its words where it has none.
    name: tuple[str, ...]
    door: Door = "events"
    #: The id, where it is not computed from the name: a capture has the id that its hook would give it.
    id: str = ""
    #: How many secrets the reader has masked already, by kind.
    masked: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class NotUnderstood:
    """A part of the source that could not be read. It was not imported, and the exit code says so."""

    place: str
    reason: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part of the source that is known and is no memory, such as a system prompt. It is counted by its reason."""

    reason: str
    count: int = 1


Read = Item | NotUnderstood | LeftOut


class BadSource(Exception):  # noqa: N818 (the message is for the person who runs the import)
    """The path cannot be imported as this kind at all; the message says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says of every item."""

    #: "" for the usual one.
    channel: str = ""
    #: The session of every event, instead of the one that the reader names.
    session: str = ""
    #: Whom an item is about where the source does not say: type and id.
    subject: tuple[str, str] | None = None
    project: str = ""
    tags: tuple[str, ...] = field(default=())


def identity(kind: str, name: tuple[str, ...], ts: datetime | None) -> str:
    """The id of an item: a UUIDv7 of its time and 74 bits of SHA-256 over its kind and its name.

    Without a time it sorts before all others, because it must not depend on when the import runs.
    """
    digest = int.from_bytes(hashlib.sha256(json.dumps([kind, *name], ensure_ascii=True).encode()).digest()[:10])
    milliseconds = max((ts - _EPOCH) // timedelta(milliseconds=1), 0) if ts is not None else 0
    number = milliseconds << 80 | digest
    number = number & ~(0xF << 76) | 0x7 << 76  # the version
    number = number & ~(0x3 << 62) | 0x2 << 62  # the variant
    return str(uuid.UUID(int=number))


def fingerprint(value: Any) -> str:
    """SHA-256 over a JSON value, in hex: the name of what has no id in its source."""
    canonical = json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode()).hexdigest()


class Unreadable(ValueError):  # noqa: N818 (what is at fault is a value of the source)
    """A value is not what its format says."""


def moment(value: Any) -> datetime | None:
    """The time that a source states: text of ISO 8601 (UTC where it has no offset), or seconds since 1970; None for
    none.

    Raises Unreadable.
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
        raise Unreadable(f"{str(value)[:40]!r} is not a time") from None


def words(value: Any) -> str:
    """A field that should be a text: "" if it is none."""
    return value if isinstance(value, str) else ""


def present(**fields: Any) -> dict[str, Any]:
    """The fields that say something: without None, empty texts, lists and objects."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], {})}
