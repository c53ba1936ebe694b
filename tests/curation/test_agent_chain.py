"""The chain of an agent: one signed, linked entry for whatever it keeps, decides and loses, that anybody can verify."""

import itertools
import json

import pytest
from click.testing import CliRunner

from governance.ledger import published_tree_heads
from governance.models import Chain, Entry
from suture_client.cli import app
from tests.erasure.conftest import admins_of
from tests.factories import DecisionFactory
from tests.ledger.tampering import assert_found, assert_intact, exported, leaves, seal, unguarded
from tests.world import make_world

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


@pytest.fixture
def world(db):
    """A fresh tenant, whose chain begins here."""
    return make_world()


def chain(world, name="agent:alice"):
    with world.inside():
        return list(Entry.objects.filter(tenant_id=world.tenant_id, chain__name=name).order_by("seq"))


def lived_in(world, agent):
    """One of each kind of entry; answers the chunk of the memory that was erased."""
    one, two, three = agent.commits("Jack likes tea", "Jack likes rain", "Jack likes fog")
    agent.rethink([one, two], "Jack likes both", reason="One note")
    agent.update("persona", "I am Ada")
    agent.update("persona", "I am Ada, a helper")
    world.alice.ok("post", "events", DecisionFactory())
    chunk = agent.memory(three)["chunk_id"]
    admins_of(world).erase(by="chunk", id=chunk)
    return chunk


def test_every_agent_has_a_chain_that_begins_with_its_identity(world, agent_in):
    agent_in("public")
    with world.inside():
        names = Chain.objects.filter(tenant_id=world.tenant_id).values_list("name", flat=True)
        begun = [name for name in names if name.startswith("agent:")]
    assert len(begun) == 2
    for name in begun:
        (genesis,) = chain(world, name)
        assert (genesis.seq, genesis.type) == (0, "identity")
        assert "public_key" in genesis.metadata


def test_each_kind_of_entry_is_on_it_in_order_without_gaps(world, agent):
    lived_in(world, agent)
    entries = chain(world)
    assert [(one.seq, one.type) for one in entries] == list(
        enumerate(
            ["identity", "memory", "memory", "memory", "consolidation", "block", "block", "decision", "redaction"]
        )
    )
    assert all(later.ts > earlier.ts for earlier, later in itertools.pairwise(entries))
    assert all(bytes(later.prev_hash) == bytes(earlier.hash) for earlier, later in itertools.pairwise(entries))


def test_an_entry_says_what_was_recorded_but_no_words(world, agent):
    made = agent.commit("Jack likes tea", importance=7, tier="ephemeral", channel="team")
    entry = chain(world)[1]
    assert entry.metadata == {
        "actor": entry.metadata.get("actor"),
        "chunk": made["chunk_id"],
        "importance": "0.7",
        "channel": "team",
        "expires_at": entry.metadata["expires_at"],
    }
    assert entry.metadata["actor"]["name"] == "alice"
    assert (entry.retention, entry.content_hash.hex()) == ("ephemeral", made["contentHash"])
    assert b"likes" not in exported(world)


def test_everything_verifies(world, agent):
    lived_in(world, agent)
    seal(world)
    assert_intact(world)
    assert_intact(world, "--agent", "alice")


def test_the_export_verifies_at_the_command_line_and_a_changed_one_does_not(world, agent, tmp_path):
    lived_in(world, agent)
    seal(world)
    file = tmp_path / "ledger.jsonl"
    file.write_bytes(exported(world))
    command = ["verify", str(file), "--trusted-tree-head", str(published_tree_heads.path_of(world.tenant_id))]
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 0, told.output

    file.write_text(file.read_text().replace("One note", "No note", 1))
    told = CliRunner().invoke(app, command)
    assert told.exit_code == 1
    assert ": agent:alice at " in told.output


def test_one_agents_chain_is_exported_alone(world, agent):
    lived_in(world, agent)
    lines = [json.loads(line) for line in exported(world, "?chain=agent:alice").splitlines()]
    assert {line["chain"] for line in lines if "seq" in line} == {"agent:alice"}


def test_memories_and_what_they_superseded_are_sealed(world, agent):
    lived_in(world, agent)
    seal(world)
    kinds = [one.kind for one in leaves(world)]
    assert kinds.count("agent_memory") == 6
    with unguarded("memory_supersession") as cursor:
        cursor.execute(
            "UPDATE memory_supersession SET superseded_seq = superseded_seq + 1 WHERE tenant_id = %s AND kind ="
            " 'consolidation' AND superseded_seq = 2",
            [world.tenant_id],
        )
        assert cursor.rowcount == 1
    assert_found(world, "row")
    with unguarded("memory_supersession") as cursor:
        cursor.execute(
            "UPDATE memory_supersession SET superseded_seq = 2 WHERE tenant_id = %s AND superseded_seq = 3",
            [world.tenant_id],
        )


def test_words_that_were_changed_behind_the_guards_are_found(world, agent):
    agent.commit("Jack likes tea")
    with unguarded("governance_content") as cursor:
        cursor.execute(
            "UPDATE governance_content SET body = 'Jack hates tea' WHERE tenant_id = %s AND body = 'Jack likes tea'",
            [world.tenant_id],
        )
    assert_found(world, "content mismatch: content")
    with unguarded("governance_content") as cursor:
        cursor.execute(
            "UPDATE governance_content SET body = 'Jack likes tea' WHERE tenant_id = %s AND body = 'Jack hates tea'",
            [world.tenant_id],
        )


def test_a_decision_is_on_the_chain_of_the_agent_that_recorded_it(world):
    recorded = world.alice.ok("post", "events", DecisionFactory())
    entry = chain(world)[1]
    assert entry.type == "decision"
    told = (entry.metadata["decision"], entry.metadata["event"])
    assert told == (recorded["decision_id"], recorded["event_id"])


def test_each_decision_of_a_batch_is_on_it_and_of_a_person_none(world):
    events = [DecisionFactory(content={"decision": f"Ship {number}"}) for number in range(3)]
    world.alice.ok("post", "events/batch", {"events": [*events, world.draft("Not a decision")]})
    assert [one.type for one in chain(world)] == ["identity", "decision", "decision", "decision"]
    before = len(chain(world, "governance"))
    world.bob.ok("post", "events", DecisionFactory(actor_type="human", actor_id="bob"))
    assert len(chain(world)) == 4
    assert len(chain(world, "governance")) == before


def test_a_redaction_says_which_words_were_erased(world, agent):
    lived_in(world, agent)
    redaction = chain(world)[-1]
    assert redaction.type == "redaction"
    assert len(redaction.metadata["contents"]) == 1


def test_edits_of_memories_are_on_the_chain_of_the_tenant(world, agent):
    made = agent.commit("Jack likes tea")
    world.edit(made["chunk_id"], "retract")
    assert [one.type for one in chain(world)] == ["identity", "memory"]
    assert chain(world, "governance")[-1].type in {"edit.approved", "edit.applied", "edit.proposed"}


def test_a_refused_call_appends_nothing(world, agent):
    (seq,) = agent.commits("Jack likes tea")
    before = (len(chain(world)), len(chain(world, "governance")))
    for tool, body in (
        ("memory_commit", {"content": ""}),
        ("memory_commit", {"content": "a", "importance": 11}),
        ("memory_rethink", {"supersedes": [99], "newUnderstanding": "a"}),
        ("memory_rethink", {"supersedes": [seq], "newUnderstanding": "a", "channel": "public"}),
        ("block_update", {"label": "human", "content": "a"}),
        ("block_uptade", {"label": "goals", "content": "a"}),
    ):
        assert world.alice.post(f"tools/{tool}", body).status_code in (400, 404)
    assert (len(chain(world)), len(chain(world, "governance"))) == before
