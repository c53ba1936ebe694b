"""A server in memory, for the tests of applications: `Memory(transport=FakeServer())`.

It keeps memories in a dict and speaks the part of the API that remembers, recalls, lists, corrects and forgets, also as
tools of a model. It has one key that may do everything, so every change applies at once, unless the test decides.
Recall finds the memories with words of the question, those with more of them first. It masks no secrets, and knows
neither meanings nor other spellings.
"""

import json
import re
import threading
import uuid
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

import httpx

from suture_client import __version__, versions
from suture_client.testing import tools
from suture_client.testing.refusals import Refused

_FILTERS = ("subject_type", "subject_id", "project_id", "session_id", "channel", "key", "kind", "recorder")
_WORD = re.compile(r"\w+")
_MISSING = object()
_OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda found, asked: found == asked,
    "ne": lambda found, asked: found != asked,
    "gt": lambda found, asked: _is_like(found, asked) and found > asked,
    "gte": lambda found, asked: _is_like(found, asked) and found >= asked,
    "lt": lambda found, asked: _is_like(found, asked) and found < asked,
    "lte": lambda found, asked: _is_like(found, asked) and found <= asked,
    "in": lambda found, asked: found in asked,
    "exists": lambda found, asked: (found is not _MISSING) == asked,
}

Answer = tuple[int, dict[str, Any]]


class FakeServer(httpx.MockTransport):
    """A server in memory. Each has its own memories, which any number of clients may share."""

    def __init__(self, *, name: str = "test-agent", tenant: str = "test", waits: bool = False) -> None:
        """`name` is the agent that the key belongs to. With `waits`, corrections and deletions are pending until
        `decide`."""
        super().__init__(self._respond)
        self._id, self._name, self._tenant = str(uuid.uuid4()), name, tenant
        #: The current version of each memory by its first id, in the order of their recording.
        self._memories: dict[str, dict[str, Any]] = {}
        #: The first id and the time of each version.
        self._first: dict[str, str] = {}
        self._times: dict[str, datetime] = {}
        #: The answers by idempotency key.
        self._done: dict[str, Answer] = {}
        #: The edits, as the API shows them, what each does when it is approved, and the verdicts that were told.
        self._edits: dict[str, dict[str, Any]] = {}
        self._effects: dict[str, Callable[[], None]] = {}
        self._told: list[dict[str, Any]] = []
        self._waits = waits
        self._now = datetime.now(UTC)
        self._lock = threading.RLock()

    def decide(self, edit_id: str, *, approve: bool = True, by: str = "reviewer", reason: str = "") -> None:
        """Approve or reject a pending change, as a person would. Raises KeyError if there is no such change."""
        with self._lock:
            effect = self._effects.pop(edit_id)
            if approve:
                effect()
            verdict = {"decider": by, "reason": reason, "decided_at": self._time()}
            status = "approved" if approve else "rejected"
            self._edits[edit_id] |= {"status": status, "is_decided": True, "verdicts": [verdict]}
            self._told.append({"edit_id": edit_id, "status": status, "by": by, **verdict})

    def _propose(self, effect: Callable[[], None]) -> dict[str, Any]:
        """An edit, which applies at once unless it waits."""
        id, status = str(uuid.uuid4()), "pending" if self._waits else "approved"
        self._edits[id] = {"edit_id": id, "status": status, "is_decided": not self._waits, "verdicts": []}
        if self._waits:
            self._effects[id] = effect
        else:
            effect()
        return self._edits[id]

    def _respond(self, request: httpx.Request) -> httpx.Response:
        once = request.headers.get("Idempotency-Key", "")
        if request.url.path.endswith("/notices/stream"):
            return self._stream(request.headers.get("Last-Event-ID"))
        with self._lock:
            answer = self._done.get(once)
            if answer is None:
                try:
                    answer = self._answer(request)
                except Refused as refused:
                    answer = refused.status, refused.details()
                if once and answer[0] < 400:
                    self._done[once] = answer
        return httpx.Response(answer[0], json=answer[1], headers={versions.HEADER: __version__})

    def _answer(self, request: httpx.Request) -> Answer:
        path = [unquote(part) for part in request.url.raw_path.decode().partition("?")[0].split("/")[3:]]
        body = json.loads(request.content or b"{}")
        parameters = dict(request.url.params)
        match request.method, path:
            case "POST", ["memories"]:
                return self._recorded(body)
            case "POST", ["memories", "batch"]:
                return 201, {"memories": self._recorded_together(body["memories"])}
            case "POST", ["memories", "search"]:
                return 200, self._search(body)
            case "GET", ["memories"]:
                if "where" in parameters:
                    parameters["where"] = json.loads(parameters["where"])
                return 200, _page(self._found(parameters)[::-1], parameters)
            case "GET", ["memories", id]:
                return 200, self._get(id)
            case "PATCH", ["memories", id]:
                return 200, self._change(self._get(id), body)
            case "DELETE", ["memories", id]:
                first = self._first[self._get(id)["id"]]
                return 200, _changed(self._propose(lambda: self._forget(first)))
            case "GET", ["subjects"]:
                return 200, _page(self._named(parameters, "subject_type", "subject_id"), parameters)
            case "GET", ["projects"]:
                return 200, _page(self._named(parameters, "project_id"), parameters)
            case "GET", ["whoami"]:
                return 200, self._whoami()
            case "POST", ["values", "preview"]:
                said = [one for one in self._memories.values() if body["value"] in one["text"]]
                return 200, {"token": json.dumps(body), "count": len(said), "confirm_because": []}
            case "POST", ["values"]:
                return 201, {"value_id": str(uuid.uuid4()), **self._replace(**json.loads(body["token"]))}
            case "GET", ["tools"]:
                return 200, {"tools": tools.definitions(parameters["format"], parameters["only"].split(","))}
            case "POST", ["tools", "build_context"]:
                return 200, self._context(body)
            case "POST", ["tools", "wait_for_edit"]:
                if body["edit_id"] not in self._edits:
                    raise Refused(404, "no-such-edit", "There is no such edit.")
                return 200, self._edits[body["edit_id"]]
            case "POST", ["tools", name]:
                return 200, self._called(name, tools.read(name, body))
        raise Refused(404, "no-such-route", f"The fake server has no {request.method} {request.url.path}.")

    def _recorded_together(self, bodies: list[dict[str, Any]]) -> list[dict[str, Any]]:
        before = dict(self._memories), dict(self._first)
        try:
            return [self._recorded(one)[1] for one in bodies]
        except Refused:
            self._memories, self._first = before
            raise

    def _recorded(self, body: Mapping[str, Any]) -> Answer:
        id = body.get("id") or str(uuid.uuid4())
        if id in self._first:
            return 200, self._receipt(self._get(id), "already_recorded")
        if body.get("text") is None and body.get("value") is None:
            raise Refused(400, "invalid", "A memory needs a text or a value.", "#/text")
        old = self._by_key(body) if body.get("key") else None
        now = self._time()
        memory = {
            "id": id,
            "text": body["text"] if body.get("text") is not None else _words_of(body["value"]),
            "value": body.get("value"),
            "metadata": body.get("metadata", {}),
            "key": body.get("key"),
            "kind": "message",
            "source": "event",
            "scope": "user" if "subject_id" in body else "project" if "project_id" in body else "session",
            **{name: body.get(name) for name in ("subject_type", "subject_id", "project_id")},
            "session_id": body.get("session_id", "memories"),
            "channel": body.get("channel", "private"),
            "tags": body.get("tags", []),
            "importance": 0.5,
            "recorder": self._name,
            "created_at": old["created_at"] if old else body.get("ts", now),
            "updated_at": now,
            "expires_at": self._expiry(body),
            "chunk_ids": [str(uuid.uuid4())],
            "edits_applied": 0,
            "is_quarantined": False,
        }
        first = self._first[old["id"]] if old else id
        self._memories.pop(first, None)  # the newest is the last
        self._memories[first], self._first[id] = memory, first
        self._times[id] = _time_of(body.get("ts", now))
        return 201, self._receipt(memory, "recorded", old["chunk_ids"] if old else [])

    def _receipt(self, memory: Mapping[str, Any], status: str, superseded: Sequence[str] = ()) -> dict[str, Any]:
        return {
            **{name: memory[name] for name in ("id", "key", "chunk_ids")},
            "status": status,
            "ts": memory["updated_at"],
            "superseded_chunk_ids": list(superseded),
            "quarantined_chunk_ids": [],
            "redacted": [],
            "notices": [],
        }

    def _by_key(self, body: Mapping[str, Any]) -> dict[str, Any] | None:
        about = ("subject_type", "subject_id", "project_id")
        asked = {"key": body["key"], **{name: body.get(name) for name in about}}
        return next((one for one in self._current() if all(one[name] == asked[name] for name in asked)), None)

    def _get(self, id: str) -> dict[str, Any]:
        found = self._memories.get(self._first.get(id, ""))
        if found is None or found not in self._current():
            raise Refused(404, "no-such-memory", "There is no such memory.")
        return found

    def _current(self) -> list[dict[str, Any]]:
        now = datetime.now(UTC)
        return [
            one
            for one in self._memories.values()
            if one["expires_at"] is None or datetime.fromisoformat(one["expires_at"]) > now
        ]

    def _change(self, memory: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
        if not {"text", "value", "metadata", "ttl"} & body.keys():
            raise Refused(400, "invalid", "Send what to change: text, value, metadata or ttl.")
        changed: dict[str, Any] = {name: body[name] for name in ("text", "value", "metadata") if name in body}
        if changed.keys() == {"text"} and "ttl" not in body:
            edit = self._propose(lambda: self._correct(memory, body["text"]))
            return {"memory": memory, **_changed(edit)}
        if "value" in body and "text" not in body:
            changed["text"] = _words_of(body["value"])
        changed["id"] = str(uuid.uuid4())
        self._first[changed["id"]] = self._first[memory["id"]]
        self._times[changed["id"]] = _time_of(self._time())
        if "ttl" in body:
            changed["expires_at"] = self._expiry(body)
        memory.update(changed, updated_at=self._time())
        return {"memory": memory, "status": "applied", "edit_ids": []}

    def _correct(self, memory: dict[str, Any], text: str) -> None:
        edits = memory["edits_applied"] + 1
        memory.update(text=text, value=None, edits_applied=edits, updated_at=self._time())

    def _forget(self, first: str) -> None:
        self._memories.pop(first, None)

    def _replace(self, *, op: str, value: str, to: str = "", **about: Any) -> dict[str, Any]:
        """Replace words in all memory that says them."""
        asked: dict[str, Any] = {name: about[name] for name in ("subject_type", "subject_id") if name in about}
        said = [one for one in self._found(asked) if value in one["text"]]

        def effect() -> None:
            for memory in said:
                self._correct(memory, memory["text"].replace(value, to if op == "replace" else "[forgotten]"))

        return {**self._propose(effect), "count": len(said)}

    def _called(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        """The answer of a tool."""
        if name == "memory_commit":
            made = self._recorded({**arguments, "text": arguments["content"]})[1]
            return {"seq": len(self._first), "chunk_id": made["chunk_ids"][0], "redacted": []}
        if name == "search_memory":
            found = self._search(arguments)
            chunks = [{**one, "chunk_id": one["chunk_ids"][0], "rank": one["score"]} for one in found["results"]]
            return {"chunks": chunks, "total_count": found["total_count"], "notices": []}
        return self._replace(op="replace" if name == "memory_correct" else "forget", **arguments)

    def _stream(self, last: str | None) -> httpx.Response:
        """The verdicts after the last one that the client knows, as server-sent events. Then the client connects
        again."""
        with self._lock:
            begin = len(self._told) if last is None else int(last)
            events = [f"retry: 10\nid: {begin}\n\n"]
            for number, verdict in enumerate(self._told[begin:], begin + 1):
                events.append(f"event: verdict\nid: {number}\ndata: {json.dumps(verdict)}\n\n")
        return httpx.Response(200, headers={"Content-Type": "text/event-stream"}, text="".join(events))

    def _found(self, asked: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The memories that the filters match, the oldest first."""
        where = asked.get("where", {})
        return [
            one
            for one in self._current()
            if all(one[name] == asked[name] for name in _FILTERS if name in asked)
            and (one["key"] or "").startswith(asked.get("key_prefix", ""))
            and ("tag" not in asked or asked["tag"] in one["tags"])
            and ("since" not in asked or self._times[one["id"]] >= _time_of(asked["since"]))
            and ("until" not in asked or self._times[one["id"]] < _time_of(asked["until"]))
            and all(_matches(one["metadata"], path, condition) for path, condition in where.items())
        ]

    def _search(self, body: Mapping[str, Any]) -> dict[str, Any]:
        words = _words(body["query"])
        scored = [
            {**one, "score": len(words & _words(one["text"])) / max(1, len(words))}
            for one in reversed(self._found(body))
        ]
        found = sorted((one for one in scored if one["score"]), key=lambda one: -one["score"])
        return {"results": found[: body.get("limit", 10)], "total_count": len(found), "notices": []}

    def _context(self, body: Mapping[str, Any]) -> dict[str, Any]:
        asked = {name: body[name] for name in ("subject_type", "subject_id", "project_id", "channel") if name in body}
        found = self._search({**asked, "query": body["query"]})["results"] if body.get("query") else self._found(asked)
        given: list[dict[str, Any]] = []
        used = 0
        for one in found:
            used += len(_WORD.findall(one["text"]))
            if used > body["max_tokens"]:
                break
            given.append(one)
        text = "\n".join(f"> {one['text']}" for one in given)
        tokens = sum(len(_WORD.findall(one["text"])) for one in given)
        return {"text": text, "provenance": [{"id": one["chunk_ids"][0]} for one in given], "total_tokens": tokens}

    def _named(self, asked: Mapping[str, Any], *names: str) -> list[dict[str, Any]]:
        """The subjects or projects of memory, in the order of their names."""
        newest: dict[tuple[str, ...], str] = {}
        for one in self._current():
            if one[names[-1]] is not None:
                newest[tuple(one[name] for name in names)] = one["updated_at"]
        return [
            {**dict(zip(names, found, strict=True)), "updated_at": at}
            for found, at in sorted(newest.items())
            if found[-1].startswith(asked.get("prefix", "")) and asked.get("subject_type", found[0]) == found[0]
        ]

    def _whoami(self) -> dict[str, Any]:
        return {
            "tenant": self._tenant,
            "kind": "agent",
            "id": self._id,
            "name": self._name,
            "roles": [],
            "channels": ["private", "agent", "team", "public"],
            "default_channel": "private",
            "on_behalf_of": None,
            "must_name_principal": False,
        }

    def _time(self) -> str:
        """The time, later for each call."""
        self._now = max(datetime.now(UTC), self._now + timedelta(microseconds=1))
        return self._now.isoformat()

    def _expiry(self, body: Mapping[str, Any]) -> str | None:
        return (datetime.now(UTC) + timedelta(seconds=body["ttl"])).isoformat() if "ttl" in body else None


def _changed(edit: Mapping[str, Any]) -> dict[str, Any]:
    """A change that is one edit."""
    return {"status": "applied" if edit["is_decided"] else "pending", "edit_ids": [edit["edit_id"]]}


def _page(found: list[dict[str, Any]], asked: Mapping[str, Any]) -> dict[str, Any]:
    start, limit = int(asked.get("cursor", 0)), int(asked.get("limit", 50))
    following = start + limit
    return {"results": found[start:following], "next": str(following) if following < len(found) else None}


def _matches(metadata: Mapping[str, Any], path: str, condition: Any) -> bool:
    found: Any = metadata
    for name in path.split("."):
        found = found.get(name, _MISSING) if isinstance(found, dict) else _MISSING
    if not isinstance(condition, dict):
        return bool(found == condition)
    for name, asked in condition.items():
        if name not in _OPERATORS:
            allowed = ", ".join(_OPERATORS)
            raise Refused(400, "invalid", f"There is no operator {name}. Use {allowed}.", f"#/where/{path}/{name}")
        if not _OPERATORS[name](found, asked):
            return False
    return True


def _is_like(found: Any, asked: Any) -> bool:
    numbers = (int, float)
    return (isinstance(found, numbers) and isinstance(asked, numbers)) or (
        isinstance(found, str) and isinstance(asked, str)
    )


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _words_of(value: Any) -> str:
    """The words of a JSON value."""
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_words_of(one)}" for name, one in value.items())
    return ", ".join(map(_words_of, value)) if isinstance(value, list) else str(value)


def _time_of(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)
