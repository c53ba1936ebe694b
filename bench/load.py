"""Callers: processes that send requests over a kept connection, one after the other, for some seconds."""

import http.client
import itertools
import json
import multiprocessing
import random
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from multiprocessing.pool import Pool
from typing import Any

from bench.capture.english import english
from bench.corpus import SUBJECT, TERMS, Corpus

WARMING = 5


@dataclass(frozen=True, slots=True)
class Caller:
    """What one process needs to know: its place among all callers, and ids of chunks that may be seen. Every caller
    edits chunks of its own, each once if there are enough: an edit of an edited one would be another case."""

    port: int
    key: str
    scenario: str
    seconds: float
    place: int
    of: int
    chunk_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Called:
    """What one process did: seconds per request, and the first answer that was no success."""

    seconds: list[float]
    refused: str | None


Request = tuple[str, str, Any]


def _event(corpus: Corpus) -> dict[str, Any]:
    return {
        "session_id": f"session-{corpus.random.randrange(100)}",
        "channel": "private",
        "actor_type": "agent",
        "actor_id": "bench",
        "kind": "message",
        "content": {"text": corpus.text()},
        "subject_type": "customer",
        "subject_id": f"subject-{corpus.random.randrange(1000)}",
    }


def _capture(corpus: Corpus, *, compute_embedding: bool = True) -> dict[str, Any]:
    """What a hook sends about the use of a tool."""
    return {
        "id": str(uuid.uuid4()),
        "session_id": f"session-{corpus.random.randrange(100)}",
        "source": {"type": "HookDescription", "hook_type": "PostToolUse", "tool_name": "Bash"},
        "content": english(corpus.random),
        "compute_embedding": compute_embedding,
    }


def requests_of(caller: Caller) -> Callable[[], Request]:
    """What makes the next request of the scenario."""
    chance = random.Random(caller.place)
    corpus = Corpus(caller.place, 1_000_000)
    to_edit = itertools.cycle(caller.chunk_ids[caller.place :: caller.of])

    def search(term: str, **fields: Any) -> Request:
        return "POST", "chunks/search", {"query": term, "limit": 50, **fields}

    def ask(**fields: Any) -> Request:
        """Search for words of a chunk that may be there, as an agent asks: another question each time."""
        return search(corpus.question(chance), **{"limit": 10, **fields})

    def amend() -> Request:
        patch = {"text": corpus.text()}
        body = {"target_type": "chunk", "target_id": next(to_edit), "op": "amend", "reason": "bench", "patch": patch}
        return "POST", "edits", body

    def capsule() -> Request:
        body = {
            "subject_type": SUBJECT[0],
            "subject_id": f"subject-{chance.randrange(1000)}",
            "scope": "user",
            "audience_agent_ids": ["reader-0", "reader-1"],
            "items": {"chunks": chance.sample(caller.chunk_ids, 5)},
        }
        return "POST", "capsules", body

    def bundle() -> Request:
        body = {
            "session_id": f"session-{chance.randrange(100)}",
            "channel": "private",
            "subject_type": SUBJECT[0],
            "subject_id": f"subject-{chance.randrange(1000)}",
            "query": f"{TERMS['rare'][0]} {TERMS['medium'][0]}",
        }
        return "POST", "acb/build", body

    def record(number: int) -> Request:
        return "POST", "events/batch", {"events": [_event(corpus) for _ in range(number)]}

    def tool(name: str, **arguments: Any) -> Request:
        return "POST", f"tools/{name}", arguments

    def capture(number: int, *, compute_embedding: bool = True) -> Request:
        bodies = [_capture(corpus, compute_embedding=compute_embedding) for _ in range(number)]
        return ("POST", "captures", bodies[0]) if number == 1 else ("POST", "captures/batch", {"captures": bodies})

    def over_mcp(request: Request) -> Request:
        _, path, arguments = request
        call = {"name": path.removeprefix("tools/"), "arguments": arguments}
        return "POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}

    def search_tool() -> Request:
        return tool("search_memory", query=TERMS["rare"][0], limit=10)

    def commit() -> Request:
        return tool("memory_commit", content=corpus.text(), importance=chance.randint(1, 10))

    return {
        "create a capsule": capsule,
        "available capsules": lambda: ("GET", "capsules?limit=50", None),
        "available capsules of a subject": lambda: (
            "GET",
            f"capsules?subject_type={SUBJECT[0]}&subject_id=subject-{chance.randrange(1000)}",
            None,
        ),
        "context bundle, 65,000 tokens": bundle,
        "record 1 event": lambda: ("POST", "events", _event(corpus)),
        "record 100 events": lambda: record(100),
        "record 1,000 events": lambda: record(1_000),
        "capture 1": lambda: capture(1),
        "capture 20": lambda: capture(20),
        "capture 1 without embeddings": lambda: capture(1, compute_embedding=False),
        "capture 100 without embeddings": lambda: capture(100, compute_embedding=False),
        "search, rare term": lambda: search(TERMS["rare"][0]),
        "search, medium term": lambda: search(TERMS["medium"][0]),
        "search, common term": lambda: search(TERMS["common"][0]),
        "search, beginning of a common term": lambda: search(f"{TERMS['common'][0][:4]}*"),
        "search, as a tool": search_tool,
        "search, as a tool over MCP": lambda: over_mcp(search_tool()),
        "commit": commit,
        "commit over MCP": lambda: over_mcp(commit()),
        "recall": lambda: tool("memory_recall", query=corpus.question(chance)),
        "recall over MCP": lambda: over_mcp(tool("memory_recall", query=corpus.question(chance))),
        "bootstrap with a question": lambda: ("POST", "context/bootstrap", {"query": corpus.question(chance)}),
        "bootstrap without a question": lambda: ("POST", "context/bootstrap", {}),
        "read a block": lambda: tool("block_get", label="persona"),
        "update a block": lambda: tool("block_update", label="goals", content=corpus.text()),
        "search, common term and subject": lambda: search(
            TERMS["common"][0], subject_type=SUBJECT[0], subject_id=SUBJECT[1]
        ),
        "ask, by words": lambda: ask(mode="keyword"),
        "ask, hybrid": lambda: ask(mode="hybrid"),
        "ask, by meaning": lambda: ask(mode="semantic"),
        "ask, hybrid and reranked": lambda: ask(mode="hybrid", rerank=True),
        "get 20 chunks": lambda: ("POST", "chunks/get", {"chunk_ids": chance.sample(caller.chunk_ids, 20)}),
        "timeline": lambda: (
            "GET",
            f"chunks/{chance.choice(caller.chunk_ids)}/timeline?window_seconds=3600&limit=50",
            None,
        ),
        "list 50 of a subject": lambda: (
            "GET",
            f"chunks?subject_type={SUBJECT[0]}&subject_id={SUBJECT[1]}&limit=50",
            None,
        ),
        "list 50 of a scope": lambda: ("GET", "chunks?scope=project&limit=50", None),
        "amend a chunk": amend,
    }[caller.scenario]


#: What is promised of the filters, of full text, of an edit, of capsules and bundles: the 95th percentile in ms, with
#: four callers.
_FILTER, _TEXT, _HYBRID, _EDIT = 50.0, 100.0, 120.0, 50.0
_CREATE, _AVAILABLE, _BUNDLE, _RECORD = 50.0, 30.0, 120.0, 40.0
#: The requests, with what is promised of them, in the order in which they are measured: what changes the data is last.
SCENARIOS: dict[str, float | None] = {
    "search, rare term": _TEXT,
    "search, medium term": _TEXT,
    "search, common term": _TEXT,
    "search, beginning of a common term": _TEXT,
    "search, common term and subject": _TEXT,
    "ask, by words": _TEXT,
    "ask, hybrid": _HYBRID,
    "ask, by meaning": None,
    "ask, hybrid and reranked": None,
    "list 50 of a subject": _FILTER,
    "list 50 of a scope": _FILTER,
    "get 20 chunks": None,
    "timeline": None,
    "available capsules": _AVAILABLE,
    "available capsules of a subject": _AVAILABLE,
    "context bundle, 65,000 tokens": _BUNDLE,
    "create a capsule": _CREATE,
    "record 1 event": _RECORD,
    "record 100 events": None,
    "amend a chunk": _EDIT,
}

#: The requests of an agent's own memory, with what is promised of them. MCP may take 10 ms more than REST.
OF_AGENTS: dict[str, float | None] = {
    "read a block": None,
    "search, as a tool": None,
    "search, as a tool over MCP": None,
    "recall": 80.0,
    "recall over MCP": 90.0,
    "bootstrap with a question": 80.0,
    "bootstrap without a question": 80.0,
    "commit": 30.0,
    "commit over MCP": 40.0,
    "update a block": None,
}

#: How many memories a request of each scenario captures.
OF_CAPTURES: dict[str, int] = {
    "capture 1 without embeddings": 1,
    "capture 100 without embeddings": 100,
    "capture 1": 1,
    "capture 20": 20,
}

_WRITES = frozenset(
    {
        *("commit", "update a block", "record 1 event", "record 100 events", "record 1,000 events", "amend a chunk"),
        "create a capsule",
    }
)


def is_write(scenario: str) -> bool:
    """Whether its requests change something, and so have an idempotency key."""
    return scenario in _WRITES


def call(caller: Caller) -> Called:
    """Run one process's part."""
    connection = http.client.HTTPConnection("127.0.0.1", caller.port, timeout=60)
    following = requests_of(caller)
    seconds: list[float] = []
    refused: str | None = None
    # twenty memories may take a second to embed
    warming = 1 if caller.scenario in OF_CAPTURES else WARMING
    for number in _until(time.monotonic() + caller.seconds, warming):
        method, path, body = following()
        headers = {"Authorization": f"Bearer {caller.key}"}
        sent = None
        if body is not None:
            sent = json.dumps(body)
            headers["Content-Type"] = "application/json"
            headers["Accept"] = "application/json, text/event-stream"
        if is_write(caller.scenario):
            headers["Idempotency-Key"] = str(uuid.uuid4())
        at = time.perf_counter()
        connection.request(method, path if path.startswith("/") else f"/api/v1/{path}", sent, headers)
        response = connection.getresponse()
        answer = response.read()
        if number >= warming:
            seconds.append(time.perf_counter() - at)
        if response.status >= 300 or b'"isError":true' in answer:
            refused = f"{method} {path}: {response.status} {answer[:300].decode(errors='replace')}"
            break
    connection.close()
    return Called(seconds, refused)


def post(port: int, key: str, path: str, body: Any) -> None:
    """Send one request, which must succeed."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    connection.request("POST", f"/api/v1/{path}", json.dumps(body), headers)
    response = connection.getresponse()
    said = response.read()
    connection.close()
    if response.status >= 300:
        raise SystemExit(f"{path}: {response.status} {said[:300].decode(errors='replace')}")


def _until(deadline: float, warming: int) -> Iterator[int]:
    number = 0
    while time.monotonic() < deadline or number <= warming:
        yield number
        number += 1


def processes(number: int) -> AbstractContextManager[Pool]:
    """Processes for so many callers at once; they outlast a scenario, since starting them takes longer than one."""
    return multiprocessing.get_context("spawn").Pool(number)


def call_together(pool: Pool, callers: list[Caller]) -> list[Called]:
    """Run all callers at once, each in a process of the pool."""
    return pool.map(call, callers, chunksize=1)
