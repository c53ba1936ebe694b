"""Running sessions of agents, over HTTP."""

import io
from collections.abc import Mapping
from typing import IO, Any, cast

from django.http import HttpRequest
from drf_spectacular.utils import extend_schema
from rest_framework.parsers import BaseParser
from rest_framework.request import Request
from rest_framework.response import Response

from governance import text
from governance.faults import invalid
from governance.http.pagination import SCHEMA_PARAMETERS, envelope, page, page_schema
from governance.http.views import GovernedView
from governance.refusals import Fault
from memory.api import checkpoint_shapes as shapes
from memory.api.filters import OwnerFilter, SessionFilter
from memory.checkpoints import queries, saving, sessions
from memory.checkpoints.json_members import MAX_BODY_BYTES, Member, read_members
from memory.checkpoints.refusals import CheckpointTooLarge


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


def checked(session_id: str) -> str:
    """The session id in the address. Raises Invalid."""
    if fault := text.IDENTIFIER.fault_in(session_id):
        raise invalid([Fault(parameter="session_id", detail=fault, code="invalid")])
    return session_id


def members_of(request: Request) -> Mapping[str, Member]:
    """The members of the body of a LargeBody."""
    return cast(Mapping[str, Member], request.data)


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
        values, state = shapes.TurnInput.with_state(members_of(request))
        turn = saving.report_turn(
            checked(session_id),
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
        session = queries.find_session(checked(session_id), self.principal, self.owner)
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
        session = sessions.change_session(checked(session_id), actor=self.principal, owner=self.owner, **values)
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
        deleted = sessions.delete_session(checked(session_id), actor=self.principal, owner=self.owner)
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
        session = queries.find_session(checked(session_id), self.principal, self.owner)
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
            checked(session_id),
            values["agents"],
            actor=self.principal,
            owner=self.owner,
            may_continue=values["may_continue"],
        )
        return Response(shapes.session_json(queries.describe_session(session, self.principal)))
