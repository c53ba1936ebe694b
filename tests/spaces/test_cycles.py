"""E3: moments are near that stand at the same place of the day, the week or the year."""

from datetime import UTC, datetime, timedelta

import pytest

from memory.spaces.cycles import Cycles
from tests.spaces.items import NOW, item, query, scores

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


def test_a_question_for_a_weekday_looks_at_the_week_alone():
    wednesday = NOW
    found = scores(
        SPACE,
        "What do we do on Wednesdays?",
        item(ts=wednesday - timedelta(weeks=30, hours=5)),
        item(ts=wednesday - timedelta(days=2)),
        item(ts=wednesday - timedelta(days=4)),
    )
    assert found[0] > max(found[1:]) + 0.1


def test_a_question_for_a_month_looks_at_the_year_alone():
    found = scores(
        SPACE,
        "What does Ada plant in May?",
        *(item(ts=datetime(2021, month, 14, 3, tzinfo=UTC)) for month in range(1, 13)),
    )
    assert found.index(max(found)) == 4


def test_a_question_for_the_morning_looks_at_the_day_alone():
    found = scores(
        SPACE,
        "Who feeds the cat in the morning?",
        *(item(ts=datetime(2025, 8, 3, hour, 40, tzinfo=UTC)) for hour in range(24)),
    )
    assert min(found[7:11]) > max(found[:5] + found[13:])


def test_a_question_that_names_no_cycle_has_no_value():
    assert SPACE.embed_query(query("What did Ada say yesterday?")) is None
