"""Views of captured memory."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db.models import UUIDField
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from capture import queries
from capture.api import shapes
from capture.api.filters import CaptureFilter, OneCapture
from capture.db import CapturedChunk
from capture.models import Capture
from capture.services import recording, removing
from capture.services.recording import Captured, CaptureDraft, Origin, PreparedCaptures
from governance.acting import gate
from governance.acting.principals import Principal
from governance.faults import MAX_FAULTS, invalid
from governance.http import receipts
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page_of_rows, page_schema
from governance.http.views import GovernedView
from governance.models import new_id
from governance.refusals import Failed, Forbidden, Invalid, Refusal
from memory.api.events import notices_of
from memory.drafts import EventDraft
from memory.usage.deliveries import deliver
from memory.usage.means import Means


def draft_of(values: Mapping[str, Any], actor: Principal, pointer: str = "") -> CaptureDraft:
    """Convert the validated body of a capture; `pointer` is its position in the request. Raises SubjectIncomplete,
    ChannelNotAllowed."""
    source = values["source"]
    origin = Origin(source["type"], source.get("hook_type"), source.get("tool_name"), source.get("response_type"))
    given = ("session_id", "sensitivity", "audience", "retention", "scope", "subject_type", "subject_id", "project_id")
    kind, actor_type, actor_id = recording.as_event(origin, actor)
    event = EventDraft(
        kind=kind,
        actor_type=actor_type,
        actor_id=actor_id,
        **{name: values[name] for name in given if values.get(name) is not None},
        channel=values.get("channel") or actor.default_channel(),
        content={"text": values["content"]},
        ts=values.get("ts") or timezone.now(),
        id=values.get("id") or new_id(),
        is_named=values.get("id") is not None,
        tags=tuple(values["tags"]),
        refs=tuple(values["refs"]),
        importance=values.get("importance"),
        compute_embedding=values["compute_embedding"],
        updates=values.get("updates"),
        key=values.get("key"),
        pointer=pointer,
    )
    return CaptureDraft(origin, event, tuple(values["redacted"]))


def captured_json(one: Captured) -> dict[str, Any]:
    """A recorded capture as JSON."""
    event = one.event
    return {
        "event_id": event.event_id if event else None,
        "status": one.status,
        "reason": _reason(one.refusal) if one.refusal else one.reason or None,
        "ts": event.ts if event else None,
        "chunk_ids": one.chunk_ids,
        "response_id": one.response_id,
        "redacted": dict(one.redacted),
        "superseded_chunk_ids": event.superseded_chunk_ids if event else [],
        "quarantined_chunk_ids": event.quarantined_chunk_ids if event else [],
        "notices": notices_of(event) if event else [],
    }


def _reason(refusal: Refusal) -> str:
    """Why a capture of a batch was refused, with the places of its faults."""
    faults = [f"{one.get('pointer', '')} {one.get('detail', '')}".strip() for one in refusal.errors[:MAX_FAULTS]]
    return "; ".join(faults) or refusal.detail


def memory_json(chunk: CapturedChunk) -> dict[str, Any]:
    """A captured chunk in the format of the specification."""
    is_file = chunk.source == Capture.Source.FILE
    about = {
        Capture.Source.HOOK: {"hook_type": chunk.hook_type, "tool_name": chunk.tool_name},
        Capture.Source.RESPONSE: {"response_type": chunk.response_type},
        Capture.Source.FILE: {"file_path": chunk.file_path},
    }[Capture.Source(chunk.source)]
    places = ("file_path", "chunk_index", "total_chunks", "word_offset", "file_hash")
    same = ("session_id", "access_count", "last_accessed", "response_id", "file_deleted_at", "is_superseded")
    others = ("edits_applied", "channel", "sensitivity", "retention", "tier", "tags", "recorder")
    return {
        "id": chunk.chunk_id,
        "event_id": chunk.event_id,
        "content": chunk.text,
        "source": {"type": chunk.source, **about},
        "created_at": chunk.ts,
        "chunk_metadata": {name: getattr(chunk, name) for name in places}
        if is_file or chunk.total_chunks > 1
        else None,
        "importance": float(chunk.importance),
        "confidence": float(chunk.confidence),
        **{name: getattr(chunk, name) for name in (*same, *others)},
    }


class _RecordingView(IdempotentMixin, GovernedView):
    """A view whose POST records captures. They are embedded before a transaction opens: that takes seconds, and
    PostgreSQL ends a transaction that waits for a minute."""

    enters_each_statement = True

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """After the usual checks, prepare the captures of a POST."""
        super().initial(request, *args, **kwargs)
        if request.method == "POST":
            self.prepared = self.prepare(request)

    def prepare(self, request: Request) -> PreparedCaptures:
        """Read and prepare the captures of the request. Raises Invalid."""
        raise NotImplementedError  # each view reads a body of its own

    def record(self, request: Request, answer: Callable[[list[Captured]], Response]) -> Response:
        """Record the prepared captures, and answer with their results and the receipt. Raises their refusal if nothing
        is stored."""
        with gate.entered():
            made = recording.record_captures(self.prepared, actor=self.principal)
            refused = [one.refusal for one in made if one.refusal]
            if len(refused) == len(made):
                raise _together(refused)
            response = answer(made)
            receipts.take(request, response)
        return response


def _together(refused: Sequence[Refusal]) -> Refusal:
    """The refusal of a request whose captures were all refused; a temporary one first, so that it is sent again."""
    first = next((one for one in refused if isinstance(one, Failed)), refused[0])
    if len(refused) > 1 and isinstance(first, Invalid):
        return invalid([fault for one in refused for fault in one.errors])
    return first


class CapturesView(_RecordingView):
    """Capture a memory, or list captured memory."""

    reads_query = True

    def prepare(self, request: Request) -> PreparedCaptures:
        """Read and prepare the capture."""
        shapes.require_session(request.data)
        values = shapes.CaptureInput.of(request.data)
        return recording.prepare_captures([draft_of(values, self.principal)], actor=self.principal)

    @extend_schema(
        operation_id="captures_create",
        summary="Capture memory",
        request=shapes.CaptureInput,
        responses={201: shapes.CapturedOutput, 200: shapes.CapturedOutput},
        description="A hook's description, or a response. It is stored with all thirteen embeddings or not at all."
        " 200: it had been recorded before, or has no text.",
    )
    def post(self, request: Request) -> Response:
        def answer(made: list[Captured]) -> Response:
            code = status.HTTP_201_CREATED if made[0].status == "recorded" else status.HTTP_200_OK
            return Response(captured_json(made[0]), code)

        return self.record(request, answer)

    @extend_schema(
        operation_id="captures_list",
        summary="List captured memory",
        parameters=[CaptureFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("CapturePage", shapes.MemoryOutput),
        description="Captured memory, newest first. Memory that you may not read is omitted, so a page may be shorter.",
    )
    def get(self, request: Request) -> Response:
        with gate.entered():
            return self._list(request)

    def _list(self, request: Request) -> Response:
        values = CaptureFilter.read(request).values
        include_superseded = values["include_superseded"]
        rows = queries.visible(
            self.principal, include_superseded=include_superseded, include_archived=values["include_archived"]
        )
        filtered = CaptureFilter.read(request, rows).qs

        def fetch(before: tuple[uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
            older = filtered.filter(id__lt=before[0]) if before else filtered
            return list(older.order_by("-id").values("id")[:limit])

        found, following = page_of_rows(fetch, request, key=("id",), scope="captures", fields=(UUIDField(),))
        chunks = queries.render(
            self.principal,
            [one["id"] for one in found],
            channel=values["channel"],
            include_superseded=include_superseded,
        )
        deliver(self.principal, [(one.chunk_id, one.edits_applied) for one in chunks], means=Means.LIST)
        return Response(envelope([memory_json(one) for one in chunks], following))


class CaptureBatchView(_RecordingView):
    """Capture up to 1,000 memories. One that is refused does not hold back the others."""

    def prepare(self, request: Request) -> PreparedCaptures:
        """Read and prepare the captures: those that are refused have their refusal."""
        items = shapes.CaptureBatch.of(request.data)["captures"]
        drafts = [self._read(item, f"/captures/{place}") for place, item in enumerate(items)]
        return recording.prepare_captures(drafts, actor=self.principal)

    def _read(self, item: Any, pointer: str) -> CaptureDraft | Refusal:
        try:
            shapes.require_session(item, pointer)
            return draft_of(shapes.CaptureInput.of(item, pointer), self.principal, pointer)
        except (Invalid, Forbidden) as refusal:
            return refusal

    @extend_schema(
        operation_id="captures_batch",
        request=shapes.CaptureBatchInput,
        responses={201: shapes.CapturedBatchOutput},
        description="Each capture has its own `status`. The request is only refused if none of them is stored.",
    )
    def post(self, request: Request) -> Response:
        return self.record(
            request,
            lambda made: Response({"captures": [captured_json(one) for one in made]}, status.HTTP_201_CREATED),
        )


class CaptureView(GovernedView):
    """One captured memory."""

    reads_query = True

    @extend_schema(
        operation_id="captures_retrieve",
        parameters=[OneCapture.schema()],
        responses=shapes.OneMemoryOutput,
        description="Includes memory that was deleted, or replaced by a later version of its file.",
    )
    def get(self, request: Request, chunk_id: uuid.UUID) -> Response:
        values = OneCapture.read(request).values
        found = queries.find(self.principal, chunk_id, channel=values["channel"])
        answer = memory_json(found)
        if values["include_embeddings"]:
            model, values_of_spaces = queries.embeddings_of(self.principal, found, channel=values["channel"])
            answer |= {"embedding_model": model, "teleological_array": values_of_spaces}
        return Response(answer)


class DeleteView(IdempotentMixin, GovernedView):
    """Delete your own captured memory: readers no longer get it, and its record stays."""

    @extend_schema(operation_id="captures_delete", request=shapes.DeleteInput, responses=shapes.DeletedOutput)
    def post(self, request: Request) -> Response:
        values = shapes.DeleteInput.of(request.data)
        if "file_path" in values:
            deleted = removing.delete_by_file_path(
                values["file_path"], actor=self.principal, session_id=values.get("session_id")
            )
        else:
            deleted = removing.delete_captures(values["chunk_ids"], actor=self.principal)
        return Response({"deleted": deleted})
