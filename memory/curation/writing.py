"""Writes to an agent's own memory: commits, consolidations and versions of blocks. Each is one entry of its chain with
its chunk, in one transaction."""

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.db import transaction

from governance.acting import gate
from governance.acting.principals import Principal
from governance.edits.holds import record_holds
from governance.ledger import appending
from governance.ledger.db import lock_chain
from governance.models import new_id
from governance.redaction import refuse_secrets
from governance.refusals import Conflict, Forbidden, Invalid, register_constraint
from governance.text import MEMORY, REMARK
from memory.curation import db, importance
from memory.curation.supersession import check_supersedes, require_no_more_open
from memory.drafts import Quarantine, SubjectIncomplete, require_subject
from memory.models import AgentMemory, Retention, Scope
from memory.services.quarantines import record_quarantines
from memory.values.cutting import cut, cut_text
from suture_client.text.masking import mask, mask_all
from suture_verify.entries import chain_of_agent


class NoChainOfYourOwn(Forbidden):
    """Only agents have memory of their own. Use the key of an agent."""


class ExpiryNeedsEphemeral(Invalid):
    """Only memory with the retention ephemeral expires."""


class SupersededMeanwhile(Conflict):
    """A memory that you want to consolidate was superseded meanwhile. Read it again."""


register_constraint("consolidation_supersedes_active", SupersededMeanwhile)

Label = AgentMemory.BlockLabel
#: The blocks that are core memory by default.
CORE_LABELS = frozenset({Label.PERSONA.value, Label.GOALS.value})
#: Maximum hours until ephemeral memory expires: ten years.
MAX_EXPIRY_HOURS = 87_600


@dataclass(frozen=True, slots=True)
class About:
    """The subject and audience of a memory. Without a channel, the agent's default (Principal.default_channel); without
    a sensitivity, the tenant's for the channel; without usersets of an audience, that of the tenant's rules."""

    channel: str | None = None
    sensitivity: str | None = None
    audience: tuple[str, ...] | None = None
    subject_type: str | None = None
    subject_id: str | None = None
    project_id: str | None = None
    session_id: str | None = None
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A recorded memory. `content_hash` is SHA-256 of a random salt and the text; `superseded` are the numbers that it
    replaces."""

    seq: int
    content_hash: bytes
    chunk_id: uuid.UUID
    ts: datetime
    importance: Decimal
    retention: str
    tier: str
    channel: str
    sensitivity: str
    expires_at: datetime | None
    superseded: tuple[int, ...] = ()
    version: int | None = None
    previous_block_seq: int | None = None
    is_core: bool = False
    redacted: tuple[str, ...] = ()
    #: Whether it repeats text that a retract removed.
    quarantine: Quarantine | None = None
    #: The edit whose approval shows it, if it is based on hidden memory.
    approval_edit_id: uuid.UUID | None = None


@transaction.atomic(savepoint=False)
def commit(
    content: str,
    *,
    actor: Principal,
    retention: str = Retention.RELATIONSHIP,
    score: Decimal = importance.DEFAULT,
    expires_hours: float | None = None,
    about: About | None = None,
) -> Written:
    """Append a memory to the actor's chain. `score` is its importance from 1 to 10; ephemeral memory expires after
    `expires_hours`, or after the tenant's setting.

    Raises NoChainOfYourOwn, ExpiryNeedsEphemeral, ChannelNotAllowed, SubjectIncomplete, SecretInIdentifier, and what
    ledger.require_writable raises.
    """
    if expires_hours is not None and retention != Retention.EPHEMERAL:
        raise ExpiryNeedsEphemeral(pointer="/expires_hours")
    return _write(
        actor,
        AgentMemory.Type.MEMORY,
        MEMORY.require(content, "/content"),
        importance.stored(score),
        about or About(),
        retention=retention,
        expires_hours=expires_hours,
    )


@transaction.atomic(savepoint=False)
def rethink(
    supersedes: Sequence[int], new_understanding: str, *, actor: Principal, reason: str = "", channel: str | None = None
) -> Written:
    """Append a consolidation, which replaces the memories with these numbers: they are omitted from every answer that
    does not include superseded memory, and return if the consolidation is retracted.

    It is as important as the most important of them, at least as sensitive as the most sensitive, in a channel at most
    as open, and has their subject and project if these are the same. If one of them is hidden by an edit, it waits for
    a reviewer. Raises NoChainOfYourOwn, NoSuchMemory, AlreadySuperseded, MoreOpenThanOriginals,
    ChannelNotAllowed, and what ledger.require_writable raises.
    """
    text = MEMORY.require(new_understanding, "/new_understanding")
    reason = mask(REMARK.require(reason, "/reason"))[0]
    _require_agent(actor)
    gate.act_as(actor)
    text = cut_text(text, {"channel": channel}, actor=actor)
    # Concurrent consolidations wait here, and then see what this one superseded.
    lock_chain(tenant=actor.tenant_id, name=chain_of_agent(actor.name))
    originals = check_supersedes(supersedes, actor)
    channel = channel or _channel_of({one.channel for one in originals}, actor) or actor.default_channel()
    actor.require_channel(channel)
    require_no_more_open(channel, originals)

    def shared(name: str) -> Any:
        values = {getattr(one, name) for one in originals}
        return values.pop() if len(values) == 1 else None

    subject = {shared("subject_type"), shared("subject_id")}
    about = About(
        channel=channel,
        subject_type=None if None in subject else shared("subject_type"),
        subject_id=None if None in subject else shared("subject_id"),
        project_id=shared("project_id"),
    )
    return _write(
        actor,
        AgentMemory.Type.CONSOLIDATION,
        text,
        max(one.importance for one in originals),
        about,
        supersedes=tuple(sorted(supersedes)),
        reason=reason,
    )


@transaction.atomic(savepoint=False)
def update_block(
    label: str,
    content: str,
    *,
    actor: Principal,
    is_core: bool | None = None,
    channel: str | None = None,
    sensitivity: str | None = None,
) -> Written:
    """Append the next version of a block of the actor, which replaces the previous one. `is_core` None is true for
    persona and goals.

    Raises NoChainOfYourOwn, ChannelNotAllowed, and what ledger.require_writable raises.
    """
    core = label in CORE_LABELS if is_core is None else is_core
    return _write(
        actor,
        AgentMemory.Type.BLOCK,
        MEMORY.require(content, "/content"),
        importance.stored(importance.PINNED if core else importance.DEFAULT),
        About(channel=channel, sensitivity=sensitivity),
        block_label=label,
        is_core=core,
    )


def _require_agent(actor: Principal) -> None:
    if actor.kind != "agent":
        raise NoChainOfYourOwn


def _channel_of(channels: set[str], actor: Principal) -> str | None:
    """The channel of a consolidation: its originals', if they share one that the actor may use."""
    return channels.pop() if len(channels) == 1 and channels <= set(actor.channels) else None


def _write(
    actor: Principal,
    type: AgentMemory.Type,
    content: str,
    stored: Decimal,
    about: About,
    *,
    retention: str = Retention.RELATIONSHIP,
    expires_hours: float | None = None,
    supersedes: tuple[int, ...] = (),
    reason: str = "",
    block_label: str | None = None,
    is_core: bool = False,
) -> Written:
    _require_agent(actor)
    appending.require_writable(actor.tenant_id)
    channel = about.channel or actor.default_channel()
    actor.require_channel(channel)
    if (about.subject_type is None) != (about.subject_id is None):
        raise SubjectIncomplete(pointer="/subject_id" if about.subject_id is None else "/subject_type")
    require_subject(about.audience, about.subject_id)
    refuse_secrets(
        (f"/{name}", getattr(about, name)) for name in ("session_id", "subject_type", "subject_id", "project_id")
    )
    body, redacted = mask(content)
    tags = mask_all(list(about.tags))[0]
    chunk_id = new_id()
    gate.act_as(actor)
    place = {name: getattr(about, name) for name in ("subject_type", "subject_id", "project_id", "session_id")}
    kept = cut([[body, reason, tags]], [{**place, "channel": channel}], actor=actor)
    body, reason, tags = kept[0] if kept else (body, reason, tags)
    made = db.record_agent_memory(
        tenant=actor.tenant_id,
        memory=json.dumps(
            {
                "id": chunk_id,
                "content_id": new_id(),
                "body": body,
                "type": type,
                "retention": retention,
                "importance": str(stored),
                "channel": channel,
                "sensitivity": about.sensitivity,
                "audience": about.audience,
                "scope": _scope_of(about),
                "subject_type": about.subject_type,
                "subject_id": about.subject_id,
                "project_id": about.project_id,
                "session_id": about.session_id,
                "tags": tags,
                "block_label": block_label,
                "is_core": is_core,
                "reason": reason,
                "supersedes": supersedes,
                "expires_hours": expires_hours,
            },
            default=str,
            ensure_ascii=False,
        ),
    )
    facts: dict[str, Any] = {
        "chunk": str(chunk_id),
        "importance": str(stored.normalize()),
        "channel": channel,
        "expires_at": made.expires_at.isoformat() if made.expires_at else None,
    }
    if type == AgentMemory.Type.CONSOLIDATION:
        facts |= {"supersedes": list(supersedes), "reason": reason or None}
    if type == AgentMemory.Type.BLOCK:
        facts |= {
            "block_label": block_label,
            "version": made.version,
            "previous_block_seq": made.previous_block_seq,
            "is_core": is_core,
        }
    draft = appending.Draft(type, facts, made.content_hash, retention)
    (entry,) = appending.append_all([draft], actor=actor, chain=chain_of_agent(actor.name))
    if entry.seq != made.seq:  # cannot happen: the chain is locked
        raise RuntimeError(f"memory {made.seq} has the entry {entry.seq}")
    written = Written(
        seq=made.seq,
        content_hash=made.content_hash,
        chunk_id=chunk_id,
        ts=made.ts,
        importance=stored,
        retention=retention,
        tier=made.tier,
        channel=channel,
        sensitivity=made.sensitivity,
        expires_at=made.expires_at,
        superseded=supersedes,
        version=made.version,
        previous_block_seq=made.previous_block_seq,
        is_core=is_core,
        redacted=tuple(sorted(redacted)),
    )
    if made.quarantine_id is not None:
        found = record_quarantines([made.as_quarantined(chunk_id)], actor)
        written = replace(written, quarantine=found[chunk_id])
    if made.is_held:
        (held,) = record_holds(actor)
        written = replace(written, approval_edit_id=held.release)
    return written


def _scope_of(about: About) -> str:
    """What an agent commits is meant for later sessions, so without a subject or a project it is about everything."""
    if about.subject_type is not None:
        return Scope.USER
    return Scope.PROJECT if about.project_id is not None else Scope.GLOBAL
