"""A tenant with an admin, carol, in which relations are added; charlie is a clinician, ada and bo are patients."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest

from governance.acting import gate
from governance.identity import identities
from governance.models import Agent, Entry
from tests.world import Api, World

CHARLIE, ADA, BO = "user:charlie", "patient:ada", "patient:bo"


@dataclass
class Related:
    """The tenant, its admin, and what tests ask of it."""

    world: World
    carol: Api
    carol_name: str
    carol_principal: Any

    def add(self, principal: str = CHARLIE, relation: str = "clinician_of", object: str = ADA, **fields: Any) -> Any:
        """Let bob add a relation; answers the JSON."""
        body = {"principal": principal, "relation": relation, "object": object, "reason": "a test", **fields}
        return self.world.bob.ok("post", "relations", body)

    def usersets(self, principal: str = CHARLIE) -> list[str]:
        """The usersets of a principal now."""
        with self.world.inside():
            sql = "SELECT unnest(testing.usersets(%s, %s)) AS u"
            return sorted(row["u"] for row in gate.rows(sql, [self.world.tenant_id, principal]))

    def entries(self, type: str) -> list[dict[str, Any]]:
        """The metadata of the entries of a type, without their actor."""
        with self.world.inside():
            found = Entry.objects.filter(tenant_id=self.world.tenant_id, type=type).order_by("id")
            return [{name: value for name, value in one.metadata.items() if name != "actor"} for one in found]

    def issue(self, *speaks_for: str, must_speak_for: bool = False) -> Api:
        """A key of alice that speaks for these principals."""
        with self.world.inside():
            alice = Agent.objects.get(tenant_id=self.world.tenant_id, slug="alice")
            return Api(
                identities.issue_key(
                    actor=self.carol_principal, agent=alice, speaks_for=speaks_for, must_speak_for=must_speak_for
                )
            )

    def hears(self, api: Api, on_behalf_of: str = "") -> str:
        """The bits of the audiences that a key hears; `all` for people."""
        assert api.key
        with self.world.inside():
            found = gate.authenticate(api.key)
        with gate.acting_as(replace(found, on_behalf_of=on_behalf_of)):
            (row,) = gate.rows("SELECT testing.hears(%s) AS heard", [self.world.tenant_id])
        return str(row["heard"])


@pytest.fixture
def related(world: World) -> Related:
    """The tenant."""
    name = f"carol-{world.slug}"
    key = identities.provision(world.slug, people=[(name, "admin")]).users[name]["key"]
    with world.inside():
        return Related(world, Api(key), name, gate.authenticate(key))


@pytest.fixture
def refused() -> Callable[..., list[dict[str, str]]]:
    """`refused(answer, 400, "code")`: the faults of a problem."""

    def faults(answer: Any, status: int, code: str) -> list[dict[str, str]]:
        assert answer.status_code == status, answer.content
        problem = answer.json()
        assert problem["code"] == code, problem
        found: list[dict[str, str]] = problem.get("errors", [])
        return found

    return faults
