"""E3: moments are near that stand at the same place of the day, the week or the year."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.spaces.cycles import Cycles
from tests.spaces.items import NOW, item

pytestmark = pytest.mark.pure
SPACE = Cycles()


def near(first, second):
    values = SPACE.embed([item(ts=first), item(ts=second)])
    return SPACE.score(values[0], [values[1]])[0]


def test_the_same_hour_of_another_day_is_nearer_than_another_hour_of_the_same_day():
    assert near(NOW, NOW + timedelta(days=3)) > near(NOW, NOW + timedelta(hours=6))


def test_the_same_day_of_another_week_is_nearer_than_another_day():
    assert near(NOW, NOW + timedelta(days=14)) > near(NOW, NOW + timedelta(days=12))


def test_the_same_season_of_another_year_is_nearer_than_another_season():
    there = datetime(2026, 7, 1, 12, tzinfo=UTC)
    # multiples of a week, so that only the year differs
    assert near(there, there + timedelta(weeks=52)) > near(there, there + timedelta(weeks=26))
