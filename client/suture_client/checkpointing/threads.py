"""Stores LangGraph's threads as sessions, found by LangGraph's ids.

A thread is one session, `langgraph:<thread>`. Each checkpoint of LangGraph is a checkpoint of Suture, and so are the
writes of each task after it. Their labels contain LangGraph's namespace and id. In the order of the labels, the
greatest first, the checkpoints of a namespace are in LangGraph's order, each after its writes.
"""

import hashlib
import json
from collections.abc import AsyncGenerator, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from suture_client.checkpointing.batches import Batches
from suture_client.checkpointing.connections import Connection
from suture_client.errors import Problem

_NOT_FOUND = 404
#: Maximum rows on one page of a list, and how many times as long as the last one a page is.
MAX_PAGE, _GROWTH = 200, 4
#: Maximum checkpoints to delete in one request.
_MAX_DELETED = 10_000
#: The largest depth in Suture. Labels distinguish namespaces at any depth.
_MAX_DEPTH = 64
#: The suffix of the labels of writes.
_WRITES = " writes"


class Stored(NamedTuple):
    """A stored checkpoint or stored writes, and what `keep` was given, if it was read too."""

    #: Suture's id. Ids increase with time.
    id: str
    #: The digest of LangGraph's namespace.
    namespace: str
    #: LangGraph's id of the checkpoint.
    checkpoint_id: str
    is_writes: bool
    kept: dict[str, Any]

    @property
    def key(self) -> tuple[str, str]:
        """The key that a checkpoint and its writes share within their thread."""
        return self.namespace, self.checkpoint_id


class Item(NamedTuple):
    """An item to keep, which has a `thread_id`, a `checkpoint_ns` and a `checkpoint_id`."""

    kept: Mapping[str, Any]
    #: The ids in it, by which Suture finds it when memory is corrected or erased.
    named: Collection[str]
    #: Metadata for people.
    about: Mapping[str, Any]
    is_writes: bool


class Threads:
    """The threads of the caller, or those that `owner` shares."""

    def __init__(self, connection: Connection, prefix: str, owner: str | None) -> None:
        self._connection, self._prefix, self._owner = connection, f"{prefix}:", owner
        self._batches = Batches(connection, owner)

    async def names(self) -> AsyncGenerator[str, None]:
        """Yield the names of the threads."""
        async for one in self._rows("sessions", prefix=self._prefix):
            yield one["session_id"].removeprefix(self._prefix)

    async def stored(self, thread: str) -> AsyncGenerator[Stored, None]:
        """Yield the stored items of a thread, without what was kept, newest first."""
        async for one in self._checkpoints_of(thread):
            yield one

    async def read(
        self,
        thread: str,
        namespace: str | None = None,
        checkpoint_id: str | None = None,
        *,
        before: str | None = None,
        first: int = MAX_PAGE,
        has_copies: bool = False,
    ) -> AsyncGenerator[list[Stored], None]:
        """Yield what is stored about each checkpoint of a thread, of a namespace, or about one checkpoint in it: its
        writes and then itself, the newer first. Within a namespace, the checkpoint with the greatest id is first.

        `before`: only checkpoints with lesser ids. `first`: how many items to read at first. `has_copies`: with the
        older copies of a checkpoint that was stored twice.
        """
        narrowed: dict[str, Any] = {}
        if namespace is not None:
            narrowed = {"depth": _depth(namespace), "label_prefix": _label(namespace, checkpoint_id or "")}
            if before is not None:
                narrowed["label_before"] = _label(namespace, before)
        group: list[Stored] = []
        is_yielded = False
        asked = {**narrowed, "order": "label", "include_state": "true"}
        async for one in self._checkpoints_of(thread, first=first, **asked):
            if checkpoint_id is not None and one.checkpoint_id != checkpoint_id:
                continue
            if group and one.key != group[0].key:
                if not is_yielded:
                    yield group
                group, is_yielded = [], False
            group.append(one)
            if not (one.is_writes or has_copies or is_yielded):
                # without waiting for the row after it, which may be on the next page
                is_yielded = True
                yield group
        if group and not is_yielded:
            yield group

    async def keep(self, thread: str, items: Iterable[Item]) -> None:
        """Store items of a thread, in their order. Raises Problem, Away."""
        await self._batches.store(self._path(thread), [_body(one) for one in items])

    async def kept(self, stored: Stored) -> dict[str, Any] | None:
        """Return the item that `keep` stored; None if it has been deleted."""
        try:
            answer = await self._connection.ask(
                "GET", "checkpoints", stored.id, include_state="true", owner=self._owner
            )
        except Problem as problem:
            if problem.status != _NOT_FOUND:
                raise
            return None
        kept: dict[str, Any] = answer["state"]["working_memory"]
        return kept

    async def delete(self, thread: str, ids: Sequence[str]) -> None:
        """Delete items of a thread by Suture's ids, if they still exist."""
        for start in range(0, len(ids), _MAX_DELETED):
            body = json.dumps({"ids": ids[start : start + _MAX_DELETED]})
            await self._delete("POST", *self._path(thread), "delete", body=body)

    async def delete_all(self, thread: str) -> None:
        """Delete a thread permanently, if it exists. Late writes of a slow worker are refused."""
        await self._delete("DELETE", *self._path(thread)[:2])

    async def _delete(self, method: str, *path: str, body: str | None = None) -> None:
        try:
            await self._connection.ask(method, *path, body=body, owner=self._owner)
        except Problem as problem:
            if problem.status != _NOT_FOUND:
                raise

    def _path(self, thread: str) -> tuple[str, str, str]:
        return "sessions", f"{self._prefix}{thread}", "checkpoints"

    async def _checkpoints_of(self, thread: str, **parameters: Any) -> AsyncGenerator[Stored, None]:
        try:
            async for one in self._rows(*self._path(thread), **parameters):
                if found := _read(one):
                    yield found
        except Problem as problem:
            if problem.status != _NOT_FOUND:
                raise

    async def _rows(self, *path: str, first: int = MAX_PAGE, **parameters: Any) -> AsyncGenerator[dict[str, Any], None]:
        cursor, limit = None, first
        while True:
            page = await self._connection.ask("GET", *path, limit=limit, cursor=cursor, owner=self._owner, **parameters)
            for one in page["results"]:
                yield one
            if not (cursor := page["next"]):
                return
            limit = min(limit * _GROWTH, MAX_PAGE)


def _body(item: Item) -> str:
    label = _label(item.kept["checkpoint_ns"], item.kept["checkpoint_id"])
    return json.dumps(
        {
            "label": f"{label}{_WRITES}" if item.is_writes else label,
            "is_pinned": True,
            "depth": _depth(item.kept["checkpoint_ns"]),
            "working_memory": {**item.kept, "named": sorted(item.named)},
            "metadata": {"langgraph": "writes" if item.is_writes else "checkpoint", **item.about},
        }
    )


def _depth(namespace: str) -> int:
    """Return the nesting depth of a namespace, which has one part for each parent graph."""
    return min(namespace.count("|") + 1, _MAX_DEPTH) if namespace else 0


def _label(namespace: str, checkpoint_id: str) -> str:
    # A namespace may be longer than a label.
    return f"{hashlib.sha256(namespace.encode()).hexdigest()[:16]} {checkpoint_id}"


def _read(answer: Mapping[str, Any]) -> Stored | None:
    """Parse a checkpoint's label; None if it does not belong to a graph."""
    digest, _, named = (answer["label"] or "").partition(" ")
    checkpoint_id = named.removesuffix(_WRITES)
    if not checkpoint_id:
        return None
    kept = answer["state"]["working_memory"] if "state" in answer else {}
    return Stored(answer["id"], digest, checkpoint_id, checkpoint_id != named, kept)
