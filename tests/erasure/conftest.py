"""Two admins, carol and dave, and what they erase."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from governance.acting import gate
from governance.acting.principals import Principal
from governance.identity import identities
from memory.db import Drift, effective_drift

UNSTOPPED = "zanzibar"  # a word that no test but for an erased one says, and whose stem is itself


@dataclass
class Admins:
    """`carol` and `dave` call the API; `*_principal` call services."""

    carol: Any
    dave: Any
    carol_principal: Principal
    dave_principal: Principal

    def propose(self, **named: Any) -> str:
        """carol proposes; answers the erasure's id."""
        return str(self.carol.ok("post", "erasures", {"reason": "a request", **named})["erasure_id"])

    def erase(self, **named: Any) -> dict[str, Any]:
        """carol proposes, dave approves; answers the receipt."""
        erasure = self.propose(**named)
        self.dave.ok("post", f"erasures/{erasure}/approve", {})
        return self.receipt(erasure)

    def dry_run(self, **named: Any) -> dict[str, Any]:
        body = {"reason": "a request", "dry_run": True, **named}
        return self.carol.ok("post", "erasures", body)["scope"]  # type: ignore[no-any-return]

    def receipt(self, erasure: str) -> dict[str, Any]:
        return self.carol.ok("get", f"erasures/{erasure}")  # type: ignore[no-any-return]


def admins_of(world: Any) -> Admins:
    people = [f"{name}-{secrets.token_hex(4)}" for name in ("carol", "dave")]
    made = identities.provision(world.slug, people=[(name, "admin") for name in people])
    keys = [made.users[name]["key"] for name in people]
    with world.inside():
        principals = [gate.authenticate(key) for key in keys]
    return Admins(*(type(world.bob)(key) for key in keys), *principals)


@pytest.fixture
def admins(world: Any) -> Admins:
    return admins_of(world)


@pytest.fixture
def elsewhere_admins(elsewhere: Any) -> Admins:
    return admins_of(elsewhere)


@pytest.fixture
def drift(owner: Any) -> Callable[[Any], list[Drift]]:
    """`drift(world)` is what verify_effective would report."""

    def find(world: Any) -> list[Drift]:
        with world.inside("owner"):
            return effective_drift.on("owner")(tenant=world.tenant_id)

    return find


@pytest.fixture
def found_in(owner: Any) -> Callable[..., list[str]]:
    """`found_in(world, b"zanzibar")` names the tables of which a row of the tenant holds these bytes or this text."""

    def search(world: Any, needle: bytes) -> list[str]:
        with world.inside("owner"):
            tables = owner(
                "SELECT c.relname, EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid"
                " AND a.attname = 'tenant_id') AS of_tenants FROM pg_class c"
                " WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace ORDER BY 1"
            )
            assert len(tables) > 25
            within = {True: f"x.tenant_id = '{world.tenant_id}'", False: "true"}
            # a bytea prints as hexadecimal digits
            return [
                table["relname"]
                for table in tables
                if owner(
                    f"SELECT 1 FROM {table['relname']} x WHERE {within[table['of_tenants']]}"
                    " AND (x::text ILIKE %s OR x::text LIKE %s) LIMIT 1",
                    [f"%{needle.decode(errors='replace')}%", f"%{needle.hex()}%"],
                )
            ]

    return search


@pytest.fixture
def word() -> str:
    return UNSTOPPED
