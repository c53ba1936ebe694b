"""Search in tenants that are large enough for the window: what it ranks, what it hides, what it says of itself."""

from datetime import UTC, datetime, timedelta

import pytest

from governance.ledger import receipts
from memory.drafts import EventDraft
from memory.services import recording

pytestmark = pytest.mark.slow

# The samples that tell the lane are random: of 12,000 matches fewer than the four that it takes are sampled once in
# some millions of runs, of 6,000 once in 300.
CHUNKS = 21_000
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


def fill(world, count, text, *, step=timedelta(seconds=1), channel=lambda number: "private", **fields):
    """`count` chunks from FIRST on, one a `step`; number n says text(n) and "n<n>"."""
    for start in range(0, count, 1000):
        drafts = [
            EventDraft(
                session_id="s",
                channel=channel(number),
                actor_type="agent",
                actor_id="alice",
                kind="message",
                ts=FIRST + step * number,
                content={"text": f"{text(number)} n{number}", **fields},
            )
            for number in range(start, min(start + 1000, count))
        ]
        with world.inside():
            recording.record_events(drafts, actor=world.alice_principal)
            # as a request does: the next one would sign all that the test's transaction has recorded
            receipts.take(world.alice_principal)


def search(api, query, **fields):
    return api.ok("post", "chunks/search", {"query": query, "limit": 50, **fields})


def numbers(answer):
    return [int(chunk["text"].rsplit("n", 1)[1]) for chunk in answer["chunks"]]


def newest(count, of):
    return list(range(of - 1, of - 1 - count, -1))


def test_a_common_query_ranks_the_newest_and_says_so(world):
    """Every chunk says "common"; one in a thousand, the oldest among them, says "rare" too."""
    fill(world, CHUNKS, lambda number: "common rare" if number % 1000 == 0 else "common")

    common = search(world.alice, "common")
    assert (common["ranking"], common["total_is_estimate"]) == ("windowed", True)
    # equal in rank and importance: then the newest first
    assert numbers(common) == newest(50, CHUNKS)
    assert CHUNKS / 2 < common["total_count"] < CHUNKS * 2

    rare = search(world.alice, "rare")
    assert (rare["ranking"], rare["total_is_estimate"], rare["total_count"]) == ("exact", False, CHUNKS // 1000)
    assert set(numbers(rare)) == set(range(0, CHUNKS, 1000))

    # what is corrected leaves the window at once
    gone, changed = common["chunks"][0]["chunk_id"], common["chunks"][1]["chunk_id"]
    held = common["chunks"][2]["chunk_id"]
    world.edit(gone, "retract")
    world.edit(changed, "amend", text="other words")
    world.edit(held, "quarantine")
    again = search(world.alice, "common", highlight=True)
    assert again["ranking"] == "windowed"
    assert not {gone, changed, held} & {chunk["chunk_id"] for chunk in again["chunks"]}
    assert again["chunks"][0]["snippet"].startswith("<mark>common</mark>")
    with_held = search(world.alice, "common", include_quarantined=True)["chunks"]
    assert (with_held[0]["chunk_id"], with_held[0]["is_quarantined"]) == (held, True)

    # a filter or a second word that leaves few
    none = search(world.alice, "common", session_id="another")
    assert (none["ranking"], none["total_count"]) == ("exact", 0)
    both = search(world.alice, "common AND rare")
    assert (both["ranking"], both["total_count"]) == ("exact", CHUNKS // 1000)
    # plain words: those with the rare one first, then the newest of the others
    either = search(world.alice, "common rare")
    assert (either["ranking"], either["total_is_estimate"]) == ("windowed", True)
    assert set(numbers(either)[: CHUNKS // 1000]) == set(range(0, CHUNKS, 1000))
    assert numbers(either)[CHUNKS // 1000] == CHUNKS - 4  # the newest that no edit touched
    phrase = search(world.alice, '"common rare"')
    assert (phrase["ranking"], phrase["total_count"]) == ("exact", CHUNKS // 1000)
    # no chunk has this phrase: its words are searched instead
    reversed_phrase = search(world.alice, '"rare common"')
    assert [notice["code"] for notice in reversed_phrase["notices"]] == ["without_conditions"]
    assert (reversed_phrase["ranking"], numbers(reversed_phrase)) == ("windowed", numbers(either))
    # a query that only excludes
    rest = search(world.alice, "common -rare")
    assert rest["ranking"] == "windowed"
    assert numbers(rest)[0] == CHUNKS - 4  # the newest that no edit touched
    assert search(world.alice, "-rare")["ranking"] == "windowed"
    # beginnings of words
    beginning = search(world.alice, "comm* -rare")
    assert (beginning["ranking"], numbers(beginning)) == ("windowed", numbers(rest))
    assert CHUNKS / 2 < beginning["total_count"] < CHUNKS * 2
    few = search(world.alice, "rar*")
    assert (few["ranking"], few["total_count"]) == ("exact", CHUNKS // 1000)
    assert search(world.alice, "comm*", session_id="another")["total_count"] == 0
    assert search(world.alice, "comm*", session_id="s")["ranking"] == "windowed"


def test_what_was_common_only_long_ago_is_windowed_too_and_found_by_its_newest(world):
    """Two years at an hour a chunk: "old" is in every chunk of the first two thirds and in three far newer ones."""
    late = {14_000, 16_000, 17_999}
    fill(world, 18_000, lambda number: "old" if number < 12_000 or number in late else "other", step=timedelta(hours=1))

    answer = search(world.alice, "old")

    assert answer["ranking"] == "windowed"
    assert numbers(answer) == [*sorted(late, reverse=True), *newest(47, 12_000)]
    assert 6000 < answer["total_count"] < 24_000


def test_a_term_of_medium_share_is_found_where_it_is_newest(world):
    """Two chunks in three over four months."""
    fill(world, 18_000, lambda number: "medium" if number % 3 else "other", step=timedelta(minutes=10))

    answer = search(world.alice, "medium")

    assert answer["ranking"] == "windowed"
    assert numbers(answer) == [number for number in newest(18_000, 18_000) if number % 3][:50]


def test_an_import_into_one_moment_is_walked_from_its_end(world):
    fill(world, CHUNKS, lambda number: "common", step=timedelta(milliseconds=1))
    world.chunk("common n99999", ts="2026-01-02T00:00:00Z")

    answer = search(world.alice, "common")

    assert answer["ranking"] == "windowed"
    assert numbers(answer) == [99_999, *newest(49, CHUNKS)]


def test_chunks_of_one_instant_are_windowed_as_well(world):
    fill(world, CHUNKS, lambda number: "common", step=timedelta(0))

    answer = search(world.alice, "common", limit=200)

    assert (answer["ranking"], len(answer["chunks"])) == ("windowed", 200)


def test_a_filter_decides_the_lane_by_what_it_leaves(world, agent_in):
    fill(world, CHUNKS, lambda number: "common", channel=lambda number: "team" if number % 300 == 0 else "private",
         project_id="alpha")  # fmt: skip
    world.chunk("common n77777", content={"project_id": "beta"}, ts="2026-01-02T00:00:00Z")

    for filters in ({"project_id": "alpha"}, {"scope": "project"}, {"session_id": "s"}, {"channel": "private"}):
        assert search(world.alice, "common", **filters)["ranking"] == "windowed", filters
    beta = search(world.alice, "common", project_id="beta")
    assert (beta["ranking"], beta["total_count"]) == ("exact", 1)
    team = search(agent_in("team"), "common")
    assert (team["ranking"], team["total_count"]) == ("exact", CHUNKS // 300)


def test_what_other_tenants_hold_changes_neither_lane_nor_total(world, elsewhere):
    fill(elsewhere, CHUNKS, lambda number: "common")
    fill(world, 30, lambda number: "common")

    answer = search(world.alice, "common")

    assert (answer["ranking"], answer["total_count"], numbers(answer)) == ("exact", 30, newest(30, 30))
