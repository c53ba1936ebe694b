"""The stream of notices: verdicts and corrections as server-sent events."""

import json
from collections.abc import Iterator
from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request

from governance.http.rendering import JSONRenderer
from governance.http.views import GovernedView
from governance.http.waiting import ASK_AGAIN, can_wait
from governance.refusals import Fault, Invalid
from memory.usage import notices
from memory.usage.db import Notice

HEADER = "Last-Event-ID"
CONTENT_TYPE = "text/event-stream"
#: How long a connection stays open, in seconds. The client then opens the next one.
SECONDS = 60
#: Milliseconds before a client connects again.
RETRY = 2_000


class InvalidEventId(Invalid):
    """Last-Event-ID must be the id of an event of this stream."""


class _JSONForErrors(DefaultContentNegotiation):
    """A client of the stream accepts only events. Errors are JSON nevertheless."""

    def select_renderer(self, request: Any, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class StreamView(GovernedView):
    """Stream what concerns the caller."""

    enters_each_statement = True
    renderer_classes = [JSONRenderer]
    content_negotiation_class = _JSONForErrors

    @extend_schema(
        operation_id="notices_stream",
        summary="Follow verdicts and corrections",
        parameters=[
            OpenApiParameter(
                HEADER,
                str,
                OpenApiParameter.HEADER,
                description="The id of the last event that you have: the stream continues after it. Default: now.",
            )
        ],
        responses={(200, CONTENT_TYPE): OpenApiTypes.STR},
        description="Server-sent events. `verdict`: people have decided on an edit that you proposed. `correction`:"
        " others changed memory that you had received. The server ends a connection after a minute. Connect again with"
        " the id of the last event.",
    )
    def get(self, request: Request) -> HttpResponse:
        last = _last(request)
        found = notices.since(self.principal, last)
        answer = HttpResponse("".join(_events(found, last)), content_type=CONTENT_TYPE)
        answer["Cache-Control"] = "no-cache"
        if request.method == "GET" and can_wait(request.META):
            answer[ASK_AGAIN] = str(SECONDS)
        return answer


def _last(request: Request) -> int | None:
    given = request.headers.get(HEADER, "")
    if not given:
        return None
    if not (given.isascii() and given.isdigit() and len(given) <= 18):
        raise InvalidEventId(
            errors=[Fault(header=HEADER, detail=str(InvalidEventId.__doc__), code=InvalidEventId.code)]
        )
    return int(given)


def _events(found: notices.Notices, last: int | None) -> Iterator[str]:
    """The events. Those of one entry have its id only at the last one, so that a client that misses one gets all
    again."""
    if last is None:
        yield f"retry: {RETRY}\n"
    for number, one in enumerate(found.notices, 1):
        is_last = number == len(found.notices) or found.notices[number].seq != one.seq
        id = f"id: {one.seq}\n" if is_last else ""
        yield f"event: {one.kind}\n{id}data: {json.dumps(_notice_json(one))}\n\n"
    if found.last != last and not (found.notices and found.notices[-1].seq == found.last):
        yield f"id: {found.last}\n\n"


def _notice_json(one: Notice) -> dict[str, Any]:
    at = one.at.isoformat() if one.at else None
    if one.kind == "verdict":
        return {
            "edit_id": str(one.edit_id),
            "status": one.change,
            "by": one.decider,
            "reason": one.reason or "",
            "decided_at": at,
        }
    return {
        "edit_id": str(one.edit_id),
        "memory_id": str(one.memory_id),
        "chunk_id": str(one.chunk_id),
        "change": one.change,
        "changed_at": at,
    }
