"""Items of a store as memories, and its operations as steps (`suture_client.memory.steps`)."""

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from langgraph.store.base import GetOp, Item, ListNamespacesOp, MatchCondition, PutOp, SearchItem, SearchOp
from langgraph.store.base.embed import get_text_at_path

from suture_client.errors import Forbidden, NotFound
from suture_client.http import Call
from suture_client.memory import requests
from suture_client.memory.requests import Scoped
from suture_client.memory.steps import Answer, Steps
from suture_client.storing.filters import fulfils, labels_of, where_of
from suture_client.storing.names import decoded, encoded, namespace_of, subject_of

#: Why an item was deleted, in the ledger.
DELETED = "Deleted from the store."
#: Maximum number of results of a search.
_MAX_FOUND = 100

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Items:
    """The items of a store: memories about subjects of one type. `fields` are the members of a value that search looks
    into, if not all."""

    memory: Scoped
    subject_type: str
    fields: Sequence[str] | None

    def get(self, op: GetOp) -> Steps[Item | None]:
        """The newest item with the key."""
        found = yield self._list(1, subject_id=subject_of(op.namespace), key=encoded(op.key))
        if not found["results"]:
            return None
        (memory,) = found["results"]
        yield from self._refreshed(memory, op.refresh_ttl)
        item: Item = _item(memory)
        return item

    def put(self, ops: Iterable[PutOp]) -> Steps[None]:
        """Store and delete items; of those with the same key, the last. What is stored is one request."""
        last = {(tuple(op.namespace), op.key): op for op in ops}
        stored = [op for op in last.values() if op.value is not None]
        answers = yield from requests.remember_many(self.memory, [self._memory_of(op) for op in stored])
        for op, answer in zip(stored, answers, strict=True):
            _warn(op, answer)
        for op in last.values():
            if op.value is None:
                yield from self._delete(op)

    def search(self, op: SearchOp) -> Steps[list[SearchItem]]:
        """The items under a namespace that fulfil a filter: those that answer the query, best first, or the newest."""
        if op.limit <= 0:
            return []
        filter = op.filter or {}
        where = where_of(filter)
        asked: dict[str, Any] = {"subject_prefix": subject_of(op.namespace_prefix) or None}

        def is_wanted(memory: Answer) -> bool:
            value = _value(memory)
            return all(fulfils(value.get(name), wanted) for name, wanted in filter.items())

        wanted = op.offset + op.limit
        if op.query:
            limit = _MAX_FOUND if filter else min(wanted, _MAX_FOUND)
            # each key is an item of its own, however similar
            body = self._about(**asked, query=op.query, where=where or None, limit=limit, collapse_duplicates=False)
            answer = yield requests.search(self.memory, body)
            found = _newest_of_each(answer["results"], is_wanted)
        else:
            found = yield from self._newest(wanted, is_wanted, **asked, where=json.dumps(where) if where else None)
        found = found[op.offset : wanted]
        for memory in found:
            yield from self._refreshed(memory, op.refresh_ttl)
        return [_item(memory, SearchItem, score=memory.get("score")) for memory in found]

    def list_namespaces(self, op: ListNamespacesOp) -> Steps[list[tuple[str, ...]]]:
        """The namespaces with items that fulfil the conditions, in order."""
        conditions = op.match_conditions or ()
        prefix = max((subject_of(_literal(one)) for one in conditions if one.match_type == "prefix"), default="")
        found: set[tuple[str, ...]] = set()
        cursor = None
        while True:
            asked = {"subject_type": self.subject_type, "prefix": prefix or None, "cursor": cursor}
            page = yield Call("GET", ("subjects",), {**asked, "limit": requests.MAX_PAGE}, headers=self._headers)
            for one in page["results"]:
                namespace = namespace_of(one["subject_id"])
                if all(_matches(condition, namespace) for condition in conditions):
                    found.add(namespace if op.max_depth is None else namespace[: op.max_depth])
            cursor = page["next"]
            if cursor is None:
                return sorted(found)[op.offset : op.offset + op.limit]

    @property
    def _headers(self) -> Mapping[str, str]:
        return self.memory.face.scope.headers

    def _about(self, **fields: Any) -> dict[str, Any]:
        return self.memory.face.scope.filters(subject_type=self.subject_type, **fields)

    def _list(self, limit: int, **filters: Any) -> Call:
        return Call("GET", ("memories",), {**self._about(**filters), "limit": limit}, headers=self._headers)

    def _newest(self, wanted: int, is_wanted: Callable[[Answer], bool], **filters: Any) -> Steps[list[Answer]]:
        read: list[Answer] = []
        cursor = None
        while True:
            limit = min(wanted, requests.MAX_PAGE) if wanted > len(read) else requests.MAX_PAGE
            page = yield self._list(limit, **filters, cursor=cursor)
            read += page["results"]
            found = _newest_of_each(read, is_wanted)
            cursor = page["next"]
            if cursor is None or len(found) >= wanted:
                return found

    def _delete(self, op: PutOp) -> Steps[None]:
        """Forget all memories with the key, of which other agents may have recorded some."""
        found = yield self._list(requests.MAX_PAGE, subject_id=subject_of(op.namespace), key=encoded(op.key))
        for memory in found["results"]:
            try:
                done = yield from requests.forget(self.memory, memory["id"], reason=DELETED)
            except NotFound:  # deleted in between
                continue
            if done["status"] != "applied":
                _log.warning("A person decides whether %r is deleted from %r.", op.key, op.namespace)

    def _refreshed(self, memory: Answer, is_asked: bool) -> Steps[None]:
        """Let the time to live of an item begin again, as a new version. Only its recorder may."""
        if not is_asked or memory["expires_at"] is None:
            return
        ttl = datetime.fromisoformat(memory["expires_at"]) - datetime.fromisoformat(memory["updated_at"])
        with suppress(Forbidden, NotFound):
            yield from requests.update(self.memory, memory["id"], ttl=ttl, reason="Read from the store.")

    def _memory_of(self, op: PutOp) -> dict[str, Any]:
        value = dict(op.value or {})
        fields = self.fields if op.index is None else op.index
        return {
            "subject_type": self.subject_type,
            "subject_id": subject_of(op.namespace),
            "key": encoded(op.key),
            "value": value,
            "text": _text(op.key, value, fields),
            "metadata": labels_of(value) or None,
            "ttl": None if op.ttl is None else op.ttl * 60,
            "compute_embedding": fields is not False,
        }


def _text(key: str, value: Mapping[str, Any], fields: Sequence[str] | Literal[False] | None) -> str:
    """The text of an item: its value, or some fields of it, as JSON, so that a correction of the text corrects the
    value. That of an item that search does not look into is its key."""
    if fields is not None:
        chosen = {path: get_text_at_path(value, path) for path in fields or ()}
        value = {path: value.get(path, texts) for path, texts in chosen.items() if texts}
    return json.dumps(value, ensure_ascii=False) if value else key


def _value(memory: Answer) -> dict[str, Any]:
    """The value of an item. Corrected ones only have their text."""
    value = memory["value"]
    if value is None:
        try:
            value = json.loads(memory["text"])
        except ValueError:
            value = None  # a person wrote something else than JSON
    return value if isinstance(value, dict) else {"text": memory["text"]}


def _item(memory: Answer, kind: type[Item] = Item, **more: Any) -> Any:
    return kind(
        namespace=namespace_of(memory["subject_id"]),
        key=decoded(memory["key"] or memory["id"]),
        value=_value(memory),
        created_at=datetime.fromisoformat(memory["created_at"]),
        updated_at=datetime.fromisoformat(memory["updated_at"]),
        **more,
    )


def _newest_of_each(memories: Iterable[Answer], is_wanted: Callable[[Answer], bool]) -> list[Answer]:
    """One memory of each key, the newest: several agents may have recorded one. Those that are wanted."""
    found: dict[tuple[str, str], Answer] = {}
    for memory in memories:
        name = memory["subject_id"], memory["key"] or memory["id"]
        if name not in found or memory["updated_at"] > found[name]["updated_at"]:
            found[name] = memory
    return [memory for memory in found.values() if is_wanted(memory)]


def _literal(condition: MatchCondition) -> Sequence[str]:
    """The beginning of a condition's path, up to a wildcard."""
    path = list(condition.path)
    return path[: path.index("*")] if "*" in path else path


def _matches(condition: MatchCondition, namespace: tuple[str, ...]) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[-len(path) :]
    return len(part) == len(path) and all(asked in ("*", label) for asked, label in zip(path, part, strict=True))


def _warn(op: PutOp, answer: Answer) -> None:
    """Log what the server did with an item that the caller would not expect."""
    if answer["redacted"]:
        kinds = ", ".join(answer["redacted"])
        _log.warning("Secrets in %r of %r were masked before they were stored: %s.", op.key, op.namespace, kinds)
    if answer["quarantined_chunk_ids"]:
        _log.warning("%r of %r repeats what was retracted. It is hidden until a person decides.", op.key, op.namespace)
