"""Scores of ranked answers: recall and reciprocal rank, by category. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from bench.corpora import Question


@dataclass(frozen=True, slots=True)
class Score:
    """The score of a question, or the mean of several: shares from 0 to 1."""

    recall_5: float
    recall_10: float
    reciprocal_rank: float
    questions: int = 1


def score(ranked: Sequence[str], answers: Iterable[str]) -> Score:
    """The score of a question: the share of its answers among the first 5 and 10 of `ranked`, and 1 / rank of the
    first."""
    wanted = frozenset(answers)
    if not wanted:
        raise ValueError("A question without an answer cannot be scored.")
    first = next((place for place, one in enumerate(ranked, 1) if one in wanted), None)
    return Score(
        recall_5=len(wanted.intersection(ranked[:5])) / len(wanted),
        recall_10=len(wanted.intersection(ranked[:10])) / len(wanted),
        reciprocal_rank=1 / first if first else 0.0,
    )


def mean(scores: Sequence[Score]) -> Score:
    """The mean of scores of single questions; zeros without any."""
    count = max(len(scores), 1)
    return Score(
        recall_5=sum(one.recall_5 for one in scores) / count,
        recall_10=sum(one.recall_10 for one in scores) / count,
        reciprocal_rank=sum(one.reciprocal_rank for one in scores) / count,
        questions=len(scores),
    )


def by_category(questions: Sequence[Question], scores: Sequence[Score], apart: frozenset[str]) -> dict[str, Score]:
    """The mean of each category, of `all`, and, if there are any, of all without the categories `apart`."""
    together = list(zip(questions, scores, strict=True))
    means = {"all": mean(scores)}
    if apart:
        means[f"without {', '.join(sorted(apart))}"] = mean([s for q, s in together if q.category not in apart])
    for category in sorted({question.category for question in questions}):
        means[category] = mean([s for q, s in together if q.category == category])
    return means


def leave_one_out(
    questions: Sequence[Question],
    candidates: Mapping[str, Sequence[Score]],
    better_by: Callable[[Score], float] = lambda one: one.recall_5,
) -> tuple[list[Score], dict[str, str]]:
    """A fair estimate of fitting: scores each group's questions with the candidate that is best for the other groups.
    Also returns the choice for each group. Raises ValueError for a single group.
    """
    groups = sorted({question.group for question in questions})
    if len(groups) < 2:
        raise ValueError("Nothing is left to fit on: the questions have one group.")
    chosen: dict[str, str] = {}
    for group in groups:
        others = [place for place, question in enumerate(questions) if question.group != group]
        chosen[group] = max(candidates, key=lambda name: better_by(mean([candidates[name][place] for place in others])))
    fitted = [candidates[chosen[question.group]][place] for place, question in enumerate(questions)]
    return fitted, chosen
