"""Agents that ask on behalf of principals: ada and bo are patients, charlie is a clinician."""

import secrets
from dataclasses import dataclass
from typing import Any

import pytest

from governance.acting import gate
from governance.identity import identities
from governance.models import Agent
from tests.world import Api, World

ADA, BO, CHARLIE = "patient:ada", "patient:bo", "user:charlie"
FOR_ADA = {"principals": [ADA]}


@dataclass
class Clinic:
    """A tenant whose agent alice asks for anybody (`asking`), and records for anybody."""

    world: World
    carol: Api
    asking: Api
    #: A chunk of bo's, where a test needs one.
    bos: str = ""

    def heard(self, method: str, path: str, body: Any = None, *, by: str = BO, **headers: str) -> Any:
        """The JSON of an answer that the agent gets on behalf of a principal."""
        return self.asking.ok(method, path, body, **{"X-On-Behalf-Of": by, **headers})

    def asked(self, method: str, path: str, body: Any = None, *, by: str = BO) -> Any:
        """An answer that the agent gets on behalf of a principal."""
        return self.asking.request(method, path, body, **{"X-On-Behalf-Of": by})

    def record(self, text: str, audience: Any = None, *, by: str = "", **fields: Any) -> dict[str, Any]:
        """Record an event, on behalf of a principal if `by` names one."""
        named = {"X-On-Behalf-Of": by} if by else {}
        body = {**self.world.draft(text, **fields), **({} if audience is None else {"audience": audience})}
        made: dict[str, Any] = self.asking.ok("post", "events", body, **named)
        return made

    def texts(self, by: str = BO, **search: Any) -> set[str]:
        """The texts that a list answers on behalf of a principal."""
        return {chunk["text"] for chunk in self.heard("get", "chunks?limit=200", by=by)["results"]}

    def relate(self, principal: str, relation: str, object: str, **fields: Any) -> Any:
        """Add a relation."""
        body = {"principal": principal, "relation": relation, "object": object, "reason": "a test", **fields}
        return self.world.bob.ok("post", "relations", body)


def clinic_of(world: World) -> Clinic:
    """The tenant with its admin and the agent's key."""
    name = f"carol-{secrets.token_hex(4)}"
    carol = identities.provision(world.slug, people=[(name, "admin")]).users[name]["key"]
    with world.inside():
        alice = Agent.objects.get(tenant_id=world.tenant_id, slug="alice")
        key = identities.issue_key(actor=gate.authenticate(carol), agent=alice, speaks_for=["*"])
    return Clinic(world, Api(carol), Api(key))


@pytest.fixture
def clinic(world: World) -> Clinic:
    """The tenant of ada and bo."""
    return clinic_of(world)
