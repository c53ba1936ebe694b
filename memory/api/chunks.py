"""The views of chunks."""

import uuid
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from governance.database.typed_calls import ColumnDict
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import (
    SCHEMA_PARAMETERS,
    PageRequest,
    envelope,
    page_of_rows,
    page_schema,
)
from governance.http.views import GovernedView
from memory.api import shapes
from memory.api.filters import ChunkFilter, TimelineFilter, without_audience
from memory.queries import chunks as reading
from memory.queries.rows import ChunkRow, NearChunk
from memory.services import recording
from memory.usage.deliveries import deliver, versions_of
from memory.usage.means import Means

#: Rows as JSON, without columns that do not belong to a chunk.
chunk_json = ColumnDict(ChunkRow)
_listed_json = ColumnDict(ChunkRow, "is_retracted")
_near_json = ColumnDict(NearChunk, "center_ts")


class ChunksView(GovernedView):
    """List chunks."""

    reads_query = True
    enters_each_statement = True

    @extend_schema(
        operation_id="chunks_list",
        parameters=[ChunkFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("ChunkPage", shapes.TaggedChunkOutput),
        description="Chunks with their effective text, newest first.",
    )
    def get(self, request: Request) -> Response:
        filters, audience = without_audience(ChunkFilter.read(request).values)

        def fetch(before: tuple[datetime, uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
            rows = reading.listed(self.principal, filters=filters, before=before, limit=limit, **audience)
            return [_listed_json(row) for row in rows]

        found, following = page_of_rows(fetch, request, key=("ts", "chunk_id"), scope="chunks")
        deliver(self.principal, versions_of(found), means=Means.LIST)
        return Response(envelope(found, following))


class GetView(IdempotentMixin, GovernedView):
    """Chunks by id."""

    stores_response = False
    only_reads = True
    enters_each_statement = True

    @extend_schema(
        operation_id="chunks_get",
        request=shapes.GetInput,
        responses=shapes.GetOutput,
        description="The chunks that you may see, in the order of the ids; others are omitted.",
    )
    def post(self, request: Request) -> Response:
        values = shapes.GetInput.of(request.data)
        found = reading.get(
            self.principal,
            values["chunk_ids"],
            channel=values.get("channel"),
            include_quarantined=values["include_quarantined"],
        )
        shown = [chunk_json(row) for row in found]
        deliver(self.principal, versions_of(shown), means=Means.GET)
        return Response({"chunks": shown})


class TimelineView(GovernedView):
    """The chunks around one chunk in time."""

    reads_query = True
    enters_each_statement = True

    @extend_schema(
        operation_id="chunks_timeline",
        parameters=[
            OpenApiParameter("chunk_id", uuid.UUID, OpenApiParameter.PATH),
            TimelineFilter.schema(),
            SCHEMA_PARAMETERS[1],
        ],
        responses=shapes.TimelineOutput,
        description="The chunks within `window_seconds` of a chunk, nearest first. If there are more than `limit`,"
        " `is_cut` is true and `next` is the cursor for the others.",
    )
    def get(self, request: Request, chunk_id: uuid.UUID) -> Response:
        values = TimelineFilter.read(request).values
        limit = values.pop("limit")
        return Response(timeline_json(PageRequest.of(request, limit), chunk_id, **values))


def timeline_json(asked: PageRequest, chunk_id: uuid.UUID, *, window_seconds: int, **audience: Any) -> dict[str, Any]:
    """The requested page of a chunk's timeline."""
    center: list[datetime] = []

    def fetch(after: tuple[datetime, uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
        found = reading.timeline(
            asked.principal, chunk_id, window_seconds=window_seconds, after=after, limit=limit, **audience
        )
        center.append(found.center_ts)
        return [_near_json(row) for row in found.chunks]

    chunks, following = page_of_rows(fetch, asked, key=("ts", "chunk_id"), scope="timeline")
    deliver(asked.principal, versions_of(chunks), means=Means.TIMELINE)
    return {
        "around_chunk_id": chunk_id,
        "center_ts": center[0],
        "window_seconds": window_seconds,
        "chunks": chunks,
        "is_cut": following is not None,
        "next": following,
    }


class SummaryView(IdempotentMixin, GovernedView):
    """Save a summary."""

    @extend_schema(operation_id="chunks_summary", request=shapes.SummaryInput, responses={201: shapes.SummaryOutput})
    def post(self, request: Request) -> Response:
        values = shapes.SummaryInput.of(request.data)
        now = timezone.now()
        saved = recording.record_summary(actor=self.principal, ts=now, **values)
        return Response(
            {
                "chunk_id": saved.chunk_id,
                "ts": now,
                "status": "saved",
                "sensitivity": saved.sensitivity,
                "is_quarantined": saved.quarantine is not None,
                "quarantines": [asdict(saved.quarantine)] if saved.quarantine else [],
            },
            status.HTTP_201_CREATED,
        )
