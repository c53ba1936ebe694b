"""The audit trail: lists and exports of entries, verdicts, accesses and erasures by actor, target, subject and time."""

from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.db.models.expressions import RawSQL
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from unfold.contrib.filters.admin import DropdownFilter

from governance.acting.principals import Principal
from governance.admin.base import ReadOnlyAdmin
from governance.admin.exporting import ExportMixin
from governance.admin.filters import (
    ExactFilter,
    OfEdits,
    SinceFilter,
    SubjectFilter,
    TargetFilter,
    UntilFilter,
    actor_ids,
    id_in,
    id_range,
)
from governance.admin.manage import ManagedAdmin
from governance.admin.paging import LISTED_AT_MOST
from governance.admin.site import principal_of, site
from governance.admin.story import story_view
from governance.admin.verifying import VERIFY
from governance.edits import provenance
from governance.ledger import db, entry_types
from governance.models import AccessRecord, Edit, Entry, Erasure, ErasureItem, Verdict


class MentionFilter(ExactFilter):
    """Entries that name an id, an actor or a slug; for a record also entries about its edits, erasures and containers.
    The gate finds them, because row security would read every entry."""

    title = "actor, id or slug"
    parameter_name = "mentions"

    def named(self, principal: Principal, value: str, end: UUID | None) -> list[str]:
        """The terms that entries may name; of ids only those made before `end`."""
        record = id_in(value)
        if record is None:
            return [value]
        meant = provenance.with_holders(record, principal)
        edits = Edit.objects.filter(tenant_id=principal.tenant_id, target_id__in=meant).values_list("id", "batch_id")
        erased = ErasureItem.objects.filter(tenant_id=principal.tenant_id, record_id__in=meant).values("erasure_id")
        erasures = Erasure.objects.filter(Q(target_id__in=meant) | Q(id__in=erased), tenant_id=principal.tenant_id)
        return [value, *map(str, meant), *self._newest(end, edits, erasures.values_list("id"))]

    def _newest(self, end: UUID | None, *found: Any) -> set[str]:
        """The newest ids before `end` in each of these lists of ids."""
        names: set[UUID | None] = set()
        for rows in found:
            newest = list((rows.filter(id__lt=end) if end else rows).order_by("-id")[: LISTED_AT_MOST + 1])
            self.is_cut |= len(newest) > LISTED_AT_MOST
            names.update(*newest[:LISTED_AT_MOST])
        return {str(name) for name in names if name}

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = (self.value() or "").strip()
        if not value:
            return queryset
        principal = principal_of(request)
        first, end = id_range(request)
        names = self.named(principal, value, end)
        found = db.entries_mentioning(
            tenant=principal.tenant_id, what=names, first=first, end=end, limit=LISTED_AT_MOST + 1
        )
        self.is_cut |= len(found) > LISTED_AT_MOST
        # One array parameter: parsing and planning ten thousand parameters takes longer than the lookup.
        return queryset.filter(id__in=RawSQL("SELECT unnest(%s::uuid[])", [found[:LISTED_AT_MOST]]))


class SubjectOfEntryFilter(MentionFilter):
    """Entries about one subject: about edits of its records, about its records themselves, and about erasures that name
    it or deleted text of its records."""

    title = "subject id"
    parameter_name = "subject"

    def named(self, principal: Principal, value: str, end: UUID | None) -> list[str]:
        edits = _edits_about(principal, value).values_list("id", "batch_id")
        erasures = Erasure.objects.filter(_erasures_about(principal, value), tenant_id=principal.tenant_id)
        others = [rows.values_list("id") for rows in provenance.named_in_ledger(principal, subject=value)]
        return [*self._newest(end, edits, erasures.values_list("id"), *others)]


def _edits_about(principal: Principal, subject: str) -> QuerySet[Edit]:
    return Edit.objects.filter(
        provenance.targets_about(principal, provenance.About(subject=subject)), tenant_id=principal.tenant_id
    )


def _erasures_about(principal: Principal, subject: str) -> Q:
    """The erasures that name the subject or one of its records, or deleted text of one."""
    records = provenance.ids_about(principal, provenance.About(subject=subject))
    erased = ErasureItem.objects.filter(
        tenant_id=principal.tenant_id,
        record_id__in=records.union(_edits_about(principal, subject).values("id"), all=True),
    )
    return Q(subject_id=subject) | Q(target_id__in=records) | Q(id__in=erased.values("erasure_id"))


class TypeFilter(DropdownFilter):  # type: ignore[misc] # Unfold has no types
    """Entries of one type, or of all types with the same prefix: `edit.` for everything about edits."""

    title = "type"
    parameter_name = "type"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        types = entry_types.registered()
        families = sorted({type.name.partition(".")[0] + "." for type in types if "." in type.name})
        return [(family, f"{family}*") for family in families] + [(type.name, type.label) for type in types]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        value = (self.value() or "").strip()
        if value.endswith("."):
            # every type with this prefix: '/' follows '.'
            return queryset.filter(type__gte=value, type__lt=value[:-1] + "/")
        return queryset.filter(type=value) if value else queryset


class DeciderFilter(ExactFilter):
    """Verdicts of one person, agent or policy, by name."""

    title = "decider (a name, or policy:standard)"
    parameter_name = "decider"

    def condition(self, principal: Principal, value: str) -> Q:
        if ids := actor_ids(principal.tenant_id, value):
            return Q(decided_by__in=ids)
        return Q(decided_by__isnull=True, decider=value)


class TargetOfVerdictFilter(OfEdits, TargetFilter):
    """Verdicts on edits of one record, by its id."""


class SubjectOfVerdictFilter(OfEdits, SubjectFilter):
    """Verdicts on edits of records of one subject."""


class ActorFilter(ExactFilter):
    """Accesses by one agent or person, by name."""

    title = "actor (a name)"
    parameter_name = "actor"

    def condition(self, principal: Principal, value: str) -> Q:
        return Q(actor_id__in=actor_ids(principal.tenant_id, value))


class ActorOfErasureFilter(ActorFilter):
    """Erasures that one person proposed or decided, by name."""

    def condition(self, principal: Principal, value: str) -> Q:
        ids = actor_ids(principal.tenant_id, value)
        return Q(proposed_by__in=ids) | Q(state__decided_by__in=ids)


class TargetOfErasureFilter(TargetFilter):
    """Erasures that name one record, or deleted text of it, by its id."""

    def condition(self, principal: Principal, value: str) -> Q:
        target = id_in(value)
        if target is None:
            return Q(pk__in=[])
        erased = ErasureItem.objects.filter(tenant_id=principal.tenant_id, record_id=target)
        return Q(target_id=target) | Q(id__in=erased.values("erasure_id"))


class SubjectOfErasureFilter(SubjectFilter):
    """Erasures of a subject or of its records."""

    def condition(self, principal: Principal, value: str) -> Q:
        return _erasures_about(principal, value)


class ActionFilter(ExactFilter):
    """Accesses of one kind."""

    title = "action (words.viewed)"
    parameter_name = "action"

    def condition(self, principal: Principal, value: str) -> Q:
        return Q(action=value)


def story_link(what: Any, shown: str = "story") -> SafeString:
    """A link to the history page of a record, a person or an agent."""
    return format_html('<a class="underline" href="{}">{}</a>', reverse("admin:story", args=[what]), shown)


@admin.register(Entry, site=site)
class EntryAdmin(ExportMixin, ManagedAdmin):
    """The ledger, newest first."""

    icon = "link"
    list_acts = (VERIFY,)
    list_display = ["seq", "label", "when", "actor", "about", "chain", "short_hash"]
    list_select_related = ["chain"]
    list_before_template = "admin/governance/cut.html"
    list_filter = [MentionFilter, SubjectOfEntryFilter, TypeFilter, SinceFilter, UntilFilter]
    list_filter_submit = True
    fields = ["chain", "seq", "when", "label", "type", "retention", "metadata", "hash_hex", "prev_hash_hex",
              "content_hash_hex", "signature_hex"]  # fmt: skip
    readonly_fields = ["when", "label", "hash_hex", "prev_hash_hex", "content_hash_hex", "signature_hex"]
    export_fields = ["chain__name", "seq", "ts", "type", "retention", "metadata", "hash", "prev_hash", "signature"]
    ordering = ["-id"]

    def get_urls(self) -> list[URLPattern]:
        story = path("story/<uuid:what>/", self.admin_site.admin_view(story_view), name="story")
        return [story, *super().get_urls()]

    @admin.display(description="What", ordering="type")
    def label(self, entry: Entry) -> str:
        return entry_types.label_of(entry.type)

    @admin.display(description="Time (UTC)", ordering="id")
    def when(self, entry: Entry) -> str:
        return f"{entry.ts:%Y-%m-%d %H:%M:%S}"

    @admin.display(description="Actor")
    def actor(self, entry: Entry) -> str:
        actor: dict[str, Any] = entry.metadata.get("actor") or {}
        return f"{actor.get('kind', '')} {actor.get('name', '')}".strip()

    @admin.display(description="About")
    def about(self, entry: Entry) -> SafeString | str:
        for name in entry_types.about(entry.type):
            found = entry.metadata.get(name)
            if isinstance(found, str) and (known := id_in(found)) and str(known) == found:
                return story_link(found, f"{name.removesuffix('_id')} …{found[-8:]}")
        return ""

    @admin.display(description="Hash")
    def short_hash(self, entry: Entry) -> str:
        return bytes(entry.hash).hex()[:12]

    @admin.display(description="Hash")
    def hash_hex(self, entry: Entry) -> str:
        return bytes(entry.hash).hex()

    @admin.display(description="Previous hash")
    def prev_hash_hex(self, entry: Entry) -> str:
        return bytes(entry.prev_hash).hex()

    @admin.display(description="Content hash")
    def content_hash_hex(self, entry: Entry) -> str | None:
        return bytes(entry.content_hash).hex() if entry.content_hash is not None else None

    @admin.display(description="Signature")
    def signature_hex(self, entry: Entry) -> str:
        return bytes(entry.signature).hex()


@admin.register(Verdict, site=site)
class VerdictAdmin(ExportMixin, ReadOnlyAdmin):
    icon = "gavel"
    list_display = ["decision", "edit", "decider", "when", "reason"]
    list_filter = [
        "decision",
        "edit__op",
        "decider_kind",
        DeciderFilter,
        TargetOfVerdictFilter,
        SubjectOfVerdictFilter,
        SinceFilter,
        UntilFilter,
    ]
    list_filter_submit = True
    list_select_related = ["edit"]
    export_fields = ["edit_id", "edit__op", "edit__target_type", "edit__target_id", "decision", "decider_kind",
                     "decider", "decided_at", "reason", "patch_sha256"]  # fmt: skip
    ordering = ["-id"]

    def story_of(self, row: Verdict) -> UUID:
        target: UUID = row.edit.target_id
        return target

    @admin.display(description="Time (UTC)", ordering="id")
    def when(self, verdict: Verdict) -> str:
        return f"{verdict.decided_at:%Y-%m-%d %H:%M:%S}"


@admin.register(AccessRecord, site=site)
class AccessAdmin(ExportMixin, ReadOnlyAdmin):
    """Allowed and refused reads of handed-over memory, exports and removed texts."""

    icon = "visibility"
    list_display = ["action", "outcome", "who", "target", "when"]
    list_filter = ["outcome", ActorFilter, TargetFilter, SubjectFilter, ActionFilter, SinceFilter, UntilFilter]
    list_filter_submit = True
    export_fields = ["at", "action", "outcome", "actor_kind", "actor", "target_type", "target_id", "details"]
    ordering = ["-id"]

    def story_of(self, row: AccessRecord) -> UUID | None:
        return row.target_id

    @admin.display(description="Who", ordering="actor")
    def who(self, row: AccessRecord) -> str:
        return f"{row.actor_kind} {row.actor}"

    @admin.display(description="Target")
    def target(self, row: AccessRecord) -> SafeString | str:
        if row.target_id is None:
            return row.target_type
        return story_link(row.target_id, f"{row.target_type} …{str(row.target_id)[-8:]}")

    @admin.display(description="Time (UTC)", ordering="id")
    def when(self, row: AccessRecord) -> str:
        return f"{row.at:%Y-%m-%d %H:%M:%S}"


@admin.register(Erasure, site=site)
class ErasureAdmin(ExportMixin, ReadOnlyAdmin):
    """Erasures and their status. They are proposed and decided over the API."""

    icon = "delete_forever"
    list_display = ["named", "when", "proposer", "status", "decider", "reason"]
    list_filter = [
        "state__status",
        "named_by",
        ActorOfErasureFilter,
        TargetOfErasureFilter,
        SubjectOfErasureFilter,
        SinceFilter,
        UntilFilter,
    ]
    list_filter_submit = True
    list_select_related = ["state"]
    fields = ["named_by", "target_id", "subject_type", "subject_id", "reason", "proposer", "when", "status", "decider",
              "decided_at", "decision_reason"]  # fmt: skip
    readonly_fields = ["when", "status", "decider", "decided_at", "decision_reason"]
    export_fields = ["created_at", "named_by", "target_id", "subject_type", "subject_id", "reason", "proposer",
                     "state__status", "state__decider", "state__decided_at", "state__decision_reason"]  # fmt: skip
    ordering = ["-id"]

    def story_of(self, row: Erasure) -> UUID:
        erasure: UUID = row.id
        return erasure

    @admin.display(description="Names")
    def named(self, row: Erasure) -> str:
        return f"{row.named_by} {row.subject_id or f'…{str(row.target_id)[-8:]}'}"

    @admin.display(description="Time (UTC)", ordering="id")
    def when(self, row: Erasure) -> str:
        return f"{row.created_at:%Y-%m-%d %H:%M:%S}"

    @admin.display(description="Status", ordering="state__status")
    def status(self, row: Erasure) -> str:
        return row.state.status

    @admin.display(description="Decided by")
    def decider(self, row: Erasure) -> str | None:
        return row.state.decider

    @admin.display(description="Decided at")
    def decided_at(self, row: Erasure) -> datetime | None:
        return row.state.decided_at

    @admin.display(description="Reason for the decision")
    def decision_reason(self, row: Erasure) -> str:
        return row.state.decision_reason
