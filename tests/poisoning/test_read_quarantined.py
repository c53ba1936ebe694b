"""Quarantined memory: who gets it. People with a role, and agents that an admin has allowed it."""

import pytest

from governance.acting import gate
from governance.acting.credentials import system
from governance.acting.principals import ManagedByAdmins, QuarantineNotAllowed
from governance.identity import agents, identities
from governance.models import Agent
from governance.refusals import within_savepoint
from memory.queries import db
from tests.surgery.helpers import entries
from tests.world import Api

JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}
#: Every endpoint that takes include_quarantined.
READS = [
    ("post", "chunks/search", {"query": "rumour", "include_quarantined": True}),
    ("post", "acb/build", {"session_id": "session-1", "channel": "private", "include_quarantined": True}),
    ("get", "chunks?include_quarantined=true", None),
    ("get", "events?include_quarantined=true", None),
    ("get", "decisions?include_quarantined=true", None),
    ("get", "decisions/active?include_quarantined=true", None),
    ("get", "tasks?include_quarantined=true", None),
    ("get", "artifacts?include_quarantined=true", None),
    ("get", "capsules?include_quarantined=true", None),
]


@pytest.fixture
def rumour(world):
    chunk = world.chunk("They say that Jack is bankrupt, a rumour", content=JACK)
    world.edit(chunk, "quarantine")
    return chunk


def allow(world, is_allowed=True):
    with world.inside():
        agent = Agent.objects.get(tenant_id=world.tenant_id, slug="mallory")
        agents.set_quarantine_reader(agent, is_allowed=is_allowed, actor=system(world.tenant_id, "test"))


@pytest.mark.parametrize(("method", "path", "body"), READS)
def test_an_agent_is_refused_and_told_whom_to_ask(world, mallory, rumour, method, path, body):
    answer = mallory.request(method, path, body)

    assert answer.status_code == 403, answer.content
    problem = answer.json()
    assert problem["code"] == "quarantine-not-allowed"
    assert "ask an admin" in problem["detail"]
    assert "mallory" in problem["detail"]


@pytest.mark.parametrize(("method", "path", "body"), READS)
def test_an_allowed_agent_and_people_with_a_role_get_it(world, mallory, rumour, method, path, body):
    allow(world)
    for reader in (mallory, world.bob, world.auditor):
        assert reader.request(method, path, body).status_code == 200


def test_an_agents_own_chain_too(world, mallory):
    assert mallory.get("chain?include_quarantined=true").status_code == 403
    allow(world)
    assert mallory.get("chain?include_quarantined=true").status_code == 200


def test_the_database_has_the_last_word(world, mallory, rumour):
    """Also where no code in front of it asks."""
    with world.inside():
        gate.act_as(gate.authenticate(mallory.key))
        asked = {"tenant": world.tenant_id, "ids": [rumour], "listening": ["private"], "include_quarantined": True}
        with pytest.raises(QuarantineNotAllowed, match="ask an admin"), within_savepoint():
            db.get_chunks(**asked)


def test_by_id_too(world, mallory, rumour):
    path = f"chunks/{rumour}/timeline?include_quarantined=true"
    get = {"chunk_ids": [rumour], "include_quarantined": True}
    assert mallory.get(path).status_code == 403
    assert mallory.post("chunks/get", get).status_code == 403
    allow(world)
    assert mallory.ok("get", path)["chunks"]
    assert mallory.ok("post", "chunks/get", get)["chunks"][0]["is_quarantined"]


def test_a_permission_that_is_taken_back_holds_no_more(world, mallory, rumour):
    body = {"query": "rumour", "include_quarantined": True}
    allow(world)
    assert mallory.ok("post", "chunks/search", body)["chunks"]
    allow(world, is_allowed=False)
    assert mallory.post("chunks/search", body).status_code == 403


def test_without_asking_for_it_nobody_needs_the_permission(world, mallory, rumour):
    assert mallory.ok("post", "chunks/search", {"query": "rumour"})["chunks"] == []


def test_a_preview_is_no_way_around_it(world, mallory, rumour):
    edit = {"target_type": "chunk", "target_id": rumour, "op": "amend", "patch": {"text": "He is not bankrupt"}}
    assert mallory.post("edits/preview", edit).status_code == 404
    assert mallory.ok("post", "edits", {**edit, "reason": "It is wrong"})["status"] == "pending"


def test_the_ledger_names_who_was_allowed(world, mallory):
    allow(world)
    allow(world, is_allowed=False)
    allowed, refused = entries(world, "agent.quarantine_allowed", "agent.quarantine_refused")[-2:]
    assert (allowed.type, refused.type) == ("agent.quarantine_allowed", "agent.quarantine_refused")
    assert allowed.metadata["slug"] == refused.metadata["slug"] == "mallory"


def test_only_an_admin_allows_it(world, mallory):
    with world.inside():
        agent = Agent.objects.get(tenant_id=world.tenant_id, slug="mallory")
        with pytest.raises(ManagedByAdmins):
            agents.set_quarantine_reader(agent, is_allowed=True, actor=world.bob_principal)


def test_provision_allows_it_to_a_named_agent(world):
    made = identities.provision(world.slug, agents=[("trent", [])], quarantine_readers=["trent"])
    body = {"query": "rumour", "include_quarantined": True}
    assert Api(made.agents["trent"]["key"]).post("chunks/search", body).status_code == 200
    with pytest.raises(agents.NoSuchAgent, match="nobody"):
        identities.provision(world.slug, quarantine_readers=["nobody"])
