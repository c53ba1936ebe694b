"""Edits by filter: first a preview with a count, a sample and a token, then the commit with that token."""

import hashlib
import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.core import signing
from django.db import transaction

from governance import edits, idempotency, text
from governance.identity.principals import Principal
from governance.models import new_id
from governance.refusals import Conflict, Invalid
from memory.reading import chunks
from memory.reading.audience import audience
from memory.reading.calls import ChunkRow
from memory.services import calls

#: How many chunks one edit by filter may edit: in one transaction, well within the statement timeout.
MAX_MATCHES = 5_000
SAMPLE = 10
TOKEN_AGE = timedelta(hours=1)
_SALT = "suture.edits.by-filter"
_FINGERPRINT = hashlib.sha256(b"a commit by filter").digest()


class TooManyMatches(Invalid):
    """The filter matches more than 5,000 chunks, the most that one edit by filter can change. Use since and until to
    split the work into several edits."""


class EmptyFilter(Invalid):
    """The filter needs at least one condition."""


class InvalidToken(Invalid):
    """This token is not from a preview that you made within the last hour. Request a new preview."""


class CommittedAlready(Conflict):
    """This preview was already committed, so nothing changed. For another edit, request a new preview."""


class MatchesHaveChanged(Conflict):
    """The filter matches other chunks than at the time of the preview. Request a new preview."""


@dataclass(frozen=True, slots=True)
class FilterPreview:
    """What a commit with `token` would edit; `sample` has the first chunks, as far as the caller may see them."""

    count: int
    sample: list[ChunkRow]
    token: str


def preview_by_filter(
    *,
    actor: Principal,
    filter: Mapping[str, str | None],
    op: str,
    reason: str,
    patch: edits.Patch,
) -> FilterPreview:
    """Count and sample what a filter matches, without writing.

    Raises EmptyFilter, TooManyMatches, PatchDoesNotFit, ChannelNotAllowed.
    """
    edits.check_patch(op, patch, target_type="chunk")
    text.REASON.require(reason, "/reason")
    if not any(filter.values()):
        raise EmptyFilter(pointer="/filter")
    until_id = new_id()
    matched = _match(actor, filter, until_id)
    token = signing.dumps(
        {
            "actor": str(actor.id),
            "tenant": str(actor.tenant_id),
            "filter": dict(filter),
            "op": op,
            "reason": reason,
            "patch": {name: str(value) for name, value in patch.given().items()},
            "until_id": str(until_id),
            "matched": _digest(matched),
        },
        salt=_SALT,
        compress=True,
    )
    sample = chunks.get(actor, matched[:SAMPLE], include_quarantined=True)
    return FilterPreview(len(matched), sample, token)


@transaction.atomic
def commit_by_filter(token: str, *, actor: Principal) -> edits.BatchOutcome:
    """Propose the previewed edit for exactly what the preview matched, all or nothing and once.

    Raises InvalidToken, CommittedAlready, MatchesHaveChanged, and what propose_edits raises.
    """
    try:
        plan = signing.loads(token, salt=_SALT, max_age=TOKEN_AGE)
    except signing.BadSignature:
        raise InvalidToken(pointer="/token") from None
    if (plan["actor"], plan["tenant"]) != (str(actor.id), str(actor.tenant_id)):
        raise InvalidToken(pointer="/token")
    try:
        return idempotency.once(
            actor,
            # the spaces keep it apart from the Idempotency-Key of any request
            f"edits by filter {plan['until_id']}",
            _FINGERPRINT,
            lambda: _commit(plan, actor),
            answer_of=lambda batch: idempotency.Answer(201, json.dumps({"batch_id": str(batch.batch_id)})),
        )
    except idempotency.DoneBefore as before:
        raise CommittedAlready(
            f"This preview was already committed, as batch {before.answer.body['batch_id']}, so nothing changed."
            " For another edit, request a new preview.",
            pointer="/token",
        ) from None


def _commit(plan: Mapping[str, Any], actor: Principal) -> edits.BatchOutcome:
    matched = _match(actor, plan["filter"], uuid.UUID(plan["until_id"]))
    if _digest(matched) != plan["matched"]:
        raise MatchesHaveChanged
    patch = edits.Patch.from_texts(plan["patch"])
    return edits.propose_edits(
        [edits.Proposal("chunk", chunk_id, plan["op"], plan["reason"], patch) for chunk_id in matched], actor=actor
    )


def _match(actor: Principal, conditions: Mapping[str, str | None], until_id: uuid.UUID) -> list[uuid.UUID]:
    """The ids that the conditions match: for people, in all memory; for an agent, in what it may see."""
    who = None if actor.reads_all_edits else audience(actor, conditions.get("channel"))
    since, until = conditions.get("since"), conditions.get("until")
    found = calls.match_chunks(
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
        until_id=until_id,
        listening=who.listening if who else None,
        limit=MAX_MATCHES + 1,
    )
    if len(found) > MAX_MATCHES:
        raise TooManyMatches(pointer="/filter")
    return found


def _digest(matched: list[uuid.UUID]) -> str:
    return hashlib.sha256(b"".join(chunk_id.bytes for chunk_id in matched)).hexdigest()
