"""Who calls the server during a soak, as users of Locust: `python -m locust -f bench/soak/users.py`.

SOAK_KEYS names a file with the keys by tenant and name, SOAK_STATE a directory for the state of the hooks.
"""

import json
import os
import random
import time
import uuid
from collections import defaultdict, deque
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

from gevent import subprocess
from locust import FastHttpUser, between, task

from bench.capture.command import SUTURE
from bench.corpus import Corpus

KEYS: dict[str, dict[str, str]] = json.loads(Path(os.environ["SOAK_KEYS"]).read_text())
STATE = Path(os.environ["SOAK_STATE"])
#: Answers that are right, though they are no success: another user has just changed, hidden or revoked it.
CONFLICTS = frozenset({403, 404, 409})
#: Of a capsule, the items that the author may not read any more are named in the body.
NOT_TO_HAND_OVER = CONFLICTS | {400}
SUBJECTS, SESSIONS = 50, 40

#: The newest chunks of each tenant, which the users read, correct and hand over.
_chunks: dict[str, deque[str]] = defaultdict(lambda: deque(maxlen=2_000))
#: The tenant of the next user of each kind: both tenants have some of every kind.
_tenants: dict[str, Iterator[str]] = defaultdict(lambda: cycle(sorted(KEYS)))


class _Caller(FastHttpUser):
    """Somebody with a key of a tenant."""

    abstract = True
    wait_time = between(0.5, 2.0)
    name_of_key = "writer"
    # a client that waits for less would hide what is slow
    connection_timeout = network_timeout = 120.0

    def on_start(self) -> None:
        self.tenant = next(_tenants[type(self).__name__])
        self.corpus = Corpus(uuid.uuid4().hex, 1_000_000)
        self.key = KEYS[self.tenant][self.name_of_key]

    def ask(
        self, name: str, method: str, path: str, body: Any = None, expected: frozenset[int] = frozenset()
    ) -> dict[str, Any]:
        """The answer, as JSON; `{}` where it is one of the `expected` refusals, or a failure, which Locust counts."""
        headers = {"Authorization": f"Bearer {self.key}"}
        if method == "POST":
            headers["Idempotency-Key"] = str(uuid.uuid4())
        with self.client.request(
            method, f"/api/v1/{path}", json=body, headers=headers, name=name, catch_response=True
        ) as answer:
            if answer.status_code in expected:
                answer.success()
                return {}
            if not 200 <= answer.status_code < 300:
                answer.failure(f"{answer.status_code}: {(answer.text or '')[:300]}")
                return {}
            found: dict[str, Any] = answer.json() if answer.text else {}
            return found

    def chunks(self, number: int) -> list[str]:
        """Some of the newest chunks of the tenant, all different; none before there are so many."""
        known = list(_chunks[self.tenant])
        return random.sample(known, number) if len(known) >= number else []

    def event(self) -> dict[str, Any]:
        return {
            "session_id": f"session-{random.randrange(SESSIONS)}",
            "channel": random.choice(("private", "team")),
            "actor_type": "agent",
            "actor_id": "writer",
            "kind": "message",
            "content": {"text": self.corpus.text()},
            "subject_type": "customer",
            "subject_id": f"subject-{random.randrange(SUBJECTS)}",
        }


class Recorder(_Caller):
    """An agent that records what happens."""

    weight = 4

    @task(5)
    def record_one(self) -> None:
        self._keep([self.ask("record 1 event", "POST", "events", self.event())])

    @task(1)
    def record_many(self) -> None:
        events = [self.event() for _ in range(20)]
        self._keep(self.ask("record 20 events", "POST", "events/batch", {"events": events}).get("results", []))

    def _keep(self, recorded: list[dict[str, Any]]) -> None:
        _chunks[self.tenant].extend(chunk for one in recorded for chunk in one.get("chunk_ids", []))


class Searcher(_Caller):
    """An agent that looks for what is known."""

    weight = 4

    @task(4)
    def search(self) -> None:
        question = self.corpus.question(random.Random())
        self.ask("search", "POST", "chunks/search", {"query": question, "limit": 10})

    @task(2)
    def list_newest(self) -> None:
        self.ask("list", "GET", "chunks?limit=50")

    @task(1)
    def read(self) -> None:
        if ids := self.chunks(10):
            self.ask("get 10 chunks", "POST", "chunks/get", {"chunk_ids": ids})

    @task(1)
    def look_around(self) -> None:
        for chunk in self.chunks(1):
            # hidden by an edit meanwhile: it is not there
            self.ask("timeline", "GET", f"chunks/{chunk}/timeline?window_seconds=3600", expected=CONFLICTS)


class ContextBuilder(_Caller):
    """An agent that begins a turn."""

    weight = 2

    @task(2)
    def build(self) -> None:
        body = {
            "session_id": f"session-{random.randrange(SESSIONS)}",
            "channel": "private",
            "subject_type": "customer",
            "subject_id": f"subject-{random.randrange(SUBJECTS)}",
            "query": self.corpus.question(random.Random()),
            "max_tokens": 8_000,
        }
        self.ask("context bundle", "POST", "acb/build", body)

    @task(1)
    def begin(self) -> None:
        self.ask("bootstrap", "POST", "context/bootstrap", {"query": self.corpus.question(random.Random())})

    @task(1)
    def commit(self) -> None:
        self.ask("commit", "POST", "tools/memory_commit", {"content": self.corpus.text(), "importance": 5})


class Proposer(_Caller):
    """An agent that corrects what is wrong: an amend applies at once, a retract waits for a reviewer."""

    weight = 2

    @task(2)
    def amend(self) -> None:
        self._propose("amend", {"text": self.corpus.text()})

    @task(1)
    def retract(self) -> None:
        self._propose("retract", {})

    def _propose(self, op: str, patch: dict[str, Any]) -> None:
        for chunk in self.chunks(1):
            body = {"target_type": "chunk", "target_id": chunk, "op": op, "reason": "soak", "patch": patch}
            self.ask(f"propose: {op}", "POST", "edits", body, CONFLICTS)


class Sharer(_Caller):
    """An agent that hands memory over, and sometimes takes it back."""

    weight = 2

    @task
    def share(self) -> None:
        ids = self.chunks(3)
        if not ids:
            return
        body = {
            "subject_type": "customer",
            "subject_id": f"subject-{random.randrange(SUBJECTS)}",
            "scope": "user",
            "audience_agent_ids": ["reader"],
            "items": {"chunks": ids},
            "ttl_days": 1,
        }
        # a chunk that a reviewer has just hidden cannot be handed over
        made = self.ask("create a capsule", "POST", "capsules", body, NOT_TO_HAND_OVER)
        if "capsule_id" in made and random.random() < 0.5:
            self.ask("revoke a capsule", "DELETE", f"capsules/{made['capsule_id']}")


class Receiver(_Caller):
    """The agent that capsules are handed to."""

    weight = 2
    name_of_key = "reader"

    @task
    def receive(self) -> None:
        found = self.ask("available capsules", "GET", "capsules?limit=20").get("results", [])
        for capsule in found[:1]:
            self.ask("read a capsule", "GET", f"capsules/{capsule['capsule_id']}", expected=CONFLICTS)


class Reviewer(_Caller):
    """A person who decides what waits: three times of four it is approved."""

    weight = 2
    name_of_key = "bob"

    @task
    def decide(self) -> None:
        for edit in self.ask("pending edits", "GET", "edits?status=pending&limit=5").get("results", []):
            verdict = "reject" if random.random() < 0.25 else "approve"
            path = f"edits/{edit['edit_id']}/{verdict}"
            self.ask(verdict, "POST", path, {"reason": "looked at it"}, CONFLICTS)


class CodingAgent(_Caller):
    """A coding agent whose hooks capture its work: whole processes, as it starts them."""

    weight = 2
    wait_time = between(5.0, 10.0)

    @task
    def use_a_tool(self) -> None:
        payload = {
            "session_id": f"soak-{random.randrange(SESSIONS)}",
            "cwd": str(STATE),
            "hook_event_name": "PostToolUse",
            "tool_name": "Bash",
            "tool_use_id": f"toolu_{uuid.uuid4().hex}",
            "tool_input": {"command": "make test", "description": self.corpus.text()[:200]},
            "tool_response": {"stdout": self.corpus.text(), "stderr": ""},
        }
        own = {name: value for name, value in os.environ.items() if not name.startswith("SUTURE_")}
        own |= {"SUTURE_URL": str(self.host), "SUTURE_KEY": self.key, "SUTURE_STATE_DIR": str(STATE)}
        began = time.perf_counter()
        done = subprocess.run(
            [SUTURE, "hook"], input=json.dumps(payload).encode(), env=own, capture_output=True, check=False
        )
        self.environment.events.request.fire(
            request_type="HOOK",
            name="PostToolUse",
            response_time=(time.perf_counter() - began) * 1_000,
            response_length=len(done.stdout),
            exception=RuntimeError(done.stderr.decode(errors="replace")) if done.returncode else None,
            context={},
        )
