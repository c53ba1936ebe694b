"""Questions in plain words: any word makes a match, rare words and context make it a good one, and a rank tells nothing
of what the reader may not see."""

import pytest

from governance.acting import gate
from memory.db import count_terms
from tests.memory.lent_words import complete

TALK = [
    ("caroline", "Last week I went to the pottery class in the old brewery."),
    ("melanie", "How wonderful! Did you make something?"),
    ("caroline", "A blue bowl with small stars on it."),
    ("melanie", "My boys and I planted tomatoes."),
    ("caroline", "Rain again."),
]


@pytest.fixture
def talk(world):
    """A conversation; the ids of its chunks by their texts."""
    made = {
        text: world.chunk(text, actor_id=who, session_id="talk", ts=f"2026-03-0{number + 1}T09:00:00Z")
        for number, (who, text) in enumerate(TALK)
    }
    complete(world)
    return made


def asked(world, query, **fields):
    return world.alice.ok("post", "chunks/search", {"query": query, "limit": 50, **fields})


def texts(answer):
    return [chunk["text"] for chunk in answer["chunks"]]


def test_a_question_finds_its_answer_although_it_has_other_words_too(world, talk):
    answer = asked(world, "Where was the pottery class that she mentioned?")
    assert texts(answer)[0] == TALK[0][1]
    assert answer["notices"] == []


def test_a_turn_is_found_by_the_words_of_the_turn_before_it_and_explain_names_them(world, talk):
    answer = asked(world, "What did you make at the pottery class?", explain=True, mode="keyword")
    bowl = next(chunk for chunk in answer["chunks"] if "blue bowl" in chunk["text"])
    explained = bowl["explain"]
    assert explained["own_terms"] == []
    assert {one["chunk_id"]: one["terms"] for one in explained["lent_terms"]} == {
        talk[TALK[0][1]]: ["class", "potteri"],
        talk[TALK[1][1]]: ["make"],
    }
    assert explained["spaces"]["E6"]["weight"] == 1
    assert explained["spaces"]["E6"]["contribution"] == pytest.approx(bowl["rank"] - 0.1 / 1.1, abs=1e-4)
    assert "Rain again." not in texts(answer)


@pytest.mark.parametrize("query", ["pottery", "pottery class", '"pottery class" what did you make', "pottery OR class"])
def test_whoever_looks_something_up_finds_own_words_alone(world, talk, query):
    assert texts(asked(world, query)) == [TALK[0][1]]


def test_rare_words_count_more_than_common_ones(world):
    for number in range(12):
        world.chunk(f"the garden in spring {number}", session_id=f"s-{number}")
    world.chunk("a garden gate", session_id="gate")
    world.chunk("an oriole sang", session_id="oriole")
    assert texts(asked(world, "garden oriole winter"))[0] == "an oriole sang"


def test_who_is_named_and_speaks_comes_first(world):
    for who in ("melanie", "caroline", "jon"):
        world.chunk("The adoption agency answered.", actor_id=who, session_id=f"with-{who}")
    answer = asked(world, "What did the agency tell Caroline of the adoption?", explain=True)
    assert [chunk["explain"]["names_speaker"] for chunk in answer["chunks"]] == [True, False, False]


def test_what_only_asks_comes_after_what_tells(world):
    world.chunk("Why did the oven break on Sunday?", session_id="one")
    world.chunk("The oven did break on Sunday.", session_id="two")
    answer = asked(world, "when did the oven break on Sunday", explain=True)
    assert texts(answer) == ["The oven did break on Sunday.", "Why did the oven break on Sunday?"]
    assert [chunk["explain"]["is_question"] for chunk in answer["chunks"]] == [False, True]


def test_ranks_are_from_0_to_1(world, talk):
    ranks = [chunk["rank"] for chunk in asked(world, "What did the boys and Caroline make of tomatoes?")["chunks"]]
    assert ranks == sorted(ranks, reverse=True)
    assert all(0 < rank <= 1 for rank in ranks)


def test_an_excluded_word_holds_for_neighbours_too(world, talk):
    found = texts(asked(world, "what did you make at the pottery class -bowl"))
    assert found
    assert not [text for text in found if "bowl" in text]


@pytest.mark.parametrize("counted", [False, True])
def test_hidden_memory_changes_no_rank(world, agent_in, counted):
    """Otherwise the order would tell how often a word is in what the reader may not see."""
    for number, text in enumerate(
        ("a report on heron nests", "a report on copper mines", "some heron and some copper")
    ):
        world.chunk(text, channel="public", session_id=f"s-{number}")
    reader = agent_in("public", "agent")

    def ranked():
        if counted:
            assert count(world) > 0
        body = {"query": "a report on the heron or the copper of today"}
        return [(chunk["text"], chunk["rank"]) for chunk in reader.ok("post", "chunks/search", body)["chunks"]]

    before = ranked()
    for number in range(6):
        about = {"channel": "public", "session_id": f"hidden-{number}"}
        world.chunk(f"heron {number}", sensitivity="secret", **about)
        world.chunk(f"heron {number}", sensitivity="high", **about)
        world.edit(world.chunk(f"heron {number}", channel="public", session_id=f"held-{number}"), "quarantine")
        blocked = world.chunk(f"heron {number}", channel="public", session_id=f"blocked-{number}")
        world.edit(blocked, "block", channel="public")
    assert ranked() == before


def count(world):
    with gate.job(world.tenant_id, "words"):
        return count_terms(tenant=world.tenant_id)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("mode", "fuzzy"), ("mode", None), ("mode", 5), ("mode", ""),
        ("hybrid_alpha", 1.5), ("hybrid_alpha", -0.1), ("hybrid_alpha", "0.5"), ("hybrid_alpha", True),
        ("explain", "yes"), ("query", "x " * 10_000), ("query", "a\x07b"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_by_its_place(world, field, value):
    response = world.alice.post("chunks/search", {"query": "fox", field: value})
    assert response.status_code == 400
    assert [fault["pointer"] for fault in response.json()["errors"]] == [f"#/{field}"]


def test_nan_is_refused(world):
    response = world.alice.client.post(
        "/api/v1/chunks/search",
        '{"query": "fox", "hybrid_alpha": NaN}',
        content_type="application/json",
        headers={"Authorization": f"Bearer {world.alice.key}"},
    )
    assert response.status_code == 400
