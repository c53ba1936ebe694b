"""A second web server on the same database, with a wrong clock."""

import contextlib
import os
import secrets
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.faults.clients import SUBJECT, Answer, call
from bench.faults.effects import NoEffect
from bench.stack import NotStarted, Stack
from memory_project.environment import BASE_DIR

#: Events to record with each wrong clock.
RECORDED = 20
START_SECONDS = 90.0
#: Maximum seconds until its readiness reports the wrong clock.
_SEEN_SECONDS = 15.0
_RIGHT = "+0"


def record_with_wrong_clocks(stack: Stack, library: Path, shifts: Sequence[str]) -> None:
    """Start a web server, set its clock to each of the `shifts` (in faketime's format), record and correct events with
    each, and stop it. Raises NotStarted, NoEffect, and RuntimeError for a refused request."""
    web = stack.process("web")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="suture-faults-") as directory:
        clock = Path(directory) / "clock"
        clock.write_text(_RIGHT)
        variables = {
            **web.environ(),
            "LD_PRELOAD": str(library),
            "FAKETIME_TIMESTAMP_FILE": str(clock),
            "FAKETIME_CACHE_DURATION": "1",
            # waits and timeouts use a clock that nobody sets
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        server = subprocess.Popen(
            [str(port) if part == str(stack.port) else part for part in web.cmdline()],
            cwd=BASE_DIR,
            env=variables,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            _wait_until_ready(port)
            for shift in shifts:
                clock.write_text(shift)
                _require_wrong(port, shift)
                _record(port, next(iter(stack.keys().values())))
        finally:
            server.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(30)
            if server.poll() is None:
                os.killpg(server.pid, 9)
                server.wait()


def _record(port: int, key: str) -> None:
    for _ in range(RECORDED):
        text = f"Jack said w{secrets.token_hex(8)} at another time"
        said = {"session_id": "faults", "channel": "private", "actor_type": "agent", "actor_id": "support-agent"}
        body = {**said, "kind": "message", "content": {"text": text, **SUBJECT}}
        answer, event = call(port, "POST", "/api/v1/events", key, body)
        if not answer.is_done:
            raise RuntimeError(f"the server with the wrong clock refused an event: {answer.status} {event}")
        amend = {"target_type": "chunk", "target_id": event["chunk_ids"][0], "op": "amend", "reason": "a clock"}
        answer, edit = call(port, "POST", "/api/v1/edits", key, {**amend, "patch": {"text": f"{text}, he says"}})
        if not answer.is_done:
            raise RuntimeError(f"the server with the wrong clock refused an edit: {answer.status} {edit}")


def _wait_until_ready(port: int) -> None:
    if (said := _probed(port, START_SECONDS, lambda answer, _: answer.is_done)) is not None:
        raise NotStarted(f"the server with the wrong clock is not ready: {said}")


def _require_wrong(port: int, shift: str) -> None:
    """Wait until the server reports that its clock is wrong in this direction."""
    word = "behind" if shift.startswith("-") else "ahead of"
    if (said := _probed(port, _SEEN_SECONDS, lambda _, clock: word in clock)) is not None:
        raise NoEffect(f"the clock should be wrong by {shift}, but readiness says: {said}")


def _probed(port: int, seconds: float, is_it: Callable[[Answer, str], bool]) -> str | None:
    """Poll readiness until the condition on the result and its clock check holds; otherwise return the last result."""
    deadline = time.monotonic() + seconds
    while True:
        answer, found = call(port, "GET", "/readyz")
        if is_it(answer, str(found.get("checks", {}).get("clock", {}).get("detail", ""))):
            return None
        if time.monotonic() > deadline:
            return f"{answer} {found}"
        time.sleep(0.2)
