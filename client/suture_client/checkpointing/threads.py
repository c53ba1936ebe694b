"""Stores LangGraph's threads as sessions, found by LangGraph's ids.

A thread is one session, `langgraph:<thread>`. Each checkpoint of LangGraph is a checkpoint of Suture, and so are the
writes of each task after it. Their labels contain LangGraph's namespace and id, so they are found without their states.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from suture_client.errors import Problem
from suture_client.http import Api

_NOT_FOUND = 404
#: Rows on one page of a list.
_PAGE = 100
#: The largest depth in Suture. Labels distinguish namespaces at any depth.
_MAX_DEPTH = 64
#: The suffix of the labels of writes.
_WRITES = " writes"


class Stored(NamedTuple):
    """A stored checkpoint or stored writes, without the state."""

    #: Suture's id. Ids increase with time.
    id: str
    #: The digest of LangGraph's namespace.
    namespace: str
    #: LangGraph's id of the checkpoint.
    checkpoint_id: str
    is_writes: bool

    @property
    def key(self) -> tuple[str, str]:
        """The key that a checkpoint and its writes share within their thread."""
        return self.namespace, self.checkpoint_id


class Threads:
    """The threads of the caller, or those that `owner` shares."""

    def __init__(self, api: Api, prefix: str, owner: str | None) -> None:
        self.api, self._prefix, self._owner = api, f"{prefix}:", owner

    def names(self) -> Iterator[str]:
        """Yield the names of the threads."""
        for one in self._pages("sessions", prefix=self._prefix):
            yield one["session_id"].removeprefix(self._prefix)

    def stored(self, thread: str, namespace: str | None = None, checkpoint_id: str | None = None) -> Iterator[Stored]:
        """Yield the stored items of a thread, newest first: all, those of a namespace, or those of one checkpoint in
        it."""
        parameters: dict[str, Any] = {}
        if namespace is not None:
            parameters = {"depth": _depth(namespace), "label_prefix": _label(namespace, checkpoint_id or "")}
        try:
            for one in self._pages(*self._checkpoints(thread), **parameters):
                found = _read(one)
                if found and (checkpoint_id is None or found.checkpoint_id == checkpoint_id):
                    yield found
        except Problem as problem:
            if problem.status != _NOT_FOUND:
                raise

    def keep(self, kept: Mapping[str, Any], named: Iterable[str], about: Mapping[str, Any], *, is_writes: bool) -> None:
        """Store an item, which has a `thread_id`, a `checkpoint_ns` and a `checkpoint_id`.

        `named`: the ids in it, by which Suture finds it when memory is corrected or erased. `about`: metadata for
        people.
        """
        label = _label(kept["checkpoint_ns"], kept["checkpoint_id"])
        body = {
            "label": f"{label}{_WRITES}" if is_writes else label,
            "is_pinned": True,
            "depth": _depth(kept["checkpoint_ns"]),
            "working_memory": {**kept, "named": sorted(named)},
            "metadata": {"langgraph": "writes" if is_writes else "checkpoint", **about},
        }
        path = self._checkpoints(kept["thread_id"])
        self.api.send("POST", *path, body=json.dumps(body), owner=self._owner)

    def kept(self, stored: Stored) -> dict[str, Any] | None:
        """Return the item that `keep` stored; None if it has been deleted."""
        try:
            answer = self.api.get("checkpoints", stored.id, include_state="true", owner=self._owner)
        except Problem as problem:
            if problem.status != _NOT_FOUND:
                raise
            return None
        kept: dict[str, Any] = answer["state"]["working_memory"]
        return kept

    def delete(self, stored: Iterable[Stored]) -> None:
        """Delete items, if they still exist."""
        for one in stored:
            self._delete("checkpoints", one.id)

    def delete_all(self, thread: str) -> None:
        """Delete a thread permanently, if it exists. Late writes of a slow worker are refused."""
        self._delete("sessions", f"{self._prefix}{thread}")

    def _checkpoints(self, thread: str) -> tuple[str, str, str]:
        return "sessions", f"{self._prefix}{thread}", "checkpoints"

    def _delete(self, *path: str) -> None:
        try:
            self.api.delete(*path, owner=self._owner)
        except Problem as problem:
            if problem.status != _NOT_FOUND:
                raise

    def _pages(self, *path: str, **parameters: Any) -> Iterator[dict[str, Any]]:
        cursor = None
        while True:
            page = self.api.get(*path, limit=_PAGE, cursor=cursor, owner=self._owner, **parameters)
            yield from page["results"]
            if not (cursor := page["next"]):
                return


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
    return Stored(answer["id"], digest, checkpoint_id, checkpoint_id != named) if checkpoint_id else None
