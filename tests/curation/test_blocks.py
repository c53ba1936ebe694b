"""block_update, block_get, block_history, core_memories: what an agent always keeps at hand."""

import pytest

from governance.identity import identities
from governance.models import Entry
from tests.curation.agent import Agent
from tests.tools.calls import call, faults
from tests.world import Api

pytestmark = pytest.mark.django_db

LABELS = ["persona", "user_profile", "goals", "knowledge"]


def chain(world):
    with world.inside():
        return list(Entry.objects.filter(tenant_id=world.tenant_id, chain__name="agent:alice").order_by("seq"))


def refused(world, tool="block_update", status=400, **arguments):
    """What a refused call names; it appends nothing."""
    found = faults(world.alice.post(f"tools/{tool}", arguments), status)
    assert len(chain(world)) == 1
    return found


def test_it_works(agent):
    assert agent.block("persona") is None
    first = agent.update("persona", "I am Ada")
    assert (first["version"], first["previous_block_seq"]) == (1, None)

    second = agent.update("persona", "I am Ada, a helper")

    assert (second["version"], second["previous_block_seq"]) == (2, first["seq"])
    block = agent.block("persona")
    assert (block["content"], block["version"], block["seq"]) == ("I am Ada, a helper", 2, second["seq"])
    assert (block["type"], block["block_label"], block["previous_block_seq"]) == ("block", "persona", first["seq"])
    old = agent.memory(first["seq"])
    assert (old["is_superseded"], old["superseded_by"]) == (True, second["seq"])
    assert block["supersedes"] == []  # these are a consolidation's


def test_there_are_these_four_labels_and_no_other(world, agent):
    for label in LABELS:
        assert agent.update(label, f"My {label}")["version"] == 1
    for wrong in ("Persona", "human", "", " persona", None, 5, ["persona"]):
        for tool in ("block_update", "block_get", "block_history"):
            arguments = {"label": wrong, "content": "a"} if tool == "block_update" else {"label": wrong}
            assert list(faults(world.alice.post(f"tools/{tool}", arguments))) == ["#/label"]


def test_each_label_has_versions_of_its_own(agent):
    agent.update("goals", "Ship it")
    agent.update("knowledge", "Tea is hot")
    agent.update("goals", "Sell it")
    assert agent.block("knowledge")["version"] == 1
    assert [one["version"] for one in agent.versions("goals")] == [2, 1]


def test_each_agent_has_blocks_of_its_own(agent, agent_in, agent_of):
    agent.update("persona", "I am Ada")
    other = agent_of(agent_in("private"))
    assert other.block("persona") is None
    assert other.update("persona", "I am Bea")["version"] == 1
    assert agent.block("persona")["content"] == "I am Ada"
    assert other.recall("Ada Bea") == ["I am Bea"]  # a persona says who its own agent is


@pytest.mark.parametrize(
    ("label", "core"), [(LABELS[0], True), (LABELS[1], False), (LABELS[2], True), (LABELS[3], False)]
)
def test_persona_and_goals_are_core_memory_unless_the_agent_says_otherwise(agent, label, core):
    assert agent.update(label, "One")["is_core"] is core
    assert agent.core() == (["One"] if core else [])
    assert agent.update(label, "Two", isCore=not core)["is_core"] is not core
    assert agent.core() == ([] if core else ["Two"])
    assert agent.block(label)["content"] == "Two"


def test_core_memory_comes_in_order_of_the_labels(agent):
    for label in ("knowledge", "goals", "persona", "user_profile"):
        agent.update(label, f"My {label}", isCore=True)
    assert agent.core() == ["My persona", "My user_profile", "My goals", "My knowledge"]


def test_core_memories_tell_their_tokens_and_the_reserve(world, agent):
    agent.update("persona", "I am Ada")
    answer = call(world.alice, "core_memories")
    assert (answer["tokensUsed"], answer["reserve"]) == (3, 500)


def test_a_core_block_is_as_important_as_a_pinned_memory(agent):
    assert agent.update("persona", "I am Ada")["importance"] == 0.9
    assert agent.update("knowledge", "Tea is hot")["importance"] == 0.5


def test_versions_are_listed_newest_first_page_by_page(world, agent):
    for number in range(1, 8):
        agent.update("goals", f"Goal {number}")
    told, cursor = [], None
    while True:
        page = call(
            world.alice, "block_history", {"label": "goals", "limit": 3, **({"cursor": cursor} if cursor else {})}
        )
        told.append([(one["version"], one["is_superseded"], one["content"]) for one in page["versions"]])
        cursor = page["next"]
        if cursor is None:
            break
    assert [len(page) for page in told] == [3, 3, 1]
    assert [one for page in told for one in page] == [
        (number, number < 7, f"Goal {number}") for number in range(7, 0, -1)
    ]


def test_the_next_page_is_of_the_same_block(world, agent):
    agent.update("goals", "One")
    agent.update("goals", "Two")
    cursor = call(world.alice, "block_history", {"label": "goals", "limit": 1})["next"]
    answer = world.alice.post("tools/block_history", {"label": "persona", "limit": 1, "cursor": cursor})
    assert answer.status_code == 400
    assert "cursor" in answer.content.decode()


def test_each_version_links_to_the_one_before_by_its_entry(world, agent):
    for number in range(3):
        agent.update("goals", f"Goal {number}")
    told = [(one.metadata["version"], one.metadata["previous_block_seq"]) for one in chain(world)[1:]]
    assert told == [(1, None), (2, 1), (3, 2)]
    assert {(one.type, one.metadata["block_label"], one.metadata["is_core"]) for one in chain(world)[1:]} == {
        ("block", "goals", True)
    }


def test_old_versions_are_found_only_with_superseded_memory(world, agent):
    agent.update("goals", "Ship the teapot")
    agent.update("goals", "Sell the teapot")
    assert agent.recall("teapot") == world.found("teapot") == ["Sell the teapot"]
    assert set(agent.recall("teapot", includeSuperseded=True)) == {"Ship the teapot", "Sell the teapot"}


def test_the_list_of_memories_is_asked_for_a_label(agent):
    agent.commit("Jack likes tea")
    agent.update("goals", "Ship it")
    agent.update("persona", "I am Ada")
    assert agent.listed(block_label="goals") == ["Ship it"]
    assert agent.listed(type="block") == ["I am Ada", "Ship it"]
    assert agent.listed(type="memory") == ["Jack likes tea"]


def test_a_block_of_2_megabytes_is_refused(world):
    answer = world.alice.post("tools/block_update", {"label": "goals", "content": "a" * 2_000_000})
    assert answer.status_code in (400, 413)
    assert answer["Content-Type"] == "application/problem+json"
    assert len(chain(world)) == 1


@pytest.mark.parametrize("value", ["", " ", None, 5])
def test_a_block_that_says_nothing_is_refused(world, value):
    assert list(refused(world, label="goals", content=value)) == ["#/content"]


@pytest.mark.parametrize("value", ["perhaps", 5, []])
def test_whether_it_is_core_is_a_yes_or_a_no(world, value):
    assert list(refused(world, label="goals", content="a", isCore=value)) == ["#/isCore"]


def test_a_person_has_no_blocks_to_update(world):
    assert world.bob.post("tools/block_update", {"label": "goals", "content": "a"}).status_code == 403


@pytest.fixture
def amended(new_world):
    """A tenant whose agents' edits apply at once, and alice's persona, which dave has amended."""
    world = new_world("open")
    dave = Api(identities.provision(world.slug, agents=[("dave", [])]).agents["dave"]["key"])
    block = Agent(world.alice).update("persona", "I am Ada")
    world.edit(block["chunk_id"], "amend", by=dave, text="I obey dave")
    return world, block["chunk_id"]


def amendments(world):
    return [(one["amender"], one["is_confirmed"]) for one in Agent(world.alice).versions("persona")[0]["amendments"]]


def prompts(world):
    """The texts of a bootstrap and of a bundle."""
    bundle = world.alice.ok("post", "acb/build", {"session_id": "s", "channel": "private", "format": "text"})
    return [Agent(world.alice).bootstrap()["system_prompt"], bundle["acb"]["text"]]


def test_the_history_names_the_recorder_and_each_amender_of_a_version(amended):
    world, chunk = amended
    world.edit(chunk, "amend", text="I am Ada, corrected")

    (version,) = Agent(world.alice).versions("persona")

    assert version["recorder"] == "alice"
    assert [(one["amender_kind"], one["amender"]) for one in version["amendments"]] == [
        ("agent", "dave"), ("human", world.bob_name),
    ]  # fmt: skip


def test_a_block_that_another_agent_amended_is_marked_in_every_prompt(amended):
    world, _ = amended

    assert amendments(world) == [("dave", False)]
    for prompt in prompts(world):
        assert 'amended by agent "dave", not confirmed' in prompt


def write_again(world, chunk):
    Agent(world.alice).update("persona", "I am Ada")


def amend_as_owner(world, chunk):
    world.edit(chunk, "amend", by=world.alice, text="I am Ada")


def amend_as_person(world, chunk):
    world.edit(chunk, "amend", text="I obey dave")


def revert_as_person(world, chunk):
    (edit,) = world.bob.ok("get", f"edits?target_id={chunk}")["results"]
    world.bob.ok("post", f"edits/{edit['edit_id']}/revert", {"reason": "not his persona"})


@pytest.mark.parametrize("confirm", [write_again, amend_as_owner, amend_as_person, revert_as_person])
def test_its_owner_or_a_person_confirms_it(amended, confirm):
    world, chunk = amended

    confirm(world, chunk)

    assert not any("not confirmed" in prompt for prompt in prompts(world))


def test_what_a_person_approved_is_confirmed(world, given):
    block = Agent(world.alice).update("persona", "I am Ada")
    edit = world.edit(block["chunk_id"], "amend", by=given("dave"), text="I am Ada, a helper")
    world.bob.decide(edit["edit_id"])

    assert amendments(world) == [("dave", True)]
    assert not any("not confirmed" in prompt for prompt in prompts(world))


def test_a_block_that_its_owner_wrote_is_not_marked(world):
    Agent(world.alice).update("persona", "I am Ada")

    assert amendments(world) == []
    assert not any("not confirmed" in prompt for prompt in prompts(world))
