"""Sends items to the API in batches.

A batch that the server refuses because of some items is sent again without them. What may pass is tried again; the
server takes each item once, by its id, so nothing is lost or doubled whenever this ends.
"""

from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Self

import httpx

from suture_client.errors import Failed, NotSuture, Problem
from suture_client.http import Api
from suture_client.importing.items import Door
from suture_client.importing.preparing import Ready
from suture_client.importing.report import Report

#: Items and bytes of one request. A capture is embedded while the request waits.
MOST: dict[Door, int] = {"events": 500, "captures": 100}
MOST_BYTES = 4 * 1024 * 1024
#: After a refusal, how small batches become.
_LEAST = 10
#: Seconds between tries.
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_TIMEOUT = httpx.Timeout(120.0, connect=10.0)
#: Refusals that hold for everything, so that nothing is gained by sending the rest.
_OF_EVERYTHING = frozenset({401, 403, 404, 405})
#: Items over which the server fails, one after another, before the import ends.
_MOST_BROKEN = 5


class Sender:
    """Sends to the server of an address with a key. Items of one door are sent in order."""

    def __init__(
        self,
        url: str,
        key: str,
        report: Report,
        *,
        on_fault: Callable[[str], object],
        on_done: Callable[[int], object] = lambda number: None,
    ) -> None:
        self._api = Api(url, key, timeout=_TIMEOUT, pauses=PAUSES)
        self._report = report
        self._on_fault, self._on_done = on_fault, on_done
        #: Requests for one item over which the server failed, one after another.
        self._broken = 0
        self._waiting: dict[Door, list[Ready]] = {"events": [], "captures": []}
        self._bytes: dict[Door, int] = {"events": 0, "captures": 0}

    def __enter__(self) -> Self:
        self._api.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._api.close()

    def add(self, item: Ready) -> None:
        """Send the item, now or with those that follow. Raises Failed if the server takes nothing."""
        waiting = self._waiting[item.door]
        if waiting and self._bytes[item.door] + len(item.body) > MOST_BYTES:
            self._flush(item.door)
            waiting = self._waiting[item.door]
        waiting.append(item)
        self._bytes[item.door] += len(item.body)
        if len(waiting) >= MOST[item.door]:
            self._flush(item.door)

    def flush(self) -> None:
        """Send what waits. Raises Failed if the server takes nothing."""
        for door in self._waiting:
            self._flush(door)

    def _flush(self, door: Door) -> None:
        waiting, self._waiting[door], self._bytes[door] = deque(self._waiting[door]), [], 0
        most = len(waiting)
        while waiting:
            batch = [waiting.popleft() for _ in range(min(most, len(waiting)))]
            try:
                self._count(batch, self._post(door, batch))
                most = min(2 * most, MOST[door])
                continue
            except Problem as problem:
                if concerns_everything(problem):
                    raise
                bad = _places(problem, len(batch))
                if not bad and len(batch) > 1:
                    most = max(1, len(batch) // 2)
                    waiting.extendleft(reversed(batch))
                    continue
                for number, reason in (bad or {0: str(problem)}).items():
                    self._refuse(batch[number], problem, reason)
                waiting.extendleft(
                    one for number, one in reversed(list(enumerate(batch))) if number not in (bad or {0})
                )
                most = max(_LEAST, len(batch) // 2)

    def _refuse(self, item: Ready, problem: Problem, reason: str) -> None:
        self._broken = self._broken + 1 if problem.is_server_error else 0
        if self._broken > _MOST_BROKEN:
            raise Failed(f"The server fails over everything that is sent: {reason}")
        note = self._report.change if problem.status == HTTPStatus.CONFLICT else self._report.refuse
        if line := note(item.place, reason):
            self._on_fault(line)
        self._on_done(1)

    def _count(self, batch: list[Ready], answers: list[dict[str, Any]]) -> None:
        self._broken = 0
        for item, answer in zip(batch, answers, strict=True):
            status = answer.get("status")
            if status == "already_recorded":
                self._report.already += 1
            elif status == "skipped":
                self._report.skipped += 1
            else:
                self._report.recorded += 1
            self._report.masked += item.masked
        self._on_done(len(batch))

    def _post(self, door: Door, batch: list[Ready]) -> list[dict[str, Any]]:
        """The answer to each item. Raises Problem, Away."""
        body = b'{"%s": [%s]}' % (door.encode(), b",".join(item.body for item in batch))
        answers = self._api.send("POST", door, "batch", body=body).get(door)
        if not isinstance(answers, list) or len(answers) != len(batch):
            raise NotSuture(f"What answers at {self._api.url} is not Suture's API.")
        return answers


def concerns_everything(problem: Problem) -> bool:
    """Whether the server refuses whatever is sent, now or for good."""
    return problem.is_temporary or problem.status in _OF_EVERYTHING


def _places(problem: Problem, number: int) -> dict[int, str]:
    """Which items the server finds fault with, and why. It may not name all of them."""
    found: dict[int, str] = {}
    for error in problem.details.get("errors") or []:
        index = error.get("index") if isinstance(error, dict) else None
        if isinstance(index, int) and 0 <= index < number:
            pointer = str(error.get("pointer", "")).split(f"/{index}", 1)[-1]
            reason = f"{pointer.lstrip('/')}: {error.get('detail')}" if pointer else str(error.get("detail"))
            found[index] = f"{found[index]} {reason}" if index in found else reason
    return found
