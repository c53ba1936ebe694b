"""Add a relation."""

import uuid
from dataclasses import dataclass

from django.db import transaction

from governance.acting.changes import change
from governance.acting.principals import Principal
from governance.faults import Faults
from governance.ledger import appending
from governance.relations import db, unused_names
from governance.relations.authority import require_relater
from governance.relations.drafts import RelationDraft, raise_only
from governance.relations.unused_names import Notice


@dataclass(frozen=True, slots=True)
class Added:
    """The new relation, and what may be a mistake in it."""

    id: uuid.UUID
    notices: list[Notice]


@transaction.atomic
def add_relation(draft: RelationDraft, *, actor: Principal) -> Added:
    """Record that a principal stands in a relation to an object.

    Raises RelatedByPeople, MalformedPrincipal, MalformedRelation, RelationEndsBeforeItBegins, RelationExists.
    """
    require_relater(actor)
    faults = Faults()
    draft.check(faults)
    raise_only(faults)
    notices = unused_names.notices_of([draft], actor)
    return Added(record(draft, actor), notices)


def record(draft: RelationDraft, actor: Principal) -> uuid.UUID:
    """Add a relation of the right form, with its entry; returns its id. Raises RelationExists."""
    added = change(
        db.add_relation,
        actor=actor,
        principal=draft.principal,
        relation=draft.relation,
        object=draft.object,
        valid_from=draft.valid_from,
        valid_until=draft.valid_until,
        reason=draft.reason,
    )
    metadata = {
        "id": str(added.relation_id),
        "principal": draft.principal,
        "relation": draft.relation,
        "object": draft.object,
        "valid_from": added.begins.isoformat(),
        "reason": draft.reason,
    }
    if draft.valid_until is not None:
        metadata["valid_until"] = draft.valid_until.isoformat()
    appending.record("relation.added", actor=actor, metadata=metadata)
    return added.relation_id
