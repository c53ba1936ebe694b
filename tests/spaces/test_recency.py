"""E2: the cosine of two moments is about the mean of exp(-dt / tau)."""

import math
from datetime import UTC, datetime, timedelta

import pytest

from memory.spaces.recency import TIME_CONSTANTS, Recency
from tests.spaces.items import NOW, item, scores

pytestmark = pytest.mark.pure
SPACE = Recency()


def near(first, second):
    values = SPACE.embed([item(ts=first), item(ts=second)])
    return SPACE.score(values[0], [values[1]])[0]


@pytest.mark.parametrize(
    "distance",
    [
        *(timedelta(0), timedelta(minutes=5), timedelta(hours=1), timedelta(hours=6), timedelta(days=1)),
        *(timedelta(days=3), timedelta(days=7), timedelta(days=30), timedelta(days=90), timedelta(days=1000)),
    ],
)
def test_the_cosine_is_about_the_mean_of_the_decays(distance):
    expected = sum(math.exp(-distance.total_seconds() / constant) for constant in TIME_CONSTANTS) / len(TIME_CONSTANTS)
    assert near(NOW, NOW - distance) == pytest.approx(expected, abs=0.06)


def test_the_encoding_has_no_reference():
    long_ago = datetime(1999, 1, 1, 3, tzinfo=UTC)
    for distance in (timedelta(minutes=30), timedelta(days=2), timedelta(days=20)):
        assert near(long_ago, long_ago + distance) == pytest.approx(near(NOW, NOW + distance), abs=0.01)


def test_different_moments_have_different_values():
    hours = [item(ts=NOW - timedelta(hours=number)) for number in range(48)]
    values = SPACE.embed(hours)
    nearness = SPACE.score(values[0], values)
    assert nearness[0] == pytest.approx(1)
    assert max(nearness[1:]) < 0.9


def test_to_a_question_the_newer_is_nearer():
    ages = [timedelta(minutes=10), timedelta(hours=5), timedelta(days=2), timedelta(days=12), timedelta(days=60)]
    found = scores(SPACE, "What about the kiln?", *(item(ts=NOW - age) for age in ages))
    assert found == sorted(found, reverse=True)
