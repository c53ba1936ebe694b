"""The users of a soak. A user is a generator that yields calls and gets the results, as JSON."""

import random
import uuid
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from bench.corpus import Corpus

#: Acceptable errors: another user has just changed, hidden or revoked the target.
CONFLICTS = frozenset({403, 404, 409})
#: For a capsule, the body names items that the author may no longer read.
NOT_TO_HAND_OVER = CONFLICTS | {400}
SUBJECTS, SESSIONS = 50, 40


@dataclass(frozen=True, slots=True)
class Call:
    """A named request, with its acceptable errors."""

    name: str
    method: str
    path: str
    body: Any = None
    allowed: frozenset[int] = frozenset()


#: It gets `{}` for a refusal.
User = Generator[Call, dict[str, Any], None]


@dataclass
class Tenant:
    """The keys of a tenant, and its newest chunks, which its users read, correct and hand over."""

    keys: dict[str, str]
    corpus: Corpus = field(default_factory=lambda: Corpus(uuid.uuid4().hex))
    newest: deque[str] = field(default_factory=lambda: deque(maxlen=2_000))

    def chunks(self, number: int) -> list[str]:
        """Some distinct chunks; none before there are enough."""
        return random.sample(list(self.newest), number) if len(self.newest) >= number else []

    def about(self) -> dict[str, str]:
        """A subject."""
        return {"subject_type": "customer", "subject_id": f"subject-{random.randrange(SUBJECTS)}"}

    def event(self) -> dict[str, Any]:
        """An event of an agent."""
        return {
            "session_id": f"session-{random.randrange(SESSIONS)}",
            "channel": random.choice(("private", "team")),
            "actor_type": "agent",
            "actor_id": "writer",
            "kind": "message",
            "content": {"text": self.corpus.text()},
            **self.about(),
        }


def recorder(tenant: Tenant) -> User:
    """An agent that records events."""
    while True:
        if random.random() < 0.8:
            recorded = [(yield Call("record 1 event", "POST", "events", tenant.event()))]
        else:
            events = [tenant.event() for _ in range(20)]
            recorded = (yield Call("record 20 events", "POST", "events/batch", {"events": events})).get("events", [])
        tenant.newest.extend(chunk for one in recorded for chunk in one.get("chunk_ids", ()))


def searcher(tenant: Tenant) -> User:
    """An agent that searches memory."""
    while True:
        question = {"query": tenant.corpus.question(), "limit": 10}
        for _ in range(2):
            yield Call("search", "POST", "chunks/search", question)
        yield Call("list", "GET", "chunks?limit=50")
        if ids := tenant.chunks(10):
            yield Call("get 10 chunks", "POST", "chunks/get", {"chunk_ids": ids})
            # hidden by an edit meanwhile: not found
            yield Call("timeline", "GET", f"chunks/{ids[0]}/timeline?window_seconds=3600", allowed=CONFLICTS)


def context_builder(tenant: Tenant) -> User:
    """An agent that begins a turn."""
    while True:
        asked = {"query": tenant.corpus.question()}
        place = {"session_id": f"session-{random.randrange(SESSIONS)}", "channel": "private", "max_tokens": 8_000}
        yield Call("context bundle", "POST", "acb/build", {**asked, **place, **tenant.about()})
        yield Call("bootstrap", "POST", "context/bootstrap", asked)
        said = {"content": tenant.corpus.text(), "importance": 5}
        yield Call("commit", "POST", "tools/memory_commit", said)


def proposer(tenant: Tenant) -> User:
    """An agent that corrects memory: an amend applies at once, a retract waits for a reviewer."""
    while True:
        op = random.choice(("amend", "amend", "retract"))
        patch = {"text": tenant.corpus.text()} if op == "amend" else {}
        for chunk in tenant.chunks(1):
            body = {"target_type": "chunk", "target_id": chunk, "op": op, "reason": "soak", "patch": patch}
            yield Call(f"propose: {op}", "POST", "edits", body, CONFLICTS)
        yield Call("list", "GET", "chunks?limit=50")


def sharer(tenant: Tenant) -> User:
    """An agent that hands memory over, and sometimes revokes it."""
    while True:
        yield Call("list", "GET", "chunks?limit=50")
        if ids := tenant.chunks(3):
            lent = {"scope": "user", "audience_agent_ids": ["reader"], "items": {"chunks": ids}, "ttl_days": 1}
            made = yield Call("create a capsule", "POST", "capsules", {**tenant.about(), **lent}, NOT_TO_HAND_OVER)
            if "capsule_id" in made and random.random() < 0.5:
                yield Call("revoke a capsule", "DELETE", f"capsules/{made['capsule_id']}")


def receiver(tenant: Tenant) -> User:
    """The agent that receives capsules."""
    while True:
        found = (yield Call("available capsules", "GET", "capsules?limit=20")).get("results", [])
        for capsule in found[:1]:
            yield Call("read a capsule", "GET", f"capsules/{capsule['capsule_id']}", allowed=CONFLICTS)


def reviewer(tenant: Tenant) -> User:
    """A person who decides pending edits: approves three of four."""
    while True:
        waiting = (yield Call("pending edits", "GET", "edits?status=pending&limit=5")).get("results", [])
        for one in waiting:
            verb = random.choice(("approve", "approve", "approve", "reject"))
            yield Call(verb, "POST", f"edits/{one['edit_id']}/{verb}", {"reason": "looked at it"}, CONFLICTS)


#: For each tenant: its users, and the names of their keys.
USERS: tuple[tuple[Callable[[Tenant], User], str], ...] = (
    *((recorder, "writer"),) * 2,
    *((searcher, "writer"),) * 2,
    *((one, "writer") for one in (context_builder, proposer, sharer)),
    (receiver, "reader"),
    (reviewer, "bob"),
)
