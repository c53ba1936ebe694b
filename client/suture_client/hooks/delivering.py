"""Delivers captures to the server: the hook's own, and those that wait in the spool.

The server takes each capture once, by its id. So whatever is not acknowledged is delivered again, and a process that
is killed loses and doubles nothing.
"""

import time
from itertools import islice
from typing import Any, NamedTuple

from suture_client.hooks import journal, sending, spool
from suture_client.hooks.settings import Settings

#: Captures in one request, and bytes of them; the server takes 10 MB.
BATCH = 100
_BATCH_BYTES = 4_000_000
#: Seconds that one request of `suture flush` may take.
_REQUEST = 60.0
#: Refusals of a capture itself: to send it again would not help.
REFUSALS = frozenset((400, 409, 413, 422))


class Undelivered(Exception):  # noqa: N818 (servers are away at times)
    """The capture has to be delivered again; the message says why. `status` is 0 where nothing answered."""

    def __init__(self, reason: str, status: int = 0) -> None:
        self.status = status
        super().__init__(reason)


class Refused(Exception):  # noqa: N818 (the server's answer)
    """The server refuses the capture, and would again."""

    def __init__(self, status: int, reason: str) -> None:
        self.status, self.reason = status, reason
        super().__init__(reason)


class Broken(Undelivered):
    """The server failed over what was sent, and may take something else."""


class Delivered(NamedTuple):
    """What became of the captures that waited."""

    delivered: int = 0
    refused: int = 0
    #: Why the rest waits; "" if nothing was tried in vain.
    problem: str = ""


def post(settings: Settings, path: str, body: bytes, deadline: float) -> dict[str, Any]:
    """What the server answers to a capture or a request for context. Raises Undelivered, Refused."""
    if not settings.key:
        raise Undelivered(settings.problem or "No key is set: set SUTURE_KEY to your API key.")
    try:
        answer = sending.post(sending.server(settings.url), settings.key, path, body, deadline)
    except (sending.NoAnswer, sending.BadAddress) as error:
        raise Undelivered(f"{settings.url}: {error}") from None
    if answer.status in {200, 201}:
        return answer.json()
    # Another version of the client may be able to deliver it.
    if answer.status in REFUSALS and answer.json().get("code") != "unsupported-client-version":
        raise Refused(answer.status, answer.problem())
    if answer.status == 500:
        raise Broken(f"{settings.url}: status 500: {answer.problem()}", 500)
    raise Undelivered(f"{settings.url}: status {answer.status}: {answer.problem()}", answer.status)


def deliver_waiting(settings: Settings, deadline: float | None = None, most: int | None = None) -> Delivered:
    """Deliver captures that wait, oldest first: all of them, or at most `most` until `deadline` (`time.monotonic`).
    Several processes may do so at once. Raises OSError."""
    delivered = refused = 0
    problem = ""
    waiting = spool.left_behind(spool.names())
    while not problem and (deadline is None or time.monotonic() < deadline):
        batch = _batch(waiting, BATCH if most is None else min(BATCH, most - delivered - refused))
        if not batch:
            break
        until = time.monotonic() + _REQUEST if deadline is None else deadline
        try:
            some, others, problem = _deliver(settings, batch, until)
        finally:
            for held, _ in batch:
                held.leave()
        delivered, refused = delivered + some, refused + others
    if delivered or refused:
        journal.delivered_later(delivered, refused)
    return Delivered(delivered, refused, problem)


def _batch(waiting: Any, most: int) -> list[tuple[spool.Held, bytes]]:
    """The next captures, up to a number and a size. What is not whole is dropped, and the log says so."""
    batch: list[tuple[spool.Held, bytes]] = []
    size = 0
    for held in islice(waiting, max(0, most)):
        content = held.read()
        if content is None:
            journal.log(journal.ERROR, f"A capture in the spool is not whole and was dropped: {held.path}")
            held.delete()
            continue
        batch.append((held, content))
        size += len(content)
        if size > _BATCH_BYTES:
            break
    return batch


def _deliver(settings: Settings, batch: list[tuple[spool.Held, bytes]], until: float) -> tuple[int, int, str]:
    """Deliver a batch in one request; where the server refuses it or fails over it, each by itself."""
    try:
        # The same call of a hook may wait twice. Its captures differ in their time only.
        captures: dict[bytes, bytes] = {}
        for _, content in batch:
            captures.setdefault(_id(content), content)
        post(settings, "captures/batch", b'{"captures": [' + b",".join(captures.values()) + b"]}", until)
    except (Refused, Broken):
        return _deliver_each(settings, batch, until)
    except Undelivered as error:
        return 0, 0, str(error)
    for held, _ in batch:
        held.delete()
    return len(batch), 0, ""


def _deliver_each(settings: Settings, batch: list[tuple[spool.Held, bytes]], until: float) -> tuple[int, int, str]:
    delivered = refused = 0
    broken = ""
    for held, content in batch:
        try:
            post(settings, "captures", content, until)
            delivered += 1
        except Refused as error:
            if not journal.refuse(content, error.status, error.reason):
                continue
            refused += 1
        except Broken as error:
            # It stays; the others need not wait for it.
            broken = str(error)
            continue
        except Undelivered as error:
            return delivered, refused, str(error)
        held.delete()
    return delivered, refused, "" if delivered or refused else broken


def _id(capture: bytes) -> bytes:
    """What stands before the session: `outgoing.capture` writes the id first."""
    return capture[: capture.find(b",")]
