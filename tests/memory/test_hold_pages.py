"""Pages of a search hold still: every match comes once, whatever is embedded, edited or recorded between two pages."""

import pytest

from tests.embedding import embed_all

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = [
    *("anchor", "basil", "copper", "dahlia", "ember", "fjord", "garnet", "hazel"),
    *("ivory", "jasper", "kelp", "lilac"),
]


@pytest.fixture
def herons(world):
    events = [
        world.draft(f"The heron list has {WORDS[n % 12]} and {WORDS[n * 7 % 12]} as item {n}", session_id="herons")
        for n in range(65)
    ]
    recorded = world.alice.ok("post", "events/batch", {"events": events})["events"]
    return [one["chunk_ids"][0] for one in recorded]


def page_of(world, cursor=None, **fields):
    body = {"query": "heron list item", "limit": 10, "collapse_duplicates": False, **fields}
    return world.alice.ok("post", "chunks/search", {**body, **({"cursor": cursor} if cursor else {})})


def rest_of(world, page, **fields):
    """The ids of this page and all that follow, and the last page."""
    shown = [one["chunk_id"] for one in page["chunks"]]
    while page["next"]:
        page = page_of(world, page["next"], **fields)
        shown += [one["chunk_id"] for one in page["chunks"]]
    return shown, page


def test_every_match_comes_once_while_memory_is_embedded(world, herons):
    first = page_of(world)
    embed_all(world)

    shown, last = rest_of(world, first)

    assert len(shown) == len(set(shown)) == 65
    assert last["total_count"] == 65


def test_every_match_comes_once_while_ranks_move(world, herons):
    first = page_of(world)
    seen = {one["chunk_id"] for one in first["chunks"]}
    unseen = [one for one in herons if one not in seen]
    # the next would rank before the first page, and the first behind all
    world.edit(unseen[0], "amend", text="heron list item heron list item")
    world.edit(sorted(seen)[0], "amend", text="a heron" + " and other words" * 50)
    world.event("another heron list item", session_id="herons")

    shown, last = rest_of(world, first)

    assert len(shown) == len(set(shown)) == 66
    assert set(herons) <= set(shown)
    assert last["total_count"] == 66


def test_what_a_reader_may_no_longer_see_stays_away(world, herons):
    first = page_of(world)
    seen = {one["chunk_id"] for one in first["chunks"]}
    hidden = [one for one in herons if one not in seen][:3]
    for chunk in hidden:
        world.edit(chunk, "retract")

    shown, _ = rest_of(world, first)

    assert len(shown) == len(set(shown)) == 62
    assert not set(hidden) & set(shown)


def test_the_last_page_counts_the_matches_even_if_nothing_is_left(world, herons):
    page = page_of(world, limit=60)
    seen = {one["chunk_id"] for one in page["chunks"]}
    for chunk in herons:
        if chunk not in seen:
            world.edit(chunk, "retract")

    last = page_of(world, page["next"], limit=60)

    assert (last["chunks"], last["next"], last["total_count"]) == ([], None, 60)


def test_the_best_of_the_rerank_come_once(world, herons):
    first = page_of(world, rerank=True)
    embed_all(world)

    shown, _ = rest_of(world, first, rerank=True)

    assert len(shown) == len(set(shown))
    assert len(shown) >= 50
