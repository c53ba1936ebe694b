"""Details about capsules on the review page: their origin, and which capsules contain a memory."""

import uuid
from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.urls import reverse

from capsules.models import CapsuleItem, EffectiveCapsule
from governance.acting.principals import Principal
from governance.edits import provenance
from governance.edits.provenance import About, Origin, Subject, Use
from memory.models import Scope
from memory.provenance import ids_of_memory

#: The maximum number of capsules of a record for which to search the ledger.
HELD_AT_MOST = 10_000


class CapsuleSource:
    """The subjects and authors of capsules."""

    name = "capsule"
    is_named_in_ledger = True
    scopes = tuple(Scope.values)

    def subjects(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, Subject]:
        rows = EffectiveCapsule.objects.filter(tenant_id=principal.tenant_id, id__in=target_ids)
        columns = ("id", "subject_type", "subject_id", "project_id")
        return {target_id: Subject(*about) for target_id, *about in rows.values_list(*columns)}

    def ids_about(self, principal: Principal, about: About) -> QuerySet[Any]:
        return EffectiveCapsule.objects.filter(tenant_id=principal.tenant_id, **about.columns()).values("id")

    def origin(self, target_id: uuid.UUID) -> Origin:
        row = EffectiveCapsule.objects.using("review").filter(id=target_id).first()
        if row is None:
            return Origin()
        facts = [
            ("Handed over by", f"{row.author_kind} {row.author}, {row.created_at:%Y-%m-%d %H:%M} UTC"),
            ("Scope", row.scope),
            ("Until", f"{row.expires_at:%Y-%m-%d %H:%M} UTC"),
        ]
        if row.project_id:
            facts.append(("Project", row.project_id))
        if row.forwards_id:
            facts.append(("Forwarded from", f"capsule {row.forwards_id}"))
        return Origin(facts)


def uses(target_type: str, target_id: uuid.UUID, principal: Principal) -> Iterable[Use]:
    """The newest capsules that contain the target, as this record or as its twin."""
    held = CapsuleItem.objects.filter(
        tenant_id=principal.tenant_id, item_id__in=ids_of_memory(target_id, principal.tenant_id)
    )
    rows = EffectiveCapsule.objects.filter(tenant_id=principal.tenant_id, id__in=held.values("capsule_id"))
    newest = rows.order_by("-created_at")[: provenance.USES_AT_MOST]
    return [
        Use(
            "capsule",
            f"{row.id} by {row.author}, {row.status}",
            row.created_at,
            reverse("admin:capsules_effectivecapsule_change", args=[row.id]),
        )
        for row in newest
    ]


def holding(record_id: uuid.UUID, principal: Principal) -> Iterable[uuid.UUID]:
    """The newest capsules that contain the record."""
    held = CapsuleItem.objects.filter(tenant_id=principal.tenant_id, item_id=record_id)
    return held.order_by("-capsule_id").values_list("capsule_id", flat=True)[:HELD_AT_MOST]


def register() -> None:
    """Register them; called once, when the app is ready."""
    provenance.register(CapsuleSource())
    provenance.register_uses("capsules", uses)
    provenance.register_holders("capsules", holding)
