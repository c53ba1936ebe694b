"""Search with the query's words compared by the model: the same results in another order."""

import pytest

from memory.embedding.local import LocalModel
from memory.embedding.protocol import ProviderFailed
from memory.queries import reranking
from tests.memory.test_search import search


def texts(api, query, **fields):
    return [chunk["text"] for chunk in search(api, query, **fields)["chunks"]]


def test_words_of_the_same_meaning_are_preferred(world):
    world.chunk("We mended the kiln and the fence of the garden on Sunday.")
    world.chunk("The kiln was repaired by a mechanic on Sunday.")
    question = "who fixed the kiln"
    assert texts(world.alice, question, mode="keyword", rerank=True)[0].startswith("The kiln was repaired")


def test_the_explanation_adds_up_to_the_rank(world):
    for text in ("Ada fired the kiln.", "The kiln of Ben is cold.", "Ada likes the kiln."):
        world.chunk(text)
    found = search(world.alice, "Ada kiln", mode="keyword", rerank=True, explain=True)["chunks"]
    assert sorted(chunk["explain"]["spaces"]["E12"]["rank"] for chunk in found) == [1, 2, 3]
    for chunk in found:
        shares = chunk["explain"]["spaces"]
        assert 0 < shares["E12"]["score"] <= 1
        assert 0 <= chunk["rank"] <= 1
        assert chunk["rank"] == pytest.approx(sum(share["contribution"] for share in shares.values()), abs=1e-4)


def test_without_the_model_results_keep_their_order_and_the_answer_says_so(world, monkeypatch):
    for number in range(3):
        world.chunk("kiln " * (number + 1))

    def fail(self, given):
        raise ProviderFailed("gone")

    plain = texts(world.alice, "kiln", mode="keyword")
    monkeypatch.setattr(LocalModel, "token_vectors", fail)
    answer = search(world.alice, "kiln", mode="keyword", rerank=True)
    assert [chunk["text"] for chunk in answer["chunks"]] == plain
    assert [notice["code"] for notice in answer["notices"]] == ["not_reranked"]


def test_pages_go_through_the_results_once_and_end(world, monkeypatch):
    monkeypatch.setattr(reranking, "RERANKED", 7)
    for number in range(9):
        world.chunk(f"The kiln, number {number}.")
    asked = {"query": "the kiln", "mode": "keyword", "rerank": True, "limit": 3}
    seen, cursor = [], None
    for _ in range(3):
        answer = world.alice.ok("post", "chunks/search", asked | ({"cursor": cursor} if cursor else {}))
        seen += [chunk["chunk_id"] for chunk in answer["chunks"]]
        cursor = answer["next"]
    assert cursor is None
    assert len(set(seen)) == len(seen) == 7
    assert (answer["ranking"], answer["total_count"]) == ("windowed", 9)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"mode": "thirteen"}, "#/mode"),
        ({"spaces": {"E1": 1}}, "#/spaces"),
        ({"rerank": "yes"}, "#/rerank"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(world, fields, pointer):
    response = world.alice.post("chunks/search", {"query": "kiln", **fields})
    assert response.status_code == 400
    assert pointer in [error["pointer"] for error in response.json()["errors"]]


def test_a_mode_that_is_none_is_answered_with_the_modes_to_choose_from(world):
    response = world.alice.post("chunks/search", {"query": "kiln", "mode": "multi"})
    (error,) = response.json()["errors"]
    assert error["detail"] == '"multi" is not a valid choice. Choose one of: keyword, semantic, hybrid.'


@pytest.mark.pure
def test_matches_are_spread_between_the_lowest_and_the_highest():
    assert reranking.spread([0.5, 0.7, 0.6]) == [0.0, 1.0, pytest.approx(0.5)]
    assert reranking.spread([0.5, 0.5]) == [1.0, 1.0]
