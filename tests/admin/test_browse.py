"""The memory browser shows what an agent would read, in the channel asked, with the original beside it."""

import pytest

from governance.identity import identities
from governance.models import AccessRecord, Agent
from tests.owning import as_owner

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

BROWSER = "/admin/memory/effectivechunk/browse/"


@pytest.fixture
def browse(world, desk):
    """`browse(channel="public")` is the page as alice sees memory."""
    client = desk(world.bob_name).client

    def look(agent=None, **fields):
        return client.get(BROWSER, {"agent": str(agent or world.alice_principal.id), **fields})

    return look


def seen(page):
    assert page.status_code == 200
    return {one.chunk.text for one in page.context["seen"]}


def test_the_form_alone_looks_at_nothing(world, desk):
    page = desk(world.bob_name).client.get(BROWSER)
    assert page.context["seen"] is None
    with world.inside():
        assert not AccessRecord.objects.exists()


def test_it_finds_what_the_agent_finds(world, browse):
    world.chunk("A red fox", subject_type="user", subject_id="jack")
    world.chunk("A red hen", subject_type="user", subject_id="jill")
    assert seen(browse()) == {"A red fox", "A red hen"}
    assert seen(browse(query="fox")) == set(world.found("fox")) == {"A red fox"}
    assert seen(browse(subject_id="jill")) == {"A red hen"}
    assert seen(browse(query="red", subject_id="jack")) == {"A red fox"}
    assert "No chunk that this agent may read matches" in browse(query="zebra").content.decode()


def test_corrected_memory_stands_beside_the_original(world, browse):
    chunk = world.chunk("The quick brown fox")
    world.edit(chunk, "amend", text="The slow brown fox")
    (one,) = browse().context["seen"]
    assert one.is_changed
    assert "<ins>slow</ins>" in one.effective
    assert "<del>quick</del>" in one.original
    page = browse().content.decode()
    assert "Effective text" in page
    assert "As recorded" in page


def test_blocked_quarantined_and_retracted_are_as_for_the_agent(world, browse):
    chunks = {name: world.chunk(f"A {name} fox") for name in ("plain", "blocked", "quarantined", "retracted")}
    world.edit(chunks["blocked"], "block", channel="private")
    world.edit(chunks["quarantined"], "quarantine")
    world.edit(chunks["retracted"], "retract")
    for query in ({}, {"query": "fox"}):
        assert seen(browse(channel="private", **query)) == {"A plain fox"}
        assert seen(browse(**query)) == {"A plain fox"}
        with_quarantined = browse(channel="private", include_quarantined="on", **query)
        assert seen(with_quarantined) == {"A plain fox", "A quarantined fox"}
    assert "<strong>quarantined</strong>" in with_quarantined.content.decode()


def test_sensitivity_is_the_channels(world, agent_in, browse):
    for sensitivity in ("none", "high", "secret"):
        for channel in ("private", "public"):
            world.chunk(f"{sensitivity} in {channel}", sensitivity=sensitivity, channel=channel)
    assert seen(browse(channel="private")) == {"none in private", "high in private"}
    assert seen(browse(channel="public")) == {"none in public"}


def test_a_channel_outside_the_agents_key_is_refused(world, desk, browse):
    identities.provision(world.slug, agents=[("public-only", ["public"])])
    with world.inside():
        agent = Agent.objects.get(slug="public-only")
    world.chunk("A private fox")
    page = browse(agent.id, channel="private")
    assert page.context["seen"] is None
    assert "can only use these channels: public." in page.content.decode()
    assert "A private fox" not in page.content.decode()


def test_agents_of_other_tenants_and_inactive_ones_are_no_choice(world, elsewhere, browse):
    elsewhere.chunk("A zebra")
    with world.inside(), as_owner():
        Agent.objects.filter(tenant_id=world.tenant_id).update(is_active=False)
    for agent in (elsewhere.alice_principal.id, world.alice_principal.id, "no id"):
        page = browse(agent)
        assert page.context["seen"] is None
        assert "zebra" not in page.content.decode()


def test_that_somebody_looked_is_logged_without_words(world, browse):
    chunk = world.chunk("A red fox")
    browse(query="fox", channel="private")
    with world.inside():
        row = AccessRecord.objects.get(action="memory.browsed")
    assert (row.actor, row.target_type, row.target_id) == (world.bob_name, "agent", world.alice_principal.id)
    assert row.details == {"channel": "private", "chunks": [chunk]}


def test_an_auditor_looks_and_a_stranger_does_not(world, desk, client):
    world.chunk("A red fox")
    auditor = desk(world.bob_name.replace("bob", "auditor")).client
    assert seen(auditor.get(BROWSER, {"agent": str(world.alice_principal.id)})) == {"A red fox"}
    assert client.get(BROWSER).status_code == 302


def test_memory_is_escaped(world, browse):
    world.chunk("<script>alert(1)</script>")
    page = browse().content.decode()
    assert "<script>alert(1)" not in page
    assert "&lt;script&gt;" in page


def test_each_leads_to_its_story_and_the_list_leads_here(world, desk, browse):
    chunk = world.chunk("A red fox")
    client = desk(world.bob_name).client
    assert f"/admin/governance/entry/story/{chunk}/" in browse().content.decode()
    assert client.get(f"/admin/governance/entry/story/{chunk}/").status_code == 200
    assert BROWSER in client.get("/admin/memory/effectivechunk/").content.decode()


def test_without_an_agent_it_says_what_to_do(world, desk):
    with world.inside(), as_owner():
        Agent.objects.filter(tenant_id=world.tenant_id).update(is_active=False)
    assert "Create one under Agents" in desk(world.bob_name).client.get(BROWSER).content.decode()
