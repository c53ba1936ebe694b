"""Search by words and by meaning together: what each finds, what a weight does, and what happens without vectors."""

import pytest
from django.core.cache import cache

from memory.embedding import configured, queries
from memory.embedding.protocol import ProviderFailed
from tests.embedding import FakeProvider, embed_all
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db

PUPPY = "I bought a puppy for my daughter"
INVOICE = "The invoice of March is overdue"
DOG = "The dog of the neighbours barks all night"


@pytest.fixture(autouse=True)
def nothing_is_remembered():
    cache.clear()
    queries.forget()
    yield
    queries.forget()


@pytest.fixture
def admin(world):
    return admins_of(world).carol


@pytest.fixture
def said(world):
    """Three chunks, each in a session of its own, with their vectors of the local model."""
    made = [world.chunk(text, session_id=f"s-{number}") for number, text in enumerate((PUPPY, INVOICE, DOG))]
    embed_all(world)
    return made


def asked(world, query, **fields):
    return world.alice.ok("post", "chunks/search", {"query": query, **fields})


def texts(answer):
    return [chunk["text"] for chunk in answer["chunks"]]


def test_meaning_finds_what_words_do_not(world, said):
    query = "Which animal did she get as a present for her kid?"
    assert texts(asked(world, query, mode="keyword")) == []
    hybrid = asked(world, query)
    assert (texts(hybrid)[0], hybrid["mode"]) == (PUPPY, "hybrid")


def test_semantic_mode_ranks_everything_by_cosine(world, said):
    answer = asked(world, "a bill that nobody paid", mode="semantic", explain=True)
    assert texts(answer)[0] == INVOICE
    assert len(answer["chunks"]) == answer["total_count"] == 3
    first = answer["chunks"][0]
    assert first["explain"]["spaces"]["E1"]["weight"] == 1
    assert answer["mode"] == "semantic"


def test_alpha_moves_the_order_from_words_to_meaning(world, said):
    query = "puppy howling canine"
    assert texts(asked(world, query, hybrid_alpha=0))[0] == PUPPY
    ranks = {
        alpha: {chunk["text"]: chunk["rank"] for chunk in asked(world, query, hybrid_alpha=alpha)["chunks"]}
        for alpha in (0.0, 0.5, 1.0)
    }
    assert ranks[0.0].get(DOG, 0) < ranks[0.5][DOG] < ranks[1.0][DOG]


def test_without_alpha_the_tenants_counts(world, admin, said):
    admin.ok("post", "settings", {"hybrid_alpha": 0.2})
    (first, *_) = asked(world, "puppy", explain=True)["chunks"]
    weights = {name: space["weight"] for name, space in first["explain"]["spaces"].items()}
    assert weights == {"E6": 0.8, "E1": 0.2}


def test_conditions_hold_for_meaning_too(world, said):
    assert texts(asked(world, '"puppy for" animals dogs')) == [PUPPY]
    assert PUPPY not in texts(asked(world, "animals dogs pets -puppy"))
    assert PUPPY not in texts(asked(world, "animals dogs pets -puppy", mode="semantic"))


def test_a_chunk_without_a_vector_is_found_by_its_words_at_once(world, said):
    world.chunk("Our puppy learned to sit", session_id="later")
    found = asked(world, "puppy", explain=True)
    assert "Our puppy learned to sit" in texts(found)
    newest = next(chunk for chunk in found["chunks"] if "learned" in chunk["text"])
    assert newest["explain"]["spaces"]["E1"]["score"] is None


def test_what_is_hidden_is_not_found_by_meaning(world, said):
    world.edit(said[0], "retract")
    world.edit(said[2], "amend", text="The weather is fine")
    found = texts(asked(world, "Which animal did she get as a present?", mode="semantic"))
    assert not {PUPPY, DOG} & set(found)


def test_pages_of_a_hybrid_search_hold_everything_once(world):
    for number in range(9):
        world.chunk(f"The fox number {number} sleeps", session_id=f"s-{number}")
    embed_all(world)
    whole = texts(asked(world, "a fox asleep", limit=200))
    paged, cursor = [], None
    while True:
        answer = asked(world, "a fox asleep", limit=4, **({"cursor": cursor} if cursor else {}))
        paged += texts(answer)
        cursor = answer["next"]
        if cursor is None:
            break
    assert paged == whole
    assert len(paged) == 9


def test_without_vectors_words_rank_and_the_answer_says_so(world):
    world.chunk(PUPPY)
    answer = asked(world, "puppy")
    assert (texts(answer), answer["mode"], answer["notices"]) == ([PUPPY], "keyword", [])


def test_a_provider_that_fails_leaves_a_search_by_words_with_a_notice(world, said, monkeypatch):
    queries.forget()
    broken = FakeProvider()
    used = configured.configured()
    assert used is not None
    broken.model = used.model

    def fail(text):
        raise ProviderFailed("The provider does not answer.")

    monkeypatch.setattr(broken, "embed_query", fail)
    monkeypatch.setattr(configured, "configured", lambda: broken)
    for mode in ("hybrid", "semantic"):
        answer = asked(world, "puppy", mode=mode)
        assert (texts(answer), answer["mode"]) == ([PUPPY], "keyword")
        assert [one["code"] for one in answer["notices"]] == ["ranked_by_words"]
        assert "does not answer" in answer["notices"][0]["detail"]


def test_evidence_of_a_bundle_is_found_by_meaning_too(world, said):
    query = "Which animal did she get as a present for her kid?"
    body = {"session_id": "now", "channel": "private", "query": query}
    evidence = world.alice.ok("post", "acb/build", body)["acb"]["evidence"]
    assert evidence[0]["text"] == PUPPY
