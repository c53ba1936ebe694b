"""The OpenAPI schema of the API."""

from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiParameter

from governance.http import on_behalf, receipts
from governance.http.problems import CONTENT_TYPE
from governance.http.sessions import HEADER
from governance.http.views import GovernedView


class GovernedSchema(AutoSchema):
    """drf-spectacular's AutoSchema, with the headers that every view accepts."""

    def get_override_parameters(self) -> list[Any]:
        """The parameters in addition to those of the serializers."""
        declared: list[Any] = super().get_override_parameters()
        if not isinstance(self.view, GovernedView):
            return declared
        if self.method not in {"GET", "HEAD"}:
            declared = [
                *declared,
                OpenApiParameter(
                    receipts.HEADER,
                    str,
                    OpenApiParameter.HEADER,
                    description="Any value. The answer then has `receipt`, the server's signed promise that your"
                    " records are in the ledger (docs/ledger.md).",
                ),
            ]
        return [
            *declared,
            OpenApiParameter(
                HEADER,
                str,
                OpenApiParameter.HEADER,
                description="Your session. The use of memory is counted per session (docs/promotion.md). A field of the"
                " request that names your session takes precedence.",
            ),
            OpenApiParameter(
                on_behalf.HEADER,
                str,
                OpenApiParameter.HEADER,
                description="The principal on whose behalf you ask, `type:id`, such as `patient:ada`. Your key must be"
                " allowed to speak for it (docs/principals.md).",
            ),
        ]


_TEXT = {"type": "string"}
_FAULT = {
    "type": "object",
    "description": "One fault, with its place in the body, the address or the headers.",
    "properties": {
        "pointer": {"type": "string", "description": "The place in the body: a JSON pointer as a fragment."},
        "parameter": {"type": "string", "description": "The query parameter."},
        "header": {"type": "string", "description": "The header."},
        "index": {"type": "integer", "description": "The index of the item in a list, from 0."},
        "detail": _TEXT,
        "code": _TEXT,
    },
    "required": ["detail", "code"],
}
_PROBLEM = {
    "type": "object",
    "description": "Why a request failed (RFC 9457).",
    "properties": {
        "type": {"type": "string", "description": "`urn:suture:problem:` and the code."},
        "code": {"type": "string", "description": "Identifies the problem for programs."},
        "title": _TEXT,
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What is wrong and what to do."},
        "instance": {"type": "string", "description": "The path of the request."},
        "request_id": {"type": ["string", "null"], "description": "Identifies the request in the server's log."},
        "errors": {"type": "array", "items": _FAULT},
    },
    "required": ["type", "code", "title", "status", "detail", "instance", "request_id"],
}
_MEANINGS = {
    HTTPStatus.BAD_REQUEST: "The request is not valid; `errors` lists the faults.",
    HTTPStatus.UNAUTHORIZED: "The API key is missing or not valid.",
    HTTPStatus.FORBIDDEN: "This key may not do that.",
    HTTPStatus.NOT_FOUND: "There is no such record in your tenant, or you may not see it.",
    HTTPStatus.REQUEST_TIMEOUT: "The body did not arrive in time.",
    HTTPStatus.CONFLICT: "The request conflicts with the current state of the record.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "The body is too large.",
    HTTPStatus.UNSUPPORTED_MEDIA_TYPE: "The Content-Type is not JSON.",
    HTTPStatus.TOO_MANY_REQUESTS: "Too many requests from this key or address. Retry after `Retry-After` seconds.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "The server failed. Nothing was changed.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Temporarily unavailable. Retry after `Retry-After` seconds.",
}


def describe_problems(result: dict[str, Any], **_: Any) -> dict[str, Any]:
    """A hook of drf-spectacular: add the possible problems to every operation."""
    result["components"].setdefault("schemas", {})["Problem"] = _PROBLEM
    content = {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for item in result["paths"].values():
        for method, operation in item.items():
            for status in _problems_of(method, operation):
                operation["responses"].setdefault(
                    str(int(status)), {"description": _MEANINGS[status], "content": content}
                )
    return result


def _problems_of(method: str, operation: dict[str, Any]) -> Iterator[HTTPStatus]:
    yield from (HTTPStatus.BAD_REQUEST, HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
    if method != "get":
        yield HTTPStatus.CONFLICT
    if "requestBody" in operation:
        yield from (
            HTTPStatus.REQUEST_TIMEOUT,
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
            HTTPStatus.UNSUPPORTED_MEDIA_TYPE,
        )
    yield from (HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.SERVICE_UNAVAILABLE)
