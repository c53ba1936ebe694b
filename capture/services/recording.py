"""Recording descriptions of hooks and responses of agents: each is an event, whose chunks have their source."""

import json
import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from uuid import UUID

from django.db import transaction

from capture import db
from capture.models import Capture
from capture.services import importance
from governance.acting.principals import Principal
from memory.drafts import EventDraft, RecordedEvent
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
class Captured:
    """The result of a capture; `event` is None if it had no text, so that nothing was recorded."""

    event: RecordedEvent | None
    response_id: UUID | None = None
    reason: str = ""
    redacted: Counter[str] = field(default_factory=Counter)

    @property
    def chunk_ids(self) -> list[UUID]:
        return self.event.chunk_ids if self.event else []

    @property
    def status(self) -> str:
        if self.event is None:
            return "skipped"
        return "already_recorded" if self.event.is_repeated else "recorded"


def as_event(origin: Origin, actor: Principal) -> tuple[str, str, str]:
    """Kind, actor type and actor of a capture's event."""
    hook = Capture.HookType(origin.hook_type) if origin.hook_type else None
    kind, actor_type = _ACTS.get(hook, _SAID) if hook else _SAID
    who = {Event.ActorType.HUMAN: "user", Event.ActorType.TOOL: origin.tool_name or "tool"}
    return kind, actor_type, who.get(actor_type, actor.name)


@transaction.atomic(savepoint=False)
def capture(drafts: Sequence[CaptureDraft], *, actor: Principal) -> list[Captured]:
    """Record all of `drafts` with all thirteen embeddings, or none. Captures without text are skipped, with a warning
    in the log. Raises what `recording.record_events` raises, including EmbeddingsFailed."""
    worded = [draft for draft in drafts if not _is_empty(draft)]
    events = [_with_source(draft) for draft in worded]
    recorded = recording.record_events(events, actor=actor, in_every_space=True) if events else []
    rows = [
        {
            "id": str(chunk),
            "source": draft.origin.source,
            "hook_type": draft.origin.hook_type,
            "tool_name": draft.origin.tool_name,
            "response_type": draft.origin.response_type,
            "response_id": str(one.event_id) if draft.origin.response_type else None,
            "word_offset": offset,
        }
        for draft, one in zip(worded, recorded, strict=True)
        if not one.is_repeated
        for chunk, offset in zip(one.chunk_ids, one.word_offsets, strict=True)
    ]
    if rows:
        db.record_captures(tenant=actor.tenant_id, captures=json.dumps(rows))
    made = iter(zip(worded, recorded, strict=True))
    return [_skipped(draft) if _is_empty(draft) else _captured(*next(made)) for draft in drafts]


def _is_empty(draft: CaptureDraft) -> bool:
    return not draft.event.content["text"].strip()


def _skipped(draft: CaptureDraft) -> Captured:
    hook = draft.origin.hook_type
    reason = f"Skipping empty hook description for {hook}" if hook else "Skipping empty response"
    logger.warning(reason)
    return Captured(None, reason=reason)


def _captured(draft: CaptureDraft, event: RecordedEvent) -> Captured:
    response_id = event.event_id if draft.origin.response_type else None
    return Captured(event, response_id, redacted=event.redacted)


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
