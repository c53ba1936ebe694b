"""Recall and reciprocal rank, their means by category, and leaving groups out."""

import pytest

from bench.corpora import Question
from bench.scoring import Score, by_category, leave_one_out, mean, score

pytestmark = pytest.mark.pure


def question(category="one", group=""):
    return Question("?", frozenset({"a"}), category, group)


def test_recall_is_the_share_of_the_answers_that_were_found():
    ranked = [*"xaxxxbxxxxc"]
    assert score(ranked, "abcd") == Score(recall_5=0.25, recall_10=0.5, reciprocal_rank=0.5)


def test_nothing_found_scores_nothing():
    assert score([], "a") == score([*"xyz"], "a") == Score(0, 0, 0)


def test_a_question_without_an_answer_is_an_error():
    with pytest.raises(ValueError, match="without an answer"):
        score(["a"], [])


def test_means_are_of_all_of_each_category_and_of_all_without_some():
    scores = [Score(1, 1, 1), Score(0, 0, 0), Score(0, 1, 0.5)]
    means = by_category([question(), question("two"), question("two")], scores, frozenset({"two"}))
    assert list(means) == ["all", "without two", "one", "two"]
    assert means["without two"] == means["one"] == Score(1, 1, 1, questions=1)
    assert means["two"] == Score(0, 0.5, 0.25, questions=2)
    assert means["all"].questions == 3
    assert mean([]) == Score(0, 0, 0, questions=0)


def test_each_group_is_scored_by_what_is_best_for_the_others():
    """Fitted on its own questions, each group would take the other candidate."""
    questions = [question(group="g"), question(group="h")]
    good, bad = Score(1, 1, 1), Score(0, 0, 0)
    fitted, chosen = leave_one_out(questions, {"for g": [good, bad], "for h": [bad, good]})
    assert chosen == {"g": "for h", "h": "for g"}
    assert fitted == [bad, bad]


def test_one_group_leaves_nothing_to_fit_on():
    with pytest.raises(ValueError, match="one group"):
        leave_one_out([question()], {"x": [Score(1, 1, 1)]})
