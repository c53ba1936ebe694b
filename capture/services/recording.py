"""Recording descriptions of hooks and responses of agents: each is an event, whose chunks have their source."""

import json
import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import transaction

from capture import db
from capture.models import Capture
from capture.services import importance
from governance.acting import gate
from governance.acting.principals import Principal
from governance.refusals import Conflict, Failed, Forbidden, Invalid, NotFound, Refusal, within_savepoint
from memory.drafts import EventDraft, PreparedEvent, RecordedEvent
from memory.embedding.thirteen import EmbeddingsFailed, embed_prepared
from memory.models import Chunk, Event, Kind
from memory.services import recording

logger = logging.getLogger("suture.capture")

#: A response with more words is split into several chunks; for anything else, `chunker.CHUNK_WORDS` is the limit.
RESPONSE_WORDS = 500
_SAID = (Kind.MESSAGE, Event.ActorType.AGENT)
_ACTS = {
    Capture.HookType.USER_PROMPT_SUBMIT: (Kind.MESSAGE, Event.ActorType.HUMAN),
    Capture.HookType.PRE_TOOL_USE: (Kind.TOOL_CALL, Event.ActorType.AGENT),
    Capture.HookType.POST_TOOL_USE: (Kind.TOOL_RESULT, Event.ActorType.TOOL),
}


@dataclass(frozen=True, slots=True)
class Origin:
    """The source of a memory: a hook, or a response."""

    source: str
    hook_type: str | None = None
    tool_name: str | None = None
    response_type: str | None = None


@dataclass(frozen=True, slots=True)
class CaptureDraft:
    """A capture: its event, without kind and actor, which follow from the origin."""

    origin: Origin
    event: EventDraft
    #: The kinds of secrets that the client masked before sending.
    redacted: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreparedCapture:
    """A capture that is ready to be recorded, or the reason why it cannot be. `event` is None without a text."""

    origin: Origin | None = None
    event: PreparedEvent | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class PreparedCaptures:
    """Captures with the rows of their embeddings."""

    captures: list[PreparedCapture]
    embedded: list[dict[str, object]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Captured:
    """The result of a capture; `event` is None if nothing was recorded, because it had no text or was refused."""

    event: RecordedEvent | None
    response_id: UUID | None = None
    reason: str = ""
    redacted: Counter[str] = field(default_factory=Counter)
    refusal: Refusal | None = None

    @property
    def chunk_ids(self) -> list[UUID]:
        return self.event.chunk_ids if self.event else []

    @property
    def status(self) -> str:
        if self.refusal is not None:
            return "failed" if isinstance(self.refusal, Failed) else "refused"
        if self.event is None:
            return "skipped"
        return "already_recorded" if self.event.is_repeated else "recorded"


def as_event(origin: Origin, actor: Principal) -> tuple[str, str, str]:
    """Kind, actor type and actor of a capture's event."""
    hook = Capture.HookType(origin.hook_type) if origin.hook_type else None
    kind, actor_type = _ACTS.get(hook, _SAID) if hook else _SAID
    who = {Event.ActorType.HUMAN: "user", Event.ActorType.TOOL: origin.tool_name or "tool"}
    return kind, actor_type, who.get(actor_type, actor.name)


def prepare_captures(drafts: Sequence[CaptureDraft | Refusal], *, actor: Principal) -> PreparedCaptures:
    """Mask, cut and embed captures. Embedding takes seconds, so call this outside a transaction. A capture that is
    refused, already or now, or that cannot be embedded, has its refusal; the others do not depend on it. Raises what
    gate.entered raises."""
    captures = [_prepared(draft, actor) for draft in drafts]
    fresh = [one.event for one in captures if one.event]
    named = [event.draft.id for event in fresh if event.draft.is_named]
    with gate.entered():  # it verifies the key
        known = recording.recorded_already(named, actor) if named else set()
    embedded, failures = _embedded([event for event in fresh if event.draft.id not in known])
    if failures:
        captures = [replace(one, refusal=failures.get(one.event.draft.id)) if one.event else one for one in captures]
    return PreparedCaptures(captures, embedded)


def _prepared(draft: CaptureDraft | Refusal, actor: Principal) -> PreparedCapture:
    if isinstance(draft, Refusal):
        return PreparedCapture(refusal=draft)
    if _is_empty(draft):
        return PreparedCapture(draft.origin)
    try:
        actor.require_channel(draft.event.channel, f"{draft.event.pointer}/channel")
        return PreparedCapture(draft.origin, PreparedEvent.of(_with_source(draft)))
    except Refusal as refusal:
        return PreparedCapture(draft.origin, refusal=refusal)


def _embedded(events: Sequence[PreparedEvent]) -> tuple[list[dict[str, object]], dict[UUID, EmbeddingsFailed]]:
    """The embeddings of the events, and the failures by event: one that cannot be embedded is left out."""
    try:
        return embed_prepared(events), {}
    except EmbeddingsFailed as failure:
        if failure.concerns_all or len(events) == 1:
            return [], {one.draft.id: failure for one in events}
    half = len(events) // 2
    (rows, failures), (others, more) = _embedded(events[:half]), _embedded(events[half:])
    return rows + others, failures | more


@transaction.atomic(savepoint=False)
def record_captures(prepared: PreparedCaptures, *, actor: Principal) -> list[Captured]:
    """Record captures with all thirteen embeddings; those that are refused have their refusal, and the others are
    recorded. Captures without text are skipped, with a warning in the log. Raises what ledger.require_writable
    raises."""
    due = [one for one in prepared.captures if one.event and not one.refusal]
    try:
        # a single one needs no savepoint: its refusal is that of the request
        with within_savepoint() if len(prepared.captures) > 1 else nullcontext():
            made = _record(due, prepared.embedded, actor)
    except (Invalid, Forbidden, NotFound, Conflict):
        if len(prepared.captures) == 1:
            raise
        made = [_record_alone(one, prepared.embedded, actor) for one in due]
    recorded = iter(made)
    return [
        Captured(None, refusal=one.refusal) if one.refusal else next(recorded) if one.event else _skipped(one)
        for one in prepared.captures
    ]


def _record_alone(one: PreparedCapture, embedded: Sequence[Mapping[str, object]], actor: Principal) -> Captured:
    try:
        with within_savepoint():
            return _record([one], embedded, actor)[0]
    except (Invalid, Forbidden, NotFound, Conflict) as refusal:
        return Captured(None, refusal=refusal)


def _record(
    captures: Sequence[PreparedCapture], embedded: Sequence[Mapping[str, object]], actor: Principal
) -> list[Captured]:
    events = [one.event for one in captures if one.event]
    origins = [one.origin for one in captures if one.origin]
    recorded = recording.record_prepared(events, actor=actor, embedded=embedded) if events else []
    rows = [
        {
            "id": str(chunk),
            "source": origin.source,
            "hook_type": origin.hook_type,
            "tool_name": origin.tool_name,
            "response_type": origin.response_type,
            "response_id": str(event.event_id) if origin.response_type else None,
            "word_offset": offset,
        }
        for origin, event in zip(origins, recorded, strict=True)
        if not event.is_repeated
        for chunk, offset in zip(event.chunk_ids, event.word_offsets, strict=True)
    ]
    if rows:
        db.record_captures(tenant=actor.tenant_id, captures=json.dumps(rows))
    return [
        Captured(event, event.event_id if origin.response_type else None, redacted=event.redacted)
        for origin, event in zip(origins, recorded, strict=True)
    ]


def _is_empty(draft: CaptureDraft) -> bool:
    return not draft.event.content["text"].strip()


def _skipped(one: PreparedCapture) -> Captured:
    hook = one.origin and one.origin.hook_type
    reason = f"Skipping empty hook description for {hook}" if hook else "Skipping empty response"
    logger.warning(reason)
    return Captured(None, reason=reason)


def _with_source(draft: CaptureDraft) -> EventDraft:
    origin, event = draft.origin, draft.event
    is_response = origin.source == Capture.Source.RESPONSE
    default = importance.of_source(origin.source, origin.hook_type)
    return replace(
        event,
        source=Chunk.Source.RESPONSE if is_response else Chunk.Source.HOOK,
        importance=default if event.importance is None else event.importance,
        redacted_before=draft.redacted,
        chunk_above=RESPONSE_WORDS if is_response else event.chunk_above,
    )
