"""A second web server on the same database, whose clock is wrong."""

import contextlib
import os
import secrets
import socket
import subprocess
import time
from pathlib import Path

from bench.faults.clients import SUBJECT, call
from bench.stack import NotStarted, Stack
from memory_project.environment import BASE_DIR
from memory_project.stack.application import web_command

RECORDED = 20
START_SECONDS = 90.0


def record_with_wrong_clock(stack: Stack, library: Path, shift: str) -> None:
    """Start a web server whose clock is wrong by `shift` (as faketime reads it), record events, correct each, and stop
    it. Raises NotStarted, and RuntimeError for an event that was refused."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    variables = {
        **stack.variables_of("web"),
        "LD_PRELOAD": str(library),
        "FAKETIME": shift,
        # waits and timeouts go by a clock that nobody sets
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        "DONT_FAKE_MONOTONIC": "1",
    }
    server = subprocess.Popen(
        web_command("127.0.0.1", port),
        cwd=BASE_DIR,
        env=variables,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_until_ready(port)
        key = next(iter(stack.keys().values()))
        for _ in range(RECORDED):
            text = f"Jack said w{secrets.token_hex(8)} at another time"
            said = {"session_id": "faults", "channel": "private", "actor_type": "agent", "actor_id": "support-agent"}
            body = {**said, "kind": "message", "content": {"text": text, **SUBJECT}}
            answer, event = call(port, "POST", "/api/v1/events", key, body)
            if not answer.is_done:
                raise RuntimeError(f"an event was refused by the server whose clock is wrong: {answer.status} {event}")
            amend = {"target_type": "chunk", "target_id": event["chunk_ids"][0], "op": "amend", "reason": "a clock"}
            call(port, "POST", "/api/v1/edits", key, {**amend, "patch": {"text": f"{text}, he says"}})
    finally:
        server.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(30)
        if server.poll() is None:
            os.killpg(server.pid, 9)
            server.wait()


def _wait_until_ready(port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        answer, found = call(port, "GET", "/readyz")
        if answer.is_done:
            return
        if time.monotonic() > deadline:
            raise NotStarted(f"the server whose clock is wrong is not ready: {answer} {found}")
        time.sleep(0.2)
