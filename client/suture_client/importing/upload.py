"""Sends items to the API in batches.

If the server refuses a batch because of some items, it is sent again without them. Temporary errors are retried. The
server stores each item once, by its id, so an interruption neither loses nor duplicates an item.
"""

from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Self

import httpx

from suture_client.errors import Failed, NotSuture, Problem
from suture_client.http import Api
from suture_client.importing.items import Endpoint
from suture_client.importing.preparation import PreparedItem
from suture_client.importing.report import Report

#: The most items and bytes in one request. Captures are embedded during the request.
MAX_BATCH: dict[Endpoint, int] = {"events": 500, "captures": 100, "memories": 500}
MAX_BATCH_BYTES = 4 * 1024 * 1024
#: The smallest batch after a refusal.
_MIN_BATCH = 10
#: Seconds between retries.
PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_TIMEOUT = httpx.Timeout(120.0, connect=10.0)
#: Statuses that apply to all items, so that sending the rest is pointless.
_APPLIES_TO_ALL = frozenset({401, 403, 404, 405})
#: Consecutive server errors for single items before the import stops.
_MAX_FAILURES = 5


class Sender:
    """Sends items to a server. Items of one endpoint are sent in order."""

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
        #: Consecutive server errors for single items.
        self._failures = 0
        self._waiting: dict[Endpoint, list[PreparedItem]] = {endpoint: [] for endpoint in MAX_BATCH}
        self._bytes: dict[Endpoint, int] = dict.fromkeys(MAX_BATCH, 0)

    def __enter__(self) -> Self:
        self._api.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._api.close()

    def add(self, item: PreparedItem) -> None:
        """Send the item, now or with later ones. Raises Failed if the server accepts nothing."""
        waiting = self._waiting[item.endpoint]
        if waiting and self._bytes[item.endpoint] + len(item.body) > MAX_BATCH_BYTES:
            self._flush(item.endpoint)
            waiting = self._waiting[item.endpoint]
        waiting.append(item)
        self._bytes[item.endpoint] += len(item.body)
        if len(waiting) >= MAX_BATCH[item.endpoint]:
            self._flush(item.endpoint)

    def flush(self) -> None:
        """Send all remaining items. Raises Failed if the server accepts nothing."""
        for endpoint in self._waiting:
            self._flush(endpoint)

    def _flush(self, endpoint: Endpoint) -> None:
        waiting, self._waiting[endpoint], self._bytes[endpoint] = deque(self._waiting[endpoint]), [], 0
        most = len(waiting)
        while waiting:
            batch = [waiting.popleft() for _ in range(min(most, len(waiting)))]
            try:
                self._count(batch, self._post(endpoint, batch))
                most = min(2 * most, MAX_BATCH[endpoint])
                continue
            except Problem as problem:
                if applies_to_all(problem):
                    raise
                bad = _faulty_items(problem, len(batch))
                if not bad and len(batch) > 1:
                    most = max(1, len(batch) // 2)
                    waiting.extendleft(reversed(batch))
                    continue
                for number, reason in (bad or {0: str(problem)}).items():
                    self._refuse(batch[number], problem, reason)
                waiting.extendleft(
                    one for number, one in reversed(list(enumerate(batch))) if number not in (bad or {0})
                )
                most = max(_MIN_BATCH, len(batch) // 2)

    def _refuse(self, item: PreparedItem, problem: Problem, reason: str) -> None:
        self._failures = self._failures + 1 if problem.is_server_error else 0
        if self._failures > _MAX_FAILURES:
            raise Failed(f"The server failed on every item: {reason}")
        note = self._report.change if problem.status == HTTPStatus.CONFLICT else self._report.refuse
        if line := note(item.place, reason):
            self._on_fault(line)
        self._on_done(1)

    def _count(self, batch: list[PreparedItem], answers: list[dict[str, Any]]) -> None:
        self._failures = 0
        for item, answer in zip(batch, answers, strict=True):
            status = answer.get("status")
            if status in ("refused", "failed"):
                if line := self._report.refuse(item.place, str(answer.get("reason"))):
                    self._on_fault(line)
                continue
            if status == "already_recorded":
                self._report.already += 1
            elif status == "skipped":
                self._report.skipped += 1
            else:
                self._report.recorded += 1
            self._report.masked += item.masked
        self._on_done(len(batch))

    def _post(self, endpoint: Endpoint, batch: list[PreparedItem]) -> list[dict[str, Any]]:
        """Send a batch, and return the answer to each item. Raises Problem, Away."""
        body = b'{"%s": [%s]}' % (endpoint.encode(), b",".join(item.body for item in batch))
        answers = self._api.send("POST", endpoint, "batch", body=body).get(endpoint)
        if not isinstance(answers, list) or len(answers) != len(batch):
            raise NotSuture(f"The server at {self._api.url} is not Suture.")
        return answers


def applies_to_all(problem: Problem) -> bool:
    """Return whether the server would refuse any item, temporarily or permanently."""
    return problem.is_temporary or problem.status in _APPLIES_TO_ALL


def _faulty_items(problem: Problem, number: int) -> dict[int, str]:
    """Return the items that the server rejects, with the reason. It may not name all of them."""
    found: dict[int, str] = {}
    for error in problem.details.get("errors") or []:
        index = error.get("index") if isinstance(error, dict) else None
        if isinstance(index, int) and 0 <= index < number:
            pointer = str(error.get("pointer", "")).split(f"/{index}", 1)[-1]
            reason = f"{pointer.lstrip('/')}: {error.get('detail')}" if pointer else str(error.get("detail"))
            found[index] = f"{found[index]} {reason}" if index in found else reason
    return found
