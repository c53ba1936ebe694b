"""/api/v1/ of memory."""

from django.urls import path

from memory.api import chunks, context, curation, events, records, search, surgery

urlpatterns = [
    path("events", events.EventsView.as_view(), name="events"),
    path("events/batch", events.EventBatchView.as_view(), name="events-batch"),
    path("events/<uuid:event_id>", events.EventView.as_view(), name="event"),
    path("chunks", chunks.ChunksView.as_view(), name="chunks"),
    path("chunks/search", search.SearchView.as_view(), name="chunks-search"),
    path("chunks/get", chunks.GetView.as_view(), name="chunks-get"),
    path("chunks/summary", chunks.SummaryView.as_view(), name="chunks-summary"),
    path("chunks/<uuid:chunk_id>/history", surgery.HistoryView.as_view(), name="chunk-history"),
    path("memories", curation.MemoriesView.as_view(), name="memories"),
    path("memories/<int:seq>", curation.MemoryView.as_view(), name="memory"),
    path("context/bootstrap", curation.BootstrapView.as_view(), name="context-bootstrap"),
    path("decisions", records.DecisionsView.as_view(), name="decisions"),
    path("tasks", records.TasksView.as_view(), name="tasks"),
    path("artifacts", records.ArtifactsView.as_view(), name="artifacts"),
    path("decisions/active", surgery.ActiveDecisionsView.as_view(), name="decisions-active"),
    path("edits/by-filter", surgery.ByFilterView.as_view(), name="edits-by-filter"),
    path("chunks/<uuid:chunk_id>/timeline", chunks.TimelineView.as_view(), name="chunk-timeline"),
    path("acb/build", context.BuildView.as_view(), name="acb-build"),
    path("acb/<uuid:acb_id>", context.BundleView.as_view(), name="acb"),
]
