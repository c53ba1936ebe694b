"""Weighted reciprocal rank fusion, and what it explains."""

import pytest

from memory.spaces.fusion import K, fuse, ranks, reranked, spread

pytestmark = pytest.mark.pure

SCORES = {"E1": {"a": 0.9, "b": 0.8, "c": 0.1}, "E6": {"b": 12.0, "d": 3.0}, "E9": {"c": 1.0}}


def test_the_sum_is_weight_by_k_and_rank():
    found = {one.id: one for one in fuse(SCORES, {"E1": 1.0, "E6": 0.5})}
    most = 1.5 / (K + 1)
    assert found["b"].score == pytest.approx((1 / (K + 2) + 0.5 / (K + 1)) / most)
    assert found["a"].score == pytest.approx(1 / (K + 1) / most)
    assert set(found) == {"a", "b", "c", "d"}


def test_the_best_come_first_and_scores_are_from_0_to_1():
    fused = fuse(SCORES, {"E1": 1.0, "E6": 1.0})
    assert [one.id for one in fused] == ["b", "a", "d", "c"]
    assert all(0 < one.score <= 1 for one in fused)
    first = fuse({"E1": {"a": 0.2}, "E6": {"a": 9.0}}, {"E1": 1, "E6": 1})
    assert first[0].score == pytest.approx(1)


def test_only_ranks_count_not_the_size_of_scores():
    larger = {name: {one: 1000 * score for one, score in of.items()} for name, of in SCORES.items()}
    weights = {"E1": 1.0, "E6": 1.0}
    assert [(one.id, one.score) for one in fuse(SCORES, weights)] == [
        (one.id, one.score) for one in fuse(larger, weights)
    ]


def test_a_space_without_weight_or_results_changes_nothing():
    weights = {"E1": 1.0, "E6": 1.0}
    assert fuse({**SCORES, "E2": {}}, {**weights, "E2": 1.0, "E9": 0.0}) == fuse(SCORES, weights)
    assert fuse(SCORES, {}) == []


def test_the_contributions_add_up_to_the_score():
    for one in fuse(SCORES, {"E1": 1.0, "E6": 0.5, "E9": 0.5}):
        assert sum(share.contribution for share in one.shares.values()) == pytest.approx(one.score)
        assert all(share.score == SCORES[name][one.id] for name, share in one.shares.items())


def test_equal_scores_share_their_rank():
    assert ranks({"a": 1.0, "b": 1.0, "c": 0.5}) == {"a": 1, "b": 1, "c": 3}


def test_reranking_adds_the_match_and_stays_between_0_and_1():
    found = reranked(["a", "b", "c"], [1.0, 0.9, 0.2], [0.1, 0.9, 0.1], weight=0.5)
    assert [one for one, _ in found] == ["b", "a", "c"]
    assert dict(found)["b"] == pytest.approx((0.9 + 0.45) / 1.5)
    assert all(0 <= score <= 1 for _, score in found)
    assert reranked([], [], [], weight=0.5) == []


def test_scores_are_spread_between_the_lowest_and_the_highest():
    assert spread([0.5, 0.7, 0.6]) == [0.0, 1.0, pytest.approx(0.5)]
    assert spread([0.5, 0.5]) == [1.0, 1.0]
    assert spread([]) == []
