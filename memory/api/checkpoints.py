"""The checkpoints of running sessions, over HTTP."""

import uuid
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import Any

import orjson
from django.db.models import CharField, UUIDField
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page_of_rows, page_schema
from memory.api import checkpoint_shapes as shapes
from memory.api.filters import CheckpointFilter, LatestCheckpoint, OneCheckpoint, OwnerFilter
from memory.api.running_sessions import LargeBody, SessionsOfAgents, checked, members_of
from memory.checkpoints import queries, restoring, saving, sessions
from memory.checkpoints.db import Described
from memory.checkpoints.format import State
from memory.checkpoints.json_members import MIB

#: The most bytes of states on a page, unless it has only one.
MAX_STATES = 4 * MIB
#: Less than every id of a checkpoint.
NO_ID = uuid.UUID(int=0)


def _with_state(answer: dict[str, Any], state: State) -> dict[str, Any]:
    """The answer with a state, whose JSON is passed on as it was stored."""
    fields: dict[str, Any] = {name: orjson.Fragment(value) for name, value in state.fields.items()}
    return {**answer, "state": {**fields, "depth": state.depth, "format_version": state.format_version}}


def _response(answer: dict[str, Any]) -> HttpResponse:
    """The response for an answer with states, which the usual renderer would parse."""
    return HttpResponse(orjson.dumps(answer, option=orjson.OPT_UTC_Z), content_type="application/json")


class _CreatingView(IdempotentMixin, LargeBody):
    """Creates checkpoints."""

    def create(self, session_id: str, wanted: Mapping[str, saving.Wanted]) -> list[dict[str, Any]]:
        """The created checkpoints, in the order of those that are wanted."""
        made = saving.create_checkpoints(checked(session_id), wanted, actor=self.principal, owner=self.owner)
        return [shapes.described_json(one) for one in made]


class CheckpointsView(_CreatingView):
    """Create a checkpoint of a session; list or delete its checkpoints."""

    reads_query = True
    gets_enter_each_statement = True

    @extend_schema(
        operation_id="checkpoints_create",
        summary="Create a checkpoint",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        request=shapes.CheckpointInput,
        responses={201: shapes.CheckpointOutput},
        description="A manual checkpoint of up to 64 MiB of JSON for your session with this id, which is created if it"
        " does not exist.",
    )
    def post(self, request: Request, session_id: str) -> Response:
        (made,) = self.create(session_id, shapes.CheckpointInput.wanted(members_of(request)))
        return Response(made, status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="checkpoints_list",
        summary="List the checkpoints of a session",
        parameters=[shapes.SESSION_PARAMETER, CheckpointFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("CheckpointPage", shapes.OneCheckpointOutput),
        description="The checkpoints of a session. Reading their states does not resume the session.",
    )
    def get(self, request: Request, session_id: str) -> Response | HttpResponse:
        asked = CheckpointFilter.read(request).values
        session = queries.find_session(checked(session_id), self.principal, asked["owner"])
        by_label = asked["order"] == "label"
        listed: dict[uuid.UUID, Described] = {}

        def fetch(before: Sequence[Any] | None, limit: int) -> list[dict[str, Any]]:
            narrowed = {name: asked[name] for name in ("depth", "kind", "label_prefix")}
            if by_label and before is None and asked["label_before"] is not None:
                before = asked["label_before"], NO_ID
            found = queries.list_checkpoints(session, **narrowed, by_label=by_label, before=before, limit=limit)
            listed.update((one.id, one) for one in found)
            return [shapes.described_json(one) for one in found]

        found, following = page_of_rows(
            fetch,
            request,
            key=("label", "id") if by_label else ("id",),
            scope="checkpoints",
            fields=(CharField(), UUIDField()) if by_label else (UUIDField(),),
            size_of=itemgetter("size") if asked["include_state"] else None,
            max_size=MAX_STATES,
        )
        if not asked["include_state"]:
            return Response(envelope(found, following))
        states = restoring.read_states(session, [listed[one["id"]] for one in found], actor=self.principal)
        return _response(envelope([*map(_with_state, found, states)], following))

    @extend_schema(
        operation_id="checkpoints_delete_all",
        summary="Delete all checkpoints of a session",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        responses={200: shapes.DeletedCheckpointsOutput},
        description="Delete all checkpoints of a session, including pinned ones. Allowed for its owner and admins.",
    )
    def delete(self, request: Request, session_id: str) -> Response:
        return Response({"deleted": sessions.delete_all(checked(session_id), actor=self.principal, owner=self.owner)})


class BatchView(_CreatingView):
    """Create up to 100 checkpoints of a session."""

    @extend_schema(
        operation_id="checkpoints_batch",
        summary="Create several checkpoints",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        request=shapes.CheckpointBatchInput,
        responses={201: shapes.CreatedCheckpointsOutput},
        description="As if they were created one after the other, but all or none. The body may have 64 MiB.",
    )
    def post(self, request: Request, session_id: str) -> Response:
        made = self.create(session_id, shapes.CheckpointBatchInput.wanted(members_of(request)))
        return Response({"checkpoints": made}, status.HTTP_201_CREATED)


class DeleteView(IdempotentMixin, SessionsOfAgents):
    """Delete some checkpoints of a session."""

    @extend_schema(
        operation_id="checkpoints_delete_listed",
        summary="Delete some checkpoints of a session",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        request=shapes.ListedCheckpointsInput,
        responses=shapes.DeletedCheckpointsOutput,
        description="Delete checkpoints of a session by their ids, including pinned ones. Ids that the session does not"
        " have are ignored. Allowed for its owner and admins.",
    )
    def post(self, request: Request, session_id: str) -> Response:
        ids = shapes.ListedCheckpointsInput.of(request.data)["ids"]
        deleted = sessions.delete_checkpoints(checked(session_id), ids, actor=self.principal, owner=self.owner)
        return Response({"deleted": deleted})


class LatestView(SessionsOfAgents):
    """The newest checkpoint of a session."""

    reads_query = True
    enters_each_statement = True

    @extend_schema(
        operation_id="checkpoints_latest",
        parameters=[shapes.SESSION_PARAMETER, LatestCheckpoint.schema()],
        responses=shapes.CheckpointOutput,
    )
    def get(self, request: Request, session_id: str) -> Response:
        values = LatestCheckpoint.read(request).values
        session = queries.find_session(checked(session_id), self.principal, values["owner"])
        return Response(shapes.described_json(queries.latest_of(session, values["depth"])))


class CheckpointView(SessionsOfAgents):
    """One checkpoint."""

    reads_query = True

    @extend_schema(
        operation_id="checkpoints_retrieve",
        summary="Read a checkpoint",
        parameters=[OneCheckpoint.schema()],
        responses=shapes.OneCheckpointOutput,
        description="Reading a state does not resume the session.",
    )
    def get(self, request: Request, checkpoint_id: uuid.UUID) -> Response | HttpResponse:
        values = OneCheckpoint.read(request).values
        found = queries.find_checkpoint(checkpoint_id, self.principal, values["owner"])
        described = shapes.described_json(queries.describe(found))
        if not values["include_state"]:
            return Response(described)
        (state,) = restoring.read_states(queries.session_of(found), [found], actor=self.principal)
        return _response(_with_state(described, state))

    @extend_schema(
        operation_id="checkpoints_delete",
        summary="Delete a checkpoint",
        parameters=[OwnerFilter.schema()],
        responses={200: shapes.DeletedCheckpointsOutput},
    )
    def delete(self, request: Request, checkpoint_id: uuid.UUID) -> Response:
        return Response({"deleted": sessions.delete_checkpoint(checkpoint_id, actor=self.principal, owner=self.owner)})


class _Restoring(SessionsOfAgents):
    """Returns a state, which is never stored for idempotency: repeating the request restores again."""

    def restored(self, one: restoring.Restored) -> HttpResponse:
        """The response."""
        return _response(_with_state(shapes.restored_json(one), one.state))


class RestoreView(IdempotentMixin, _Restoring):
    """Continue from a checkpoint."""

    stores_response = False

    @extend_schema(
        operation_id="checkpoints_restore",
        parameters=[OwnerFilter.schema()],
        request=shapes.EmptyInput,
        responses=shapes.RestoredOutput,
        description="The whole state, the operations that were pending, and the memories in it that have changed since"
        " then. The session continues from the checkpoint's turn, if you may continue it.",
    )
    def post(self, request: Request, checkpoint_id: uuid.UUID) -> HttpResponse:
        shapes.EmptyInput.of(request.data)
        return self.restored(restoring.restore_checkpoint(checkpoint_id, actor=self.principal, owner=self.owner))


class RestoreByPathView(IdempotentMixin, _Restoring):
    """Continue from a checkpoint, by its file."""

    stores_response = False

    @extend_schema(
        operation_id="checkpoints_restore_by_path",
        parameters=[OwnerFilter.schema()],
        request=shapes.CheckpointPathInput,
        responses=shapes.RestoredOutput,
    )
    def post(self, request: Request) -> HttpResponse:
        values = shapes.CheckpointPathInput.of(request.data)
        return self.restored(restoring.restore_by_path(values["path"], actor=self.principal, owner=self.owner))


class PinView(SessionsOfAgents):
    """Exempt a checkpoint from pruning, or undo this."""

    @extend_schema(
        operation_id="checkpoints_pin",
        parameters=[OwnerFilter.schema()],
        request=shapes.PinInput,
        responses=shapes.CheckpointOutput,
    )
    def put(self, request: Request, checkpoint_id: uuid.UUID) -> Response:
        values = shapes.PinInput.of(request.data)
        pinned = sessions.pin_checkpoint(
            checkpoint_id, actor=self.principal, owner=self.owner, is_pinned=values["is_pinned"]
        )
        return Response(shapes.described_json(pinned))


class DoneView(IdempotentMixin, SessionsOfAgents):
    """Mark a pending operation of a checkpoint as done."""

    @extend_schema(
        operation_id="checkpoints_operation_done",
        parameters=[OwnerFilter.schema()],
        request=shapes.OperationDoneInput,
        responses=shapes.DoneOutput,
        description="Repeating the request has no effect.",
    )
    def post(self, request: Request, checkpoint_id: uuid.UUID, operation_id: str) -> Response:
        values = shapes.OperationDoneInput.of(request.data)
        done_at = restoring.finish_operation(
            checkpoint_id, operation_id, values["note"], actor=self.principal, owner=self.owner
        )
        return Response({"id": operation_id, "is_done": True, "done_at": done_at})
