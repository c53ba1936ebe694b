"""What is remembered, as lists without words: the web's role cannot read them. Words are on the review page."""

from django.contrib import admin

from governance.admin.base import ReadOnlyAdmin
from governance.admin.site import site
from memory.models import EffectiveChunk, EffectiveDecision, EffectiveTask, Event

WORDS = ["tenant", "content_id"]


@admin.register(Event, site=site)
class EventAdmin(ReadOnlyAdmin):
    list_display = ["kind", "ts", "session_id", "channel", "actor_id", "sensitivity", "recorder"]
    list_filter = ["kind", "channel", "sensitivity"]
    exclude = [*WORDS, "fields_id"]
    ordering = ["-ts", "-id"]


@admin.register(EffectiveChunk, site=site)
class EffectiveChunkAdmin(ReadOnlyAdmin):
    list_display = ["id", "ts", "scope", "subject_id", "channel", "importance", "edits_applied", "is_retracted",
                    "is_quarantined"]  # fmt: skip
    list_filter = ["is_retracted", "is_quarantined", "channel", "scope"]
    exclude = [*WORDS, "span_start", "span_end"]
    ordering = ["-ts", "-id"]


@admin.register(EffectiveDecision, site=site)
class EffectiveDecisionAdmin(ReadOnlyAdmin):
    list_display = ["id", "ts", "scope", "status", "edits_applied", "is_retracted", "is_quarantined"]
    list_filter = ["status", "is_retracted", "is_quarantined", "scope"]
    exclude = [*WORDS, "details_id"]
    ordering = ["-ts", "-id"]


@admin.register(EffectiveTask, site=site)
class EffectiveTaskAdmin(ReadOnlyAdmin):
    list_display = ["id", "ts", "scope", "status", "edits_applied", "is_retracted", "is_quarantined"]
    list_filter = ["status", "is_retracted", "is_quarantined", "scope"]
    exclude = [*WORDS, "details_id"]
    ordering = ["-ts", "-id"]
