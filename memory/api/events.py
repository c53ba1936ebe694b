"""Events over HTTP."""

import uuid
from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page, page_schema
from governance.http.views import GovernedView
from memory.api import shapes
from memory.api.filters import EventFilter, audience_of, filtered, only_audience_of
from memory.drafts import RecordedEvent
from memory.models import Event
from memory.reading import events as reading
from memory.services import recording

AUDIENCE_SCHEMA = [
    OpenApiParameter("channel", str, enum=["private", "public", "team", "agent"]),
    OpenApiParameter("include_quarantined", bool, default=False),
]
FILTER_SCHEMA = [
    OpenApiParameter("scope", str, enum=["session", "user", "project", "policy", "global"]),
    *(OpenApiParameter(name, str) for name in ("subject_type", "subject_id", "project_id", "session_id")),
    OpenApiParameter("since", {"type": "string", "format": "date-time"}, description="From this moment on."),
    OpenApiParameter("until", {"type": "string", "format": "date-time"}, description="Before this moment."),
]


def _recorded_json(recorded: RecordedEvent) -> dict[str, Any]:
    return {
        "event_id": recorded.event_id,
        "ts": recorded.ts,
        "status": "recorded",
        "chunk_ids": recorded.chunk_ids,
        "decision_id": recorded.decision_id,
        "task_id": recorded.task_id,
        "artifact_id": recorded.artifact_id,
        "quarantined_chunk_ids": recorded.quarantined,
    }


class EventsView(IdempotentMixin, GovernedView):
    """Record an event, or list events."""

    reads_query = True

    @extend_schema(operation_id="events_create", request=shapes.EventInput, responses={201: shapes.RecordedOutput})
    def post(self, request: Request) -> Response:
        body = shapes.EventInput(data=request.data)
        body.is_valid(raise_exception=True)
        (recorded,) = recording.record_events([shapes.draft_of(body.validated_data)], actor=self.principal)
        return Response(_recorded_json(recorded), status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="events_list",
        parameters=[
            *FILTER_SCHEMA,
            OpenApiParameter("kind", str),
            OpenApiParameter("actor_id", str),
            *AUDIENCE_SCHEMA,
            *SCHEMA_PARAMETERS,
        ],
        responses=page_schema("EventPage", shapes.EventOutput),
        description="Events, newest first. Without a channel, those of every channel that the key speaks in.",
    )
    def get(self, request: Request) -> Response:
        audience = audience_of(request)
        if audience["channel"] is not None:
            self.principal.require_channel(audience["channel"])
        channels = [audience["channel"]] if audience["channel"] else list(self.principal.channels)
        rows = Event.objects.filter(tenant_id=self.principal.tenant_id, channel__in=channels)
        events, following = page(filtered(EventFilter, request, rows), request, scope="events")
        return Response(envelope(reading.render(self.principal, events, **audience), following))


class EventBatchView(IdempotentMixin, GovernedView):
    """Record up to 1,000 events, all or nothing."""

    @extend_schema(operation_id="events_batch", request=shapes.BatchInput, responses={201: shapes.BatchOutput})
    def post(self, request: Request) -> Response:
        body = shapes.BatchInput(data=request.data)
        body.is_valid(raise_exception=True)
        drafts = [
            shapes.draft_of(values, f"/events/{index}") for index, values in enumerate(body.validated_data["events"])
        ]
        recorded = recording.record_events(drafts, actor=self.principal)
        return Response({"events": [_recorded_json(one) for one in recorded]}, status.HTTP_201_CREATED)


class EventView(GovernedView):
    """One event."""

    reads_query = True

    @extend_schema(operation_id="events_retrieve", parameters=AUDIENCE_SCHEMA, responses=shapes.EventOutput)
    def get(self, request: Request, event_id: uuid.UUID) -> Response:
        return Response(reading.find(self.principal, event_id, **only_audience_of(request)))
