"""A tenant with its people, as tests use it."""

import secrets
import uuid
from dataclasses import dataclass
from typing import Any

from django.test import Client

from governance.acting import gate
from governance.acting.principals import Principal
from governance.identity import identities
from tests.factories import WORDS, EditFactory, EventFactory


class Api:
    """A caller with a key: `api.post("events", {...})` answers a JSON response below /api/v1/."""

    def __init__(self, key: str | None) -> None:
        self.key = key
        self.client = Client(raise_request_exception=False)

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        if self.key is not None:
            headers.setdefault("Authorization", f"Bearer {self.key}")
        arguments: dict[str, Any] = {"headers": headers}
        if body is not None:
            arguments |= {"data": body, "content_type": "application/json"}
        return getattr(self.client, method)(f"/api/v1/{path}", **arguments)

    def get(self, path: str, **headers: str) -> Any:
        return self.request("get", path, **headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.request("post", path, {} if body is None else body, **headers)

    def decide(self, edit_id: str, verb: str = "approve", **body: Any) -> Any:
        """Decide on an edit as it is now, which must succeed; the strict policy requires that a verdict names it."""
        seen = self.ok("get", f"edits/{edit_id}")
        reviewed = {name: seen[name] for name in ("patch_sha256", "target_state")}
        return self.ok("post", f"edits/{edit_id}/{verb}", {**reviewed, **body})

    def ok(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The JSON of an answer that must be a success."""
        response = self.request(method, path, body, **headers)
        assert response.status_code < 300, (response.status_code, response.content.decode())
        return response.json()


@dataclass
class World:
    """A tenant with its people. `alice`, `bob`, `auditor` call the API; `*_principal` call services."""

    slug: str
    tenant_id: Any
    alice: Api
    bob: Api
    ann: Api
    auditor: Api
    alice_principal: Principal
    bob_principal: Principal
    keys: dict[str, str]
    passwords: dict[str, str]
    bob_name: str
    ann_name: str

    def inside(self, using: str = "default") -> Any:
        """`with world.inside():` is a transaction within the tenant."""
        return gate.tenant(self.tenant_id, using)

    def draft(self, text: str, **fields: Any) -> dict[str, Any]:
        """The body of an event that alice may record; `content` fields beside text go under `content=`."""
        content = {"text": text, **fields.pop("content", {})}
        body: dict[str, Any] = EventFactory(content=content, **fields)
        return body

    def event(self, text: str = WORDS, **fields: Any) -> dict[str, Any]:
        """Record a draft. Answers what the API said."""
        recorded: dict[str, Any] = self.alice.ok("post", "events", self.draft(text, **fields))
        return recorded

    def chunk(self, text: str = WORDS, **fields: Any) -> str:
        """Record an event of one chunk; answers the chunk's id."""
        (chunk_id,) = self.event(text, **fields)["chunk_ids"]
        return str(chunk_id)

    def edit(self, target_id: str, op: str, *, by: Api | None = None, **fields: Any) -> dict[str, Any]:
        """Propose an edit (as bob, whose edits apply at once, unless `by` is given)."""
        of_the_edit = {name: fields.pop(name) for name in ("target_type", "reason") if name in fields}
        body = EditFactory(target_id=target_id, op=op, patch=fields, **of_the_edit)
        proposed: dict[str, Any] = (by or self.bob).ok("post", "edits", body)
        return proposed

    def found(self, query: str, **fields: Any) -> list[str]:
        """The texts that alice's search finds, best first."""
        answer = self.alice.ok("post", "chunks/search", {"query": query, "limit": 200, **fields})
        return [chunk["text"] for chunk in answer["chunks"]]


#: The tenants of the test that runs now, also those that were made before it.
of_this_test: set[uuid.UUID] = set()
#: Worlds that are committed, by name. A test that is rolled back leaves them as it found them.
_standing: dict[str, World] = {}


def make_world(policy: str = "standard") -> World:
    """A fresh tenant: the isolation of a test, committed or not."""
    token = secrets.token_hex(4)
    slug, bob, ann, auditor = (f"{name}-{token}" for name in ("tenant", "bob", "ann", "auditor"))
    provisioned = identities.provision(
        slug,
        agents=[("alice", [])],
        quarantine_readers=["alice"],
        people=[(bob, "reviewer"), (ann, "reviewer"), (auditor, "auditor")],
        policy=policy,
    )
    keys = {
        "alice": provisioned.agents["alice"]["key"],
        "bob": provisioned.users[bob]["key"],
        "ann": provisioned.users[ann]["key"],
        "auditor": provisioned.users[auditor]["key"],
    }
    passwords = {"bob": provisioned.users[bob]["password"], "ann": provisioned.users[ann]["password"]}
    return _entered(gate.tenants()[slug], slug, keys, passwords, bob_name=bob, ann_name=ann)


def make_standing_worlds() -> None:
    """Make the worlds that `standing_world` answers. Call it outside of every test."""
    _standing.update(world=make_world(), elsewhere=make_world(), strict_world=make_world("strict"))
    of_this_test.clear()


def standing_world(name: str) -> World:
    """A world for a test that is rolled back, without the work of making it: `world`, `elsewhere`, `strict_world`."""
    one = _standing[name]
    return _entered(
        one.tenant_id, one.slug, dict(one.keys), dict(one.passwords), bob_name=one.bob_name, ann_name=one.ann_name
    )


def _entered(
    tenant_id: uuid.UUID, slug: str, keys: dict[str, str], passwords: dict[str, str], *, bob_name: str, ann_name: str
) -> World:
    """The people of a tenant, as callers who have done nothing yet."""
    of_this_test.add(tenant_id)
    with gate.tenant(tenant_id):
        alice_principal, bob_principal = gate.authenticate(keys["alice"]), gate.authenticate(keys["bob"])
    return World(
        slug=slug,
        tenant_id=tenant_id,
        alice=Api(keys["alice"]),
        bob=Api(keys["bob"]),
        ann=Api(keys["ann"]),
        auditor=Api(keys["auditor"]),
        alice_principal=alice_principal,
        bob_principal=bob_principal,
        keys=keys,
        passwords=passwords,
        bob_name=bob_name,
        ann_name=ann_name,
    )
