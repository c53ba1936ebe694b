"""Capsules as a list without words: the web's role cannot read them. Words are on the review page. Admins revoke."""

from collections.abc import Mapping
from typing import Any

from django.contrib import admin

from capsules.models import EffectiveCapsule
from capsules.services import handover
from governance.admin.manage import Act, Done, ManagedAdmin
from governance.admin.site import site
from governance.principals import Principal


def _revoke(principal: Principal, capsule: EffectiveCapsule, asked: Mapping[str, Any]) -> Done:
    revoked = handover.revoke_capsule(capsule.id, actor=principal)
    with_it = f", and with it {revoked.forwarded} that forwarded it" if revoked.forwarded else ""
    return Done(f"The capsule is revoked{with_it}.")


REVOKE = Act(
    "revoke",
    "Revoke",
    "Nobody reads it from now on, nor what was forwarded of it; for good.",
    _revoke,
    applies=lambda capsule, _: capsule.status == EffectiveCapsule.Status.ACTIVE,
    is_grave=True,
)


@admin.register(EffectiveCapsule, site=site)
class EffectiveCapsuleAdmin(ManagedAdmin):
    row_acts = [REVOKE]
    list_display = ["id", "created_at", "author", "subject_type", "subject_id", "status", "expires_at", "item_count",
                    "audience_count", "edits_applied", "is_retracted", "is_quarantined"]  # fmt: skip
    list_filter = ["status", "scope", "is_retracted", "is_quarantined"]
    exclude = ["tenant", "note_id", "risks_id"]
    ordering = ["-created_at", "-id"]
