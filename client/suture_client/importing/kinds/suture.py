"""Suture: the JSON lines that `suture export` writes, and `Memory.export()` yields.

Each line is a memory as GET /memories/{id} answers it. It is recorded by the key of the import, with its own id.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from suture_client.importing.items import (
    InvalidValueError,
    Item,
    LeftOut,
    NotParsed,
    Read,
    as_text,
    non_empty,
    parse_time,
)
from suture_client.importing.kinds import Kind, OnRead, each_record, ends_with
from suture_client.importing.records import Record
from suture_client.importing.sources import Source

#: The fields that a new memory has, too.
_KEPT = ("key", "subject_type", "subject_id", "project_id", "session_id", "channel", "tags")


def recognises(record: Record) -> bool:
    """Whether the record is a memory of Suture."""
    value = record.value
    return isinstance(value, dict) and {"id", "text", "metadata", "chunk_ids", "edits_applied"} <= value.keys()


def read(source: Source, on_read: OnRead) -> Iterator[Read]:
    """Read the memories of an export. Raises BadSource."""
    for one in each_record(source, on_read, "suture", lines_only=True):
        if isinstance(one, NotParsed):
            yield one
        elif not recognises(one):
            yield NotParsed(one.place, "This is not a memory of Suture, as `suture export` writes it.")
        else:
            yield _memory(one.place, one.value)


def _memory(place: str, value: dict[str, Any]) -> Read:
    if value.get("is_quarantined"):
        return LeftOut("quarantined memory")
    try:
        ts, expires = parse_time(value.get("created_at")), parse_time(value.get("expires_at"))
    except InvalidValueError as error:
        return NotParsed(place, f"{error}.")
    left = None if expires is None else (expires - datetime.now(UTC)).total_seconds()
    if left is not None and left <= 0:
        return LeftOut("expired memory")
    content = non_empty(text=as_text(value.get("text")), value=value.get("value"), metadata=value.get("metadata"))
    kept = non_empty(**{name: value.get(name) for name in _KEPT})
    body = {**kept, **non_empty(ts=ts.isoformat() if ts else "", ttl=left), "content": content}
    return Item(place, body, (str(value["id"]),), "memories", str(value["id"]))


KIND = Kind(
    name="suture",
    title="an export of Suture",
    wants="the file that `suture export` wrote",
    wanted=ends_with(".jsonl", ".ndjson", ".json"),
    takes_directory=False,
    recognises=recognises,
    read=read,
)
