"""Lists of memory, without text, which the web role cannot read; the review page shows it."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from governance import daily_counts
from governance.acting.principals import Principal
from governance.admin import home
from governance.admin.columns import happened, record, withheld
from governance.admin.exporting import ExportMixin
from governance.admin.filters import SinceFilter, TimeFilter, UntilFilter
from governance.admin.manage import ManagedAdmin
from governance.admin.proposing import acts_on
from governance.admin.site import site
from governance.models import Agent, first_id_of
from memory.admin import containing, tiers, values
from memory.admin.browser import browse_view
from memory.admin.principals import principal_view, readers_of
from memory.models import RULE_SCOPES, AgentMemory, EffectiveChunk, EffectiveDecision, EffectiveTask, Event

WORDS = ["tenant", "content_id", "audience"]
#: The columns of a record in the exports of all of these lists.
SCOPE = ["ts", "scope", "subject_type", "subject_id", "project_id", "session_id", "channel", "sensitivity"]
#: Projections are ordered by key, which follows time: the indexes by time exclude retracted rows.
NEWEST = ["-id"]
FOLD = ["is_retracted", "is_quarantined", "blocked_channels", "edits_applied"]


class RecordedSinceFilter(TimeFilter):
    """Events that the server recorded after a moment, independent of their own time."""

    title = "recorded since (UTC)"
    parameter_name = "recorded"

    def condition(self, moment: datetime) -> Q:
        return Q(recorded_at__gte=moment)


@admin.register(Event, site=site)
class EventAdmin(ExportMixin, ManagedAdmin):
    icon = "history"
    list_display = ["kind", happened, "session_id", "channel", "actor_id", "sensitivity", "recorder"]
    list_filter = ["kind", "channel", "sensitivity", SinceFilter, UntilFilter, RecordedSinceFilter]
    list_filter_submit = True
    exclude = [*WORDS, "fields_id"]
    export_fields = [*SCOPE, "kind", "actor_type", "actor_id", "tags", "refs", "redacted", "retention",
                     "recorder_kind", "recorder", "recorded_at"]  # fmt: skip
    ordering = ["-ts", "-id"]


@admin.register(EffectiveChunk, site=site)
class EffectiveChunkAdmin(ExportMixin, ManagedAdmin):
    """Chunks without text; the memory browser, linked above the list, shows it."""

    icon = "notes"
    list_acts = [containing.CONTAIN]
    row_acts = [*acts_on("chunk"), *values.CHUNK_ACTS, *tiers.ACTS]
    list_display = [record, happened, "scope", "subject_id", "channel", "tier", "importance", "edits_applied", withheld]
    list_filter = ["tier", "is_retracted", "is_quarantined", "channel", "scope", SinceFilter, UntilFilter]
    list_filter_submit = True
    exclude = [*WORDS, "span_start", "span_end"]
    readonly_fields = ["heard_by"]
    export_fields = [*SCOPE, "event_id", "source", "chunk_index", "tier", "recorder", "importance", *FOLD,
                     "superseded_by"]  # fmt: skip
    ordering = NEWEST
    list_before_template = "admin/memory/browse_link.html"

    def get_urls(self) -> list[URLPattern]:
        browser = path("browse/", self.admin_site.admin_view(browse_view), name="memory_browser")
        principal = path("principal/", self.admin_site.admin_view(principal_view), name="memory_principal")
        return [browser, principal, *super().get_urls()]

    @admin.display(description="Who reads it")
    def heard_by(self, row: EffectiveChunk) -> SafeString:
        """Its audiences, and the principals that hear each now."""
        return readers_of(row)


class PlaceFilter(admin.SimpleListFilter):
    """Current memory, or memory that was superseded."""

    title = "superseded"
    parameter_name = "superseded"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "No"), ("yes", "Yes")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset if self.value() is None else queryset.filter(successor__isnull=self.value() == "no")


@admin.register(AgentMemory, site=site)
class AgentMemoryAdmin(ExportMixin, ManagedAdmin):
    """Memory that agents committed, consolidated or keep in blocks, without text; the chunk's page links to it."""

    icon = "psychology"
    list_display = ["number", "agent", "type", "block", "superseded_by", "is_core", "expires_at"]
    list_display_links = None
    list_filter = ["type", "block_label", "is_core", PlaceFilter]
    list_filter_submit = True
    export_fields = ["seq", "agent_id", "type", "block_label", "version", "previous_block_seq", "is_core",
                     "expires_at"]  # fmt: skip
    ordering = NEWEST

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        here = {"tenant_id": OuterRef("tenant_id")}
        chunk = EffectiveChunk.objects.filter(**here, id=OuterRef("id"), is_superseded=True)
        later = AgentMemory.objects.filter(**here, id=OuterRef("successor"))
        names = Agent.objects.filter(**here, id=OuterRef("agent_id"))
        rows = super().get_queryset(request).annotate(successor=Subquery(chunk.values("superseded_by")[:1]))
        return rows.annotate(  # type: ignore[no-any-return] # Unfold has no types
            successor_seq=Subquery(later.values("seq")[:1]), slug=Subquery(names.values("slug")[:1])
        )

    @admin.display(description="number", ordering="seq")
    def number(self, row: Any) -> SafeString:
        """Its number on the agent's chain; links to its chunk."""
        return format_html('<a href="{}">{}</a>', reverse("admin:memory_effectivechunk_change", args=[row.pk]), row.seq)

    @admin.display(description="agent")
    def agent(self, row: Any) -> str:
        """The agent that owns the memory."""
        return row.slug or ""

    @admin.display(description="block")
    def block(self, row: Any) -> str:
        """The label and version of a block."""
        return f"{row.block_label}, version {row.version}" if row.block_label else ""

    @admin.display(description="superseded by")
    def superseded_by(self, row: Any) -> str:
        """The number of the current memory that replaced it."""
        return "" if row.successor_seq is None else str(row.successor_seq)


def rules_of_agents(decisions: QuerySet[Any]) -> QuerySet[Any]:
    """Decisions in force that an agent recorded with the scope policy or global."""
    by_agent = Event.objects.filter(tenant_id=OuterRef("tenant_id"), id=OuterRef("event_id"), recorder_kind="agent")
    in_force = {"status": EffectiveDecision.Status.ACTIVE, "is_retracted": False, "is_quarantined": False}
    return decisions.filter(Exists(by_agent), scope__in=RULE_SCOPES, **in_force)


class RulesFilter(admin.SimpleListFilter):
    """Rules decided by agents, for review."""

    title = "rules"
    parameter_name = "rules"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("agents", "In force, decided by agents")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return rules_of_agents(queryset) if self.value() == "agents" else queryset


@admin.register(EffectiveDecision, site=site)
class EffectiveDecisionAdmin(ExportMixin, ManagedAdmin):
    icon = "check_circle"
    row_acts = acts_on("decision")
    list_display = [record, happened, "scope", "status", "recorded_by", "edits_applied", withheld]
    list_filter = ["status", "is_retracted", "is_quarantined", "scope", RulesFilter, SinceFilter, UntilFilter]
    list_filter_submit = True
    exclude = [*WORDS, "details_id"]
    export_fields = [*SCOPE, "event_id", "status", "importance", *FOLD]
    ordering = NEWEST

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        event = Event.objects.filter(tenant_id=OuterRef("tenant_id"), id=OuterRef("event_id"))
        return super().get_queryset(request).annotate(recorder=Subquery(event.values("recorder")[:1]))  # type: ignore[no-any-return] # Unfold has no types

    @admin.display(description="recorder")
    def recorded_by(self, row: Any) -> str:
        """The recorder of the decision."""
        return row.recorder or ""


@admin.register(EffectiveTask, site=site)
class EffectiveTaskAdmin(ExportMixin, ManagedAdmin):
    icon = "task_alt"
    list_display = [record, happened, "scope", "status", "edits_applied", withheld]
    list_filter = ["status", "is_retracted", "is_quarantined", "scope"]
    exclude = [*WORDS, "details_id"]
    export_fields = [*SCOPE, "event_id", "update_id", "status", *FOLD]
    ordering = NEWEST


def _rules(principal: Principal) -> list[home.Fact]:
    """Rules decided by agents: in force at once, unless the policy requires approval."""
    rules = rules_of_agents(EffectiveDecision.objects.filter(tenant_id=principal.tenant_id))
    since = timezone.now().astimezone(UTC).date() - timedelta(days=daily_counts.DAYS)
    page = reverse("admin:memory_effectivedecision_changelist")
    recent = rules.filter(id__gte=first_id_of(datetime.combine(since, time(), UTC)))
    return [
        home.Fact("In force", home.count_of(rules), f"{page}?rules=agents"),
        home.Fact(
            f"In the last {daily_counts.DAYS} days",
            home.count_of(recent),
            f"{page}?{urlencode({'rules': 'agents', 'since': str(since)})}",
        ),
    ]


home.register(home.Panel("Rules decided by agents", _rules))
home.register_growth("events", "admin:memory_event_changelist", RecordedSinceFilter.parameter_name)
home.register_growth("chunks", "admin:memory_effectivechunk_changelist")
