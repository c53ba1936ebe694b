"""Revoke a relation."""

import uuid

from django.db import transaction

from governance.acting.changes import change
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.relations import db
from governance.relations.authority import require_relater
from governance.text import REASON


@transaction.atomic
def revoke_relation(relation: uuid.UUID, *, actor: Principal, reason: str) -> None:
    """End a relation now, for good. It stays in the list. Raises RelatedByPeople, Invalid, NoSuchRelation,
    RelationAlreadyRevoked."""
    require_relater(actor)
    REASON.require(reason, "/reason")
    said = change(db.revoke_relation, actor=actor, relation=relation, reason=reason)
    metadata = {
        "id": str(relation),
        "principal": said.principal,
        "relation": said.relation,
        "object": said.object,
        "reason": reason,
    }
    appending.record("relation.revoked", actor=actor, metadata=metadata)
