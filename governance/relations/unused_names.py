"""Types and relations that the tenant has never used, which may be misspelled: allowed, but named in `notices`."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

from governance.acting.principals import Principal
from governance.models import ImpliedRelation, RelationTuple
from governance.relations import db
from governance.relations.drafts import RelationDraft


@dataclass(frozen=True, slots=True)
class Notice:
    """What the caller should know, by a code for programs."""

    code: str
    detail: str


def notices_of(drafts: Iterable[RelationDraft], actor: Principal) -> list[Notice]:
    """A notice for each type and each relation of `drafts` that the tenant has not used before them."""
    types = dict.fromkeys(name.partition(":")[0] for draft in drafts for name in (draft.principal, draft.object))
    names = dict.fromkeys(draft.relation for draft in drafts)
    known_types = db.types_in_use(tenant=actor.tenant_id)
    known_names = db.relations_in_use(tenant=actor.tenant_id)
    return [
        *(_notice("unknown_type", "type", one, known_types) for one in types if one not in known_types),
        *(_notice("unknown_relation", "relation", one, known_names) for one in names if one not in known_names),
    ]


def notices_of_usersets(usersets: Iterable[str], actor: Principal) -> list[Notice]:
    """A notice for each type and each relation of usersets that no audience had before, if the tenant has not used
    it."""
    parts = [one.partition("#") for one in usersets]
    types = dict.fromkeys(place.partition(":")[0] for place, _, _ in parts)
    known_types = [*db.types_in_use(tenant=actor.tenant_id), "role", "agent"] if types else []
    found = [_notice("unknown_type", "type", one, known_types) for one in types if one not in known_types]
    for name in dict.fromkeys(relation for _, _, relation in parts if relation):
        own = {"tenant_id": actor.tenant_id}
        # most are in use, and then the first row answers
        if not (
            RelationTuple.objects.filter(relation=name, **own).exists()
            or ImpliedRelation.objects.filter(implies=name, **own).exists()
        ):
            found.append(_notice("unknown_relation", "relation", name, db.relations_in_use(tenant=actor.tenant_id)))
    return found


def _notice(code: str, what: str, name: str, known: list[str]) -> Notice:
    near = difflib.get_close_matches(name, known, n=1)
    meant = f" The nearest one in use is {near[0]}." if near else ""
    return Notice(code, f"This tenant has not used the {what} {name} before.{meant}")
