"""Keyset pages: `{"results": [...], "next": cursor or null}`, stable while rows are added."""

import hashlib
import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from django.core import signing
from django.core.exceptions import ValidationError
from django.db.models import DateTimeField, Model, Q, QuerySet, UUIDField
from drf_spectacular.utils import OpenApiParameter, inline_serializer
from rest_framework import serializers
from rest_framework.request import Request

from governance.identity.credentials import KeyCredential
from governance.identity.principals import Principal
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
        description="Maximum number of results in a page.",
    ),
    OpenApiParameter("cursor", str, description="The value of `next` in the previous page, with the same filters."),
]


_OTHER_CURSOR = "This cursor does not belong to this list with these filters, or another key got it."


class InvalidCursor(Invalid):
    """This cursor does not belong to this list with these filters, or another key got it. Start again without one."""


class InvalidLimit(Invalid):
    """The limit must be a whole number from 1 to 200."""


def page(
    queryset: QuerySet[M], request: Request, *, order: tuple[str, str] = ("-ts", "-id"), scope: str
) -> tuple[list[M], str | None]:
    """The page of `queryset` that the request asks for, and the cursor of the next one or None.

    `order` is a time and a unique id, both ascending or both descending; `scope` is the view's name.
    Raises `InvalidLimit`, and `InvalidCursor` for a cursor that was changed, or made by another list or with
    other filters.
    """
    descending = [name.startswith("-") for name in order]
    if len(set(descending)) != 1:
        raise ValueError("both parts of the order must go the same way")
    names = [name.lstrip("-") for name in order]
    limit = _limit(request)
    signer = signing.Signer(salt=_salt(request, order, scope))
    if "cursor" in request.query_params:
        fields = [queryset.model._meta.get_field(name) for name in names]
        queryset = queryset.filter(_beyond(names, _read(request, signer, fields), descending=descending[0]))
    rows = list(queryset.order_by(*order)[: limit + 1])
    if len(rows) <= limit:
        return rows, None
    last = rows[limit - 1]
    return rows[:limit], signer.sign_object([_text(getattr(last, name)) for name in names])


#: Fetches the rows after (time, id), or the first ones, in their order, at most so many.
Fetch = Callable[[tuple[datetime, uuid.UUID] | None, int], list[dict[str, Any]]]


def page_of_rows(
    fetch: Fetch, request: Request, *, key: tuple[str, str], scope: str, limit: int | None = None
) -> tuple[list[Any], str | None]:
    """As `page`, for rows that a gate function lists in an order of its own; `key` names their time and their id, and
    `limit` is for a list whose limit differs from that of the others."""
    limit = limit or _limit(request)
    order = (f"-{key[0]}", f"-{key[1]}")
    signer = signing.Signer(salt=_salt(request, order, scope))
    before = None
    if "cursor" in request.query_params:
        moment, row_id = _read(request, signer, [DateTimeField(), UUIDField()])
        before = (moment, row_id)
    rows = fetch(before, limit + 1)
    if len(rows) <= limit:
        return rows, None
    last = rows[limit - 1]
    return rows[:limit], signer.sign_object([_text(last[name]) for name in key])


def read_cursor_of_body(
    request: Request, cursor: str, *, about: Mapping[str, Any], fields: list[Any], scope: str
) -> list[Any]:
    """The values in the cursor of a list that is asked for in a body; `about` is the rest of that body.

    Raises InvalidCursor for a cursor that was changed, or made for another body.
    """
    signer = signing.Signer(salt=_salt(request, _order_of(about), scope))
    return _values_of(cursor, signer, fields, Fault(pointer="/cursor", detail=_OTHER_CURSOR))


def cursor_for_body(request: Request, values: Sequence[Any], *, about: Mapping[str, Any], scope: str) -> str:
    """The cursor that `read_cursor_of_body` reads."""
    signer = signing.Signer(salt=_salt(request, _order_of(about), scope))
    return str(signer.sign_object([_text(value) for value in values]))


def _order_of(about: Mapping[str, Any]) -> tuple[str, str]:
    return "body", json.dumps(dict(about), sort_keys=True, default=str)


def envelope(results: Any, following: str | None) -> dict[str, Any]:
    """The body of a list's answer."""
    return {"results": results, "next": following}


def page_schema(name: str, item: type[serializers.BaseSerializer[Any]]) -> serializers.Serializer[Any]:
    """The schema of a list's answer for drf-spectacular."""
    return inline_serializer(
        name, {"results": item(many=True), "next": serializers.CharField(allow_null=True, required=True)}
    )


def _limit(request: Request) -> int:
    text = request.query_params.get("limit", str(DEFAULT_LIMIT))
    if not (text.isascii() and text.isdigit() and len(text) <= 3 and 1 <= int(text) <= MAX_LIMIT):
        detail = f"A whole number from 1 to {MAX_LIMIT}."
        raise InvalidLimit(errors=[Fault(parameter="limit", detail=detail, code=InvalidLimit.code)])
    return int(text)


def _salt(request: Request, order: tuple[str, str], scope: str) -> str:
    """The path is part of it: `/sessions/a/events` and `/sessions/b/events` are two lists of one view. So are the
    tenant and the key: a cursor says where somebody else's list ended."""
    filters = sorted((name, values) for name, values in request.query_params.lists() if name not in PAGE_PARAMETERS)
    digest = hashlib.sha256(json.dumps([request.path, order, filters, *_whose(request)]).encode()).hexdigest()
    return f"suture.cursor.{scope}.{digest}"


def _whose(request: Request) -> list[str]:
    """The tenant and the key of the request."""
    principal = request.user
    if not isinstance(principal, Principal):
        raise TypeError("a page of a list was asked for without a principal")
    credential = principal.credential
    key = credential.digest.hex() if isinstance(credential, KeyCredential) else ""
    return [str(principal.tenant_id), principal.kind, str(principal.id), key]


def _read(request: Request, signer: signing.Signer, fields: list[Any]) -> list[Any]:
    fault = Fault(parameter="cursor", detail=_OTHER_CURSOR, code=InvalidCursor.code)
    return _values_of(request.query_params["cursor"], signer, fields, fault)


def _values_of(cursor: str, signer: signing.Signer, fields: list[Any], fault: Fault) -> list[Any]:
    try:
        texts = signer.unsign_object(cursor)
        return [field.to_python(text) for field, text in zip(fields, texts, strict=True)]
    except (signing.BadSignature, ValidationError, ValueError, TypeError):
        raise InvalidCursor(errors=[fault]) from None


def _beyond(names: list[str], values: list[Any], *, descending: bool) -> Q:
    """`(a, b) < (x, y)`, written so that an index on `a` bounds the scan, which a plain OR would not."""
    way = "lt" if descending else "gt"
    (first, second), (x, y) = names, values
    return Q(**{f"{first}__{way}e": x}) & (Q(**{f"{first}__{way}": x}) | Q(**{f"{second}__{way}": y}))


def _text(value: Any) -> str:
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
