"""What the admin site shows of agents' own memory: the list, the story, and the facts on the review page."""

from typing import Any

import pytest

from tests.tools.calls import call

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])
LIST = "/admin/memory/agentmemory/"


@pytest.fixture
def kept(world: Any) -> dict[str, Any]:
    """Two memories and their consolidation, and a block with two versions: what the tools answered."""
    tea = call(world.alice, "memory_commit", {"content": "Jack likes zebras"})
    rain = call(world.alice, "memory_commit", {"content": "Jack likes rain"})
    both = call(
        world.alice,
        "memory_rethink",
        {"supersedes": [tea["seq"], rain["seq"]], "new_understanding": "Jack likes zebras and rain", "reason": "one"},
    )
    call(world.alice, "block_update", {"label": "goals", "content": "Feed the zebras"})
    goals = call(world.alice, "block_update", {"label": "goals", "content": "Feed the zebras by noon"})
    return {"tea": tea, "rain": rain, "both": both, "goals": goals}


def shown(client: Any, query: str = "") -> list[tuple[int, int | None]]:
    """The numbers in the list, the newest first, each with what superseded it."""
    page = client.get(LIST + query)
    assert page.status_code == 200
    assert "zebras" not in page.content.decode()
    return [(row.seq, row.successor_seq) for row in page.context["cl"].result_list]


def test_the_list_says_what_superseded_what_and_leads_to_the_chunk(
    world: Any, elsewhere: Any, desk: Any, kept: dict[str, Any]
) -> None:
    call(elsewhere.alice, "memory_commit", {"content": "Elsewhere"})
    for name in (world.bob_name, world.slug.replace("tenant", "auditor")):
        assert shown(desk(name).client) == [(5, None), (4, 5), (3, None), (2, 3), (1, 3)]
    client = desk(world.bob_name).client
    assert shown(client, "?superseded=yes") == [(4, 5), (2, 3), (1, 3)]
    assert shown(client, "?superseded=no&type__exact=block") == [(5, None)]
    page = client.get(LIST).content.decode()
    assert "goals, version 2" in page
    assert ">alice<" in page
    address = f"/admin/memory/effectivechunk/{kept['tea']['chunk_id']}/change/"
    assert f'href="{address}"' in page
    assert client.get(address).status_code == 200


def test_a_retracted_consolidation_supersedes_nothing_in_the_list(world: Any, desk: Any, kept: dict[str, Any]) -> None:
    world.edit(kept["both"]["chunk_id"], "retract")
    assert shown(desk(world.bob_name).client)[2:] == [(3, None), (2, None), (1, None)]


def test_the_story_says_in_the_place_of_which_and_by_which(world: Any, desk: Any, kept: dict[str, Any]) -> None:
    client = desk(world.bob_name).client

    def told(name: str) -> dict[str, str]:
        page = client.get(f"/admin/governance/entry/story/{kept[name]['chunk_id']}/")
        assert "zebras" not in page.content.decode()
        return {act.what: act.detail for act in page.context["acts"]}

    acts = told("tea")
    assert acts["recorded as commit"] == "memory 1; private"
    assert "superseded by consolidation 3" in acts
    assert told("both")["recorded as consolidation"] == "memory 3, replacing 1, 2; private"
    assert told("goals")["recorded as block"] == "memory 5, replacing 4; private"


def test_the_review_page_says_in_the_place_of_which_and_by_which(world: Any, desk: Any, kept: dict[str, Any]) -> None:
    bob = desk(world.bob_name)

    def facts(name: str) -> dict[str, str]:
        edit = world.edit(kept[name]["chunk_id"], "quarantine", by=world.alice)["edit_id"]
        return dict(bob.open(edit).context["origin"])

    assert facts("tea")["Superseded by"] == "3"
    both = facts("both")
    assert both["Supersedes"] == "1, 2 (one)"
    assert both["Agent's memory"] == "number 3"
    assert "Superseded by" not in both
    assert facts("goals")["Agent's memory"] == "number 5, version 2 of the block goals"


def test_the_release_of_a_consolidation_names_the_hidden_memory(world: Any, desk: Any, kept: dict[str, Any]) -> None:
    world.edit(kept["tea"]["chunk_id"], "retract")
    (release,) = world.bob.ok("get", "edits?status=pending")["results"]
    assert "It was built on memory 1, which is hidden" in release["reason"]
    page = desk(world.bob_name).open(release["edit_id"]).content.decode()
    assert "It was built on memory 1, which is hidden" in page
    assert "no session" in page
    assert "session None" not in page


def test_a_chunk_that_is_no_agents_memory_has_no_such_facts(world: Any, desk: Any) -> None:
    edit = world.edit(world.chunk(), "quarantine", by=world.alice)["edit_id"]
    assert "Agent's memory" not in dict(desk(world.bob_name).open(edit).context["origin"])
