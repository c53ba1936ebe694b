"""Nothing acknowledged is lost: the whole stack, clients writing, and the database killed under them."""

import contextlib
import http.client
import json
import os
import re
import signal
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from memory_project.stack.processes import processes_in
from tests.factories import EventFactory

from .running import HANGS, RunningStack, eventually, left_running

pytestmark = pytest.mark.stack

WRITERS = 4
ENOUGH = 100
#: In the table of credentials, which comes after the word that the stack is ready.
KEY = re.compile(r"support-agent\s+key\s+(\S+)\n")


def call(port: int, key: str, path: str, body: Any = None) -> Any:
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/api/v1/{path}",
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=HANGS) as answer:
        return json.load(answer)


def write_until_refused(port: int, key: str, acknowledged: list[str]) -> None:
    while True:
        body = EventFactory(content__text=f"note {len(acknowledged)}")
        try:
            acknowledged.append(call(port, key, "events", body)["event_id"])
        except (urllib.error.URLError, http.client.HTTPException, OSError):
            return


def test_a_kill_of_the_database_under_writes_loses_no_acknowledged_event_and_needs_no_hand(
    home: Path, port: int
) -> None:
    stack = RunningStack(home, port)
    stack.wait_until_ready()
    try:
        eventually(lambda: KEY.search(stack.output) is not None)
        key = KEY.findall(stack.output)[0]
        acknowledged: list[str] = []
        writers = [threading.Thread(target=write_until_refused, args=(port, key, acknowledged)) for _ in range(WRITERS)]
        for writer in writers:
            writer.start()
        eventually(lambda: len(acknowledged) >= ENOUGH)

        for pid in processes_in(home / "pg18", "postgres"):
            # the first ones' end ends the others too
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

        for writer in writers:
            writer.join()
        eventually(lambda: is_written(port, key))
        kept = {call(port, key, f"events/{event_id}")["event_id"] for event_id in acknowledged}
        assert kept == set(acknowledged)
        # the server is back before the supervisor says so
        eventually(lambda: "PostgreSQL was restarted." in stack.output)
        assert "PostgreSQL exited (signal SIGKILL); restarting it in 1 s." in stack.output
        metrics = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=HANGS).read().decode()
        assert 'suture_restarts_total{process="PostgreSQL"} 1.0' in metrics
        assert 'suture_restarts_total{process="web"} 0.0' in metrics
    finally:
        stack.process.send_signal(signal.SIGINT)
        assert stack.wait() == 0
    assert left_running(home) == []


def is_written(port: int, key: str) -> bool:
    try:
        call(port, key, "events", EventFactory(content__text="after"))
    except (urllib.error.URLError, http.client.HTTPException, OSError):
        return False
    return True
