"""Lists of relations, implied relations and audience rules."""

from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils import timezone

from governance.admin import relating
from governance.admin.filters import SinceFilter, UntilFilter
from governance.admin.manage import ManagedAdmin
from governance.admin.site import site
from governance.models import AudienceRule, ImpliedRelation, RelationTuple
from governance.relations import audience_json, listing


class RelationStateFilter(admin.SimpleListFilter):
    """Relations that are valid now, and the others."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("current", "Current"), ("revoked", "Revoked"), ("over", "Over"), ("later", "Later")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        now = timezone.now()
        match self.value():
            case "current":
                return queryset.filter(listing.current())
            case "revoked":
                return queryset.filter(is_revoked=True)
            case "over":
                return queryset.filter(is_revoked=False, valid_until__lte=now)
            case "later":
                return queryset.filter(is_revoked=False, valid_from__gt=now)
        return queryset


@admin.register(RelationTuple, site=site)
class RelationAdmin(ManagedAdmin):
    """Who stands in which relation to what; those that are over or revoked stay."""

    icon = "share"
    list_acts = [relating.ADD, relating.IMPORT]
    row_acts = [relating.REVOKE]
    list_display = ["principal", "relation", "object", "valid_from", "valid_until", "state", "recorder", "recorded_at"]
    list_filter = [RelationStateFilter, SinceFilter, UntilFilter]
    list_filter_submit = True
    fields = [
        "principal", "relation", "object", "valid_from", "valid_until", "state", "reason", "recorder", "recorded_at",
        "revocation",
    ]  # fmt: skip
    readonly_fields = ["state", "revocation"]
    search_fields = ["principal", "relation", "object"]
    ordering = ["-recorded_at", "-id"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        revoked = Exists(listing.revocation_of(OuterRef("tenant_id"), OuterRef("id")))
        rows: QuerySet[Any] = super().get_queryset(request)
        annotated: QuerySet[Any] = rows.annotate(is_revoked=revoked)
        return annotated

    def label_of(self, row: RelationTuple) -> str:
        return str(row)

    @admin.display(description="State")
    def state(self, row: Any) -> str:
        now = timezone.now()
        if row.is_revoked:
            return "revoked"
        if row.valid_from > now:
            return "later"
        return "over" if row.valid_until is not None and row.valid_until <= now else "current"

    @admin.display(description="Revoked")
    def revocation(self, row: RelationTuple) -> str | None:
        found = listing.revocation_of(row.tenant_id, row.id).first()
        return None if found is None else f"{found.recorded_at:%Y-%m-%d %H:%M} UTC by {found.recorder}: {found.reason}"


@admin.register(ImpliedRelation, site=site)
class ImpliedRelationAdmin(ManagedAdmin):
    """Relations that imply others, for objects of a type."""

    icon = "account_tree"
    list_acts = [relating.IMPLY]
    row_acts = [relating.REMOVE_IMPLIED]
    list_display = ["object_type", "relation", "implies", "created_at"]
    search_fields = ["object_type", "relation", "implies"]
    ordering = ["object_type", "relation", "implies"]

    def label_of(self, row: ImpliedRelation) -> str:
        return str(row)


@admin.register(AudienceRule, site=site)
class AudienceRuleAdmin(ManagedAdmin):
    """The audiences of new records that name none."""

    icon = "rule"
    list_acts = [relating.SET_RULE]
    row_acts = [relating.REMOVE_RULE]
    list_display = ["__str__", "subject_type", "tag", "kind", "audience", "created_at"]
    list_display_links = ["__str__"]
    fields = ["subject_type", "tag", "kind", "audience", "reason", "created_at"]
    readonly_fields = ["audience"]
    ordering = ["subject_type", "tag", "kind"]

    def label_of(self, row: AudienceRule) -> str:
        return str(row)

    @admin.display(description="Audience")
    def audience(self, row: AudienceRule) -> str:
        shown = audience_json.render(row.usersets)
        return "; ".join(f"{name}: {', '.join(listed)}" for name, listed in shown.items())
