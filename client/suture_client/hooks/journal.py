"""What the hooks tell the person who installed them: a log, the last capture of each hook, and what was refused.

A hook prints nothing but context, and it never fails. So nothing here raises: where the disk is full, there is no log.
"""

import fcntl
import json
import os
import time
from collections.abc import Mapping
from typing import Any

from suture_client.hooks import clock, state

ERROR, WARNING, INFO = "ERROR", "WARNING", "INFO"

#: Bytes of the log before it is rotated, and of the refused captures that are kept.
LIMIT = 1_000_000
#: Seconds that a hook waits for another one that writes the same file.
_WAIT = 0.05

# What became of a capture.
DELIVERED, SPOOLED, SKIPPED, IGNORED, REFUSED, LOST = "delivered", "spooled", "skipped", "ignored", "refused", "lost"


def log(level: str, message: str, hook: str = "") -> None:
    """Write a line to the log. It holds no words of captures and no keys."""
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


def remember(hook: str, agent: str, outcome: str, masked: Mapping[str, int]) -> None:
    """Keep what became of a hook's capture, and count the secrets that were masked in it by kind."""

    def change(kept: dict[str, Any]) -> None:
        last = kept.setdefault("hooks", {}).setdefault(hook, {})
        last |= {"called_at": clock.timestamp(), "agent": agent, "outcome": outcome}
        if outcome in {DELIVERED, SPOOLED}:
            last["captured_at"] = last["called_at"]
        counts = kept.setdefault("outcomes", {})
        counts[outcome] = counts.get(outcome, 0) + 1
        kinds = kept.setdefault("masked", {})
        for kind, count in masked.items():
            kinds[kind] = kinds.get(kind, 0) + count

    _change(change)


def delivered_later(delivered: int, refused: int) -> None:
    """Count captures that came from the spool."""

    def change(kept: dict[str, Any]) -> None:
        counts = kept.setdefault("outcomes", {})
        counts["delivered later"] = counts.get("delivered later", 0) + delivered
        counts[REFUSED] = counts.get(REFUSED, 0) + refused

    _change(change)


def kept() -> dict[str, Any]:
    """The last capture of each hook (`hooks`), how many had which outcome (`outcomes`), and the masked secrets by kind
    (`masked`)."""
    try:
        with open(os.path.join(state.directory_path(), "captured.json"), "rb") as file:
            found = json.loads(file.read())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def refuse(capture: bytes, status: int, reason: str) -> bool:
    """Keep a capture that the server refused, with the reason. The oldest are dropped where there is no room. Answers
    whether it could be kept."""
    try:
        found = json.loads(capture)
    except ValueError:
        found = {"content": capture.decode(errors="replace")}
    record = {"at": clock.timestamp(), "status": status, "reason": reason, "capture": found}
    line = json.dumps(record, ensure_ascii=False).encode(errors="replace") + b"\n"
    try:
        path = state.path("refused")
        with _Lock("refused.lock"):
            lines = [one for one in _lines(path) if not _is_about(one, found)] + [line]
            while len(lines) > 1 and sum(map(len, lines)) > LIMIT:
                del lines[0]
            state.write_private(path, b"".join(lines))
    except OSError as error:
        log(ERROR, f"A refused capture cannot be kept: {error.strerror}")
        return False
    log(ERROR, f"The server refused a capture ({status}): {reason}")
    return True


def refused() -> list[dict[str, Any]]:
    """The refused captures that are kept, oldest first: `at`, `status`, `reason`, `capture`."""
    found = []
    for line in _lines(os.path.join(state.directory_path(), "refused")):
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


def last_errors(count: int) -> list[str]:
    """The last errors and warnings of the log, oldest first."""
    lines: list[bytes] = []
    for name in ("log.1", "log"):
        lines += _lines(os.path.join(state.directory_path(), name))
    told = [line.decode(errors="replace").rstrip() for line in lines]
    return [line for line in told if line.split(" ", 2)[1:2] in ([ERROR], [WARNING])][-count:]


class _Lock:
    """An exclusive lock between processes, waited for only shortly. Raises OSError where it is not to be had."""

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
            found = kept()
            change(found)
            state.write_private(state.path("captured.json"), json.dumps(found, indent=1).encode())
    except OSError:
        pass


def _rotate(path: str, descriptor: int) -> None:
    """Begin a new log. Of two processes at once, one does it."""
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
    """Whether a refused capture is this one: a delivery that was killed is done again."""
    try:
        return bool(json.loads(line)["capture"]["id"] == capture["id"])
    except (ValueError, KeyError, TypeError):
        return False
