"""The methods of both faces as steps. `memory` is the face on which a method is called, `item` a memory of it."""

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Protocol

from suture_client.errors import NotFound
from suture_client.http import Call
from suture_client.memory.face import Face
from suture_client.memory.records import Verdict
from suture_client.memory.steps import Answer, Iteration, Pause, Steps, pages

#: The most memories of one request, and of one page of a list.
MAX_BATCH, MAX_PAGE = 1_000, 200
#: The most seconds that the server lets one request wait for a verdict, and those between two requests if it answers at
#: once.
_LONGEST_WAIT, _PAUSE = 30, 1.0

Time = datetime | str
#: In seconds.
Duration = float | timedelta


class Scoped(Protocol):
    """A face, or something that belongs to one."""

    @property
    def face(self) -> Face:
        """The face."""


class Identified(Scoped, Protocol):
    """A memory of a face."""

    @property
    def id(self) -> str:
        """Its id."""


class Changed(Scoped, Protocol):
    """A change of memory."""

    @property
    def edit_ids(self) -> tuple[str, ...]:
        """The edits that it consists of."""


def remember(
    memory: Scoped,
    text: str | None = None,
    *,
    value: Any = None,
    metadata: Mapping[str, Any] | None = None,
    key: str | None = None,
    ttl: Duration | None = None,
    tags: Sequence[str] | None = None,
    sensitivity: str | None = None,
    audience: Any = None,
    retention: str | None = None,
    ts: Time | None = None,
    id: str | None = None,
) -> Steps[Answer]:
    """Record a memory, as a text or as any JSON `value`. A later one with the same `key` takes its place. Raises
    Invalid, Forbidden, Unavailable."""
    fields = _given(text=text, value=value, metadata=metadata, key=key, ttl=ttl, tags=tags)
    more = _given(sensitivity=sensitivity, audience=audience, retention=retention, ts=ts, id=id)
    return (yield _post(memory, "memories", body=memory.face.scope.fields(**fields, **more)))


def remember_many(memory: Scoped, memories: Iterable[str | Mapping[str, Any]]) -> Steps[list[Answer]]:
    """Record many memories: texts, or mappings with the arguments of `remember`. Each thousand is one transaction:
    all of them are recorded, or none. Raises as `remember`."""
    rest, done = iter(memories), []
    while batch := list(islice(rest, MAX_BATCH)):
        bodies = [
            memory.face.scope.fields(**({"text": each} if isinstance(each, str) else _given(**each))) for each in batch
        ]
        done += (yield _post(memory, "memories", "batch", body={"memories": bodies}))["memories"]
    return done


def recall(
    memory: Scoped,
    query: str,
    *,
    where: Mapping[str, Any] | None = None,
    limit: int = 10,
    mode: str | None = None,
    session: str | None = None,
    tag: str | None = None,
    kind: str | None = None,
    recorder: str | None = None,
    since: Time | None = None,
    until: Time | None = None,
    as_of: Time | None = None,
) -> Steps[list[Answer]]:
    """Find the memories that answer a question, the best first. `where` restricts their metadata, such as
    {"topic": "food"} or {"age": {"gte": 3}}. They are from `since` on, and from before `until`. With `as_of`, they are
    as they were at a time: for people with a role. Raises Invalid, Forbidden, Unavailable."""
    asked = _given(query=query, where=where, limit=limit, mode=mode, as_of=as_of)
    filters = _given(session_id=session, tag=tag, kind=kind, recorder=recorder, since=since, until=until)
    body = memory.face.scope.filters(**asked, **filters)
    found: list[Answer] = (yield search(memory, body))["results"]
    return found


def search(memory: Scoped, body: Mapping[str, Any]) -> Call:
    """A search of memories with these fields."""
    return Call("POST", ("memories", "search"), body=body, headers=memory.face.scope.headers, only_reads=True)


def memories(
    memory: Scoped,
    *,
    where: Mapping[str, Any] | None = None,
    session: str | None = None,
    key: str | None = None,
    key_prefix: str | None = None,
    tag: str | None = None,
    kind: str | None = None,
    recorder: str | None = None,
    since: Time | None = None,
    until: Time | None = None,
    as_of: Time | None = None,
) -> Iteration[Answer]:
    """Iterate over memories, newest first. The arguments restrict them, as in `recall`."""
    filters = _given(session_id=session, key=key, key_prefix=key_prefix, tag=tag, kind=kind, recorder=recorder)
    filters |= _given(since=since, until=until, as_of=as_of, where=None if where is None else json.dumps(where))
    return pages(_get(memory, "memories", **memory.face.scope.filters(**filters), limit=MAX_PAGE))


def export(memory: Scoped) -> Iteration[Answer]:
    """Iterate over memories as JSON objects, newest first. `suture import suture FILE` reads a file of them."""
    return memories(memory)


def subjects(memory: Scoped, *, subject_type: str | None = None, prefix: str | None = None) -> Iteration[Answer]:
    """Iterate over the subjects that memories are about."""
    return pages(_get(memory, "subjects", subject_type=subject_type, prefix=prefix, limit=MAX_PAGE))


def projects(memory: Scoped, *, prefix: str | None = None) -> Iteration[Answer]:
    """Iterate over the projects that memories are about."""
    return pages(_get(memory, "projects", prefix=prefix, limit=MAX_PAGE))


def whoami(memory: Scoped) -> Steps[Answer]:
    """Tell whose key this is, and what it may do."""
    return (yield _get(memory, "whoami"))


def get(memory: Scoped, id: str | None = None, *, key: str | None = None, as_of: Time | None = None) -> Steps[Answer]:
    """Return a memory by its id, or the newest one with a key. With `as_of`, as it was at a time: for people with a
    role. Raises NotFound, Forbidden."""
    at = _given(as_of=as_of)
    if id is not None:
        return (yield _get(memory, "memories", id, **at))
    if key is None:
        raise TypeError("Name the memory: give its id or its key.")
    found = (yield _get(memory, "memories", **memory.face.scope.filters(key=key, **at), limit=1))["results"]
    if not found:
        detail = f"There is no memory with the key {key!r}."
        raise NotFound(404, {"title": "Not Found", "code": "no-such-memory", "detail": detail}, {})
    return dict(found[0])


def update(
    memory: Scoped,
    id: str | None = None,
    *,
    key: str | None = None,
    text: str | None = None,
    value: Any = None,
    metadata: Mapping[str, Any] | None = None,
    ttl: Duration | None = None,
    reason: str | None = None,
) -> Steps[Answer]:
    """Change a memory, by its id or key. A new text alone is a correction, which may need approval. Anything else makes
    a new version, with a new id. Raises NotFound, Forbidden, Invalid."""
    if id is None:
        id = (yield from get(memory, key=key))["id"]
    body = _given(text=text, value=value, metadata=metadata, ttl=ttl, reason=reason)
    return (yield Call("PATCH", ("memories", id), body=body, headers=memory.face.scope.headers))


def forget(memory: Scoped, id: str | None = None, *, key: str | None = None, reason: str = "") -> Steps[Answer]:
    """Forget all versions of a memory, by its id or key. One of another agent waits for a person. Raises NotFound,
    Forbidden."""
    if id is None:
        id = (yield from get(memory, key=key))["id"]
    return (yield Call("DELETE", ("memories", id), {"reason": reason or None}, headers=memory.face.scope.headers))


def refresh_item(item: Identified) -> Steps[Answer]:
    """Read the memory again. Raises NotFound if it was forgotten."""
    return get(item, item.id)


def update_item(
    item: Identified,
    *,
    text: str | None = None,
    value: Any = None,
    metadata: Mapping[str, Any] | None = None,
    ttl: Duration | None = None,
    reason: str | None = None,
) -> Steps[Answer]:
    """Change the memory. A new text alone is a correction, which may need approval. Anything else makes a new version,
    with a new id. Raises NotFound, Forbidden, Invalid."""
    return update(item, item.id, text=text, value=value, metadata=metadata, ttl=ttl, reason=reason)


def correct_item(
    item: Identified, text: str, *, reason: str, everywhere: bool = False, confirm: bool = False
) -> Steps[Answer]:
    """Correct the text of the memory; with `everywhere`, in all memory that says it, also that of other agents.
    `confirm` confirms a change that the server finds unusually wide. Raises NotFound, Forbidden, Conflict, Invalid."""
    if everywhere:
        return _everywhere(item, confirm, op="replace", to=text, reason=reason)
    return update(item, item.id, text=text, reason=reason)


def forget_item(item: Identified, *, reason: str, everywhere: bool = False, confirm: bool = False) -> Steps[Answer]:
    """Forget all versions of the memory; with `everywhere`, what it says in all memory, and keep it out from now on.
    `confirm` and errors as in `correct`."""
    if everywhere:
        return _everywhere(item, confirm, op="forget", reason=reason)
    return forget(item, item.id, reason=reason)


def _everywhere(item: Identified, confirm: bool, **asked: str) -> Steps[Answer]:
    text = (yield from refresh_item(item))["text"]
    previewed = yield _post(item, "values", "preview", body={"value": text, **asked})
    done = yield _post(item, "values", body={"token": previewed["token"], "confirm": confirm})
    status = "applied" if done["status"] == "approved" else done["status"]
    return {"status": status, "edit_ids": [done["edit_id"]], "count": previewed["count"]}


def context(memory: Scoped, query: str | None = None, *, tokens: int = 4_000) -> Steps[Answer]:
    """Build a text for a prompt with what matters to a question, of at most `tokens` tokens (at least 256)."""
    session = memory.face.scope.session or "memories"
    asked = memory.face.scope.filters(session_id=session, query=query, max_tokens=tokens)
    return (yield _post(memory, "tools", "build_context", body=asked))


def wait(change: Changed, seconds: float = _LONGEST_WAIT) -> Steps[Verdict | None]:
    """Wait until people have decided, for at most `seconds`. None if they have not by then. Of a change of several
    edits, the first verdict that is not an approval counts, else the last."""
    end = time.monotonic() + seconds
    found: Verdict | None = None
    for edit_id in change.edit_ids:
        found = yield from _verdict(change, edit_id, end)
        if found is None or not found.is_approved:
            return found
    return found


def _verdict(memory: Scoped, edit_id: str, end: float) -> Steps[Verdict | None]:
    while True:
        began = time.monotonic()
        asked = max(0, min(int(end - began), _LONGEST_WAIT))
        body = {"edit_id": edit_id, "timeout_seconds": asked}
        answer = yield _post(memory, "tools", "wait_for_edit", body=body)
        if answer["is_decided"]:
            return verdict_of(answer)
        now = time.monotonic()
        if now >= end:
            return None
        if now - began < min(asked or _PAUSE, _PAUSE):  # the server lets no more requests wait
            yield Pause(min(_PAUSE, end - now))


def verdict_of(edit: Mapping[str, Any]) -> Verdict:
    """The verdict on a decided edit of the API."""
    last = edit["verdicts"][-1] if edit["verdicts"] else {}
    return Verdict.of(
        {
            "edit_id": edit["edit_id"],
            "status": edit["status"],
            "by": last.get("decider"),
            "reason": last.get("reason", ""),
            "decided_at": last.get("decided_at", edit.get("applied_at")),
        }
    )


def _get(memory: Scoped, *path: str, **parameters: Any) -> Call:
    return Call("GET", path, parameters, headers=memory.face.scope.headers)


def _post(memory: Scoped, *path: str, body: Mapping[str, Any]) -> Call:
    return Call("POST", path, body=body, headers=memory.face.scope.headers)


def _given(**fields: Any) -> dict[str, Any]:
    """The fields that are not None, as the API reads them."""
    return {name: _plain(value) for name, value in fields.items() if value is not None}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    return list(value) if isinstance(value, tuple | set | frozenset) else value
