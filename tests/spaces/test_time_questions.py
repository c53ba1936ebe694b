"""What a question asks about time."""

from datetime import UTC, datetime

import pytest

from memory.spaces.time_questions import Cycle, TimeQuestion, ask_time
from tests.spaces.items import NOW

pytestmark = pytest.mark.pure


def day(year, month, number):
    return datetime(year, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("What did we say yesterday?", day(2026, 3, 17), day(2026, 3, 18)),
        ("What is due today?", day(2026, 3, 18), day(2026, 3, 19)),
        ("What happened last week?", day(2026, 3, 9), day(2026, 3, 16)),
        ("What is planned this week?", day(2026, 3, 16), day(2026, 3, 23)),
        ("Who left last month?", day(2026, 2, 1), day(2026, 3, 1)),
        ("What did it cost last year?", day(2025, 1, 1), day(2026, 1, 1)),
        ("What did Ada say on Monday?", day(2026, 3, 16), day(2026, 3, 17)),
        ("What did Ada say last Wednesday?", day(2026, 3, 11), day(2026, 3, 12)),
        ("What happened on 8 May, 2023?", day(2023, 5, 8), day(2023, 5, 9)),
        ("What happened on May 8th, 2023?", day(2023, 5, 8), day(2023, 5, 9)),
        ("What happened on 2023-05-08?", day(2023, 5, 8), day(2023, 5, 9)),
        ("Where was Ada in May 2023?", day(2023, 5, 1), day(2023, 6, 1)),
        ("Where was Ada in Sept. 2023?", day(2023, 9, 1), day(2023, 10, 1)),
        ("What did Ada do in 2022?", day(2022, 1, 1), day(2023, 1, 1)),
        ("What came up in the last 3 days?", datetime(2026, 3, 15, 12, tzinfo=UTC), NOW),
    ],
)
def test_a_span_is_read(text, start, end):
    asked = ask_time(text, NOW)
    assert asked is not None
    assert asked.span == (start, end)


def test_so_long_ago_is_a_span_around_that_moment():
    asked = ask_time("What did we say two weeks ago?", NOW)
    assert asked is not None
    assert asked.span is not None
    start, end = asked.span
    assert start < day(2026, 3, 4) < end
    assert end <= NOW


@pytest.mark.parametrize(
    ("text", "cycle", "share"),
    [
        ("What do we do on Mondays?", Cycle.WEEK, 0.0),
        ("Who cooks every Friday?", Cycle.WEEK, 4 / 7),
        ("What happens on weekends?", Cycle.WEEK, 5 / 7),
        ("What does she drink in the morning?", Cycle.DAY, 0.25),
        ("Where do they go in summer?", Cycle.YEAR, 5 / 12),
        ("What does she plant in May?", Cycle.YEAR, 4 / 12),
        ("What happened on 1 May?", Cycle.YEAR, 4 / 12),
    ],
)
def test_a_part_of_a_cycle_is_read(text, cycle, share):
    asked = ask_time(text, NOW)
    assert asked is not None
    assert [(part.cycle, pytest.approx(part.start)) for part in asked.cycles] == [(cycle, pytest.approx(share))]
    assert asked.span is None


def test_the_latest_and_the_first_are_read():
    assert ask_time("What is the latest status?", NOW) == TimeQuestion(wants_latest=True)
    assert ask_time("What was said first?", NOW) == TimeQuestion(wants_first=True)


@pytest.mark.parametrize(
    "text",
    ["When did Ada fire the kiln?", "What may happen?", "Who is May?", "Is 1999 a prime number?", "March on!", ""],
)
def test_a_question_that_names_no_time_asks_none(text):
    assert ask_time(text, NOW) is None


def test_a_day_that_is_not_in_the_calendar_is_no_span():
    asked = ask_time("What happened on 31 June 2023?", NOW)
    assert asked is None or asked.span != (day(2023, 6, 30), day(2023, 7, 1))
