"""Records events and summaries: one gate function call for any number of events, all or nothing."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction

from governance.acting import gate
from governance.acting.principals import Principal
from governance.edits import policies
from governance.edits.holds import record_holds
from governance.ledger import appending
from governance.ledger.db import content_hashes, lock_chain
from governance.models import Edit, new_id
from governance.redaction import refuse_secrets
from governance.refusals import Conflict, Forbidden, Invalid, register_constraint
from governance.relations.audience_json import resolved
from governance.relations.db import weigh_usersets
from governance.relations.unused_names import Notice, notices_of_usersets
from governance.text import SUMMARY
from memory.drafts import EventDraft, PreparedEvent, Quarantine, RecordedEvent, Rows
from memory.embedding import thirteen
from memory.models import RULE_SCOPES, EffectiveChunk, Event, Kind, Task
from memory.queries.audience import audience, hears
from memory.services import db, updating
from memory.services.quarantines import record_quarantines
from memory.targets import DecisionTarget
from memory.values.cutting import cut_events, cut_text
from suture_client.text.masking import mask, mask_all
from suture_verify.entries import chain_of_agent

NOT_IN_AUDIENCE = Notice(
    "not_in_audience", "You are not in the audience of this record, so you cannot read it yourself."
)


class NoSuchDecision(Invalid):
    """The decision that you want to supersede does not exist."""


class SupersedingNeedsApproval(Forbidden):
    """The policy requires approval to change this decision. Record your decision without supersedes, and propose to
    amend or retract the old one."""


class NoSuchTask(Invalid):
    """The task that you want to update does not exist. To open a new task, omit task_id."""


class EventIdTaken(Conflict):
    """This id belongs to another event. Use a new id for every new event."""


register_constraint(f"{Event._meta.db_table}_pkey", EventIdTaken)


@dataclass(frozen=True, slots=True)
class RecordedSummary:
    """A recorded summary, and its quarantine if it repeats retracted text."""

    chunk_id: uuid.UUID
    sensitivity: str
    quarantine: Quarantine | None


def record_events(drafts: Sequence[EventDraft], *, actor: Principal) -> list[RecordedEvent]:
    """Record all drafts, or none; see record_prepared. Raises SecretInIdentifier too, naming its place."""
    return record_prepared([PreparedEvent.of(draft) for draft in drafts], actor=actor)


@transaction.atomic(savepoint=False)
def record_prepared(
    prepared: Sequence[PreparedEvent], *, actor: Principal, embedded: Sequence[Mapping[str, object]] = ()
) -> list[RecordedEvent]:
    """Record all events, or none. Quarantines chunks that repeat text that an approved retract removed, and decisions
    that need approval. With the rows of `embed_prepared`, semantic search finds them at once. A named draft that was
    recorded before, or that is in `prepared` twice, is recorded once and returned unchanged.

    Raises ChannelNotAllowed, SubjectIncomplete, NoSuchDecision, SupersedingNeedsApproval, NoSuchTask, EventIdTaken and
    the refusals of `updating`, each naming its place, and what ledger.require_writable raises.
    """
    appending.require_writable(actor.tenant_id)
    for one in prepared:
        actor.require_channel(one.draft.channel, f"{one.draft.pointer}/channel")
    gate.act_as(actor)
    cut = cut_events(prepared, actor=actor)
    changed = [one for one, before in zip(cut, prepared, strict=True) if one is not before]
    if embedded and changed:
        embedded = [*embedded, *thirteen.embed_prepared(changed)]
    prepared = cut
    notices = _notices_of([one.draft for one in prepared], actor)
    repeated = _find_repeats(prepared, actor)
    fresh = [one for place, one in enumerate(prepared) if place not in repeated]
    made = {one.event_id: one for one in _record(fresh, actor, embedded)} if fresh else {}
    found = [repeated.get(place) or made[one.draft.id] for place, one in enumerate(prepared)]
    if not notices:
        return found
    return [replace(one, notices=notices.get(one.event_id, ())) for one in found]


def _notices_of(drafts: Sequence[EventDraft], actor: Principal) -> dict[uuid.UUID, tuple[Notice, ...]]:
    """What their recorder should know about the audiences that events name, by the event's id."""
    named = {
        draft.id: resolved(draft.audience, draft.subject_type, draft.subject_id) for draft in drafts if draft.audience
    }
    if not named:
        return {}
    every = sorted({one for usersets in named.values() for one in usersets})
    weighed = {one.userset: one for one in weigh_usersets(tenant=actor.tenant_id, usersets=every)}
    unused = {userset: notices_of_usersets([userset], actor) if weighed[userset].is_new else () for userset in every}
    return {
        id: (
            *dict.fromkeys(notice for userset in usersets for notice in unused[userset]),
            *(() if any(weighed[one].is_own for one in usersets) else (NOT_IN_AUDIENCE,)),
        )
        for id, usersets in named.items()
    }


def recorded_already(ids: Sequence[uuid.UUID], actor: Principal) -> set[uuid.UUID]:
    """Those of the ids that events of the actor have. Others may be recorded at any moment: only record_prepared tells
    for certain."""
    found = Event.objects.filter(tenant_id=actor.tenant_id, id__in=ids, recorded_by=actor.id)
    return set(found.values_list("id", flat=True))


def _find_repeats(prepared: Sequence[PreparedEvent], actor: Principal) -> dict[int, RecordedEvent]:
    """The repeated events, by their index in `prepared`: those that were recorded before, and duplicates within the
    list. They are locked until the transaction ends.

    Raises EventIdTaken if another event has the same id, recorded or earlier in the list.
    """
    named = {place: one for place, one in enumerate(prepared) if one.draft.is_named}
    if not named:
        return {}
    first: dict[uuid.UUID, PreparedEvent] = {}
    repeated: dict[int, RecordedEvent] = {}
    for place, one in named.items():
        earlier = first.setdefault(one.draft.id, one)
        if earlier.words != one.words:
            raise EventIdTaken(pointer=f"{one.draft.pointer}/id")
        if earlier is not one:
            repeated[place] = replace(earlier.recorded, is_repeated=True)
    for known in db.claim_named_events(tenant=actor.tenant_id, events=_words_json(first)):
        if not known.is_same:
            raise EventIdTaken(pointer=f"{first[known.event_id].draft.pointer}/id")
        was = RecordedEvent(
            known.event_id,
            known.ts,
            known.chunk_ids,
            is_repeated=True,
            redacted=first[known.event_id].recorded.redacted,
            decision_id=known.decision_id,
            task_id=known.task_id,
            artifact_id=known.artifact_id,
        )
        repeated |= {place: was for place, one in named.items() if one.draft.id == known.event_id}
    return repeated


def _words_json(first: dict[uuid.UUID, PreparedEvent]) -> str:
    names = ("session_id", "kind", "text", "fields")
    rows = [{"id": str(id), **dict(zip(names, one.words, strict=True))} for id, one in first.items()]
    return json.dumps(rows, ensure_ascii=False)


def _record(
    prepared: Sequence[PreparedEvent], actor: Principal, embedded: Sequence[Mapping[str, object]]
) -> list[RecordedEvent]:
    drafts = [one.draft for one in prepared]
    recorded = [one.recorded for one in prepared]
    rows = Rows()
    for one in prepared:
        rows.add(one.rows)
    updating.check_updates(drafts, actor)
    chunks = {str(chunk["id"]) for chunk in rows.chunks}
    vectors = [row for row in embedded if row["chunk_id"] in chunks]
    _check_references(drafts, actor)
    if rows.decisions and actor.kind == "agent":
        # before the rows, the usual order of locks (lock_agent_chains.sql)
        lock_chain(tenant=actor.tenant_id, name=chain_of_agent(actor.name))
    quarantined = db.record_events(
        tenant=actor.tenant_id,
        contents=_json(rows.contents),
        events=_json(rows.events),
        chunks=_json(rows.chunks),
        decisions=_json(rows.decisions),
        tasks=_json(rows.tasks),
        artifacts=_json(rows.artifacts),
    )
    recorded = updating.record_updates(drafts, recorded, actor)
    thirteen.store(vectors, actor=actor)
    _record_decisions(drafts, recorded, rows, actor)
    quotes = {one.chunk_id for one in quarantined if one.edit_id is None}
    hidden = record_quarantines(quarantined, actor)
    has_rules = any(one.decision_id and draft.scope in RULE_SCOPES for draft, one in zip(drafts, recorded, strict=True))
    waiting = {one.target_id: one.release for one in record_holds(actor)} if has_rules or quotes else {}
    if not (hidden or waiting):
        return recorded
    return [
        replace(
            one,
            quarantines=[hidden[chunk] for chunk in one.chunk_ids if chunk in hidden],
            held_chunk_ids=[chunk for chunk in one.chunk_ids if chunk in quotes],
            approval_edit_id=waiting.get(one.decision_id) if one.decision_id else None,
        )
        for one in recorded
    ]


def _record_decisions(
    drafts: Sequence[EventDraft], recorded: Sequence[RecordedEvent], rows: Rows, actor: Principal
) -> None:
    """Append the decisions of an agent to its chain."""
    made = {one.decision_id: one for one in recorded if one.decision_id}
    if actor.kind != "agent" or not made:
        return
    words = {row["id"]: row["content_id"] for row in rows.decisions}
    hashes = {row.id: row.sha256 for row in content_hashes(tenant=actor.tenant_id, ids=list(words.values()))}
    retentions = {one.event_id: draft.retention for draft, one in zip(drafts, recorded, strict=True)}
    entries = [
        appending.Draft(
            "decision",
            {"decision": str(decision), "event": str(one.event_id)},
            hashes[words[decision]],
            retentions[one.event_id],
        )
        for decision, one in made.items()
    ]
    appending.record_all(entries, actor=actor, chain=chain_of_agent(actor.name))


@transaction.atomic(savepoint=False)
def record_summary(
    *,
    actor: Principal,
    text: str,
    scope: str,
    subject_type: str,
    subject_id: str,
    session_id: str,
    channel: str,
    ts: datetime,
    project_id: str | None = None,
    importance: Decimal | None = None,
    tags: Sequence[str] = (),
    retention: str = "relationship",
    sensitivity: str | None = None,
    audience: Sequence[str] | None = None,
    compute_embedding: bool = True,
) -> RecordedSummary:
    """Record a summary as one chunk without an event. It is at least as sensitive as memory that the actor received in
    the session, and a reader must hear the audiences of that; `sensitivity` None is the tenant's for the channel, and
    `audience` None is by the tenant's rules. Without `compute_embedding`, search finds it by its
    words only.

    Raises ChannelNotAllowed, SecretInIdentifier, and what ledger.require_writable raises.
    """
    appending.require_writable(actor.tenant_id)
    actor.require_channel(channel)
    refuse_secrets(
        (
            ("/session_id", session_id),
            ("/subject_type", subject_type),
            ("/subject_id", subject_id),
            ("/project_id", project_id),
        )
    )
    text = mask(SUMMARY.require(text, "/text"))[0]
    gate.act_as(actor)
    about = {"subject_type": subject_type, "subject_id": subject_id, "project_id": project_id, "session_id": session_id}
    text = cut_text(text, {**about, "channel": channel, "ts": ts}, actor=actor)
    rows = Rows()
    chunk_id = new_id()
    rows.chunks.append(
        {
            "id": chunk_id,
            "content_id": rows.words(text),
            "importance": str(importance if importance is not None else Decimal("0.5")),
            "tags": mask_all(list(tags))[0],
            "scope": scope,
            **about,
            "channel": channel,
            "sensitivity": sensitivity,
            "audience": audience,
            "retention": retention,
            "ts": ts,
            "compute_embedding": compute_embedding,
        }
    )
    quarantined = db.record_summary(
        tenant=actor.tenant_id,
        contents=_json(rows.contents),
        chunks=_json(rows.chunks),
    )
    given = EffectiveChunk.objects.values_list("sensitivity", flat=True).get(tenant_id=actor.tenant_id, id=chunk_id)
    return RecordedSummary(chunk_id, given, record_quarantines(quarantined, actor).get(chunk_id))


def _json(rows: list[dict[str, Any]]) -> str | None:
    return json.dumps(rows, default=str, ensure_ascii=False) if rows else None


def _check_references(drafts: Sequence[EventDraft], actor: Principal) -> None:
    """Raise NoSuchDecision or NoSuchTask unless the targets of `supersedes` and `task_id` exist for the actor."""
    superseded = _named(drafts, Kind.DECISION, "supersedes")
    updated = _named(drafts, Kind.TASK_UPDATE, "task_id")
    if superseded:
        _check_superseded(superseded, actor)
    if updated:
        tasks = Task.objects.filter(hears(audience(actor, None)), tenant_id=actor.tenant_id, task_id__in=updated)
        _refuse_unknown(updated, set(tasks.values_list("task_id", flat=True)), "task_id", NoSuchTask)


def _check_superseded(superseded: dict[uuid.UUID, str], actor: Principal) -> None:
    """Require that the actor can find a superseded decision, and can amend it without approval."""
    found = DecisionTarget().find_many(list(superseded), actor)
    _refuse_unknown(superseded, set(found), "supersedes", NoSuchDecision)
    for decision, pointer in superseded.items():
        if policies.approvals_for(
            actor, {"op": Edit.Op.AMEND}, DecisionTarget.name, decision, found[decision].sensitivity
        ):
            raise SupersedingNeedsApproval(pointer=f"{pointer}/content/supersedes")


def _named(drafts: Sequence[EventDraft], kind: Kind, name: str) -> dict[uuid.UUID, str]:
    return {
        uuid.UUID(str(draft.content[name])): draft.pointer
        for draft in drafts
        if draft.kind == kind and draft.content.get(name)
    }


def _refuse_unknown(named: dict[uuid.UUID, str], known: set[uuid.UUID], name: str, refusal: type[Invalid]) -> None:
    for reference, pointer in named.items():
        if reference not in known:
            raise refusal(pointer=f"{pointer}/content/{name}")
