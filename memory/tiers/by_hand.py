"""Promotion by hand: a person or a permitted agent moves a memory to another tier, and restores it from the archive."""

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
    """Reviewers and admins may promote memory by hand, and the agents that the policy names in `promoting_agents`."""


class AlreadyInTier(Conflict):
    """The memory is in this tier already."""


class NotPromotable(Conflict):
    """Governance keeps this memory where it is."""


#: Why governance keeps a memory where it is, as promote_chunk() in the database names it.
KEPT = {
    "retracted": "This memory is retracted, so it moves to no tier. Revert the retract first.",
    "quarantined": "This memory is quarantined, so it moves to no tier. Revert the quarantine first.",
    "superseded": "Another memory has the place of this one, so it moves to no tier.",
    "expired": "This memory has expired, so it moves to no tier.",
    "core": "Core memory and memory blocks are never archived.",
    "low_trust": "This memory is trusted less than the policy asks for (`low_trust`), so it does not move up. Its trust"
    " is the least confidence in it and in what it was derived from.",
}


@transaction.atomic
def promote(chunk_id: uuid.UUID, tier: str, *, actor: Principal, reason: str) -> Promotion:
    """Move a memory to `tier`, up or down; from the archive, that restores it. The time in which it is unused begins
    again, and after a move down only what it is used for from then on counts.

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
            raise AlreadyInTier(f"The memory is in the tier {tier} already.", pointer="/tier")
    raise NotPromotable(KEPT[done.refusal or ""], pointer="/tier")
