"""Running sessions and their checkpoints, over HTTP."""

import io
import uuid
from collections.abc import Mapping
from typing import IO, Any, cast

import orjson
from django.db.models import UUIDField
from django.http import HttpRequest, HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import status
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.faults import invalid
from governance.http.idempotency import IdempotentMixin
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page, page_of_rows, page_schema
from governance.http.views import GovernedView
from governance.refusals import Fault
from memory.api import checkpoint_shapes as shapes
from memory.api.filters import CheckpointFilter, LatestCheckpoint, OneCheckpoint, OwnerFilter, SessionFilter
from memory.checkpoints import queries, restoring, saving, sessions
from memory.checkpoints.format import State
from memory.checkpoints.json_members import MAX_BODY_BYTES, Member, read_members
from memory.checkpoints.refusals import CheckpointTooLarge
from memory.models import Checkpoint


class MembersParser(BaseParser):
    """Parses the members of a JSON object (memory/checkpoints/json_members.py)."""

    media_type = "application/json"

    def parse(self, stream: IO[bytes], media_type: str | None = None, parser_context: Any = None) -> dict[str, Member]:
        return read_members(stream.read())


class SessionsOfAgents(GovernedView):
    """A view of a session, or of a checkpoint in it. Every request may name the agent that owns the session."""

    query_names = frozenset({"owner"})

    @property
    def owner(self) -> str | None:
        """The agent named in the request; None for the caller's own session. For requests without other parameters.
        Raises Invalid."""
        return cast(str | None, OwnerFilter.read(self.request).values["owner"])


class LargeBody(SessionsOfAgents):
    """A view whose bodies may be as large as a state: other bodies' limits do not apply."""

    parser_classes = [MembersParser]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate as usual, then read the whole body. Raises CheckpointTooLarge."""
        super().initial(request, *args, **kwargs)
        if request.method in {"POST", "PUT"}:
            _read_whole(request._request)


def _read_whole(request: HttpRequest) -> None:
    """Read the body before Django, which would refuse it because of its limit."""
    announced = request.META.get("CONTENT_LENGTH") or "0"
    if announced.isdecimal() and int(announced) > MAX_BODY_BYTES:
        raise CheckpointTooLarge
    body = request.read(MAX_BODY_BYTES + 1)
    if len(body) > MAX_BODY_BYTES:
        raise CheckpointTooLarge
    request._body = body  # where Django stores the body
    request._stream = io.BytesIO(body)


def _session(session_id: str) -> str:
    """The session id in the address. Raises Invalid."""
    if fault := text.IDENTIFIER.fault_in(session_id):
        raise invalid([Fault(parameter="session_id", detail=fault, code="invalid")])
    return session_id


def _members(request: Request) -> Mapping[str, Member]:
    return cast(Mapping[str, Member], request.data)


def _described(row: Checkpoint) -> dict[str, Any]:
    return shapes.described_json(queries.describe([row])[0])


def _with_state(answer: dict[str, Any], state: State) -> HttpResponse:
    """The response with a state, whose JSON is passed on as it was stored."""
    fields: dict[str, Any] = {name: orjson.Fragment(value) for name, value in state.fields.items()}
    shown = {**answer, "state": {**fields, "depth": state.depth, "format_version": state.format_version}}
    return HttpResponse(orjson.dumps(shown, option=orjson.OPT_UTC_Z), content_type="application/json")


class CheckpointsView(IdempotentMixin, LargeBody):
    """Create a checkpoint of a session; list or delete its checkpoints."""

    reads_query = True

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
        values, state = shapes.CheckpointInput.with_state(_members(request))
        wanted = saving.Wanted(values["kind"], values.get("label"), values["is_pinned"])
        made = saving.create_checkpoint(
            _session(session_id), values.get("turn"), state, wanted, actor=self.principal, owner=self.owner
        )
        return Response(shapes.described_json(made), status.HTTP_201_CREATED)

    @extend_schema(
        operation_id="checkpoints_list",
        summary="List the checkpoints of a session",
        parameters=[shapes.SESSION_PARAMETER, CheckpointFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("CheckpointPage", shapes.CheckpointOutput),
        description="The checkpoints of a session, newest first, without their states.",
    )
    def get(self, request: Request, session_id: str) -> Response:
        owner = CheckpointFilter.read(request).values["owner"]
        session = queries.find_session(_session(session_id), self.principal, owner)
        rows = CheckpointFilter.read(request, queries.checkpoints_of(session)).qs

        def fetch(before: tuple[uuid.UUID] | None, limit: int) -> list[dict[str, Any]]:
            older = rows.filter(id__lt=before[0]) if before else rows
            found = list(older.order_by("-id")[:limit])
            return [shapes.described_json(one) for one in queries.describe(found)]

        found, following = page_of_rows(fetch, request, key=("id",), scope="checkpoints", fields=(UUIDField(),))
        return Response(envelope(found, following))

    @extend_schema(
        operation_id="checkpoints_delete_all",
        summary="Delete all checkpoints of a session",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        responses={200: shapes.DeletedCheckpointsOutput},
        description="Delete all checkpoints of a session, including pinned ones. Allowed for its owner and admins.",
    )
    def delete(self, request: Request, session_id: str) -> Response:
        return Response({"deleted": sessions.delete_all(_session(session_id), actor=self.principal, owner=self.owner)})


class SessionsView(GovernedView):
    """The sessions that the caller may see."""

    reads_query = True

    @extend_schema(
        operation_id="sessions_list",
        parameters=[SessionFilter.schema(), *SCHEMA_PARAMETERS],
        responses=page_schema("RunningSessionPage", shapes.RunningSessionOutput),
        description="Your sessions with checkpoints or reported turns, newest first; with `offered` or `owner`, those"
        " that other agents offer to you. Admins get all.",
    )
    def get(self, request: Request) -> Response:
        values = SessionFilter.read(request).values
        seen = queries.sessions_for(self.principal, owner=values["owner"], is_offered=values["offered"])
        rows = SessionFilter.read(request, seen).qs
        found, following = page(rows, request, order=("-created_at", "-id"), scope="sessions")
        return Response(
            envelope([shapes.session_json(one) for one in queries.describe_sessions(found, self.principal)], following)
        )


class TurnView(LargeBody):
    """Report a turn of a session."""

    @extend_schema(
        operation_id="sessions_turn",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        request=shapes.TurnInput,
        responses=shapes.ReportedTurnOutput,
        description="If a checkpoint is due, it is made of the state. Repeating the same report changes nothing; a turn"
        " below the last one, or the same turn with another state, is refused.",
    )
    def put(self, request: Request, session_id: str) -> Response:
        values, state = shapes.TurnInput.with_state(_members(request))
        turn = saving.report_turn(
            _session(session_id),
            values["turn"],
            state,
            actor=self.principal,
            owner=self.owner,
            checkpoint_every=values.get("checkpoint_every"),
        )
        return Response(
            {
                "session_id": turn.session_id,
                "turn": turn.turn,
                "depth": turn.depth,
                "checkpoint": shapes.described_json(turn.checkpoint) if turn.checkpoint else None,
                "next_checkpoint_turn": turn.next_checkpoint_turn,
            }
        )


class SessionView(SessionsOfAgents):
    """A running session."""

    @extend_schema(
        operation_id="sessions_retrieve",
        summary="Read a session",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        responses=shapes.RunningSessionOutput,
        description="A session with checkpoints or reported turns: its turn, its settings, and the agents that it is"
        " shared with.",
    )
    def get(self, request: Request, session_id: str) -> Response:
        session = queries.find_session(_session(session_id), self.principal, self.owner)
        return Response(shapes.session_json(queries.describe_session(session, self.principal)))

    @extend_schema(
        operation_id="sessions_update",
        summary="Change a session",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        request=shapes.RunningSessionInput,
        responses=shapes.RunningSessionOutput,
    )
    def put(self, request: Request, session_id: str) -> Response:
        values = shapes.RunningSessionInput.of(request.data)
        session = sessions.change_session(_session(session_id), actor=self.principal, owner=self.owner, **values)
        return Response(shapes.session_json(queries.describe_session(session, self.principal)))

    @extend_schema(
        operation_id="sessions_delete",
        summary="Delete a session",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        responses={200: shapes.DeletedCheckpointsOutput},
        description="Permanently delete a session with its checkpoints and shares. Nothing can be added to it"
        " afterwards, not even by a request in progress. Allowed for its owner and admins.",
    )
    def delete(self, request: Request, session_id: str) -> Response:
        deleted = sessions.delete_session(_session(session_id), actor=self.principal, owner=self.owner)
        return Response({"deleted": deleted})


class SharesView(SessionsOfAgents):
    """The agents that a session is offered to."""

    @extend_schema(
        operation_id="sessions_shares",
        summary="List whom a session is shared with",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        responses=shapes.SharesOutput,
        description="The agents that your session is offered to, and when each first used it.",
    )
    def get(self, request: Request, session_id: str) -> Response:
        session = queries.find_session(_session(session_id), self.principal, self.owner)
        return Response(shapes.shares_json(queries.shares_of(session, self.principal)))

    @extend_schema(
        operation_id="sessions_share",
        summary="Share a session",
        parameters=[shapes.SESSION_PARAMETER, OwnerFilter.schema()],
        request=shapes.SessionSharesInput,
        responses=shapes.RunningSessionOutput,
        description="Set the agents that your session is offered to; all others lose access."
        " They may read and restore its checkpoints if they name the owner with `owner`.",
    )
    def put(self, request: Request, session_id: str) -> Response:
        values = shapes.SessionSharesInput.of(request.data)
        session = sessions.share_session(
            _session(session_id),
            values["agents"],
            actor=self.principal,
            owner=self.owner,
            may_continue=values["may_continue"],
        )
        return Response(shapes.session_json(queries.describe_session(session, self.principal)))


class LatestView(SessionsOfAgents):
    """The newest checkpoint of a session."""

    reads_query = True

    @extend_schema(
        operation_id="checkpoints_latest",
        parameters=[shapes.SESSION_PARAMETER, LatestCheckpoint.schema()],
        responses=shapes.CheckpointOutput,
    )
    def get(self, request: Request, session_id: str) -> Response:
        values = LatestCheckpoint.read(request).values
        session = queries.find_session(_session(session_id), self.principal, values["owner"])
        return Response(_described(queries.latest_of(session, values["depth"])))


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
        if not values["include_state"]:
            return Response(_described(found))
        state = restoring.read_state(found, actor=self.principal)
        return _with_state(_described(found), state)

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
        return _with_state(shapes.restored_json(one), one.state)


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
