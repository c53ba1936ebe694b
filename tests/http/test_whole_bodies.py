"""A body counts however it is sent: chunked or with its length. Django behind the bridge, as the web server runs it."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client

from memory_project.web.bridge import Bridge
from memory_project.web.request_bodies import Limits
from tests import bridges
from tests.factories import EventFactory

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def bridge():
    """Django behind the bridge, in one thread."""
    made = Bridge(WSGIHandler(), threads=1, limits=Limits(10_000_000, frozenset(), "sessionid"))
    yield made
    bridges.close(made)


def call(bridge, key, path, *pieces, chunked):
    """The status and the JSON that a POST is answered, whose body comes in `pieces`."""
    sent = []
    waiting = [{"type": "http.request", "body": piece, "more_body": True} for piece in pieces]
    waiting.append({"type": "http.request", "body": b"", "more_body": False})
    length = str(sum(map(len, pieces))).encode()
    scope = {
        "type": "http",
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "headers": [
            (b"host", b"localhost"),
            (b"authorization", f"Bearer {key}".encode()),
            (b"content-type", b"application/json"),
            (b"transfer-encoding", b"chunked") if chunked else (b"content-length", length),
        ],
    }

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    # in a thread of its own: a browser of other tests may run a loop in this one
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, bridge(scope, receive, send)).result()
    return sent[0]["status"], json.loads(b"".join(message["body"] for message in sent[1:]))


@pytest.mark.parametrize("chunked", [False, True])
def test_an_approval_of_another_patch_is_refused_however_it_is_sent(world, bridge, chunked):
    edit = world.edit(world.chunk("Original"), "quarantine", by=world.alice)["edit_id"]
    body = json.dumps({"patch_sha256": "00" * 32}).encode()

    status, problem = call(
        bridge, world.keys["bob"], f"/api/v1/edits/{edit}/approve", body[:9], body[9:], chunked=chunked
    )

    assert (status, problem["type"]) == (409, "urn:suture:problem:edit-is-stale")
    assert world.auditor.ok("get", f"edits/{edit}")["status"] == "pending"


@pytest.mark.parametrize("chunked", [False, True])
def test_an_event_is_recorded_as_it_was_sent(world, bridge, chunked):
    text = "Jack is on the premium plan. " * 4_000
    body = json.dumps(EventFactory(content={"text": text})).encode()

    status, answer = call(bridge, world.keys["alice"], "/api/v1/events", body[:70_000], body[70_000:], chunked=chunked)

    assert status == 201, answer
    assert world.alice.ok("get", f"events/{answer['event_id']}")["content"]["text"] == text


def test_a_server_that_hands_over_a_chunked_body_as_it_comes_is_answered_411(world):
    edit = world.edit(world.chunk("Original"), "quarantine", by=world.alice)["edit_id"]

    answer = Client().post(
        f"/api/v1/edits/{edit}/approve",
        headers={"Authorization": f"Bearer {world.keys['bob']}", "Transfer-Encoding": "chunked"},
    )

    assert (answer.status_code, answer.json()["type"]) == (411, "urn:suture:problem:length-required")
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert world.auditor.ok("get", f"edits/{edit}")["status"] == "pending"
