"""Records for the user: a log, the last capture of each hook, and refused captures.

A hook prints only context, and never fails. So nothing here raises: if the disk is full, there is no log.
"""

import fcntl
import json
import os
import time
from collections.abc import Mapping
from typing import Any

from suture_client.hooks import clock, state

ERROR, WARNING, INFO = "ERROR", "WARNING", "INFO"

#: Largest size in bytes of the log before it is rotated, and of the file of refused captures.
LIMIT = 1_000_000
#: Seconds that a hook waits for another that writes the same file.
_WAIT = 0.05

# Outcomes of a capture.
DELIVERED, SPOOLED, SKIPPED, IGNORED, REFUSED, LOST = "delivered", "spooled", "skipped", "ignored", "refused", "lost"


def log(level: str, message: str, hook: str = "") -> None:
    """Write a line to the log. Messages contain no words of captures and no keys."""
    line = f"{clock.timestamp()} {level} {f'[{hook}] ' if hook else ''}{' '.join(message.split())}\n"
    try:
        path = state.path("log")
        descriptor = state.open_private(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        try:
            if os.fstat(descriptor).st_size > LIMIT:
                _rotate(path, descriptor)
            os.write(descriptor, line.encode(errors="replace"))
        finally:
            os.close(descriptor)
    except OSError:
        pass


def record(hook: str, agent: str, outcome: str, masked: Mapping[str, int]) -> None:
    """Record the outcome of a hook's capture, and count its masked secrets by kind."""

    def change(summary: dict[str, Any]) -> None:
        last = summary.setdefault("hooks", {}).setdefault(hook, {})
        last |= {"called_at": clock.timestamp(), "agent": agent, "outcome": outcome}
        if outcome in {DELIVERED, SPOOLED}:
            last["captured_at"] = last["called_at"]
        counts = summary.setdefault("outcomes", {})
        counts[outcome] = counts.get(outcome, 0) + 1
        kinds = summary.setdefault("masked", {})
        for kind, count in masked.items():
            kinds[kind] = kinds.get(kind, 0) + count

    _change(change)


def count_delivered_later(delivered: int, refused: int) -> None:
    """Count captures that were sent from the spool."""

    def change(summary: dict[str, Any]) -> None:
        counts = summary.setdefault("outcomes", {})
        counts["delivered later"] = counts.get("delivered later", 0) + delivered
        counts[REFUSED] = counts.get(REFUSED, 0) + refused

    _change(change)


def load() -> dict[str, Any]:
    """Return the last capture of each hook (`hooks`), the number of captures by outcome (`outcomes`), and the number of
    masked secrets by kind (`masked`)."""
    try:
        with open(os.path.join(state.directory_path(), "captured.json"), "rb") as file:
            found = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def keep_refused(capture: bytes, status: int, reason: str) -> bool:
    """Save a refused capture with the reason, and drop the oldest ones if the file is full. Returns whether it was
    saved."""
    try:
        found = json.loads(capture)
    except ValueError:
        found = {"content": capture.decode(errors="replace")}
    entry = {"at": clock.timestamp(), "status": status, "reason": reason, "capture": found}
    line = json.dumps(entry, ensure_ascii=False).encode(errors="replace") + b"\n"
    try:
        path = state.path("refused")
        with _Lock("refused.lock"):
            lines = [one for one in _lines(path) if not _is_about(one, found)] + [line]
            while len(lines) > 1 and sum(map(len, lines)) > LIMIT:
                del lines[0]
            state.write_private(path, b"".join(lines))
    except OSError as error:
        log(ERROR, f"A refused capture cannot be saved: {error.strerror}")
        return False
    log(ERROR, f"The server refused a capture ({status}): {reason}")
    return True


def refused() -> list[dict[str, Any]]:
    """Return the saved refused captures, oldest first: `at`, `status`, `reason`, `capture`."""
    found = []
    for line in _lines(os.path.join(state.directory_path(), "refused")):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def last_errors(count: int) -> list[str]:
    """Return the last errors and warnings of the log, oldest first."""
    lines: list[bytes] = []
    for name in ("log.1", "log"):
        lines += _lines(os.path.join(state.directory_path(), name))
    decoded = [line.decode(errors="replace").rstrip() for line in lines]
    return [line for line in decoded if line.split(" ", 2)[1:2] in ([ERROR], [WARNING])][-count:]


class _Lock:
    """An exclusive lock between processes. Raises OSError if another process holds it for too long."""

    def __init__(self, name: str) -> None:
        self._name, self._descriptor = name, -1

    def __enter__(self) -> None:
        self._descriptor = state.open_private(state.path(self._name), os.O_RDWR | os.O_CREAT)
        deadline = time.monotonic() + _WAIT
        while True:
            try:
                fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if time.monotonic() > deadline:
                    os.close(self._descriptor)
                    raise
                time.sleep(0.002)
            else:
                return

    def __exit__(self, *_: object) -> None:
        os.close(self._descriptor)


def _change(change: Any) -> None:
    try:
        with _Lock("captured.lock"):
            found = load()
            change(found)
            state.write_private(state.path("captured.json"), json.dumps(found, indent=1).encode())
    except OSError:
        pass


def _rotate(path: str, descriptor: int) -> None:
    """Start a new log. If two processes try at once, only one does it."""
    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    if os.stat(path).st_ino == os.fstat(descriptor).st_ino:
        os.replace(path, f"{path}.1")


def _lines(path: str) -> list[bytes]:
    try:
        with open(path, "rb") as file:
            return file.readlines()
    except OSError:
        return []


def _is_about(line: bytes, capture: Any) -> bool:
    """Return whether a line is about this capture: a killed delivery is repeated, and must not save it twice."""
    try:
        return bool(json.loads(line)["capture"]["id"] == capture["id"])
    except (ValueError, KeyError, TypeError):
        return False
