"""Edits by filter: first a preview with a count, a sample and a token, then the commit with that token, in parts.

A part is edited in one transaction. The token contains a digest of every part, so a part always equals what the preview
matched, and is committed once, in any order, even if a request is lost or repeated.
"""

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.core import signing
from django.db import transaction

from governance import edits, idempotency, text
from governance.acting.principals import Principal
from governance.models import Edit, IdempotencyKey, first_id_of, new_id
from governance.refusals import Conflict, Invalid
from memory.queries import chunks
from memory.queries.audience import audience
from memory.queries.rows import ChunkRow
from memory.services import db

#: Maximum number of chunks in a part, which is one transaction.
PART = 5_000
#: Edits recorded by one statement: the statement timeout is 30 s.
SLICE = 500
#: A token has no room for more parts.
MAX_PARTS = 100
SAMPLE = 10
TOKEN_AGE = timedelta(hours=1)
_SALT = "suture.edits.by-filter"
_FINGERPRINT = hashlib.sha256(b"a commit by filter").digest()


class TooManyMatches(Invalid):
    """The filter matches more chunks than one edit by filter can change. Use since and until to split the work into
    several edits."""


class EmptyFilter(Invalid):
    """The filter needs at least one condition."""


class InvalidToken(Invalid):
    """This token is not from a preview that you made within the last hour. Request a new preview."""


class CommittedAlready(Conflict):
    """This preview was already committed, so nothing changed. For another edit, request a new preview."""


class MatchesHaveChanged(Conflict):
    """The filter no longer matches the same chunks as in the preview. Nothing was changed. Request a new preview."""


class NoSuchPart(Invalid):
    """The preview has no such part."""


@dataclass(frozen=True, slots=True)
class FilterPreview:
    """What commits with `token` would edit, one commit for each of `parts`; `sample` has the first chunks that the
    caller may see."""

    count: int
    sample: list[ChunkRow]
    token: str
    parts: int


@dataclass(frozen=True, slots=True)
class CommittedPart:
    """Part number `part` of `parts`, counted from 1, and its edits; `is_complete` once all parts are committed."""

    batch: edits.BatchOutcome
    part: int
    parts: int
    is_complete: bool


def preview_by_filter(
    *,
    actor: Principal,
    filter: Mapping[str, str | None],
    op: str,
    reason: str,
    patch: edits.Patch,
    part_size: int | None = None,
) -> FilterPreview:
    """Count and sample the matches of a filter, without writing. A commit edits about `part_size` chunks at once
    (default: PART).

    Raises EmptyFilter, TooManyMatches, PatchDoesNotFit, ChannelNotAllowed.
    """
    edits.check_patch(op, patch, target_type="chunk")
    text.REASON.require(reason, "/reason")
    if not any(filter.values()):
        raise EmptyFilter(pointer="/filter")
    until_id = new_id()
    part_size = part_size or PART
    matched = _match(actor, filter, until_id=until_id, limit=part_size * MAX_PARTS + 1)
    parts = _parts(matched, until_id, part_size)
    if len(parts) > MAX_PARTS or len(matched) > part_size * MAX_PARTS:
        raise TooManyMatches(
            f"The filter matches more than {part_size * MAX_PARTS:,} chunks, the maximum for one call. Use"
            " since and until to split the work.",
            pointer="/filter",
        )
    token = signing.dumps(
        {
            "actor": str(actor.id),
            "tenant": str(actor.tenant_id),
            "filter": dict(filter),
            "op": op,
            "reason": reason,
            "patch": patch.texts(),
            "until_id": str(until_id),
            "parts": [[bound.hex, _digest(part)] for bound, part in parts],
        },
        salt=_SALT,
        compress=True,
    )
    sample = chunks.get(actor, [one.chunk_id for one in matched[:SAMPLE]], include_quarantined=actor.reads_quarantined)
    return FilterPreview(len(matched), sample, token, len(parts))


@transaction.atomic
def commit_by_filter(token: str, *, actor: Principal, part: int | None = None) -> CommittedPart:
    """Propose the previewed edit for one part, all or nothing and once: for `part`, counted from 1, or for the first
    uncommitted part. All parts have one batch id.

    Raises InvalidToken, NoSuchPart, CommittedAlready, MatchesHaveChanged, and what propose_edits raises.
    """
    try:
        plan = signing.loads(token, salt=_SALT, max_age=TOKEN_AGE)
    except signing.BadSignature:
        raise InvalidToken(pointer="/token") from None
    if (plan["actor"], plan["tenant"]) != (str(actor.id), str(actor.tenant_id)):
        raise InvalidToken(pointer="/token")
    parts = len(plan["parts"])
    if part is not None and not 1 <= part <= parts:
        raise NoSuchPart(f"The preview has {parts} parts, so part must be from 1 to {parts}.", pointer="/part")
    for number in range(1, parts + 1) if part is None else (part,):
        try:
            batch = idempotency.once(
                actor,
                _key(plan, number),
                _FINGERPRINT,
                partial(_commit, plan, number, actor),
                answer_of=lambda batch: idempotency.Answer(201, json.dumps({"batch_id": str(batch.batch_id)})),
            )
        except idempotency.DoneBefore as before:
            done = before
            continue
        committed = IdempotencyKey.objects.filter(
            tenant_id=actor.tenant_id,
            actor_id=actor.id,
            key__in=[_key(plan, one) for one in range(1, parts + 1)],
            status__isnull=False,
        ).count()
        return CommittedPart(batch, number, parts, is_complete=committed == parts)
    what = "This preview" if part is None or parts == 1 else f"Part {part} of this preview"
    raise CommittedAlready(
        f"{what} was already committed, as batch {done.answer.body['batch_id']}, so nothing changed."
        " For another edit, request a new preview.",
        pointer="/token",
    )


def batch_of(token: str) -> uuid.UUID:
    """The batch of everything that is committed with a preview's token."""
    return uuid.UUID(signing.loads(token, salt=_SALT)["until_id"])


def _key(plan: Mapping[str, Any], number: int) -> str:
    """The key of a part; its spaces distinguish it from any Idempotency-Key."""
    return f"edits by filter {plan['until_id']} {number}"


def _commit(plan: Mapping[str, Any], number: int, actor: Principal) -> edits.BatchOutcome:
    until_id = uuid.UUID(plan["until_id"])
    bounds = [None, *(uuid.UUID(bound) for bound, _ in plan["parts"])]
    matched = _match(
        actor, plan["filter"], after_id=bounds[number - 1], until_id=bounds[number] or until_id, limit=PART + 1
    )
    if _digest(matched) != plan["parts"][number - 1][1]:
        parts = len(plan["parts"])
        raise MatchesHaveChanged(
            ""
            if parts == 1
            else f"The filter no longer matches the same chunks as in the preview in part {number} of {parts}. This"
            " part was not changed; parts that were committed stay. Request a new preview for the rest."
        )
    patch = edits.Patch.from_texts(plan["patch"])
    if patch.audience is not None:
        edits.intern_audiences(patch, [("chunk", one.chunk_id) for one in matched], principal=actor)
    proposals = [edits.Proposal("chunk", one.chunk_id, plan["op"], plan["reason"], patch) for one in matched]
    items: list[edits.BatchItem] = []
    for start in range(0, max(len(proposals), 1), SLICE):
        items += _propose(proposals[start : start + SLICE], actor, until_id)
    return edits.BatchOutcome(until_id, items)


def _propose(proposals: list[edits.Proposal], actor: Principal, batch_id: uuid.UUID) -> list[edits.BatchItem]:
    """Propose all edits or none; but chunks that have the new audience already are left out, with the refusal."""
    changes_audience = proposals[0].op == Edit.Op.AUDIENCE if proposals else False
    items = edits.propose_edits(proposals, actor=actor, each=changes_audience, batch_id=batch_id).items
    for item in items:
        if item.refusal is not None and not isinstance(item.refusal, edits.AudienceUnchanged):
            raise item.refusal
    return items


def _parts(
    matched: list[db.MatchedChunk], until_id: uuid.UUID, size: int
) -> list[tuple[uuid.UUID, list[db.MatchedChunk]]]:
    """The matches in parts, each with the last id in it. The chunks of one event stay together, because an edit of one
    may change the text of the next."""
    parts = []
    start = 0
    while len(matched) - start > size:
        end = start + size
        while end > start + 1 and _is_of_one_event(matched[end - 1], matched[end]):
            end -= 1
        parts.append((matched[end - 1].chunk_id, matched[start:end]))
        start = end
    return [*parts, (until_id, matched[start:])]


def _is_of_one_event(one: db.MatchedChunk, other: db.MatchedChunk) -> bool:
    return one.event_id is not None and one.event_id == other.event_id


def _match(
    actor: Principal,
    conditions: Mapping[str, str | None],
    *,
    after_id: uuid.UUID | None = None,
    until_id: uuid.UUID,
    limit: int,
) -> list[db.MatchedChunk]:
    """The chunks that match the conditions: for people, all memory; for an agent, what it may see."""
    if recorded_since := conditions.get("recorded_since"):
        # ids are ordered by the time of recording
        first = first_id_of(datetime.fromisoformat(recorded_since))
        after_id = first if after_id is None else max(after_id, first)
    who = None if actor.reads_all_edits else audience(actor, conditions.get("channel"))
    since, until = conditions.get("since"), conditions.get("until")
    return db.match_chunks(
        tenant=actor.tenant_id,
        recorder=conditions.get("recorder"),
        scope=conditions.get("scope"),
        subject_type=conditions.get("subject_type"),
        subject_id=conditions.get("subject_id"),
        project_id=conditions.get("project_id"),
        session_id=conditions.get("session_id"),
        channel=conditions.get("channel"),
        since=datetime.fromisoformat(since) if since else None,
        until=datetime.fromisoformat(until) if until else None,
        phrase=conditions.get("phrase"),
        after_id=after_id,
        until_id=until_id,
        listening=who.listening if who else None,
        limit=limit,
    )


def _digest(matched: list[db.MatchedChunk]) -> str:
    """16 bytes of SHA-256 over the ids: a token holds up to MAX_PARTS of them."""
    return hashlib.sha256(b"".join(one.chunk_id.bytes for one in matched)).hexdigest()[:32]
