"""Bad input: refused with problem details that point to it, and nothing is written. (The parser's own cases are in
tests/http, what is made from the OpenAPI schema in tests/hostile; here every endpoint is asked.)"""

import json
import uuid
from typing import Any

import pytest
from django.conf import settings

from governance.models import Edit, Entry, IdempotencyKey
from memory.models import Artifact, Chunk, Decision, Event, Task
from tests.factories import EditFactory, EventFactory

WRITTEN = (Event, Chunk, Decision, Task, Artifact, Edit, Entry, IdempotencyKey)

EVENT = EventFactory()
EDIT = EditFactory(target_id=str(uuid.UUID(int=1)))
SUMMARY = {
    "text": "x",
    "scope": "user",
    "subject_type": "user",
    "subject_id": "jack",
    "session_id": "session-1",
    "channel": "private",
}
CAPSULE = {
    "subject_type": "user",
    "subject_id": "jack",
    "scope": "user",
    "audience_agent_ids": ["alice"],
    "items": {"chunks": [str(uuid.UUID(int=1))]},
}
#: Every POST with a body that would do (but for ids that name nothing).
BODIES: dict[str, dict[str, Any]] = {
    "events": EVENT,
    "events/batch": {"events": [EVENT]},
    "chunks/search": {"query": "x"},
    "chunks/get": {"chunk_ids": []},
    "chunks/summary": SUMMARY,
    "edits": EDIT,
    f"edits/{uuid.UUID(int=1)}/approve": {"reason": "x"},
    f"edits/{uuid.UUID(int=1)}/reject": {"reason": "x"},
    "capsules": CAPSULE,
    f"capsules/{uuid.UUID(int=1)}/forward": {"audience_agent_ids": ["alice"]},
}


@pytest.fixture
def refused(world):
    """`refused(address, body)` sends it as bob and answers the problem; nothing may have been written."""

    def counts():
        with world.inside():
            return [model.objects.filter(tenant_id=world.tenant_id).count() for model in WRITTEN]

    def send(address, body, *, status=400, method="post", **headers):
        before = counts()
        if isinstance(body, str | bytes):
            headers.setdefault("Authorization", f"Bearer {world.keys['bob']}")
            response = getattr(world.bob.client, method)(
                f"/api/v1/{address}", data=body, content_type="application/json", headers=headers
            )
        else:
            response = world.bob.request(method, address, body, **headers)
        assert response.status_code == status, (address, response.content)
        assert response.headers["Content-Type"] == "application/problem+json"
        assert counts() == before
        problem = response.json()
        assert {"type", "title", "status", "detail", "instance", "request_id"} <= set(problem)
        assert problem["status"] == status
        return problem

    return send


def pointers(problem):
    return [error["pointer"] for error in problem["errors"]]


def with_text(body, text):
    """The body as JSON, with a key of this raw text appended."""
    return json.dumps(body)[:-1] + ("," if body else "") + text + "}"


NOT_STORABLE = [
    (r'"a": "\u0000"', "#/a"),
    (r'"a": ["x", "\ud800"]', "#/a/1"),
    (r'"a": {"b": {"c": "\udfff"}}', "#/a/b/c"),
    (r'"a\u0000": 1', "#"),
    ('"a": 1, "a": 2', "#/a"),
    ('"a": {"b": 1, "b": 1}', "#/a/b"),
    ('"a": NaN', "#/a"),
    ('"a": [-Infinity]', "#/a/0"),
    ('"a": 1e999', "#/a"),
    ('"a": 9223372036854775808', "#/a"),
]


def test_what_cannot_be_stored_is_pointed_at(refused):
    for text, pointer in NOT_STORABLE:
        for address, body in BODIES.items():
            problem = refused(address, with_text(body, text))
            assert pointers(problem)[0].startswith(pointer), address


def test_a_body_nested_deeper_than_64_is_refused(refused):
    for address, body in BODIES.items():
        problem = refused(address, with_text(body, '"a": ' + "[" * 64 + "]" * 64))
        assert "deeper than 64" in problem["detail"]
        assert "deeper than 64" in refused(address, "[" * 100_000)["detail"]


def test_64_levels_are_taken(world):
    body = {**EVENT, "content": {"text": "x", "data": None}}
    deep = "[" * 62 + "]" * 62
    text = json.dumps(body).replace('"data": null', f'"data": {deep}')
    response = world.bob.client.post(
        "/api/v1/events",
        data=text,
        content_type="application/json",
        headers={"Authorization": f"Bearer {world.keys['bob']}"},
    )
    assert response.status_code == 201, response.content
    event = world.bob.ok("get", f"events/{response.json()['event_id']}")
    assert event["content"]["data"] == json.loads(deep)


def test_an_oversize_body_is_refused(refused):
    for address in BODIES:
        refused(address, " " * (settings.MAX_BODY_BYTES + 1), status=413)


@pytest.mark.parametrize("body", ["[]", '"text"', "5", "null", "true"])
def test_a_body_is_an_object(refused, body):
    for address in BODIES:
        assert pointers(refused(address, body)) == ["#"], address


@pytest.mark.parametrize("body", ["{", "{'a': 1}", '{"a": 1,}', "\ufeff{}", b"\xff\xfe", '{"a": "\x01"}', "{}{}"])
def test_what_is_not_json_is_refused(refused, body):
    for address in BODIES:
        refused(address, body)


def test_another_media_type_is_415(world):
    for address in BODIES:
        response = world.bob.client.post(
            f"/api/v1/{address}",
            data="a=b",
            content_type="application/x-www-form-urlencoded",
            headers={"Authorization": f"Bearer {world.keys['bob']}"},
        )
        assert response.status_code == 415, address
        assert response.headers["Content-Type"] == "application/problem+json", address


@pytest.mark.parametrize("field", ["surprise", "tenant_id", "id", "created_at", "proposed_by", "approved_by", "status"])
def test_unknown_and_read_only_fields_are_refused(refused, field):
    for address, body in BODIES.items():
        assert f"#/{field}" in pointers(refused(address, {**body, field: "x"})), address


OF_ANY_TYPE: tuple[Any, ...] = (None, 5, [], {}, True, 1.5, [[]], {"a": {}}, "x", "")


@pytest.mark.parametrize("address", BODIES)
def test_a_value_of_another_type_is_refused_where_it_stands(world, refused, address):
    """Every field of every body in turn; where the value happens to be one that the field takes, it passes."""
    for field, good in BODIES[address].items():
        for value in OF_ANY_TYPE:
            response = world.bob.post(address, {**BODIES[address], field: value})
            assert response.status_code < 500, (field, value, response.content)
            # a number is read as the UUID of that number, which names nothing
            named = field == "target_id" and isinstance(value, int) and response.status_code == 404
            if type(value) is not type(good) and value is not None and not named:
                assert response.status_code == 400, (field, value, response.content)
                found = pointers(response.json())
                assert any(one == f"#/{field}" or one.startswith(f"#/{field}/") for one in found), (field, value)


LONG = "x" * 201


TOO_LONG_OR_UNKNOWN: list[tuple[str, dict[str, Any], str]] = [
    ("events", {"session_id": LONG}, "#/session_id"),
    ("events", {"actor_id": LONG}, "#/actor_id"),
    ("events", {"subject_type": "user", "subject_id": LONG}, "#/subject_id"),
    ("events", {"project_id": LONG}, "#/project_id"),
    ("events", {"tags": [LONG]}, "#/tags/0"),
    ("events", {"tags": ["x"] * 101}, "#/tags"),
    ("events", {"refs": ["x", "y" * 2001]}, "#/refs/1"),
    ("events", {"content": {"text": "x" * 1_000_001}}, "#/content/text"),
    ("events", {"session_id": ""}, "#/session_id"),
    ("events", {"channel": "Private"}, "#/channel"),
    ("events", {"channel": "private "}, "#/channel"),
    ("events", {"actor_type": "robot"}, "#/actor_type"),
    ("events", {"kind": "rumour"}, "#/kind"),
    ("events", {"sensitivity": "top secret"}, "#/sensitivity"),
    ("events", {"scope": "everything"}, "#/scope"),
    ("events/batch", {"events": [EVENT, {**EVENT, "session_id": LONG}]}, "#/events/1/session_id"),
    ("chunks/search", {"query": "x" * 1001}, "#/query"),
    ("chunks/search", {"query": "x", "scope": "everything"}, "#/scope"),
    ("chunks/search", {"query": "x", "include_quarantined": "perhaps"}, "#/include_quarantined"),
    ("chunks/search", {"query": "bell \u0007"}, "#/query"),
    ("chunks/get", {"chunk_ids": ["x"]}, "#/chunk_ids/0"),
    ("chunks/summary", {"importance": 2}, "#/importance"),
    ("chunks/summary", {"importance": -0.1}, "#/importance"),
    ("chunks/summary", {"scope": "global"}, "#/scope"),
    ("chunks/summary", {"subject_id": None}, "#/subject_id"),
    ("chunks/summary", {"text": ""}, "#/text"),
    ("edits", {"reason": "x" * 2001}, "#/reason"),
    ("edits", {"target_type": "event"}, "#/target_type"),
    ("edits", {"op": "erase"}, "#/op"),
    ("edits", {"target_id": "1"}, "#/target_id"),
]


def test_lengths_and_words_are_checked(refused):
    for address, change, pointer in TOO_LONG_OR_UNKNOWN:
        assert pointer in pointers(refused(address, {**BODIES[address], **change})), (address, pointer)


BAD_QUERIES = [
    ("cursor=x", "cursor"),
    ("cursor=" + "A" * 5000, "cursor"),
    ("cursor=%00", "cursor"),
    ("cursor=%ED%A0%80", "cursor"),
    ("limit=0", "limit"),
    ("limit=-1", "limit"),
    ("limit=1e2", "limit"),
    ("limit=%D9%A1", "limit"),
    ("limit=99999999999999999999", "limit"),
    ("surprise=1", "surprise"),
    ("tenant_id=x", "tenant_id"),
    ("order_by=ts", "order_by"),
]


def test_a_bad_query_parameter_is_named(refused):
    for query, parameter in BAD_QUERIES:
        for address in ("events", "chunks", "edits"):
            problem = refused(f"{address}?{query}", None, method="get")
            assert [error["parameter"] for error in problem["errors"]] == [parameter], (address, query)


NOWHERE = [
    ("events/not-a-uuid", 404),
    (f"events/{uuid.UUID(int=1)}", 404),
    (f"chunks/{uuid.UUID(int=1)}/timeline", 404),
    (f"edits/{uuid.UUID(int=1)}", 404),
    ("nowhere", 404),
    ("chunks/search", 405),
    ("events/batch", 405),
]


def test_an_address_that_is_none_is_a_problem_too(refused):
    for address, status in NOWHERE:
        refused(address, None, method="get", status=status)


@pytest.mark.parametrize("address", ["events", "chunks", "edits"])
@pytest.mark.parametrize("method", ["put", "patch", "delete"])
def test_nothing_is_changed_in_place(refused, address, method):
    refused(address, {}, method=method, status=405)


@pytest.mark.parametrize("key", ["", " ", "x" * 201, "é", "a b"])
def test_a_bad_idempotency_key_is_named(refused, key):
    problem = refused("events", EVENT, **{"Idempotency-Key": key})
    assert [error["header"] for error in problem["errors"]] == ["Idempotency-Key"]
