"""Captures in the spool reach the server exactly once, even with killed and concurrent processes."""

import json
import os
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from suture_client.hooks import delivery, settings, spool
from tests.hooks.machine import SESSION
from tests.hooks.serving import KEY

pytestmark = pytest.mark.pure

PRE = {"hook_event_name": "PreToolUse", "session_id": SESSION, "tool_name": "Bash"}


@pytest.fixture(autouse=True)
def own_state(client, monkeypatch):
    monkeypatch.setenv("SUTURE_STATE_DIR", str(client.state))


def put(count, word="capture"):
    """Leave captures in the spool, as hooks do while the server is unavailable."""
    for number in range(count):
        content = f"{word} {number}"
        spool.add(
            json.dumps({"id": f"{word}-{number}", "session_id": "s", "content": content}).encode(), 10**9
        ).release()


def hook(client, number):
    return client.hook(**PRE, tool_input={"command": f"make {number}"}, tool_use_id=str(number))


def test_flush_delivers_waiting_captures(client, api):
    put(250)
    ran = client.suture("flush")
    assert (ran.code, ran.output, ran.errors) == (0, "Delivered 250 captures.\n", "")
    assert len(api.captures) == 250
    assert client.spooled == []
    assert [len(body["captures"]) for _, body in api.requests] == [100, 100, 50]
    assert client.kept["outcomes"]["delivered later"] == 250


def test_flush_with_nothing_to_do(client, api):
    ran = client.suture("flush")
    assert (ran.code, ran.output, api.requests) == (0, "Delivered 0 captures.\n", [])


def test_flush_while_the_server_is_unavailable(client, api):
    put(2)
    api.status = 503
    ran = client.suture("flush")
    assert (ran.code, ran.output) == (1, "Delivered 0 captures. 2 captures still wait.\n")
    assert "status 503" in ran.errors
    assert len(client.spooled) == 2


def test_the_next_successful_hook_delivers_waiting_captures(client, api):
    api.status = 503
    for number in range(3):
        hook(client, number)
    assert len(client.spooled) == 3
    api.status = 0
    hook(client, 3)
    assert client.spooled == []
    assert api.contents == [f"Bash: Running command make {number}" for number in (3, 0, 1, 2)]


def test_a_hook_that_gets_context_delivers_waiting_captures(client, api):
    put(2)
    client.hook("session", "start", session_id=SESSION)
    assert len(api.captures) == 2


def test_a_hook_delivers_only_some_of_much(client, api):
    put(120)
    hook(client, 0)
    assert len(client.spooled) == 70


def test_a_slow_server_does_not_make_a_hook_late(client, api):
    put(60)
    api.delay = 0.12
    hook(client.in_a_hurry(), 0)
    assert client.spooled
    # What the server took without its answer arriving is sent once more.
    api.delay = 0.0
    client.suture("flush")
    assert client.spooled == []
    assert len(api.captures) == 61


def test_a_refused_capture_does_not_hold_up_the_others(client, api):
    put(2, "fine")
    put(1, "REFUSED")
    put(2, "well")
    ran = client.suture("flush")
    assert ran.code == 1
    assert "The server refused 1 capture: `suture doctor` shows why." in ran.output
    assert (len(api.captures), client.spooled) == (4, [])
    assert [one["capture"]["id"] for one in client.refused] == ["REFUSED-0"]


def test_a_capture_with_a_server_error_stays_and_the_others_are_sent(client, api):
    put(1, "POISON")
    put(3, "fine")
    ran = client.suture("flush")
    assert ran.code == 1
    assert len(api.captures) == 3
    assert [one["id"] for one in client.spooled] == ["POISON-0"]


def test_a_capture_that_cannot_be_stored_now_stays_and_the_others_are_sent(client, api):
    put(1, "FAILED")
    put(3, "fine")
    ran = client.suture("flush")
    assert (ran.code, "It cannot be embedded." in ran.errors) == (1, True)
    assert len(api.captures) == 3
    assert [one["id"] for one in client.spooled] == ["FAILED-0"]
    assert len(api.requests) == 1


def test_delivery_stops_if_the_server_stores_nothing(client, api):
    put(250, "FAILED")
    client.suture("flush")
    assert len(client.spooled) == 250
    assert len(api.requests) <= 1 + 20


@pytest.mark.parametrize(
    "length",
    [pytest.param(1, id="short ones share a request"), pytest.param(30_000, id="long ones are sent last and alone")],
)
def test_captures_that_take_the_server_too_long_do_not_hold_up_the_others(own_state, api, monkeypatch, length):
    monkeypatch.setattr(delivery, "_REQUEST_TIMEOUT", 0.3)
    api.slow_over = {"SLOW": 0.6}
    put(1, "SLOW " + "x" * length)
    put(3, "fine")
    found = delivery.deliver_waiting(settings.Settings(api.url, KEY, 10**9, {}))
    assert sorted(name for name in api.contents if name.startswith("fine")) == ["fine 0", "fine 1", "fine 2"]
    assert found.delivered == 3
    assert "did not answer in time" in found.problem
    # the server has stored it meanwhile, or does so now
    api.slow_over = {}
    assert delivery.deliver_waiting(settings.Settings(api.url, KEY, 10**9, {})).delivered == 1


def test_delivery_stops_if_the_server_is_too_slow_for_every_capture(own_state, api, monkeypatch):
    monkeypatch.setattr(delivery, "_REQUEST_TIMEOUT", 0.2)
    api.slow_over = {"SLOW": 0.4}
    put(10, "SLOW")
    found = delivery.deliver_waiting(settings.Settings(api.url, KEY, 10**9, {}))
    assert (found.delivered, len(spool.names())) == (0, 10)
    assert len(api.requests) == 1 + 2


def test_a_capture_that_waits_twice_is_sent_once(client, api):
    api.status = 503
    for _ in range(3):
        hook(client, 0)
    assert len(client.spooled) == 3
    api.status = 0
    assert client.suture("flush").output == "Delivered 3 captures.\n"
    assert len(api.requests) == 4
    assert len(api.captures) == 1


def test_twenty_hooks_at_once(client, api):
    with ThreadPoolExecutor(20) as pool:
        ran = list(pool.map(lambda number: hook(client, number), range(20)))
    assert {(one.code, one.output, one.errors) for one in ran} == {(0, "", "")}
    client.suture("flush")
    assert len(api.captures) == 20, client.log
    assert client.spooled == []


def test_two_flushes_at_once(client, api):
    put(400)
    api.delay = 0.05
    with ThreadPoolExecutor(4) as pool:
        ran = list(pool.map(lambda _: client.suture("flush"), range(4)))
    assert sum(int(one.output.split()[1]) for one in ran) == 400
    assert (len(api.captures), client.spooled) == (400, [])
    assert set(api.asked.values()) == {1}


@pytest.mark.parametrize("after", [0.0, 0.05, 0.08, 0.1, 0.12, 0.15, 0.2, 0.3])
def test_a_killed_flush_neither_loses_nor_duplicates_captures(client, api, after):
    put(300)
    api.delay = 0.03
    with client.start("flush", stderr=subprocess.DEVNULL) as process:
        time.sleep(after)
        process.kill()
        process.wait()
    left = {one["id"] for one in client.spooled}
    assert left | api.captures.keys() == {f"capture-{number}" for number in range(300)}
    assert client.suture("flush").code == 0
    assert (len(api.captures), client.spooled) == (300, [])


def test_hooks_continue_during_a_flush(client, api):
    put(300)
    api.delay = 0.05
    flush = threading.Thread(target=client.suture, args=["flush"])
    flush.start()
    for number in range(5):
        hook(client, number)
    flush.join()
    client.suture("flush")
    assert (len(api.captures), client.spooled) == (305, [])


def test_an_incomplete_file_is_dropped_and_the_others_are_sent(client, api):
    put(2)
    first = sorted(client.state.glob("spool/*.json"))[0]
    first.write_bytes(first.read_bytes()[:10])
    ran = client.suture("flush")
    assert (ran.output, len(api.captures), client.spooled) == ("Delivered 1 capture.\n", 1, [])
    assert "is not whole and was dropped" in client.log


def test_partial_files_of_killed_hooks_are_deleted(client):
    put(1)
    (client.state / "spool/01-2-3.json.part").write_bytes(b"{")
    client.suture("flush")
    assert (client.state / "spool/01-2-3.json.part").exists(), "its hook may still write it"
    with_old_time = client.state / "spool/01-2-3.json.part"
    os.utime(with_old_time, (0, 0))
    client.suture("flush")
    assert list(client.state.glob("spool/*")) == []


def test_a_capture_that_its_hook_still_sends_is_left_to_it(client, api):
    held = spool.add(b'{"id": "a", "session_id": "s", "content": "mine"}', 10**9)
    assert client.suture("flush").output == "Delivered 0 captures. 1 capture still waits.\n"
    held.release()
    assert client.suture("flush").output == "Delivered 1 capture.\n"


def test_a_full_spool_is_refused(own_state):
    put(1)
    with pytest.raises(spool.SpoolFull, match="1 captures"):
        spool.add(b"x" * 100, 50)
