"""An answer of a tool has a budget: what does not fit is cut with a mark, and can be read on."""

import copy
import json
import uuid
from typing import Any

import pytest

from governance import tokens
from governance.tools import budget
from tests.tools.calls import call, faults

WORDS = "we move each tenant to the new cluster and verify every table before the switch "


def size(answer: Any) -> int:
    return tokens.count([json.dumps(answer, ensure_ascii=False)])[0]


def results(*texts: str) -> dict[str, Any]:
    return {"chunks": [{"chunk_id": f"id-{place}", "text": text} for place, text in enumerate(texts)], "next": None}


@pytest.mark.pure
@pytest.mark.parametrize(
    "text",
    [WORDS * 250, "字" * 20_000, "x" * 20_000, " " * 20_000, "\N{WOMAN}\u200d\N{GIRL}" * 3_000, "0198c0de-" * 2_000],
)
def test_an_answer_of_any_text_fits_in_tokens_and_characters(text: str) -> None:
    answer = results(*[text] * 10)
    assert budget.fit(answer, 8_000) == 10
    assert size(answer) < 10_000
    assert len(json.dumps(answer, ensure_ascii=False)) < 60_000


@pytest.mark.pure
def test_short_texts_stay_whole_and_the_longest_share_what_is_left() -> None:
    answer = results("short", WORDS * 10, WORDS * 200, WORDS * 300)
    assert budget.fit(answer, 3_000) == 2
    short, middle, long, longest = [one["text"] for one in answer["chunks"]]
    assert (short, middle) == ("short", WORDS * 10)
    assert abs(len(long) - len(longest)) < 100
    assert long.endswith(f"of {len(WORDS) * 200:,} characters; chunk_id id-2]")
    assert long.startswith(WORDS * 20)
    assert size(answer) > 2_000


@pytest.mark.pure
def test_what_fits_is_unchanged() -> None:
    answer = results(WORDS * 20, "字" * 500)
    before = copy.deepcopy(answer)
    assert budget.fit(answer, 8_000) == 0
    assert answer == before


@pytest.mark.pure
def test_texts_anywhere_are_cut_but_no_cursor() -> None:
    answer = {"next": "c" * 3_000, "edits": [{"edit_id": "e", "patch": {"text": WORDS * 500, "risks": [WORDS * 500]}}]}
    assert budget.fit(answer, 2_000) == 2
    assert answer["next"] == "c" * 3_000
    assert "edit_id e]" in answer["edits"][0]["patch"]["risks"][0]  # type: ignore[index] # a JSON value of known form


@pytest.mark.pure
def test_long_lists_of_names_are_shortened_if_texts_are_not_enough() -> None:
    answer = {"results": [{"capsule_id": "c", "items": [str(uuid.uuid4()) for _ in range(500)]} for _ in range(10)]}
    assert budget.fit(answer, 8_000) == 10
    assert {len(one["items"]) for one in answer["results"]} == {20}


@pytest.mark.django_db
def test_long_memories_are_found_cut_and_read_on(world: Any) -> None:
    for number in range(10):
        call(
            world.alice,
            "memory_commit",
            {"content": f"Handbook chapter {number}: {uuid.uuid4()} {WORDS * 240}"[:19_000]},
        )
    found = call(world.alice, "search_memory", {"query": "handbook", "limit": 10})
    assert len(json.dumps(found)) < 60_000
    assert size(found) < 9_000
    assert all("[cut after" in one["text"] for one in found["chunks"])
    (notice,) = (one["detail"] for one in found["notices"] if one["code"] == "cut")
    assert "timeline" in notice
    chunk = found["chunks"][0]
    assert f"chunk_id {chunk['chunk_id']}]" in chunk["text"]
    read_on = {"chunk_id": chunk["chunk_id"], "window_seconds": 0, "limit": 1, "max_tokens": 30_000}
    (whole,) = call(world.alice, "timeline", read_on)["chunks"]
    assert len(whole["text"]) > 18_000
    assert whole["text"].startswith(chunk["text"].partition(" … [cut")[0])
    more = call(world.alice, "search_memory", {"query": "handbook", "limit": 1, "max_tokens": "30000"})
    assert "[cut after" not in more["chunks"][0]["text"]


@pytest.mark.django_db
def test_a_page_has_fewer_results_than_do_not_fit_and_nothing_is_lost(world: Any) -> None:
    ids = {world.chunk(f"fox {' '.join(uuid.uuid4().hex for _ in range(9))}") for _ in range(12)}
    asked = {"query": "fox", "limit": 200, "max_tokens": 2_000}
    found: list[str] = []
    cursor: dict[str, Any] = {}
    while len(found) < 50:
        page = call(world.alice, "search_memory", {**asked, **cursor})
        assert len(page["chunks"]) <= 5
        found += [one["chunk_id"] for one in page["chunks"]]
        if page["next"] is None:
            break
        cursor = {"cursor": page["next"]}
    assert (set(found), len(found)) == (ids, 12)


@pytest.mark.django_db
def test_a_budget_is_a_number_from_500(world: Any) -> None:
    for wrong in (499, 100_001, "many"):
        assert set(faults(world.alice.post("tools/search_memory", {"query": "x", "max_tokens": wrong}))) == {
            "#/max_tokens"
        }


@pytest.mark.django_db
def test_rest_answers_in_full(world: Any) -> None:
    call(world.alice, "memory_commit", {"content": WORDS * 240})
    (found,) = world.alice.ok("post", "chunks/search", {"query": "cluster", "limit": 200})["chunks"]
    assert found["text"] == WORDS * 240


@pytest.mark.django_db
def test_a_capsule_is_opened_page_by_page(world: Any, given: Any) -> None:
    bob = given("agent-bob")
    chunks = [world.chunk(f"{number}: {WORDS * 5}") for number in range(45)]
    about = {"subject_type": "user", "subject_id": "jack", "audience_agent_ids": ["agent-bob"], "note": "n" * 1_500}
    capsule = call(world.alice, "create_capsule", {**about, "items": chunks})
    found = []
    for offset in (0, 20, 40):
        opened = call(bob, "open_capsule", {"capsule_id": capsule["capsule_id"], "offset": offset})
        found += [one["chunk_id"] for one in opened["items"]["chunks"]]
        assert size(opened) < 9_000
        detail = next(one["detail"] for one in opened["notices"] if one["code"] == "more_items")
        assert ("offset" in detail) is (offset < 40)
    assert found == chunks or set(found) == set(chunks)
    (listed,) = call(bob, "list_capsules", {"max_tokens": 500})["results"]
    assert len(listed["items"]["chunks"]) == 20
    assert "[cut after" in listed["note"]
