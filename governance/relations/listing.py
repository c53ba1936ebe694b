"""Lists of relations, implied relations and audience rules."""

from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from governance.acting.principals import Principal
from governance.models import AudienceRule, ImpliedRelation, RelationRevocation, RelationTuple
from governance.refusals import Forbidden


class ListedForPeople(Forbidden):
    """Only people with a role in the tenant can list this."""


def visible_relations(principal: Principal) -> QuerySet[RelationTuple]:
    """People with a role see all relations of the tenant. An agent sees those of the principal on whose behalf it asks,
    or else its own: the others would tell it of whom the tenant has memory."""
    rows = RelationTuple.objects.filter(tenant_id=principal.tenant_id)
    if principal.reads_all_edits and not principal.on_behalf_of:
        return rows
    return rows.filter(principal=principal.on_behalf_of or f"agent:{principal.name}")


def current() -> Q:
    """The relations that are valid now and not revoked."""
    is_revoked = Exists(revocation_of(OuterRef("tenant_id"), OuterRef("id")))
    return Q(valid_from__lte=Now()) & (Q(valid_until=None) | Q(valid_until__gt=Now())) & ~Q(is_revoked)


def revocation_of(tenant_id: Any, relation: Any) -> QuerySet[RelationRevocation]:
    """The revocation of a relation, if it has one."""
    return RelationRevocation.objects.filter(tenant_id=tenant_id, tuple_id=relation)


def revocations(rows: list[RelationTuple]) -> dict[Any, RelationRevocation]:
    """The revocations of these relations, by the relation's id."""
    if not rows:
        return {}
    found = RelationRevocation.objects.filter(tenant_id=rows[0].tenant_id, tuple_id__in=[row.id for row in rows])
    return {one.tuple_id: one for one in found}


def implied_relations(principal: Principal) -> QuerySet[ImpliedRelation]:
    """The implied relations of the tenant, by object type. Raises ListedForPeople."""
    _require_person(principal)
    rows = ImpliedRelation.objects.filter(tenant_id=principal.tenant_id)
    return rows.order_by("object_type", "relation", "implies")


def audience_rules(principal: Principal) -> QuerySet[AudienceRule]:
    """The audience rules of the tenant, by subject type. Raises ListedForPeople."""
    _require_person(principal)
    return AudienceRule.objects.filter(tenant_id=principal.tenant_id).order_by("subject_type", "tag", "kind")


def _require_person(principal: Principal) -> None:
    if not principal.reads_all_edits or principal.on_behalf_of:
        raise ListedForPeople
