"""Lawful erasure: an admin proposes it, a second admin approves it, and the same transaction deletes the text."""

import uuid
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connection, transaction

from governance.acting import gate
from governance.acting.principals import Principal
from governance.edits import targets
from governance.edits.holds import drafts_of_holds
from governance.erasure import db, keepers
from governance.erasure.proposals import require_proven
from governance.ledger import appending
from governance.ledger.db import lock_chain
from governance.models import Agent, Erasure, ErasureItem, ErasureState, new_id
from governance.refusals import Conflict, Fault, Forbidden, Invalid, NotFound, register_constraint
from governance.text import REASON, REMARK
from suture_client.text.masking import mask

#: Erased contents per ledger entry.
REDACTION_BATCH = 500
#: Time limit of an erasure: erasing an agent with a million memories takes longer than any request.
TIME_LIMIT = "15min"


class NotAnErasingAdmin(Forbidden):
    """Only an admin of the tenant can propose and decide erasures. An agent's key cannot."""


class ErasuresNotAllowed(Forbidden):
    """Only reviewers, auditors and admins can read erasures."""


class OwnErasure(Forbidden):
    """You cannot decide an erasure that you proposed. Ask another admin, or withdraw it."""


class NotYourErasure(Forbidden):
    """Only the proposer of an erasure can withdraw it."""


class NoSuchErasure(NotFound):
    """There is no such erasure."""


class NothingToErase(NotFound):
    """The tenant has no record that matches this request."""


class NothingLeftToErase(Conflict):
    """There is nothing to erase: the matching records have no text, or it was already erased."""


class ErasureNotPending(Conflict):
    """This erasure is already decided."""


class CommittedIsKept(Conflict):
    """Records with the retention `committed` cannot be erased. Nothing was erased."""


class ErasureNamesOneThing(Invalid):
    """Name exactly one target: a chunk, an event or a value by id, a subject by subject_type and subject_id, or an
    agent."""


register_constraint("erasure_decided_by_another", OwnErasure)
register_constraint("erasure_of_committed", CommittedIsKept)


@dataclass(frozen=True, slots=True)
class Selection:
    """The target of an erasure: a chunk or event (with the whole memory that it belongs to), everything about a
    subject, everything that an agent recorded or proposed, or a forgotten value in all texts, which keep the rest."""

    by: str
    target_id: uuid.UUID | None = None
    subject_type: str | None = None
    subject_id: str | None = None


@dataclass(slots=True)
class Record:
    """A record with the ids and hashes of its content rows that still have text, and for an edit its target."""

    kind: str
    id: uuid.UUID
    contents: list[tuple[uuid.UUID, bytes]] = field(default_factory=list)
    retention: str = ""
    target_type: str | None = None
    target_id: uuid.UUID | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """The records that an erasure deletes text from, those that block it, and those (`repeating`, by the field of their
    keeper) that contain an erased record and keep their own text."""

    records: list[Record]
    committed: list[Record]
    repeating: dict[str, list[uuid.UUID]] = field(default_factory=dict)

    @property
    def counts(self) -> dict[str, int]:
        """The number of records of each kind, and of content rows."""
        return counts_of(self.records)


def counts_of(records: Iterable[Record]) -> dict[str, int]:
    """The number of records of each kind, and under `content` of content rows: a shared text counts once."""
    counts: dict[str, int] = {}
    contents: set[uuid.UUID] = set()
    for record in records:
        counts[record.kind] = counts.get(record.kind, 0) + 1
        contents.update(content_id for content_id, _ in record.contents)
    return {**dict(sorted(counts.items())), "content": len(contents)}


def all_of_agent(slug: str, *, principal: Principal) -> Selection:
    """Everything that an agent recorded and proposed. Raises NothingToErase if the tenant has no such agent."""
    agent = Agent.objects.filter(tenant_id=principal.tenant_id, slug=slug).first()
    if agent is None:
        raise NothingToErase(f"There is no agent {slug!r} in this tenant.", pointer="/agent")
    return Selection(Erasure.By.AGENT, agent.id)


def scope_of(selection: Selection, *, principal: Principal) -> Scope:
    """Dry run: the scope of an erasure now. Raises NotAnErasingAdmin, NothingToErase, NothingLeftToErase."""
    _require_admin(principal)
    return _with_repeating(_scope(selection, principal), principal)


@transaction.atomic
def propose_erasure(selection: Selection, *, actor: Principal, reason: str) -> Erasure:
    """Propose an erasure; a second admin must decide it under any policy.

    Raises NotAnErasingAdmin, ErasureNamesOneThing, NothingToErase, NothingLeftToErase, CommittedIsKept.
    """
    _require_admin(actor)
    _require_one_thing(selection)
    scope = _scope(selection, actor)
    if scope.committed:
        raise _kept(scope.committed)
    reason = mask(REASON.require(reason, "/reason"))[0]
    erasure_id = new_id()
    gate.act_as(actor)
    db.propose_erasure(
        tenant=actor.tenant_id,
        id=erasure_id,
        by=selection.by,
        target=selection.target_id,
        subject_type=selection.subject_type,
        subject_id=selection.subject_id,
        reason=reason,
    )
    appending.record(
        "erasure.proposed",
        actor=actor,
        metadata={**_selection_json(erasure_id, selection), "reason": reason, "counts": scope.counts},
    )
    return _erasure(erasure_id, actor)


@transaction.atomic
def approve_erasure(erasure_id: uuid.UUID, *, actor: Principal, reason: str = "") -> Erasure:
    """Approve another admin's proposal and execute it: everything in its current scope is erased when this returns.

    Text and salts are deleted, hashes and ledger entries stay. Raises NotAnErasingAdmin, NoSuchErasure,
    UnprovenErasure, OwnErasure, ErasureNotPending, NothingLeftToErase, CommittedIsKept.
    """
    erasure = _deciding(erasure_id, actor)
    require_proven(erasure, erasure.state)
    if erasure.proposed_by == actor.id:
        raise OwnErasure
    selection = _selection(erasure)
    _allow_time()
    # This reports every such record; the database, which checks again under its locks, reports ten.
    scope = _scope(selection, actor)
    if scope.committed:
        raise _kept(scope.committed)
    reason = mask(REMARK.require(reason, "/reason"))[0]
    gate.act_as(actor)
    if selection.by == Erasure.By.VALUE and selection.target_id is not None:
        # recordings lock the guards before chains and memories
        targets.kind_of("value").state_of(selection.target_id, actor, lock=True)
    chains = keepers.chains_of(actor.tenant_id, [record.id for record in scope.records])
    for chain in sorted(set(chains.values())):  # lock chains before memories, as all code does
        lock_chain(tenant=actor.tenant_id, name=chain)
    ended = db.decide_erasure(tenant=actor.tenant_id, erasure=erasure_id, decision="approved", reason=reason)
    records = _erased_records(erasure)
    left = keepers.texts_left_by(actor.tenant_id, erasure.id)
    for chain in sorted(set(chains.values())):
        own = [record for record in records if chains.get(record.id) == chain]
        appending.record_all(list(_redactions(erasure, own, left)), actor=actor, chain=chain)
    appending.record_all([*_execution(erasure, reason, ended, records, left), *drafts_of_holds(actor)[0]], actor=actor)
    return _erasure(erasure_id, actor)


@transaction.atomic
def reject_erasure(erasure_id: uuid.UUID, *, actor: Principal, reason: str) -> Erasure:
    """Reject another admin's proposal, with a reason. Raises NotAnErasingAdmin, NoSuchErasure, UnprovenErasure,
    OwnErasure, ErasureNotPending."""
    erasure = _deciding(erasure_id, actor)
    require_proven(erasure, erasure.state, may_lack_entry=True)
    if erasure.proposed_by == actor.id:
        raise OwnErasure
    return _end(erasure, actor, ErasureState.Status.REJECTED, reason)


@transaction.atomic
def withdraw_erasure(erasure_id: uuid.UUID, *, actor: Principal, reason: str = "") -> Erasure:
    """Withdraw a pending erasure, as its proposer. Raises NotAnErasingAdmin, NoSuchErasure,
    UnprovenErasure, NotYourErasure, ErasureNotPending."""
    erasure = _deciding(erasure_id, actor)
    require_proven(erasure, erasure.state, may_lack_entry=True)
    if erasure.proposed_by != actor.id:
        raise NotYourErasure
    return _end(erasure, actor, ErasureState.Status.WITHDRAWN, reason)


def erasures(principal: Principal) -> Any:
    """The tenant's erasures with their states, as a QuerySet. Raises ErasuresNotAllowed."""
    if not principal.reads_all_edits:
        raise ErasuresNotAllowed
    return Erasure.objects.filter(tenant_id=principal.tenant_id).select_related("state")


def find_erasure(erasure_id: uuid.UUID, principal: Principal) -> Erasure:
    """One erasure. Raises ErasuresNotAllowed, NoSuchErasure."""
    found: Erasure | None = erasures(principal).filter(id=erasure_id).first()
    if found is None:
        raise NoSuchErasure
    return found


def pending_scope(erasure: Erasure, principal: Principal) -> Scope:
    """The scope of a pending erasure if it were approved now, for people who may read it."""
    try:
        return _with_repeating(_scope(_selection(erasure), principal), principal)
    except (NothingToErase, NothingLeftToErase):
        return Scope([], [])


def executed_scope(erasure: Erasure, principal: Principal) -> Scope:
    """The receipt of an executed erasure, for people who may read it. Its `repeating` records are the current ones."""
    return _with_repeating(Scope(_erased_records(erasure), []), principal)


def _erased_records(erasure: Erasure) -> list[Record]:
    rows = ErasureItem.objects.filter(tenant_id=erasure.tenant_id, erasure_id=erasure.id)
    records: dict[tuple[str, uuid.UUID], Record] = {}
    columns = ("kind", "record_id", "content_id", "sha256")
    for kind, record_id, content_id, digest in rows.order_by(*columns[:3]).values_list(*columns):
        record = records.setdefault((kind, record_id), Record(kind, record_id))
        record.contents.append((content_id, bytes(digest)))
    return list(records.values())


def _end(erasure: Erasure, actor: Principal, decision: str, reason: str) -> Erasure:
    reason = mask(REMARK.require(reason, "/reason"))[0]
    gate.act_as(actor)
    db.decide_erasure(tenant=actor.tenant_id, erasure=erasure.id, decision=decision, reason=reason)
    appending.record(f"erasure.{decision}", actor=actor, metadata={"erasure": str(erasure.id), "reason": reason})
    return _erasure(erasure.id, actor)


def _execution(
    erasure: Erasure, reason: str, ended: Sequence[db.EndedEdit], records: Sequence[Record], left: keepers.Left
) -> Iterator[appending.Draft]:
    """The ledger entries of an executed erasure, in order. They have ids and hashes, but no text."""
    own = {"erasure": str(erasure.id)}
    yield appending.Draft("erasure.approved", {**own, "reason": reason})
    for edit in ended:
        verdict = {"edit": str(edit.edit_id), "verdict": str(edit.verdict_id)}
        yield appending.Draft("edit.expired", {**verdict, "reason": f"Its text was erased by erasure {erasure.id}."})
    yield from _redactions(erasure, records, left)
    yield appending.Draft("erasure.executed", {**own, "counts": counts_of(records)})


def _redactions(erasure: Erasure, records: Sequence[Record], left: keepers.Left) -> Iterator[appending.Draft]:
    """The redaction entries for the deleted texts of some records, with the remaining texts."""
    contents = sorted({content_id: digest for record in records for content_id, digest in record.contents}.items())
    for start in range(0, len(contents), REDACTION_BATCH):
        batch = contents[start : start + REDACTION_BATCH]
        facts: dict[str, Any] = {
            "erasure": str(erasure.id),
            "contents": [[str(content_id), digest.hex()] for content_id, digest in batch],
        }
        if rest := [[str(one), digest.hex()] for content_id, _ in batch for one, digest in left.get(content_id, ())]:
            facts["left"] = rest
        yield appending.Draft("redaction", facts)


def _scope(selection: Selection, principal: Principal) -> Scope:
    rows = db.erasure_scope(
        tenant=principal.tenant_id,
        by=selection.by,
        target=selection.target_id,
        subject_type=selection.subject_type,
        subject_id=selection.subject_id,
    )
    if not rows and selection.by != Erasure.By.AGENT:
        raise NothingToErase
    records = _records(rows)
    if not records:
        raise NothingLeftToErase
    return Scope(records, [record for record in records if record.retention == "committed"])


def _with_repeating(scope: Scope, principal: Principal) -> Scope:
    records = [record.id for record in scope.records]
    contents = [content_id for record in scope.records for content_id, _ in record.contents]
    return replace(scope, repeating=keepers.find_repeating(principal.tenant_id, records, contents))


def _records(rows: Iterable[db.ErasableContent]) -> list[Record]:
    """The records of these rows that still have text."""
    records: dict[tuple[str, uuid.UUID], Record] = {}
    for row in rows:
        if row.sha256 is None:
            continue
        key = row.kind, row.record_id
        if key not in records:
            records[key] = Record(
                *key, retention=row.retention or "", target_type=row.target_type, target_id=row.target_id
            )
        records[key].contents.append((row.content_id, row.sha256))
    return list(records.values())


def _selection(erasure: Erasure) -> Selection:
    return Selection(erasure.named_by, erasure.target_id, erasure.subject_type, erasure.subject_id)


def _selection_json(erasure_id: uuid.UUID, selection: Selection) -> dict[str, Any]:
    return {
        "erasure": str(erasure_id),
        "by": selection.by,
        "target_id": str(selection.target_id) if selection.target_id else None,
        "subject_type": selection.subject_type,
        "subject_id": selection.subject_id,
    }


def _require_one_thing(selection: Selection) -> None:
    by_subject = selection.by == Erasure.By.SUBJECT
    whole = selection.subject_type is not None and selection.subject_id is not None
    if selection.by not in Erasure.By.values or by_subject != whole or by_subject == (selection.target_id is not None):
        raise ErasureNamesOneThing


def _kept(committed: Sequence[Record]) -> CommittedIsKept:
    faults = [Fault(detail=f"The {record.kind} {record.id} has the retention `committed`.") for record in committed]
    return CommittedIsKept(errors=faults)


def _require_admin(actor: Principal) -> None:
    if not (actor.kind == "human" and "admin" in actor.roles):
        raise NotAnErasingAdmin


def _deciding(erasure_id: uuid.UUID, actor: Principal) -> Erasure:
    _require_admin(actor)
    erasure = _erasure(erasure_id, actor)
    # For an early error message: the gate checks again under a lock.
    if erasure.state.status != ErasureState.Status.PENDING:
        raise ErasureNotPending(f"This erasure is already {erasure.state.status}.")
    return erasure


def _erasure(erasure_id: uuid.UUID, actor: Principal) -> Erasure:
    found = Erasure.objects.filter(tenant_id=actor.tenant_id, id=erasure_id).select_related("state").first()
    if found is None:
        raise NoSuchErasure
    return found


def _allow_time() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL statement_timeout = '{TIME_LIMIT}'")
