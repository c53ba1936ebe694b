"""E4: turns of one session are near by their number, whatever the time between them."""

from datetime import timedelta

import pytest

from memory.spaces.position import Position
from tests.spaces.items import NOW, item

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
