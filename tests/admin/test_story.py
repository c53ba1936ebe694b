"""The story of one id: a record, an edit, an agent, a person; in order, and of this tenant only."""

import uuid

import pytest

from governance.models import Agent, User

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


def story(client, what):
    return client.get(f"/admin/governance/entry/story/{what}/")


def told(page):
    assert page.status_code == 200
    return [(act.actor, act.what) for act in page.context["acts"]]


def test_a_chunk_tells_from_its_recording_to_its_last_reader(world, desk):
    bob = desk(world.bob_name)
    chunk = world.chunk("The quick brown fox")
    edit = world.edit(chunk, "quarantine", by=world.alice, reason="not a fox")["edit_id"]
    bob.decide("approve", edit)
    page = story(bob.client, chunk)
    acts = told(page)
    assert acts[0] == ("agent alice", "recorded with the event message")
    assert acts[1] == ("agent alice", "proposed quarantine")
    assert (world.bob_name, "approved quarantine") in acts
    moments = [act.at for act in page.context["acts"]]
    assert moments == sorted(moments)
    assert "not a fox" in page.content.decode()
    assert "quick brown" not in page.content.decode(), "a story has no words of memory"


def test_a_chunk_that_nobody_edited_has_a_story_too(world, desk):
    assert told(story(desk(world.bob_name).client, world.chunk())) == [
        ("agent alice", "recorded with the event message")
    ]


def test_an_event_and_a_summary_tell_who_recorded_them(world, noted, desk):
    client = desk(world.bob_name).client
    assert told(story(client, world.event()["event_id"])) == [("agent alice", "recorded message")]
    assert told(story(client, noted("a summary"))) == [("agent alice", "recorded as summary")]


def test_an_edit_an_agent_and_a_person_have_stories(world, desk):
    client = desk(world.bob_name).client
    edit = world.edit(world.chunk(), "quarantine", by=world.alice)["edit_id"]
    world.bob.decide(edit)
    page = story(client, edit)
    assert "Story of quarantine of chunk" in page.content.decode()
    assert told(page) == [("agent alice", "Edit proposed"), (f"human {world.bob_name}", "Edit approved")]
    with world.inside():
        agent = Agent.objects.get()
    page = story(client, agent.id)
    assert "Story of agent alice" in page.content.decode()
    assert told(page)[0] == ("system provision", "Agent created")
    assert ("agent alice", "Edit proposed") in told(page)
    page = story(client, User.objects.get(username=world.bob_name).id)
    assert f"Story of {world.bob_name}" in page.content.decode()
    assert ("system provision", "Role granted") in told(page)
    assert (f"human {world.bob_name}", "Edit approved") in told(page)


def test_another_tenants_ids_and_unknown_ones_have_none(world, elsewhere, desk):
    client = desk(world.bob_name).client
    for what in (elsewhere.chunk(), elsewhere.alice_principal.id, elsewhere.bob_principal.id, uuid.uuid4()):
        assert story(client, what).status_code == 404


def test_a_story_is_escaped(world, desk):
    chunk = world.chunk()
    world.edit(chunk, "quarantine", by=world.alice, reason="<script>alert(1)</script>\u202e")
    page = story(desk(world.bob_name).client, chunk).content.decode()
    assert "<script>alert(1)" not in page
    assert "U+202E" in page


def test_every_act_leads_to_its_page(world, desk):
    bob = desk(world.bob_name)
    chunk = world.chunk()
    edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    bob.decide("approve", edit)
    for what in (chunk, edit, world.bob_principal.id):
        links = {act.link for act in story(bob.client, what).context["acts"]}
        assert {bob.client.get(link).status_code for link in links} == {200}
