"""The header X-Session-Id says in which session a request is made; what is no identifier is refused by its name."""

import pytest
from drf_spectacular.generators import SchemaGenerator

from governance import text
from memory.models import ChunkSession
from memory.usage import deliveries

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.mark.parametrize(
    "given",
    [
        "",
        " ",
        "x" * (text.IDENTIFIER.max_length + 1),
        "a\tb\x07",
        "\xff\xfe",  # no UTF-8
        "AKIAQ3EGRJXLZ5TPWX4N",
    ],
)
@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("post", "chunks/search", {"query": "fox"}),
        ("get", "events", None),
        ("post", "tools/memory_recall", {"query": "fox"}),
        ("get", "capsules", None),
    ],
)
def test_what_is_no_session_is_refused_by_the_name_of_the_header(world, method, path, body, given):
    answer = world.alice.request(method, path, body, **{"X-Session-Id": given})
    assert answer.status_code == 400, answer.content
    problem = answer.json()
    assert problem["code"] == "invalid-session-id"
    assert [one["header"] for one in problem["errors"]] == ["X-Session-Id"]


def test_without_a_key_the_header_is_not_looked_at(nobody):
    assert nobody("get", "events", **{"X-Session-Id": ""}).status_code == 401


def test_a_session_may_have_any_letters(world):
    chunk = world.chunk()
    name = "Gespräch 7: «été»"
    world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]}, **{"X-Session-Id": name.encode().decode("latin-1")})
    deliveries.record_deliveries()
    with world.inside():
        assert [one.session_id for one in ChunkSession.objects.filter(chunk_id=chunk)] == [name]


def test_the_same_key_in_another_session_is_another_request(world):
    sent = {"Idempotency-Key": "once"}
    world.alice.ok("post", "events", world.draft("Hello"), **sent, **{"X-Session-Id": "a"})
    assert world.alice.post("events", world.draft("Hello"), **sent, **{"X-Session-Id": "b"}).status_code == 409


def test_openapi_shows_the_headers_with_every_operation():
    paths = SchemaGenerator().get_schema(request=None, public=True)["paths"]
    for path, operations in paths.items():
        for method, operation in operations.items():
            names = {one["name"] for one in operation.get("parameters", []) if one["in"] == "header"} - {
                "Last-Event-ID"
            }
            expected = {"X-Session-Id", "X-On-Behalf-Of"} | ({"X-Receipt"} if method != "get" else set())
            assert names - {"Idempotency-Key"} == expected, (method, path)
