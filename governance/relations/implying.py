"""Let a relation imply another one: editors of a document are also its viewers."""

import uuid

from django.db import transaction

from governance.acting.changes import change
from governance.acting.principals import Principal, is_relation
from governance.faults import Faults
from governance.ledger import appending
from governance.relations import db
from governance.relations.drafts import add, raise_only
from governance.relations.refusals import ImpliedRelationOfItself, MalformedRelation


@transaction.atomic
def add_implied_relation(object_type: str, relation: str, implies: str, *, actor: Principal) -> uuid.UUID:
    """Let everyone who stands in `relation` to an object of this type also stand in `implies` to it; returns the id.

    One level: what is implied implies nothing more. So two relations may imply each other. Raises ManagedByAdmins,
    MalformedRelation, ImpliedRelationOfItself, ImpliedRelationExists.
    """
    actor.require_manager()
    faults = Faults()
    for place, name in (("object_type", object_type), ("relation", relation), ("implies", implies)):
        if not is_relation(name):
            add(faults, f"/{place}", MalformedRelation)
    raise_only(faults)
    if relation == implies:
        raise ImpliedRelationOfItself(pointer="/implies")
    added = change(db.add_implied_relation, actor=actor, object_type=object_type, relation=relation, implies=implies)
    _record("implied_relation.added", added.implied_id, object_type, relation, implies, actor)
    return added.implied_id


@transaction.atomic
def remove_implied_relation(implied: uuid.UUID, *, actor: Principal) -> None:
    """Remove an implied relation. Raises ManagedByAdmins, NoSuchImpliedRelation."""
    actor.require_manager()
    said = change(db.remove_implied_relation, actor=actor, implied=implied)
    _record("implied_relation.removed", implied, said.object_type, said.relation, said.implies, actor)


def _record(type: str, implied: uuid.UUID, object_type: str, relation: str, implies: str, actor: Principal) -> None:
    metadata = {"id": str(implied), "object_type": object_type, "relation": relation, "implies": implies}
    appending.record(type, actor=actor, metadata=metadata)
