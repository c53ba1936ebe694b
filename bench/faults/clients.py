"""The clients of a run: four writers with a journal on disk, readers, and a monitor of readiness."""

import http.client
import itertools
import json
import os
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

#: Maximum seconds that a client waits for a response.
PATIENCE = 20.0
#: Seconds between two requests of a client: the goal is to break the machine, not to measure it.
PAUSE = 0.1
SUBJECT = {"subject_type": "user", "subject_id": "jack-doe-123"}


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of a request. `status` 0: no response, for the `reason`; `retries`: it had Retry-After; `failed`: the
    failed readiness checks, with reasons."""

    at: float
    seconds: float
    status: int
    reason: str = ""
    retries: bool = False
    failed: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """An acknowledged record: `word` finds it by search, if it has a word of its own."""

    kind: str
    id: str
    word: str = ""


class Journal:
    """Acknowledged records, on disk before the next request is sent."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a")
        self._lock = threading.Lock()
        self.entries: list[Acknowledged] = []

    def note(self, entry: Acknowledged) -> None:
        """Write an entry, synced to the disk."""
        with self._lock:
            self._file.write(json.dumps([entry.kind, entry.id, entry.word]) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
            self.entries.append(entry)

    def close(self) -> None:
        """Close the file; it is kept."""
        self._file.close()


def call(port: int, method: str, path: str, key: str = "", body: Any = None) -> tuple[Answer, dict[str, Any]]:
    """Send a request over a new connection; returns the result, and its JSON if there is any."""
    began = time.monotonic()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        response = connection.getresponse()
        text = response.read()
    except (OSError, http.client.HTTPException) as error:
        return Answer(began, time.monotonic() - began, 0, type(error).__name__), {}
    finally:
        connection.close()
    answer = Answer(began, time.monotonic() - began, response.status, "", response.getheader("Retry-After") is not None)
    try:
        found = json.loads(text)
    except ValueError:
        found = {}
    return answer, found if isinstance(found, dict) else {}


@dataclass
class Clients:
    """Writers, readers and a monitor of the server on `port`. `keys` are two agents' keys."""

    port: int
    keys: Mapping[str, str]
    journal: Journal
    writes: list[Answer] = field(default_factory=list)
    reads: list[Answer] = field(default_factory=list)
    probes: list[Answer] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._ends = threading.Event()
        self._threads: list[threading.Thread] = []

    def start(self, *, writers: int = 4, readers: int = 2) -> None:
        """Start them."""
        works: list[Callable[[], None]] = [self._write] * writers + [self._read] * readers + [self._probe]
        self._threads = [threading.Thread(target=work, daemon=True) for work in works]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Let each finish its request, and stop."""
        self._ends.set()
        for thread in self._threads:
            thread.join()

    def _write(self) -> None:
        """Repeat: record an event, correct it, hand it over."""
        agent, other = itertools.islice(self.keys, 2)
        key = self.keys[agent]
        chunk = ""
        for number in itertools.count():
            if self._ends.wait(PAUSE):
                return
            word = f"w{secrets.token_hex(8)}"
            if number % 4 == 2 and chunk:
                corrected = {"target_type": "chunk", "target_id": chunk, "op": "amend", "reason": "a fault is watched"}
                self._ask("edits", key, {**corrected, "patch": {"text": f"Corrected to {word}"}}, "edit_id", word)
            elif number % 4 == 3 and chunk:
                lent = {**SUBJECT, "scope": "user", "audience_agent_ids": [other], "items": {"chunks": [chunk]}}
                self._ask("capsules", key, lent, "capsule_id")
            else:
                said = {"session_id": "faults", "channel": "private", "actor_type": "agent", "actor_id": agent}
                content = {"text": f"Jack said {word}", **SUBJECT}
                found = self._ask("events", key, {**said, "kind": "message", "content": content}, "event_id", word)
                chunk = next(iter(found.get("chunk_ids") or [""]))

    def _ask(self, path: str, key: str, body: Any, names: str, word: str = "") -> dict[str, Any]:
        answer, found = call(self.port, "POST", f"/api/v1/{path}", key, body)
        if answer.is_done:
            # an amended chunk has new text: its old text is not found
            self.journal.note(Acknowledged(path, str(found[names]), word))
        self.writes.append(answer)
        return found if answer.is_done else {}

    def _read(self) -> None:
        key = next(iter(self.keys.values()))
        query = {"query": "What did Jack say?", "session_id": "faults", "mode": "keyword", "limit": 5}
        for number in itertools.count():
            if self._ends.wait(PAUSE):
                return
            if number % 2:
                answer, _ = call(self.port, "POST", "/api/v1/chunks/search", key, query)
            else:
                answer, _ = call(self.port, "GET", "/api/v1/chunks?limit=5", key)
            self.reads.append(answer)

    def _probe(self) -> None:
        while not self._ends.wait(0.25):
            answer, found = call(self.port, "GET", "/readyz")
            failed = {name: one["detail"] for name, one in found.get("checks", {}).items() if one["status"] == "failed"}
            self.probes.append(replace(answer, failed=failed))
