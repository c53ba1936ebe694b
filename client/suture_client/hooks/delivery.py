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


class Delivery(NamedTuple):
    """The result of delivering captures from the spool."""

    delivered: int = 0
    refused: int = 0
    #: Why the rest is still in the spool; "" if no attempt failed.
    problem: str = ""


def post(settings: Settings, path: str, body: bytes, deadline: float) -> dict[str, Any]:
    """Send a capture or a request for context, and return the server's response. Raises Undelivered, Refused."""
    if not settings.key:
        raise Undelivered(settings.problem or "No key is set: set SUTURE_KEY to your API key.")
    try:
        answer = http_request.post(http_request.parse_url(settings.url), settings.key, path, body, deadline)
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
    """Deliver captures from the spool, oldest first: all, or at most `most` until `deadline` (`time.monotonic`).
    Several processes may do this at once. Raises OSError."""
    delivered = refused = 0
    problem = ""
    waiting = spool.claim_abandoned(spool.names())
    while not problem and (deadline is None or time.monotonic() < deadline):
        batch = _batch(waiting, BATCH if most is None else min(BATCH, most - delivered - refused))
        if not batch:
            break
        until = time.monotonic() + _REQUEST_TIMEOUT if deadline is None else deadline
        try:
            delivered_now, refused_now, problem = _deliver_batch(settings, batch, until)
        finally:
            for held, _ in batch:
                held.release()
        delivered, refused = delivered + delivered_now, refused + refused_now
    if delivered or refused:
        journal.count_delivered_later(delivered, refused)
    return Delivery(delivered, refused, problem)


def _batch(waiting: Any, most: int) -> list[tuple[spool.SpooledCapture, bytes]]:
    """Return the next captures, up to a number and a size. Incomplete captures are dropped and logged."""
    batch: list[tuple[spool.SpooledCapture, bytes]] = []
    size = 0
    for held in islice(waiting, max(0, most)):
        content = held.read()
        if content is None:
            journal.log(journal.ERROR, f"A capture in the spool is not whole and was dropped: {held.path}")
            held.delete()
            continue
        batch.append((held, content))
        size += len(content)
        if size > _MAX_BATCH_BYTES:
            break
    return batch


def _deliver_batch(
    settings: Settings, batch: list[tuple[spool.SpooledCapture, bytes]], until: float
) -> tuple[int, int, str]:
    """Deliver a batch in one request, or one by one if the server refuses it or fails on it."""
    try:
        # The spool may have the same hook call twice. Its captures differ only in their time.
        captures: dict[bytes, bytes] = {}
        for _, content in batch:
            captures.setdefault(_id_prefix(content), content)
        post(settings, "captures/batch", b'{"captures": [' + b",".join(captures.values()) + b"]}", until)
    except (Refused, ServerFailed):
        return _deliver_each(settings, batch, until)
    except Undelivered as error:
        return 0, 0, str(error)
    for held, _ in batch:
        held.delete()
    return len(batch), 0, ""


def _deliver_each(
    settings: Settings, batch: list[tuple[spool.SpooledCapture, bytes]], until: float
) -> tuple[int, int, str]:
    delivered = refused = 0
    failure = ""
    for held, content in batch:
        try:
            post(settings, "captures", content, until)
            delivered += 1
        except Refused as error:
            if not journal.keep_refused(content, error.status, error.reason):
                continue
            refused += 1
        except ServerFailed as error:
            # This capture stays; continue with the others.
            failure = str(error)
            continue
        except Undelivered as error:
            return delivered, refused, str(error)
        held.delete()
    return delivered, refused, "" if delivered or refused else failure


def _id_prefix(capture: bytes) -> bytes:
    """Return the bytes up to the first comma: `captures.build` writes the id first."""
    return capture[: capture.find(b",")]
