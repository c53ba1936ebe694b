"""Delivers captures to the server: the hook's own, and those in the spool.

The server stores each capture once, by its id. So everything that is not acknowledged is sent again, and killing a
process neither loses nor duplicates a capture.
"""

import time
from itertools import islice
from typing import Any, NamedTuple

from suture_client.hooks import http_request, journal, spool
from suture_client.hooks.settings import Settings

#: Captures in one request, and their bytes. The server accepts 10 MB.
BATCH = 100
_MAX_BATCH_BYTES = 4_000_000
#: Bytes from which a capture is long: embedding it may take the server so long that no other should wait for it. Long
#: captures are sent after all others, each alone.
LONG = 20_000
#: Captures in a row, each sent alone, that time out, or on which the server fails, before delivery stops.
_MAX_TIMEOUTS, _MAX_FAILURES = 2, 20
#: Seconds for one request of `suture flush`.
_REQUEST_TIMEOUT = 60.0
#: Statuses that refuse the capture itself: a retry would not help.
REFUSALS = frozenset((400, 409, 413, 422))


class Undelivered(Exception):  # noqa: N818 (servers are away at times)
    """The capture must be sent again, for the reason in the message. `status` is 0 if there was no response."""

    def __init__(self, reason: str, status: int = 0) -> None:
        self.status = status
        super().__init__(reason)


class Refused(Exception):  # noqa: N818 (the server's response)
    """The server refuses the capture. A retry would not help."""

    def __init__(self, status: int, reason: str) -> None:
        self.status, self.reason = status, reason
        super().__init__(reason)


class ServerFailed(Undelivered):
    """The server failed on these captures, and may accept others."""


class TimedOut(Undelivered):
    """The server did not answer in time. It may be slow with these captures alone, and may still store them."""


#: Captures that this process has locked, with their content.
Batch = list[tuple[spool.SpooledCapture, bytes]]


class Delivery(NamedTuple):
    """The result of delivering captures from the spool."""

    delivered: int = 0
    refused: int = 0
    #: Why others are still in the spool; "" if no attempt failed.
    problem: str = ""


def post(settings: Settings, path: str, body: bytes, deadline: float) -> dict[str, Any]:
    """Send a capture or a request for context, and return the server's response. Raises Undelivered, Refused."""
    if not settings.key:
        raise Undelivered(settings.problem or "No key is set: set SUTURE_KEY to your API key.")
    try:
        answer = http_request.post(http_request.parse_url(settings.url), settings.key, path, body, deadline)
    except http_request.TimedOut as error:
        raise TimedOut(f"{settings.url}: {error}") from None
    except (http_request.NoResponse, http_request.BadURL) as error:
        raise Undelivered(f"{settings.url}: {error}") from None
    if answer.status in {200, 201}:
        return answer.json()
    # After an upgrade, the client can deliver it.
    if answer.status in REFUSALS and answer.json().get("code") != "unsupported-client-version":
        raise Refused(answer.status, answer.problem())
    if answer.status == 500:
        raise ServerFailed(f"{settings.url}: status 500: {answer.problem()}", 500)
    raise Undelivered(f"{settings.url}: status {answer.status}: {answer.problem()}", answer.status)


def deliver_waiting(settings: Settings, deadline: float | None = None, most: int | None = None) -> Delivery:
    """Deliver captures from the spool, oldest first, and long ones last: all, or at most `most` until `deadline`
    (`time.monotonic`). Several processes may do this at once. Raises OSError."""
    run = _Run(settings, deadline)
    waiting = spool.claim_abandoned(sorted(spool.names(), key=lambda name: spool.size_of(name) > LONG))
    while not run.is_over and (deadline is None or time.monotonic() < deadline):
        batch = _batch(waiting, BATCH if most is None else min(BATCH, most - run.tried))
        if not batch:
            break
        run.tried += len(batch)
        try:
            run.deliver(batch)
        finally:
            for held, _ in batch:
                held.release()
    if run.delivered or run.refused:
        journal.count_delivered_later(run.delivered, run.refused)
    return Delivery(run.delivered, run.refused, run.problem)


def _batch(waiting: Any, most: int) -> Batch:
    """Return the next captures, up to a number and a size. Incomplete captures are dropped and logged."""
    batch: Batch = []
    size = 0
    for held in islice(waiting, max(0, most)):
        content = held.read()
        if content is None:
            journal.log(journal.ERROR, f"A capture in the spool is not whole and was dropped: {held.path}")
            held.delete()
            continue
        batch.append((held, content))
        size += len(content)
        if len(content) > LONG or size > _MAX_BATCH_BYTES:
            break
    return batch


class _Run:
    """One delivery of the spool, and what it has done so far."""

    def __init__(self, settings: Settings, deadline: float | None) -> None:
        self._settings, self._deadline = settings, deadline
        self.tried = self.delivered = self.refused = 0
        #: The last failure; "" if there was none.
        self.problem = ""
        #: Whether the server accepts nothing now.
        self.is_over = False
        #: Captures in a row that failed, each sent alone.
        self._failures = 0

    def deliver(self, batch: Batch) -> None:
        """Deliver a batch in one request, or one by one if the server refuses it, fails on it or takes too long."""
        # The spool may have the same hook call twice. Its captures differ only in their time.
        captures: dict[bytes, bytes] = {}
        for _, content in batch:
            captures.setdefault(_id_prefix(content), content)
        try:
            if len(captures) == 1:
                self._deliver_alone(*batch)
                return
            answer = self._post("captures/batch", b'{"captures": [' + b",".join(captures.values()) + b"]}")
        except (Refused, ServerFailed, TimedOut):
            for one in batch:
                if not self.is_over:
                    self._deliver_alone(one)
            return
        except Undelivered as error:
            self._stop(error)
            return
        results = answer.get("captures")
        by_id = dict(zip(captures, results if isinstance(results, list) else (), strict=False))
        before = self.delivered + self.refused
        for held, content in batch:
            self._settle(held, content, by_id.get(_id_prefix(content)))
        self.is_over = self.delivered + self.refused == before

    def _deliver_alone(self, *same: tuple[spool.SpooledCapture, bytes]) -> None:
        """Deliver one capture, which may be in the spool several times."""
        _, content = same[0]
        try:
            self._post("captures", content)
        except Refused as error:
            for held, _ in same:
                self._set_aside(held, content, error.status, error.reason)
        except (ServerFailed, TimedOut) as error:
            # This capture stays; continue with the others.
            self.problem = str(error)
            self._failures += 1
            self.is_over = self._failures >= (_MAX_TIMEOUTS if isinstance(error, TimedOut) else _MAX_FAILURES)
            return
        except Undelivered as error:
            self._stop(error)
            return
        else:
            for held, _ in same:
                self._delete(held)
        self._failures = 0

    def _settle(self, held: spool.SpooledCapture, content: bytes, result: Any) -> None:
        """Do what the server's answer to a capture of a batch says."""
        answer = result if isinstance(result, dict) else {}
        if answer.get("status") == "refused":
            self._set_aside(held, content, 400, str(answer.get("reason")))
        elif answer.get("status") == "failed":
            self.problem = f"{self._settings.url}: {answer.get('reason')}"
        else:
            self._delete(held)

    def _set_aside(self, held: spool.SpooledCapture, content: bytes, status: int, reason: str) -> None:
        if journal.keep_refused(content, status, reason):
            self.refused += 1
            held.delete()

    def _delete(self, held: spool.SpooledCapture) -> None:
        self.delivered += 1
        held.delete()

    def _stop(self, error: Undelivered) -> None:
        self.problem, self.is_over = str(error), True

    def _post(self, path: str, body: bytes) -> dict[str, Any]:
        until = time.monotonic() + _REQUEST_TIMEOUT if self._deadline is None else self._deadline
        return post(self._settings, path, body, until)


def _id_prefix(capture: bytes) -> bytes:
    """Return the bytes up to the first comma: `captures.build` writes the id first."""
    return capture[: capture.find(b",")]
