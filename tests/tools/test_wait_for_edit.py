"""`wait_for_edit`: answered as soon as people decide, or when the time is up; no thread of the server waits with it."""

import json
import socket
import time
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from governance.http.waiting import ASK_AGAIN
from memory_project.web.bridge import MAX_WAITING
from tests.stack.web_server import HOST, SOON, answers, serving
from tests.tools.calls import call, faults

pytestmark = pytest.mark.slow


def proposed(world: Any) -> str:
    """A quarantine by alice, which waits for a person even if nobody else received the memory."""
    given = {"target_id": world.chunk("brown fox"), "op": "quarantine", "reason": "wrong"}
    answer = world.alice.ok("post", "tools/propose_edit", given)
    assert answer["status"] == "pending"
    return str(answer["edit_id"])


# -- What it answers


@pytest.mark.django_db
def test_where_nobody_waits_it_answers_at_once(world: Any) -> None:
    edit_id = proposed(world)
    started = time.monotonic()
    answer = world.alice.post("tools/wait_for_edit", {"edit_id": edit_id, "timeout_seconds": 30})
    assert time.monotonic() - started < SOON
    assert ASK_AGAIN not in answer
    assert answer.json() == {
        "edit_id": edit_id,
        "status": "pending",
        "is_decided": False,
        "applied_at": None,
        "approvals": 0,
        "approvals_required": 1,
        "verdicts": [],
    }


@pytest.mark.django_db
@pytest.mark.parametrize(("verb", "status"), [("approve", "approved"), ("reject", "rejected")])
def test_it_says_who_decided_and_why(world: Any, verb: str, status: str) -> None:
    edit_id = proposed(world)
    world.bob.decide(edit_id, verb, reason="I looked")
    answer = call(world.alice, "wait_for_edit", {"editId": edit_id})
    assert (answer["status"], answer["is_decided"]) == (status, True)
    assert (answer["applied_at"] is not None) == (status == "approved")
    assert [(one["decider"], one["reason"]) for one in answer["verdicts"]] == [(world.bob_name, "I looked")]


@pytest.mark.django_db
def test_a_withdrawn_edit_is_decided(world: Any) -> None:
    edit_id = proposed(world)
    world.alice.ok("post", f"edits/{edit_id}/withdraw", {})
    answer = call(world.alice, "wait_for_edit", {"edit_id": edit_id})
    assert (answer["status"], answer["is_decided"], answer["applied_at"]) == ("withdrawn", True, None)


@pytest.mark.django_db
def test_nobody_waits_for_what_is_not_theirs(world: Any, charlie: Any, agent_in: Any) -> None:
    edit_id = proposed(world)
    for other in (charlie, agent_in("private")):
        assert set(faults(other.post("tools/wait_for_edit", {"edit_id": edit_id}), 404)) == {"#/edit_id"}
    assert call(world.auditor, "wait_for_edit", {"edit_id": edit_id})["status"] == "pending"


@pytest.mark.django_db
@pytest.mark.parametrize("seconds", [-1, 31, "31", 1.5, "soon"])
def test_a_timeout_is_0_to_30_seconds(world: Any, seconds: Any) -> None:
    given = {"edit_id": proposed(world), "timeoutSeconds": seconds}
    assert set(faults(world.alice.post("tools/wait_for_edit", given))) == {"#/timeoutSeconds"}


# -- Under the web server of the stack, with one worker of two threads


@pytest.fixture
def port(world: Any) -> Iterator[int]:
    with serving() as found:
        yield found


def waited(port: int, key: str, edit_id: str, seconds: int) -> tuple[float, dict[str, Any], set[str]]:
    """How long the server took, what it answered, and with which headers."""
    request = urllib.request.Request(
        f"http://{HOST}:{port}/api/v1/tools/wait_for_edit",
        json.dumps({"edit_id": edit_id, "timeout_seconds": seconds}).encode(),
        {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Idempotency-Key": f"{edit_id}-{seconds}",
        },
    )
    started = time.monotonic()
    with urllib.request.urlopen(request, timeout=60) as answer:
        return time.monotonic() - started, json.load(answer), {name.lower() for name in answer.headers}


@pytest.mark.stack
@pytest.mark.django_db(transaction=True)
def test_an_edit_that_is_decided_meanwhile_is_answered_early(world: Any, port: int) -> None:
    edit_id = proposed(world)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(waited, port, world.keys["alice"], edit_id, 30)
        time.sleep(1.5)
        world.bob.decide(edit_id, reason="I looked")
        seconds, answer, headers = waiting.result()
    assert (answer["status"], answer["is_decided"]) == ("approved", True)
    assert 1.4 < seconds < 1.5 + SOON
    assert ASK_AGAIN.lower() not in headers


@pytest.mark.stack
@pytest.mark.django_db(transaction=True)
def test_who_goes_away_is_not_waited_for(world: Any, port: int) -> None:
    """More of them than may wait at once; then somebody else waits."""
    edit_id = proposed(world)
    body = json.dumps({"edit_id": edit_id, "timeout_seconds": 30}).encode()
    head = f"POST /api/v1/tools/wait_for_edit HTTP/1.1\r\nHost: {HOST}\r\nContent-Length: {len(body)}\r\n"
    for _ in range(2):
        gone = []
        for _ in range(MAX_WAITING // 2 + 10):
            gone.append(socket.create_connection((HOST, port), timeout=30))
            gone[-1].sendall(f"{head}Authorization: Bearer {world.keys['alice']}\r\n\r\n".encode() + body)
        time.sleep(1)
        for connection in gone:
            connection.close()
        time.sleep(1)
    seconds, answer, _ = waited(port, world.keys["alice"], edit_id, 2)
    assert seconds > 1.9
    assert answer["is_decided"] is False


@pytest.mark.stack
@pytest.mark.django_db(transaction=True)
def test_many_wait_for_as_long_as_they_said_and_hold_no_thread(world: Any, port: int) -> None:
    """Eight who wait, and two threads: everybody else is answered meanwhile."""
    edit_id = proposed(world)
    with ThreadPoolExecutor(8) as pool:
        waiting = [pool.submit(waited, port, world.keys["alice"], edit_id, 3) for _ in range(8)]
        time.sleep(0.5)
        for _ in range(5):
            started = time.monotonic()
            assert answers(port)
            assert time.monotonic() - started < 1.0
        assert not any(one.done() for one in waiting)
        for seconds, answer, headers in (one.result() for one in waiting):
            assert (answer["status"], answer["is_decided"]) == ("pending", False)
            assert 2.9 < seconds < 3 + SOON
            assert ASK_AGAIN.lower() not in headers
    assert waited(port, world.keys["alice"], edit_id, 0)[0] < 1.0
