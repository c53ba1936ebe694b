"""Verdicts and corrections, as the server streams them (server-sent events)."""

import json
from collections.abc import Sequence
from typing import Any

from suture_client.errors import NotFound, Unavailable
from suture_client.http import Call
from suture_client.memory.records import Correction, Verdict
from suture_client.memory.requests import Scoped, verdict_of
from suture_client.memory.steps import Item, Iteration, NextLine, Open, Pause, Steps

Notice = Verdict | Correction
_KINDS: dict[str, type[Verdict] | type[Correction]] = {"verdict": Verdict, "correction": Correction}

#: Seconds before the client connects again, unless the server says how many; and before it asks a server without
#: streams again.
_RETRY, _POLL = 2.0, 5.0
#: The longest pause while the server is unavailable, in seconds.
_LONGEST_PAUSE = 30.0


class EventReader:
    """Reads the lines of a stream. `last` is the id of the last event, `retry` the seconds before the next
    connection."""

    def __init__(self, last: str | None) -> None:
        self.last, self.retry = last, _RETRY
        self._fields: dict[str, str] = {}

    def read(self, line: str) -> tuple[str, Any] | None:
        """Read a line; return the name and the data of an event that it ends."""
        if not line:
            fields, self._fields = self._fields, {}
            self.last = fields.get("id", self.last)
            return (fields.get("event", "message"), json.loads(fields["data"])) if "data" in fields else None
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "retry" and value.isdigit():
            self.retry = int(value) / 1_000
        self._fields[name] = value
        return None

    def drop(self) -> None:
        """Forget an event that the end of the stream cut off."""
        self._fields = {}


def notices(memory: Scoped, after: str | None = None) -> Iteration[Notice]:
    """Iterate over verdicts on the caller's edits, and over corrections by others of memory that it has received, as
    they happen, without an end. `after` is the `id` of the last one that was handled; default: from now on. Connects
    again when the server was away. Raises Unauthorized, Forbidden, Invalid."""
    return _listen(memory, after, tuple(_KINDS))


def verdicts(memory: Scoped, after: str | None = None) -> Iteration[Verdict]:
    """Iterate over the verdicts on the caller's edits, as people decide, without an end. `after` and errors as in
    `notices`."""
    return _listen(memory, after, ("verdict",))


def _listen(memory: Scoped, after: str | None, kinds: Sequence[str]) -> Iteration[Any]:
    reader = EventReader(after)
    pause = reader.retry
    while True:
        try:
            yield Open(_stream(memory, reader.last))
            while (line := (yield NextLine())["line"]) is not None:
                pause = reader.retry
                event = reader.read(line)
                if event is not None and event[0] in kinds:
                    yield Item(_KINDS[event[0]].of({**event[1], "id": reader.last}))
        except NotFound:
            yield from _polled(memory)
        except Unavailable:
            pause = min(2 * pause, _LONGEST_PAUSE)
        reader.drop()
        yield Pause(pause)


def _stream(memory: Scoped, last: str | None) -> Call:
    resumed = {} if last is None else {"Last-Event-ID": last}
    headers = {"Accept": "text/event-stream", **resumed, **memory.face.scope.headers}
    return Call("GET", ("notices", "stream"), headers=headers)


def _polled(memory: Scoped) -> Iteration[Verdict]:
    """The verdicts of a server without a stream: those on edits that are no longer pending."""
    known: set[str] = set()
    while True:
        pending = yield from _pending(memory)
        for edit_id in sorted(known - pending):
            yield Item(verdict_of((yield _get(memory, "edits", edit_id))))
        known = pending
        yield Pause(_POLL)


def _pending(memory: Scoped) -> Steps[set[str]]:
    found: set[str] = set()
    cursor = None
    while True:
        page = yield _get(memory, "edits", status="pending", limit=200, cursor=cursor)
        found |= {edit["edit_id"] for edit in page["results"]}
        cursor = page["next"]
        if cursor is None:
            return found


def _get(memory: Scoped, *path: str, **parameters: Any) -> Call:
    return Call("GET", path, parameters, headers=memory.face.scope.headers)
