"""Search by several spaces, and with words compared by the model: the same results in another order."""

import pytest

from memory.embedding.local import LocalModel
from memory.embedding.protocol import ProviderFailed
from memory.reading import fusing
from tests.memory.test_search import search


def texts(api, query, **fields):
    return [chunk["text"] for chunk in search(api, query, **fields)["chunks"]]


def test_multi_uses_the_spaces_as_shipped(world):
    world.chunk("The kiln is warm.")
    world.chunk("A train leaves.")
    answer = search(world.alice, "the kiln", mode="multi", explain=True)
    assert answer["mode"] == "multi"
    (chunk,) = answer["chunks"]
    assert chunk["text"] == "The kiln is warm."
    assert "E6" in chunk["explain"]["spaces"]


def test_the_spaces_that_a_request_names_order_its_results(world):
    full = world.chunk("The disk was full because the server crashed.")
    crashed = world.chunk("The server crashed because the disk was full.")
    for question, first in (("Why did the server crash?", crashed), ("Why was the disk full?", full)):
        found = search(world.alice, question, mode="multi", spaces={"E5": 1})["chunks"]
        assert found[0]["chunk_id"] == first


def test_a_question_for_a_session_s_beginning_finds_it(world):
    said = [
        world.chunk(f"The kiln, part {number}.", session_id="s", ts=f"2026-01-01T10:0{number}:00Z")
        for number in range(5)
    ]
    found = search(world.alice, "what was said first of the kiln", session_id="s", mode="multi", spaces={"E4": 1})
    assert found["chunks"][0]["chunk_id"] == said[0]


def test_the_explanation_adds_up_to_the_rank(world):
    for text in ("Ada fired the kiln.", "The kiln of Ben is cold.", "Ada likes the kiln."):
        world.chunk(text)
    spaces = {"E6": 1, "E9": 0.5, "E11": 0.5}
    for fields in ({"mode": "multi", "spaces": spaces}, {"mode": "multi", "spaces": spaces, "rerank": True}):
        for chunk in search(world.alice, "Did Ada fire the kiln?", explain=True, **fields)["chunks"]:
            shares = chunk["explain"]["spaces"]
            assert chunk["rank"] == pytest.approx(sum(share["contribution"] for share in shares.values()), abs=1e-4)
            assert all(share["rank"] >= 1 for share in shares.values())
            assert ("E12" in shares) == bool(fields.get("rerank"))


def test_reranking_prefers_words_of_the_same_meaning(world):
    world.chunk("We mended the kiln and the fence of the garden on Sunday.")
    world.chunk("The kiln was repaired by a mechanic on Sunday.")
    question = "who fixed the kiln"
    assert texts(world.alice, question, mode="keyword", rerank=True)[0].startswith("The kiln was repaired")
    explained = search(world.alice, question, mode="keyword", rerank=True, explain=True)["chunks"]
    for chunk in explained:
        assert 0 < chunk["explain"]["spaces"]["E12"]["score"] <= 1
        assert chunk["explain"]["spaces"]["E12"]["contribution"] >= 0
        assert 0 <= chunk["rank"] <= 1


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
    monkeypatch.setattr(fusing, "FUSED", 7)
    for number in range(9):
        world.chunk(f"The kiln, number {number}.")
    asked = {"query": "the kiln", "mode": "multi", "spaces": {"E6": 1, "E9": 1}, "limit": 3}
    seen, cursor = [], None
    for _ in range(3):
        answer = world.alice.ok("post", "chunks/search", asked | ({"cursor": cursor} if cursor else {}))
        seen += [chunk["chunk_id"] for chunk in answer["chunks"]]
        cursor = answer["next"]
    assert cursor is None
    assert len(set(seen)) == len(seen) == 7
    assert (answer["ranking"], answer["total_count"]) == ("windowed", 9)


def test_hidden_memory_has_no_part_in_it(world):
    """Neither as a result, nor among what the expansion learns from, nor in the numbers of a session's turns."""
    secret = [world.chunk("The kiln and the quasar.", session_id="s", sensitivity="high") for _ in range(3)]
    seen = world.chunk("The kiln is warm.", session_id="s")
    other = world.chunk("A quasar far away.", session_id="t")
    found = search(world.alice, "kiln", mode="multi", spaces={"E13": 1}, channel="public")["chunks"]
    assert not {chunk["chunk_id"] for chunk in found} & {*secret, other}
    assert all(chunk["chunk_id"] == seen for chunk in found)


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"mode": "thirteen"}, "#/mode"),
        ({"mode": "multi", "spaces": {"E14": 1}}, "#/spaces/E14"),
        ({"mode": "multi", "spaces": {"E1": -1}}, "#/spaces/E1"),
        ({"mode": "multi", "spaces": {"E1": "1"}}, "#/spaces/E1"),
        ({"mode": "multi", "spaces": {"E1": 1e9}}, "#/spaces/E1"),
        ({"mode": "multi", "spaces": {"E1": 0}}, "#/spaces"),
        ({"mode": "multi", "spaces": {}}, "#/spaces"),
        ({"mode": "multi", "spaces": ["E1"]}, "#/spaces"),
        ({"mode": "multi", "spaces": 7}, "#/spaces"),
        ({"mode": "hybrid", "spaces": {"E1": 1}}, "#/spaces"),
        ({"rerank": "yes"}, "#/rerank"),
    ],
)
def test_what_is_wrong_is_refused_with_its_place(world, fields, pointer):
    response = world.alice.post("chunks/search", {"query": "kiln", **fields})
    assert response.status_code == 400
    assert pointer in [error["pointer"] for error in response.json()["errors"]]


def test_a_weight_that_is_no_number_in_json_is_refused(world):
    response = world.alice.post("chunks/search", '{"query": "kiln", "mode": "multi", "spaces": {"E1": NaN}}')
    assert response.status_code == 400
