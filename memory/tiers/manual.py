"""Promotion by hand: a person or a permitted agent moves a memory to another tier, or restores it from the archive."""

import uuid

from django.db import transaction

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.refusals import Conflict, Forbidden
from governance.text import REASON
from memory.models import Promotion
from memory.queries.chunks import NoSuchChunk
from memory.tiers import db
from memory.tiers.entry_types import draft_of
from suture_client.text.masking import mask


class PromotionNotYours(Forbidden):
    """Only reviewers, admins, and agents in the policy's `promoting_agents` may promote memory by hand."""


class AlreadyInTier(Conflict):
    """The memory is already in this tier."""


class NotPromotable(Conflict):
    """Governance keeps this memory where it is."""


#: Why governance keeps a memory in its tier, by the reasons of promote_chunk() in the database.
KEPT = {
    "retracted": "This memory is retracted, so it cannot move. Revert the retract first.",
    "quarantined": "This memory is quarantined, so it cannot move. Revert the quarantine first.",
    "superseded": "This memory was replaced by another one, so it cannot move.",
    "expired": "This memory has expired, so it cannot move.",
    "core": "Core memory and memory blocks are never archived.",
    "low_trust": "The trust in this memory is below the policy's `low_trust`, so it is never promoted. The trust is the"
    " lowest confidence in it and in its sources.",
}


@transaction.atomic
def promote(chunk_id: uuid.UUID, tier: str, *, actor: Principal, reason: str) -> Promotion:
    """Move a memory to `tier`, up or down; a move out of the archive restores it. The time without use restarts, and
    after a move down only later uses count.

    Raises PromotionNotYours, NoSuchChunk, AlreadyInTier, and NotPromotable for memory that governance keeps where it
    is.
    """
    reason = mask(REASON.require(reason, "/reason"))[0]
    gate.act_as(actor)
    done = db.promote_chunk(tenant=actor.tenant_id, chunk=chunk_id, tier=tier, reason=reason)
    match done:
        case db.Promoted(promotion_id=uuid.UUID() as made, from_tier=str(before), evidence=str(evidence)):
            appending.record_all([draft_of([(chunk_id, before, tier, evidence)], "manual", reason)], actor=actor)
            return Promotion.objects.get(tenant_id=actor.tenant_id, id=made)
        case db.Promoted(refusal="not_permitted"):
            raise PromotionNotYours
        case db.Promoted(refusal="no_such_chunk"):
            raise NoSuchChunk
        case db.Promoted(refusal="same_tier"):
            raise AlreadyInTier(f"The memory is already in the tier {tier}.", pointer="/tier")
    raise NotPromotable(KEPT[done.refusal or ""], pointer="/tier")
