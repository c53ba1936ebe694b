"""Search in a tenant that is large enough for the window: what it ranks, what it hides, what it says of itself."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db import connections

from memory.drafts import EventDraft
from memory.services import recording

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])

CHUNKS = 21_000
FIRST = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def crowded(world):
    """Every chunk says "common"; one in a thousand, the oldest among them, says "rare" too."""
    for start in range(0, CHUNKS, 1000):
        drafts = [
            EventDraft(
                session_id="s",
                channel="private",
                actor_type="agent",
                actor_id="alice",
                kind="message",
                ts=FIRST + timedelta(seconds=number),
                content={"text": f"common {'rare ' if number % 1000 == 0 else ''}n{number}"},
            )
            for number in range(start, start + 1000)
        ]
        with world.inside():
            recording.record_events(drafts, actor=world.alice_principal)
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE memory_effectivechunk")
    return world


def test_a_common_query_ranks_the_newest_and_says_so(crowded):
    def search(query, **fields):
        return crowded.alice.ok("post", "chunks/search", {"query": query, "limit": 50, **fields})

    common = search("common")
    assert (common["ranking"], common["total_is_estimate"]) == ("windowed", True)
    assert len(common["chunks"]) == 50
    # equal in rank and importance: then the newest first
    numbers = [int(chunk["text"].rsplit("n", 1)[1]) for chunk in common["chunks"]]
    assert numbers == list(range(CHUNKS - 1, CHUNKS - 51, -1))
    assert CHUNKS / 2 < common["total_count"] < CHUNKS * 2

    rare = search("rare")
    assert (rare["ranking"], rare["total_is_estimate"], rare["total_count"]) == ("exact", False, CHUNKS // 1000)

    # what is corrected leaves the window at once
    gone, changed = common["chunks"][0]["chunk_id"], common["chunks"][1]["chunk_id"]
    crowded.edit(gone, "retract")
    crowded.edit(changed, "amend", text="other words")
    again = search("common", highlight=True)
    assert again["ranking"] == "windowed"
    assert not {gone, changed} & {chunk["chunk_id"] for chunk in again["chunks"]}
    assert again["chunks"][0]["snippet"].startswith("<mark>common</mark>")

    # a window that holds too few is not used: the filter leaves none
    none = search("common", session_id="another")
    assert (none["ranking"], none["total_count"]) == ("exact", 0)
    both = search("common rare")
    assert (both["ranking"], both["total_count"]) == ("exact", CHUNKS // 1000)
