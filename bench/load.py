"""Callers: processes that send requests over a kept connection, one after the other, for some seconds."""

import http.client
import json
import multiprocessing
import random
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from bench.corpus import SUBJECT, TERMS, Corpus

WARMING = 5


@dataclass(frozen=True, slots=True)
class Caller:
    """What one process needs to know. `chunk_ids` are of chunks that may be seen; edits take each once."""

    port: int
    key: str
    scenario: str
    seconds: float
    seed: int
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


def _requests(caller: Caller) -> Callable[[], Request]:
    """What makes the next request of the scenario."""
    chance = random.Random(caller.seed)
    corpus = Corpus(caller.seed, 1_000_000)
    to_edit = iter(caller.chunk_ids)

    def search(term: str) -> Request:
        return "POST", "chunks/search", {"query": term, "limit": 50}

    def amend() -> Request:
        patch = {"text": corpus.text()}
        body = {"target_type": "chunk", "target_id": next(to_edit), "op": "amend", "reason": "bench", "patch": patch}
        return "POST", "edits", body

    return {
        "record 1 event": lambda: ("POST", "events", _event(corpus)),
        "record 100 events": lambda: ("POST", "events/batch", {"events": [_event(corpus) for _ in range(100)]}),
        "search, rare term": lambda: search(TERMS["rare"][0]),
        "search, common term": lambda: search(TERMS["common"][0]),
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
        "amend a chunk": amend,
    }[caller.scenario]


#: In the order in which they are measured: what changes the data comes last.
SCENARIOS = (
    "search, rare term",
    "search, common term",
    "get 20 chunks",
    "timeline",
    "list 50 of a subject",
    "record 1 event",
    "record 100 events",
    "amend a chunk",
)

_WRITES = SCENARIOS[-3:]


def call(caller: Caller) -> Called:
    """Run one process's part."""
    connection = http.client.HTTPConnection("127.0.0.1", caller.port, timeout=60)
    following = _requests(caller)
    seconds: list[float] = []
    refused: str | None = None
    started = time.monotonic()
    for number in _until(started + caller.seconds):
        method, path, body = following()
        headers = {"Authorization": f"Bearer {caller.key}"}
        sent = None
        if body is not None:
            sent = json.dumps(body)
            headers["Content-Type"] = "application/json"
        if caller.scenario in _WRITES:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        at = time.perf_counter()
        connection.request(method, f"/api/v1/{path}", sent, headers)
        response = connection.getresponse()
        answer = response.read()
        if number >= WARMING:
            seconds.append(time.perf_counter() - at)
        if response.status >= 300:
            refused = f"{method} {path}: {response.status} {answer[:300].decode(errors='replace')}"
            break
    connection.close()
    return Called(seconds, refused)


def _until(deadline: float) -> Iterator[int]:
    number = 0
    while time.monotonic() < deadline or number <= WARMING:
        yield number
        number += 1


def call_together(callers: list[Caller]) -> list[Called]:
    """Run all callers at once, each in a process of its own."""
    with multiprocessing.get_context("spawn").Pool(len(callers)) as pool:
        return pool.map(call, callers, chunksize=1)
