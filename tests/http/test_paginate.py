"""A cursor works for the list, the filters and the order that made it, and for nothing else."""

import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db.models import Q
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from governance.acting.credentials import KeyCredential
from governance.acting.principals import Principal
from governance.http import pagination
from governance.http.pagination import InvalidCursor, InvalidLimit
from governance.models import IdempotencyKey

pytestmark = pytest.mark.pure

ORDER = ("-created_at", "-id")
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


class Rows:
    """As much of a QuerySet as a page needs: keeps the condition, hands out rows in order."""

    model = IdempotencyKey

    def __init__(self, count: int) -> None:
        self.rows = [
            IdempotencyKey(id=uuid.UUID(int=count - n), created_at=FIRST - timedelta(microseconds=n))
            for n in range(count)
        ]
        self.condition: Q | None = None

    def filter(self, condition: Q) -> "Rows":
        self.condition = condition
        return self

    def order_by(self, *order: str) -> list[IdempotencyKey]:
        return self.rows


TENANT, PERSON = uuid.UUID(int=1), uuid.UUID(int=2)


def principal(*, tenant: uuid.UUID = TENANT, id: uuid.UUID = PERSON, key: bytes = b"a key") -> Principal:
    return Principal(tenant, "human", id, "ann", credential=KeyCredential(key))


def request_for(query: str = "", path: str = "/api/v1/edits", user: Principal | None = None) -> Request:
    request = Request(APIRequestFactory().get(f"{path}?{query}"))
    request.user = user or principal()  # type: ignore[assignment] # as our authentication does
    return request


def page(rows: Rows, query: str = "", **kwargs: Any) -> tuple[list[IdempotencyKey], str | None]:
    path, user = kwargs.pop("path", "/api/v1/edits"), kwargs.pop("user", None)
    given: dict[str, Any] = {"order": ORDER, "scope": "edits", **kwargs}
    return pagination.page(rows, request_for(query, path, user), **given)  # type: ignore[arg-type]


@pytest.fixture
def cursor() -> str:
    found = page(Rows(3), "status=pending&limit=2")[1]
    assert found is not None
    return found


def test_it_works(cursor: str) -> None:
    rows = Rows(2)
    page(rows, f"status=pending&cursor={cursor}")
    last = Rows(3).rows[1]
    assert rows.condition == Q(created_at__lte=last.created_at) & (
        Q(created_at__lt=last.created_at) | Q(id__lt=last.id)
    )


def test_an_ascending_list_goes_the_other_way() -> None:
    order = ("created_at", "id")
    cursor = page(Rows(2), "limit=1", order=order)[1]
    rows = Rows(2)
    page(rows, f"limit=1&cursor={cursor}", order=order)
    last = rows.rows[0]
    assert rows.condition == Q(created_at__gte=last.created_at) & (
        Q(created_at__gt=last.created_at) | Q(id__gt=last.id)
    )


def test_the_last_page_has_no_cursor() -> None:
    assert len(page(Rows(50))[0]) == 50
    assert page(Rows(50))[1] is None
    assert page(Rows(51))[1] is not None
    assert pagination.envelope([], None) == {"results": [], "next": None}


def test_the_limit_may_change_between_pages(cursor: str) -> None:
    page(Rows(2), f"status=pending&limit=7&cursor={cursor}")


@pytest.mark.parametrize(
    "other",
    [
        {"query": "status=approved"},
        {"query": ""},
        {"query": "status=pending&status=x"},
        {"scope": "events"},
        {"path": "/api/v1/sessions/b/edits"},
        {"order": ("created_at", "id")},
        {"user": principal(tenant=uuid.UUID(int=9))},
        {"user": principal(id=uuid.UUID(int=9))},
        {"user": principal(key=b"another key of the same person")},
    ],
)
def test_a_cursor_of_another_list_is_refused(cursor: str, other: dict[str, Any]) -> None:
    other = dict(other)
    query = other.pop("query", "status=pending")
    with pytest.raises(InvalidCursor) as refused:
        page(Rows(2), f"{query}&cursor={cursor}", **other)
    assert refused.value.errors[0]["parameter"] == "cursor"


def test_a_cursor_changed_in_any_character_is_refused(cursor: str) -> None:
    for place, character in enumerate(cursor):
        changed = cursor[:place] + ("A" if character != "A" else "B") + cursor[place + 1 :]
        with pytest.raises(InvalidCursor):
            page(Rows(2), f"status=pending&cursor={changed}")


@pytest.mark.parametrize("junk", ["", "x", "a:b", "%00", "%F0%9F%98%80", "W10:" + "x" * 43, ":" * 99])
def test_junk_for_a_cursor_is_refused(junk: str) -> None:
    with pytest.raises(InvalidCursor):
        page(Rows(2), f"cursor={junk}")


@pytest.mark.parametrize("limit", ["0", "201", "-1", "1.5", "", "ten", "%D9%A3", "9" * 5000])
def test_a_limit_out_of_range_is_refused(limit: str) -> None:
    with pytest.raises(InvalidLimit) as refused:
        page(Rows(2), f"limit={limit}")
    assert refused.value.errors[0]["parameter"] == "limit"
