"""The list of capsules, without text, which the web role cannot read; the review page shows it. Admins revoke capsules
here."""

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode

from capsules.models import CapsuleItem, EffectiveCapsule
from capsules.services import handover
from governance import daily_counts
from governance.acting.principals import Principal
from governance.admin import home
from governance.admin.columns import record, withheld
from governance.admin.exporting import ExportMixin
from governance.admin.filters import ExactFilter, SinceFilter, UntilFilter, actor_ids, id_in
from governance.admin.manage import Act, Done, ManagedAdmin
from governance.admin.proposing import acts_on
from governance.admin.site import site
from governance.models import Entry, first_id_of


def _revoke(principal: Principal, capsule: EffectiveCapsule, values: Mapping[str, Any]) -> Done:
    revoked = handover.revoke_capsule(capsule.id, actor=principal)
    with_it = f", and {revoked.forwarded} capsules forwarded from it" if revoked.forwarded else ""
    return Done(f"You revoked the capsule{with_it}.")


REVOKE = Act(
    "revoke",
    "Revoke",
    "From now on, nobody can read this capsule or the capsules forwarded from it. You cannot undo this.",
    _revoke,
    applies=lambda capsule, _: capsule.status == EffectiveCapsule.Status.ACTIVE,
    is_destructive=True,
)


def readable() -> Q:
    """Capsules that can be read now. Checks `expires_at`, because the job that sets the status may be late."""
    return Q(status=EffectiveCapsule.Status.ACTIVE, expires_at__gt=timezone.now())


def expiring(days: int) -> Q:
    """Readable capsules that expire within this many days."""
    return readable() & Q(expires_at__lte=timezone.now() + timedelta(days=days))


class AuthorFilter(ExactFilter):
    """Capsules of one author, by name."""

    title = "author name"
    parameter_name = "author"

    def condition(self, principal: Principal, value: str) -> Q:
        return Q(authored_by__in=actor_ids(principal.tenant_id, value))


class HeldFilter(ExactFilter):
    """A capsule by its id, or the capsules that contain a memory, by the memory's id."""

    title = "capsule or item id"
    parameter_name = "target"

    def condition(self, principal: Principal, value: str) -> Q:
        wanted = id_in(value)
        if wanted is None:
            return Q(pk__in=[])
        held = CapsuleItem.objects.filter(tenant_id=principal.tenant_id, item_id=wanted)
        return Q(id=wanted) | Q(id__in=held.values("capsule_id"))


class AboutFilter(ExactFilter):
    """Capsules about one subject."""

    title = "subject id"
    parameter_name = "subject"

    def condition(self, principal: Principal, value: str) -> Q:
        return Q(subject_id=value)


class ExpiryFilter(admin.SimpleListFilter):
    """Readable capsules, or those of them that expire soon."""

    title = "expiry"
    parameter_name = "expires"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("open", "Not expired"), ("1", "Within a day"), ("7", "Within a week"), ("30", "Within 30 days")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        chosen = self.value()
        if chosen not in {value for value, _ in self.lookup_choices}:
            return queryset
        return queryset.filter(readable() if chosen == "open" else expiring(int(chosen)))


def _facts(principal: Principal) -> list[home.Fact]:
    """Readable capsules by time to expiry, and expired ones. The latter are counted by their ledger entries, which are
    indexed by type and time."""
    capsules = EffectiveCapsule.objects.filter(tenant_id=principal.tenant_id)
    since = timezone.now().astimezone(UTC).date() - timedelta(days=daily_counts.DAYS)
    first = first_id_of(datetime.combine(since, time(), UTC))
    expired = Entry.objects.filter(tenant_id=principal.tenant_id, type="capsule.expired", id__gte=first)
    page, entries = (reverse(f"admin:{name}_changelist") for name in ("capsules_effectivecapsule", "governance_entry"))
    return [
        home.Fact("Readable now", home.count_of(capsules.filter(readable())), f"{page}?expires=open"),
        home.Fact("Expire within a day", home.count_of(capsules.filter(expiring(1))), f"{page}?expires=1"),
        home.Fact(
            f"Expired in the last {daily_counts.DAYS} days",
            home.count_of(expired),
            f"{entries}?{urlencode({'type': 'capsule.expired', 'since': str(since)})}",
        ),
    ]


home.register(home.Panel("Capsules", _facts))


@admin.register(EffectiveCapsule, site=site)
class EffectiveCapsuleAdmin(ExportMixin, ManagedAdmin):
    icon = "package_2"
    row_acts = [*acts_on("capsule"), REVOKE]
    list_display = [record, "created_at", "author", "subject_type", "subject_id", "status", "expires_at", "item_count",
                    "audience_count", withheld]  # fmt: skip
    list_filter = [
        "status",
        ExpiryFilter,
        AuthorFilter,
        HeldFilter,
        AboutFilter,
        "scope",
        "is_retracted",
        "is_quarantined",
        SinceFilter,
        UntilFilter,
    ]
    list_filter_submit = True
    exclude = ["tenant", "note_id", "risks_id"]
    export_fields = ["created_at", "author_kind", "author", "scope", "subject_type", "subject_id", "project_id",
                     "sensitivity", "status", "expires_at", "revoked_at", "expired_at", "may_forward", "forwards_id",
                     "item_count", "audience_count", "importance", "is_retracted", "is_quarantined",
                     "blocked_channels", "edits_applied"]  # fmt: skip
    ordering = ["-created_at", "-id"]
