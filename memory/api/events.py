"""The views of events."""

import uuid
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from governance.acting.principals import Principal
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page, page_schema
from governance.http.views import GovernedView
from memory.api import shapes
from memory.api.filters import EventFilter, OnlyAudience, only_audience_of, without_audience
from memory.drafts import EventDraft, RecordedEvent
from memory.event_body import BatchInput, EventInput
from memory.models import Event
from memory.queries import events as reading
from memory.services import recording

CLOCK_AHEAD = "The time is ahead of the server's, so it was taken as now. Correct the clock of your machine."


def _recorded_json(recorded: RecordedEvent) -> dict[str, Any]:
    return {
        "event_id": recorded.event_id,
        "ts": recorded.ts,
        "status": "already_recorded" if recorded.is_repeated else "recorded",
        "chunk_ids": recorded.chunk_ids,
        "decision_id": recorded.decision_id,
        "task_id": recorded.task_id,
        "artifact_id": recorded.artifact_id,
        "superseded_chunk_ids": recorded.superseded_chunk_ids,
        "quarantined_chunk_ids": recorded.quarantined_chunk_ids,
        "quarantines": [asdict(quarantine) for quarantine in recorded.quarantines],
        "approval_edit_id": recorded.approval_edit_id,
        "notices": notices_of(recorded),
    }


def notices_of(recorded: RecordedEvent) -> list[dict[str, str]]:
    """What the recorder should know."""
    ahead = [{"code": "clock_ahead", "detail": CLOCK_AHEAD}] if recorded.was_ahead else []
    return [*ahead, *(asdict(one) for one in recorded.notices)]


def recorded_json(principal: Principal, body: Any) -> dict[str, Any]:
    """Record the event in `body`, a JSON object, and return what was recorded."""
    (recorded,) = recording.record_events([EventDraft.from_body(body)], actor=principal)
    return _recorded_json(recorded)


def status_of(answer: Mapping[str, Any]) -> int:
    """200 if the event had been recorded before, otherwise 201."""
    return status.HTTP_200_OK if answer["status"] == "already_recorded" else status.HTTP_201_CREATED


class EventsView(IdempotentMixin, GovernedView):
    """Record an event, or list events."""

    reads_query = True

    @extend_schema(
        operation_id="events_create",
        summary="Record an event",
        request=EventInput,
        responses={201: shapes.RecordedOutput, 200: shapes.RecordedOutput},
    )
    def post(self, request: Request) -> Response:
        answer = recorded_json(self.principal, request.data)
        return Response(answer, status_of(answer))

    @extend_schema(
        operation_id="events_list",
        summary="List events",
        parameters=[EventFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("EventPage", shapes.EventOutput),
        description="Events, newest first. Without `channel`, those of all channels that your key allows.",
    )
    def get(self, request: Request) -> Response:
        parameters = EventFilter.read(request, Event.objects.filter(tenant_id=self.principal.tenant_id))
        _, audience = without_audience(parameters.values)
        if audience["channel"] is not None:
            self.principal.require_channel(audience["channel"])
        channels = [audience["channel"]] if audience["channel"] else list(self.principal.channels)
        rows = parameters.qs.filter(reading.heard(self.principal, audience["channel"]), channel__in=channels)
        events, following = page(rows, request, scope="events")
        return Response(envelope(reading.render(self.principal, events, **audience), following))


class EventBatchView(IdempotentMixin, GovernedView):
    """Record up to 1,000 events, all or nothing."""

    @extend_schema(operation_id="events_batch", request=BatchInput, responses={201: shapes.BatchOutput})
    def post(self, request: Request) -> Response:
        recorded = recording.record_events(EventDraft.from_batch(request.data), actor=self.principal)
        return Response({"events": [_recorded_json(one) for one in recorded]}, status.HTTP_201_CREATED)


class EventView(GovernedView):
    """One event."""

    reads_query = True

    @extend_schema(operation_id="events_retrieve", parameters=[OnlyAudience.schema()], responses=shapes.EventOutput)
    def get(self, request: Request, event_id: uuid.UUID) -> Response:
        return Response(reading.find(self.principal, event_id, **only_audience_of(request)))
