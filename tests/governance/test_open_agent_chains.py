"""Agents that were made before agents had chains get theirs when the database is migrated."""

from typing import Any

import pytest
from django.db import connection

from governance.acting import gate
from governance.acting.changes import change
from governance.acting.credentials import system
from governance.identity import calls
from governance.identity.agents import open_agent_chains
from governance.ledger import appending, verification
from governance.management.commands import migrate
from governance.models import Entry
from tests.tools.calls import call

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "verifier"])


def make_as_before(world: Any, slug: str) -> None:
    """An agent without a chain."""
    actor = system(world.tenant_id, "provision")
    with gate.acting_as(actor):
        agent = change(calls.create_agent, actor=actor, slug=slug, channels=["private"])
        facts = {"agent": str(agent), "slug": slug, "channels": ["private"]}
        appending.record("agent.created", actor=actor, metadata=facts)


def chain_of(world: Any, slug: str) -> list[str]:
    with world.inside():
        entries = Entry.objects.filter(tenant_id=world.tenant_id, chain__name=f"agent:{slug}").order_by("seq")
        return list(entries.values_list("type", flat=True))


def test_an_agent_of_before_gets_a_chain_once(world: Any) -> None:
    make_as_before(world, "dora")
    assert chain_of(world, "dora") == []
    assert open_agent_chains({world.tenant_id: ["dora", "alice"]}) == 1
    assert open_agent_chains({world.tenant_id: ["dora", "alice"]}) == 0
    assert chain_of(world, "dora") == ["identity"]
    assert verification.verify(world.tenant_id).ok


def test_every_agent_that_is_made_has_one(world: Any) -> None:
    assert chain_of(world, "alice") == ["identity"]
    assert call(world.alice, "memory_commit", {"content": "Jack likes tea"})["seq"] == 1


def test_migrate_finds_those_without(world: Any) -> None:
    make_as_before(world, "dora")
    with connection.cursor() as cursor, world.inside():
        cursor.execute(migrate.WITHOUT_CHAIN, ["agent:"])
        assert [slug for tenant, slug in cursor.fetchall() if tenant == world.tenant_id] == ["dora"]
