"""A bundle with room asks for more, and says what it left."""

import pytest

from memory.context import sections
from tests.context.conftest import JACK
from tests.context.test_hidden_and_crowded import FEW, left_out, record


def shown(acb):
    return [one["chunk_id"] for name in ("evidence", "handoff") for one in acb[name]] + [
        one["chunk_id"] for one in acb["session"]["chunks"]
    ]


def of_window(acb):
    """How many the window tells of: those in it, those that found no room, and those that are in the evidence."""
    left = left_out(acb)
    return len(acb["session"]["chunks"]) + sum(left.get(("recent_window", why), 0) for why in ("budget", "duplicate"))


def test_short_chunks_fill_it_as_far_as_there_is_room(world, built):
    record(world, [{"text": f"invoice {number}"} for number in range(60)])

    acb = built(query="invoice", **FEW)

    assert len(shown(acb)) == 60
    assert {reason for _, reason in left_out(acb)} == {"duplicate"}


def test_what_was_not_even_fetched_is_counted_as_left_out(world, built):
    record(world, [{"text": f"invoice {number} " + "word " * 150} for number in range(60)])

    acb = built(query="invoice", **FEW)

    assert of_window(acb) == 60
    (omission,) = [one for one in acb["omissions"] if (one["section"], one["reason"]) == ("recent_window", "budget")]
    assert len(omission["ids"]) < omission["count"]  # only those that were fetched have names


def test_it_is_counted_up_to_a_bound(world, built, monkeypatch):
    monkeypatch.setattr(sections, "COUNTED_BEYOND", 7)
    record(world, [{"text": f"invoice {number} " + "word " * 150} for number in range(60)])

    acb = built(query="invoice", **FEW)

    assert of_window(acb) == 32 + 7


def test_the_newest_fill_what_matches_do_not(world, built):
    record(world, [{"text": f"a note {number}", **JACK} for number in range(50)], session_id="session-0")
    record(world, [{"text": "the invoice", **JACK}], session_id="session-0", ts="2025-01-01T00:00:00Z")

    evidence = built(query="invoice", **FEW, **JACK)["evidence"]

    assert len(evidence) == 51
    assert evidence[0]["text"] == "the invoice"
    scores = [one["provenance"]["score"] for one in evidence]
    assert scores == sorted(scores, reverse=True)


def test_equal_lines_of_a_session_all_stay(world, built):
    record(world, [{"text": "a memory with words of its own"}])
    record(world, [{"text": "ok"} for _ in range(20)])

    shown = [one["text"] for one in built(**FEW)["session"]["chunks"]]

    assert shown == ["a memory with words of its own", *["ok"] * 20]


def test_the_same_words_over_and_over_do_not_keep_others_out_of_the_evidence(world, built):
    record(world, [{"text": "a memory with words of its own"}], session_id="session-0")
    record(world, [{"text": "ok"} for _ in range(60)], session_id="session-0")

    assert sorted(one["text"] for one in built(**FEW)["evidence"]) == ["a memory with words of its own", "ok"]


def test_a_bundle_is_full_before_it_says_that_there_was_no_room(world, built, agent_in):
    other = agent_in("private")
    for number in range(300):
        by = other if number % 10 == 0 else world.alice
        body = world.draft(f"invoice {number} " + "word " * 40, session_id=f"session-{number % 3 + 2}", content=JACK)
        by.ok("post", "events", body)

    acb = built(query="invoice", max_tokens=16_000, **JACK)

    assert sum(left_out(acb).values()) > 0
    assert acb["total_tokens"] > 0.85 * 16_000


def test_nothing_more_is_fetched_where_the_first_candidates_fill_it(world, built, monkeypatch):
    record(world, [{"text": f"invoice {number} " + "word " * 150} for number in range(60)])
    starts = set()
    page = sections.ContextRequest.session_page

    def noted(request, start, size):
        starts.add(start)
        return page(request, start, size)

    monkeypatch.setattr(sections.ContextRequest, "session_page", noted)

    built(query="invoice", **FEW)

    assert starts == {0}


def test_the_same_state_gives_the_same_bundle_however_many_pages_it_took(world, built):
    record(world, [{"text": f"invoice {number}", **JACK} for number in range(60)], session_id="session-0")
    one, other = (built(query="invoice", **FEW, **JACK) for _ in range(2))
    assert one["evidence"] == other["evidence"]
    assert len(one["evidence"]) == 60


@pytest.mark.parametrize("section", ["active_tasks", "active_decisions"])
def test_tasks_and_decisions_go_on_where_there_is_room(world, built, section):
    record(world, [{"title": f"task {n}", "status": "open"} for n in range(30)], kind="task_update", session_id="s")
    record(world, [{"decision": f"Rule {n}", "scope": "policy"} for n in range(30)], kind="decision", session_id="s")
    assert len(built(max_tokens=3_200, session_id="s9", project_id="x")[section]) == 30
