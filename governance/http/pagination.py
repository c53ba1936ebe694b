"""Keyset pagination: `{"results": [...], "next": cursor or null}`, stable while rows are added."""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, TypeVar

from django.core import signing
from django.core.exceptions import ValidationError
from django.db.models import DateTimeField, Model, Q, QuerySet, UUIDField
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request

from governance.acting.credentials import KeyCredential
from governance.acting.principals import Principal
from governance.refusals import Fault, Invalid

M = TypeVar("M", bound=Model)

DEFAULT_LIMIT = 50
MAX_LIMIT = 200

#: The parameters of a list endpoint in addition to its filters (`ParameterFilter.also_accepted`).
PAGE_PARAMETERS = frozenset({"limit", "cursor"})
#: The same for drf-spectacular: `@extend_schema(parameters=[..., *SCHEMA_PARAMETERS])`.
SCHEMA_PARAMETERS = [
    OpenApiParameter(
        "limit",
        {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT, "default": DEFAULT_LIMIT},
        description="Maximum number of results per page.",
    ),
    OpenApiParameter("cursor", str, description="The value of `next` in the previous page, with the same filters."),
]


_OTHER_CURSOR = "This cursor belongs to another list, other filters or another key."


class InvalidCursor(Invalid):
    """This cursor belongs to another list, other filters or another key. Start again without a cursor."""


class InvalidLimit(Invalid):
    """The limit must be a whole number from 1 to 200."""


@dataclass(frozen=True, slots=True)
class PageRequest:
    """A request for a page of a list. A cursor belongs to the caller's key, the list and its filters."""

    principal: Principal
    #: The list: the path of a request, or the name of a tool.
    address: str
    #: The filters, as JSON values.
    filters: Any
    limit: int
    cursor: str | None
    #: The place of the cursor in the request.
    place: Fault

    @classmethod
    def of(cls, request: Request, limit: int | None = None) -> "PageRequest":
        """The page that a request's query parameters name; `limit` is for a list that reads its own. Raises
        InvalidLimit."""
        filters = sorted((name, values) for name, values in request.query_params.lists() if name not in PAGE_PARAMETERS)
        cursor = request.query_params.get("cursor")
        limit = limit or _limit(request)
        return cls(_principal(request), request.path, filters, limit, cursor, Fault(parameter="cursor"))

    @classmethod
    def of_tool(cls, principal: Principal, name: str, values: Mapping[str, Any]) -> "PageRequest":
        """The page that a tool's arguments `limit` and `cursor` name."""
        filters = {one: value for one, value in values.items() if one not in PAGE_PARAMETERS}
        return cls(principal, name, filters, values["limit"], values.get("cursor"), Fault(pointer="/cursor"))

    def signer(self, scope: str, order: Sequence[str]) -> signing.Signer:
        """The signer of this list's cursors."""
        return signing.Signer(salt=_salt(scope, [self.address, order, self.filters], self.principal))

    def read(self, signer: signing.Signer, fields: list[Any]) -> list[Any] | None:
        """The values in the cursor; None without one. Raises InvalidCursor."""
        return None if self.cursor is None else _values_of(self.cursor, signer, fields, self.place)


def page(
    queryset: QuerySet[M], asked: Request | PageRequest, *, order: tuple[str, str] = ("-ts", "-id"), scope: str
) -> tuple[list[M], str | None]:
    """Return the requested page of `queryset`, and the cursor of the next one or None.

    `order` is a time and a unique id; `scope` is the view's name. Raises `InvalidLimit`, and `InvalidCursor` for a
    cursor that was changed, or belongs to another list or other filters.
    """
    names = [name.removeprefix("-") for name in order]
    asked = asked if isinstance(asked, PageRequest) else PageRequest.of(asked)
    signer = asked.signer(scope, order)
    last_values = asked.read(signer, [queryset.model._meta.get_field(name) for name in names])
    if last_values is not None:
        queryset = queryset.filter(beyond(order, last_values))
    rows = list(queryset.order_by(*order)[: asked.limit + 1])
    if len(rows) <= asked.limit:
        return rows, None
    last = rows[asked.limit - 1]
    return rows[: asked.limit], signer.sign_object([_text(getattr(last, name)) for name in names])


def beyond(order: Sequence[str], values: Sequence[Any], *, nullable: Container[str] = ()) -> Q:
    """The rows that follow, in an order such as ["-ts", "-id"], the one that has these values there.

    `nullable` names the columns of the order that may be NULL, which PostgreSQL sorts as the greatest value. The
    condition is written so that an index on the first column bounds the scan, which a plain OR would not.
    """
    name, value, is_descending = order[0].removeprefix("-"), values[0], order[0].startswith("-")
    if value is None:
        behind = beyond(order[1:], values[1:], nullable=nullable)
        return Q(**{f"{name}__isnull": False}) | behind if is_descending else Q(**{f"{name}__isnull": True}) & behind
    way = "lt" if is_descending else "gt"
    further, not_before = Q(**{f"{name}__{way}": value}), Q(**{f"{name}__{way}e": value})
    if name in nullable and not is_descending:
        further, not_before = (condition | Q(**{f"{name}__isnull": True}) for condition in (further, not_before))
    if len(order) == 1:
        return further
    return not_before & (further | beyond(order[1:], values[1:], nullable=nullable))


def page_of_rows(
    fetch: Callable[[Any, int], list[dict[str, Any]]],
    asked: Request | PageRequest,
    *,
    key: tuple[str, ...],
    scope: str,
    fields: Sequence[Any] = (DateTimeField(), UUIDField()),
    size_of: Callable[[dict[str, Any]], int] | None = None,
    max_size: int = 0,
) -> tuple[list[Any], str | None]:
    """Like `page`, for rows that a gate function lists in its own order. `key` returns the values that order them,
    usually time and id; `fields` are their types. `fetch` gets the values of the row before the page (None for the
    first page) and the maximum number of rows. With `size_of`, the page ends before the row with which the sizes of its
    rows would exceed `max_size`, but has at least one."""
    asked = asked if isinstance(asked, PageRequest) else PageRequest.of(asked)
    signer = asked.signer(scope, tuple(f"-{name}" for name in key))
    last_values = asked.read(signer, list(fields))
    rows = fetch(tuple(last_values) if last_values else None, asked.limit + 1)
    count = asked.limit
    if size_of is not None:
        count = min(count, max(1, bisect_right([*accumulate(map(size_of, rows))], max_size)))
    if len(rows) <= count:
        return rows, None
    last = rows[count - 1]
    return rows[:count], signer.sign_object([_text(last[name]) for name in key])


def read_cursor_of_body(
    principal: Principal, cursor: str, *, about: Mapping[str, Any], fields: list[Any], scope: str
) -> list[Any]:
    """The values in the cursor of a list that is requested in a body; `about` is the rest of that body.

    Raises InvalidCursor for a cursor that was changed, or belongs to another body.
    """
    signer = signing.Signer(salt=_salt(scope, _plain(about), principal))
    return _values_of(cursor, signer, fields, Fault(pointer="/cursor"))


def cursor_for_body(principal: Principal, values: Sequence[Any], *, about: Mapping[str, Any], scope: str) -> str:
    """The cursor that `read_cursor_of_body` reads."""
    signer = signing.Signer(salt=_salt(scope, _plain(about), principal))
    return str(signer.sign_object([_text(value) for value in values]))


def _plain(about: Mapping[str, Any]) -> list[Any]:
    return sorted(about.items())


def envelope(results: Any, following: str | None) -> dict[str, Any]:
    """The body of a list response."""
    return {"results": results, "next": following}


def page_schema(name: str, item: type[serializers.BaseSerializer[Any]]) -> serializers.Serializer[Any]:
    """The schema of a list response for drf-spectacular."""
    return inline_serializer(
        name, {"results": item(many=True), "next": serializers.CharField(allow_null=True, required=True)}
    )


def page_shape(name: str, item: type[serializers.BaseSerializer[Any]]) -> type[serializers.Serializer[Any]]:
    """The serializer of a list response, for the answer of a tool."""
    return type(page_schema(name, item))


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(DEFAULT_LIMIT))
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= MAX_LIMIT):
        detail = f"A whole number from 1 to {MAX_LIMIT}."
        raise InvalidLimit(errors=[Fault(parameter="limit", detail=detail, code=InvalidLimit.code)])
    return int(text)


def _salt(scope: str, about: Any, principal: Principal) -> str:
    """The salt of a list's cursors. It contains the list's parameters (`/sessions/a/events` and `/sessions/b/events`
    are two lists of one view), and tenant and key, because a cursor reveals where a list ended."""
    credential = principal.credential
    key = credential.digest.hex() if isinstance(credential, KeyCredential) else ""
    whose = [str(principal.tenant_id), principal.kind, str(principal.id), key]
    digest = hashlib.sha256(json.dumps([about, *whose], sort_keys=True, default=str).encode()).hexdigest()
    return f"suture.cursor.{scope}.{digest}"


def _principal(request: Request) -> Principal:
    """The principal of the request."""
    if not isinstance(request.user, Principal):
        raise TypeError("a page was requested without a principal")
    return request.user


def _values_of(cursor: str, signer: signing.Signer, fields: list[Any], place: Fault) -> list[Any]:
    try:
        texts = signer.unsign_object(cursor)
        return [field.to_python(text) for field, text in zip(fields, texts, strict=True)]
    except (signing.BadSignature, ValidationError, ValueError, TypeError):
        raise InvalidCursor(errors=[{**place, "detail": _OTHER_CURSOR, "code": InvalidCursor.code}]) from None


def _text(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
