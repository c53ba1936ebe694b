"""The lists of memory, without words, which the web role cannot read; the review page shows them."""

from django.contrib import admin
from django.urls import URLPattern, path

from governance.admin import home
from governance.admin.columns import happened, record, withheld
from governance.admin.exporting import ExportMixin
from governance.admin.filters import SinceFilter, UntilFilter
from governance.admin.manage import ManagedAdmin
from governance.admin.proposing import acts_on
from governance.admin.site import site
from memory.admin.browser import browse_view
from memory.models import EffectiveChunk, EffectiveDecision, EffectiveTask, Event

WORDS = ["tenant", "content_id"]
#: The columns of a record in the exports of all these lists.
SCOPE = ["ts", "scope", "subject_type", "subject_id", "project_id", "session_id", "channel", "sensitivity"]
#: Projections are ordered by their keys, which follow time: the indexes by time leave out retracted rows.
NEWEST = ["-id"]
FOLD = ["is_retracted", "is_quarantined", "blocked_channels", "edits_applied"]


@admin.register(Event, site=site)
class EventAdmin(ExportMixin, ManagedAdmin):
    icon = "history"
    list_display = ["kind", happened, "session_id", "channel", "actor_id", "sensitivity", "recorder"]
    list_filter = ["kind", "channel", "sensitivity", SinceFilter, UntilFilter]
    list_filter_submit = True
    exclude = [*WORDS, "fields_id"]
    export_fields = [*SCOPE, "kind", "actor_type", "actor_id", "tags", "refs", "redacted", "retention",
                     "recorder_kind", "recorder", "recorded_at"]  # fmt: skip
    ordering = ["-ts", "-id"]


@admin.register(EffectiveChunk, site=site)
class EffectiveChunkAdmin(ExportMixin, ManagedAdmin):
    """Chunks without words; the memory browser, linked above the list, shows them."""

    icon = "notes"
    row_acts = acts_on("chunk")
    list_display = [record, happened, "scope", "subject_id", "channel", "importance", "edits_applied", withheld]
    list_filter = ["is_retracted", "is_quarantined", "channel", "scope", SinceFilter, UntilFilter]
    list_filter_submit = True
    exclude = [*WORDS, "span_start", "span_end"]
    export_fields = [*SCOPE, "event_id", "source", "chunk_index", "tier", "recorder", "importance", *FOLD,
                     "superseded_by"]  # fmt: skip
    ordering = NEWEST
    list_before_template = "admin/memory/browse_link.html"

    def get_urls(self) -> list[URLPattern]:
        browser = path("browse/", self.admin_site.admin_view(browse_view), name="memory_browser")
        return [browser, *super().get_urls()]


@admin.register(EffectiveDecision, site=site)
class EffectiveDecisionAdmin(ExportMixin, ManagedAdmin):
    icon = "check_circle"
    row_acts = acts_on("decision")
    list_display = [record, happened, "scope", "status", "edits_applied", withheld]
    list_filter = ["status", "is_retracted", "is_quarantined", "scope"]
    exclude = [*WORDS, "details_id"]
    export_fields = [*SCOPE, "event_id", "status", "importance", *FOLD]
    ordering = NEWEST


@admin.register(EffectiveTask, site=site)
class EffectiveTaskAdmin(ExportMixin, ManagedAdmin):
    icon = "task_alt"
    list_display = [record, happened, "scope", "status", "edits_applied", withheld]
    list_filter = ["status", "is_retracted", "is_quarantined", "scope"]
    exclude = [*WORDS, "details_id"]
    export_fields = [*SCOPE, "event_id", "update_id", "status", *FOLD]
    ordering = NEWEST


home.register_growth("events", "admin:memory_event_changelist")
home.register_growth("chunks", "admin:memory_effectivechunk_changelist")
