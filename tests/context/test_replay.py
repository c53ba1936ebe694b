"""GET /acb/{id}: what was injected, looked at again."""

import json
import uuid

import pytest

from governance.identity import identities
from governance.models import Agent
from memory.context.sections import Candidate, Gathered, Part
from tests.context.conftest import JACK
from tests.owning import as_owner
from tests.world import Api


def test_it_works(world, built):
    chunk = world.chunk("Jack likes tea")
    acb = built(query="tea")
    replayed = world.alice.ok("get", f"acb/{acb['acb_id']}")
    (item,) = replayed["items"]
    assert (item["id"], item["section"], item["text"], item["changed_since"]) == (
        chunk,
        "recent_window",
        "Jack likes tea",
        False,
    )
    assert replayed["total_tokens"] == acb["total_tokens"]
    assert replayed["built_by"] == "alice"
    assert "tea" not in json.dumps([replayed["request"], replayed["query_hash"]])


def test_a_correction_since_then_is_marked_and_the_old_words_are_gone(world, built):
    chunk, other = world.chunk("Jon called"), world.chunk("Something else")
    acb = built()
    world.edit(chunk, "amend", text="John called")
    items = {item["id"]: item for item in world.alice.ok("get", f"acb/{acb['acb_id']}")["items"]}
    assert (items[chunk]["text"], items[chunk]["changed_since"], items[chunk]["edits_applied"]) == (
        "John called",
        True,
        0,
    )
    assert not items[other]["changed_since"]


@pytest.mark.parametrize(("op", "patch"), [("retract", {}), ("quarantine", {}), ("block", {"channel": "private"})])
def test_what_was_hidden_since_then_has_no_words_for_anybody(world, built, op, patch):
    chunk = world.chunk("The password is swordfish")
    acb = built()
    world.edit(chunk, op, **patch)
    for reader in (world.alice, world.bob, world.auditor):
        response = reader.get(f"acb/{acb['acb_id']}")
        (item,) = response.json()["items"]
        assert (item["id"], item["text"], item["changed_since"]) == (chunk, None, True)
        assert b"swordfish" not in response.content


def test_a_change_of_importance_is_no_change_of_words(world, built):
    chunk = world.chunk("Jack likes tea")
    acb = built()
    world.edit(chunk, "attenuate", importance_delta=-0.1)
    (item,) = world.alice.ok("get", f"acb/{acb['acb_id']}")["items"]
    assert not item["changed_since"]


def test_decisions_and_tasks_are_replayed_too(world, built):
    decision = world.event(kind="decision", session_id="s", content={"decision": "Use tabs", "rationale": ["x"]})
    task = world.event(kind="task_update", session_id="s", content={"title": "Reformat", "status": "open"})
    acb = built()
    found = {item["kind"]: item for item in world.bob.ok("get", f"acb/{acb['acb_id']}")["items"]}
    assert (found["decision"]["text"], found["task"]["text"]) == ("Use tabs", "Reformat")
    assert not any(item["changed_since"] for item in found.values() if item["kind"] != "chunk")
    world.edit(decision["decision_id"], "amend", target_type="decision", text="Use spaces")
    done = {"title": "Reformat", "status": "done", "task_id": task["task_id"], "details": "all of it"}
    world.event(kind="task_update", session_id="s", content=done)
    found = {item["kind"]: item for item in world.bob.ok("get", f"acb/{acb['acb_id']}")["items"]}
    assert found["decision"]["changed_since"]
    assert found["decision"]["text"] == "Use spaces"
    assert found["task"]["changed_since"]


def test_the_parts_of_another_apps_item_are_replayed(world, built, section):
    chunk = world.chunk("curated", session_id="session-0")

    class HandedOver:
        name, title, priority, share = "handed-over", "Handed over", 60, 0

        def gather(self, request):
            hashes = {row.chunk_id: row.content_hash for row in request.session_rows}
            part = Part("chunk", uuid.UUID(chunk), 0, hashes[uuid.UUID(chunk)])
            return Gathered([Candidate("bundle", uuid.UUID(int=1), "A bundle", {"name": "b"}, parts=(part,))])

    section(HandedOver())
    acb = built(session_id="session-0")
    assert [one["name"] for one in acb["handed-over"]] == ["b"]
    world.edit(chunk, "amend", text="corrected")
    items = world.bob.ok("get", f"acb/{acb['acb_id']}")["items"]
    (item,) = [item for item in items if item["kind"] == "bundle"]
    assert (item["text"], item["changed_since"]) == (None, True)  # as its part has
    assert [(part["id"], part["text"], part["changed_since"]) for part in item["parts"]] == [(chunk, "corrected", True)]


def test_people_with_a_role_and_the_agent_itself_may_see_it_and_no_other_agent(world, charlie, agent_in, built):
    world.chunk("words", content=JACK)
    acb = built()
    for reader in (world.alice, world.bob, world.auditor):
        assert reader.get(f"acb/{acb['acb_id']}").status_code == 200
    for stranger in (charlie, agent_in("private")):
        response = stranger.get(f"acb/{acb['acb_id']}")
        assert response.status_code == 404
        assert b"words" not in response.content


def test_an_unknown_bundle_is_not_found(world):
    assert world.alice.get(f"acb/{uuid.UUID(int=1)}").status_code == 404


def test_it_is_read_as_the_channel_of_then_may_hear(world):
    """A key that lost the channel does not read on."""
    key = identities.provision(world.slug, agents=[("dora", ["private"])]).agents["dora"]["key"]
    world.chunk("private words")
    dora = Api(key)
    acb = dora.ok("post", "acb/build", {"session_id": "session-1", "channel": "private"})["acb"]
    assert dora.get(f"acb/{acb['acb_id']}").status_code == 200
    with world.inside(), as_owner():
        Agent.objects.filter(tenant_id=world.tenant_id, slug="dora").update(channels=["public"])
    assert dora.get(f"acb/{acb['acb_id']}").status_code == 403
