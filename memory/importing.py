"""Loads events from a JSON lines file into a tenant: streaming, strict, resumable, and without duplicates.

One line is one event: the body of POST /events, and optionally `source_id`, the event's id in its source. The id of the
event is computed from its line, so each event is recorded once, even if a load is interrupted, run again, or run by two
processes at once.
"""

import hashlib
import json
import re
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, BinaryIO

import psycopg
from django.conf import settings
from django.db import Error as DatabaseFailure

from governance import strict_json
from governance.acting import gate
from governance.acting.credentials import OperatorCredential
from governance.acting.principals import Principal
from governance.database.typed_calls import select
from governance.faults import Faults
from governance.inputs import TextField, read_value
from governance.models import Agent
from governance.refusals import Conflict, Fault, Invalid, NotFound, Refusal, from_database
from governance.text import IDENTIFIER
from memory.drafts import EventDraft
from memory.models import Event
from memory.services import recording

BATCH = 500
#: A batch ends early at this size: 500 lines may have 5 GB.
BATCH_BYTES = 16 * 1024 * 1024

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_UNIQUE, _DEADLOCK = "23505", "40P01"
#: A draft's pointer is its line. A place within a line starts with a slash instead.
_LINE_POINTER = re.compile(r"line (\d+)")


class BadLine(Invalid):
    """A line of the file is not a valid event."""


class NoSuchAgent(NotFound):
    """This tenant has no active agent with this name."""


class LoadContended(Conflict):
    """Another client is recording the same events. Run the command again; it skips recorded events."""


@dataclass
class Tally:
    """The progress of a load: events read, recorded and skipped (recorded before), and bytes read."""

    events: int = 0
    recorded: int = 0
    skipped: int = 0
    bytes: int = 0


def agent_of(tenant_id: uuid.UUID, slug: str) -> Principal:
    """The agent that events are recorded as. Raises NoSuchAgent."""
    with gate.tenant(tenant_id):
        agent = Agent.objects.filter(tenant_id=tenant_id, slug=slug, is_active=True).first()
    if agent is None:
        raise NoSuchAgent(f"This tenant has no active agent {slug!r}. Create it with `manage.py provision`.")
    return Principal(
        tenant_id,
        "agent",
        agent.id,
        agent.slug,
        channels=tuple(agent.channels),
        credential=OperatorCredential("load_events", "agent", agent.id),
    )


def event_id(actor: Principal, ts: datetime | None, *named: str | int) -> uuid.UUID:
    """The id of an event from a file: a UUIDv7 of its time and 74 bits of SHA-256 over the agent and its name.

    The name is `"source", source_id`, or `"line", canonical line, number among identical lines`. Without a time the id
    sorts before all others, because it must not depend on when the file is loaded. The same name with another time is
    another event.
    """
    name = json.dumps([str(actor.tenant_id), str(actor.id), *named], ensure_ascii=False).encode()
    digest = int.from_bytes(hashlib.sha256(name).digest()[:10])
    milliseconds = (ts - _EPOCH) // timedelta(milliseconds=1) if ts is not None else 0
    number = max(milliseconds, 0) << 80 | digest
    number = number & ~(0xF << 76) | 0x7 << 76  # the version
    number = number & ~(0x3 << 62) | 0x2 << 62  # the variant
    return uuid.UUID(int=number)


def load_events(
    stream: BinaryIO,
    *,
    name: str,
    actor: Principal,
    tally: Tally,
    batch: int = BATCH,
    on_batch: Callable[[], object] = lambda: None,
) -> None:
    """Record the events of `stream` that are not recorded yet, each batch in its own transaction.

    Updates `tally` as it goes, and calls `on_batch` after each batch. Raises BadLine, which names `name` and the line
    (its batch is not recorded, the batches before it are), and LoadContended.
    """
    for drafts in _batches(_read(stream, name, actor, tally), batch):
        recorded = _store(drafts, name, actor)
        tally.recorded += recorded
        tally.skipped += len(drafts) - recorded
        on_batch()


def check_events(
    stream: BinaryIO, *, name: str, actor: Principal, tally: Tally, on_batch: Callable[[], object] = lambda: None
) -> None:
    """Read all of `stream` as `load_events` would, and record nothing. Raises BadLine.

    Only loading checks whether what `supersedes` and `task_id` name exists.
    """
    for _ in _batches(_read(stream, name, actor, tally), BATCH):
        on_batch()


def _read(stream: BinaryIO, name: str, actor: Principal, tally: Tally) -> Iterator[tuple[EventDraft, int]]:
    """The draft of each line and its size in bytes. Skips blank lines."""
    repeats: Counter[int] = Counter()  # of identical lines without a source_id; about 100 bytes for each
    limit: int = settings.MAX_BODY_BYTES
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        tally.bytes += len(line)
        if line.isspace():
            continue
        try:
            if len(line) > limit:
                raise strict_json.BodyTooLarge
            draft = _draft(line, f"line {number}", actor, repeats)
        except Refusal as error:
            raise _at_line(error, name, number) from None
        tally.events += 1
        yield draft, len(line)


def _draft(line: bytes, pointer: str, actor: Principal, repeats: Counter[int]) -> EventDraft:
    body = strict_json.parse_object(line.rstrip(b"\r\n"))
    source_id = _source_id(body, pointer)
    draft = EventDraft.from_body({name: value for name, value in body.items() if name != "source_id"}, pointer)
    ts = draft.ts if "ts" in body else None
    if source_id is not None:
        named: tuple[str | int, ...] = ("source", source_id)
    elif ts is not None:
        canonical = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        key = int.from_bytes(hashlib.sha256(canonical.encode()).digest()[:8])
        named = ("line", canonical, repeats[key])
        repeats[key] += 1
    else:
        # With the words alone, "ok" in one file and "ok" in the next would be the same event.
        raise Invalid("An event needs a ts or a source_id, so that it can be told apart from others.", pointer="/ts")
    # record_events checks it too, but only at the end of the batch, and not with --check.
    actor.require_channel(draft.channel, f"{pointer}/channel")
    return replace(draft, id=event_id(actor, ts, *named))


def _source_id(body: dict[str, Any], pointer: str) -> str | None:
    if "source_id" not in body:
        return None
    faults = Faults()
    source_id: str = read_value(TextField(IDENTIFIER), body["source_id"], f"{pointer}/source_id", faults)
    faults.raise_any()
    return source_id


def _at_line(error: Refusal, name: str, number: int | None = None) -> BadLine:
    """`error` with its place in the file: the line is `number`, or the one in the draft's pointer."""
    fault = error.errors[0] if error.errors else Fault(detail=error.detail)
    pointer = fault.get("pointer", "")
    if found := _LINE_POINTER.match(pointer):
        number, pointer = int(found[1]), pointer[found.end() :]
    # The parser counts the lines of a body; here a body is one line.
    detail = fault["detail"].replace("(line 1, ", "(")
    place = [f"{name}:{number}" if number is not None else name, *filter(None, [pointer])]
    return BadLine(": ".join([*place, detail]))


def _batches(drafts: Iterator[tuple[EventDraft, int]], size: int) -> Iterator[list[EventDraft]]:
    gathered: list[EventDraft] = []
    held = 0
    for draft, length in drafts:
        gathered.append(draft)
        held += length
        if len(gathered) >= size or held >= BATCH_BYTES:
            yield gathered
            gathered, held = [], 0
    if gathered:
        yield gathered


def _store(drafts: Sequence[EventDraft], name: str, actor: Principal) -> int:
    """Record the drafts that are not recorded yet, in one transaction; returns how many."""
    wanted: dict[uuid.UUID, EventDraft] = {}
    for draft in drafts:
        wanted.setdefault(draft.id, draft)
    # 1. At the same time as other loaders. If one of them records the same events between the query and the insert,
    # this attempt fails.
    # 2. Then with an exclusive lock among the agent's loaders, so that this cannot happen again.
    for lock in ("pg_advisory_xact_lock_shared", "pg_advisory_xact_lock"):
        try:
            with gate.acting_as(actor):
                select(str, f"SELECT {lock}(%s)", [int.from_bytes(actor.id.bytes[-8:], signed=True)])
                there = {event.id for event in Event.by_ids(actor.tenant_id, wanted, fields=())}
                fresh = [draft for id, draft in wanted.items() if id not in there]
                if fresh:
                    recording.record_events(fresh, actor=actor)
                return len(fresh)
        except Refusal as refusal:
            raise _at_line(refusal, name) from None
        except DatabaseFailure as error:
            if _lost_a_race(error):
                continue
            if (refusal_of_the_gate := from_database(error)) is not None:
                raise refusal_of_the_gate from None
            raise
    raise LoadContended


def _lost_a_race(error: DatabaseFailure) -> bool:
    cause = error.__cause__
    if not isinstance(cause, psycopg.Error):
        return False
    return cause.sqlstate == _DEADLOCK or (
        cause.sqlstate == _UNIQUE and cause.diag.constraint_name == f"{Event._meta.db_table}_pkey"
    )
