"""E4: turns of one session are near by their number, whatever the time between them."""

from datetime import timedelta

import pytest

from memory.spaces.position import Position
from tests.spaces.items import NOW, item, query

pytestmark = pytest.mark.pure
SPACE = Position()


def turn(place, session="one", **about):
    return item(session_id=session, place=place, **about)


def near(first, second):
    values = SPACE.embed([first, second])
    return SPACE.score(values[0], [values[1]])[0]


def test_the_nearer_the_turns_the_higher_the_cosine():
    found = [near(turn(40), turn(40 + distance)) for distance in (0, 1, 2, 4, 8, 16, 32, 64)]
    assert found == sorted(found, reverse=True)
    assert found[0] == pytest.approx(1)


def test_the_time_between_turns_does_not_matter():
    assert near(turn(3), turn(4, ts=NOW + timedelta(days=90))) == near(turn(3), turn(4, ts=NOW))


def test_turns_of_two_sessions_are_farther_than_any_two_of_one():
    of_two = [near(turn(place), turn(place, f"other-{place}")) for place in range(30)]
    of_one = [near(turn(place), turn(place + 60)) for place in range(30)]
    assert max(of_two) < min(of_one)


def test_a_question_for_the_beginning_or_the_end_of_a_session_finds_it():
    session = [turn(place) for place in range(50)]
    for text, place in (("What was said first?", 0), ("What is the latest?", 49)):
        asked = SPACE.embed_query(query(text, session_id="one", places=50))
        assert asked is not None
        found = SPACE.score(asked, SPACE.embed(session))
        assert found.index(max(found)) == place


def test_a_question_without_a_session_has_no_value():
    assert SPACE.embed_query(query("What was said first?")) is None
