"""A process knows which callers its siblings have seen lately."""

import json
import os

import pytest

from memory_project.web import lately
from memory_project.web.lately import Lately

pytestmark = pytest.mark.pure

KEY = b"of all processes"


@pytest.fixture
def clock(monkeypatch):
    class Clock:
        now = 1000.0

    monkeypatch.setattr("memory_project.web.lately.time.monotonic", lambda: Clock.now)
    return Clock


def digests(known):
    return json.loads(known.told()[16:])[1]


def test_a_caller_is_not_another_than_itself():
    known = Lately(KEY)
    known.note("a")
    known.note("a")
    assert not known.has_others("a")
    assert known.has_others("b")


def test_others_count_until_they_have_not_come_for_a_while(clock):
    known = Lately(KEY)
    known.note("b")
    known.note("a")
    clock.now += lately.SHARING
    known.note("a")
    assert known.has_others("a")
    clock.now += 0.1
    assert not known.has_others("a")


def test_whom_a_sibling_has_seen_counts_as_long(clock):
    ours, sibling = Lately(KEY), Lately(KEY)
    ours.note("a")
    sibling.note("a")
    ours.hear(sibling.told())
    assert not ours.has_others("a")
    sibling.note("b")
    clock.now += 1
    ours.hear(sibling.told())
    assert ours.has_others("a")
    clock.now += lately.SHARING - 0.9
    assert not ours.has_others("a")


def sibling(number, **requests):
    """What a sibling with that process id tells, to which callers have come with so many requests."""
    known = Lately(KEY)
    for caller, count in requests.items():
        known.note(caller, count)
    told = known.told()
    body = told[16:].replace(str(os.getpid()).encode(), str(number).encode(), 1)
    return known._mac(body) + body


def test_the_requests_of_a_caller_in_all_siblings_count_together(clock):
    ours = Lately(KEY)
    ours.note("a", 5)
    assert (ours.processes, ours.elsewhere("a")) == (1, 0)
    ours.hear(sibling(1, a=3))
    ours.hear(sibling(2, b=7, a=4))
    ours.hear(sibling(3))
    assert (ours.processes, ours.elsewhere("a"), ours.elsewhere("b")) == (4, 7, 7)
    ours.hear(sibling(1, a=1))
    assert ours.elsewhere("a") == 5
    clock.now += lately.SHARING + 0.1
    ours.hear(sibling(1, a=2))
    assert (ours.processes, ours.elsewhere("a"), ours.elsewhere("b")) == (2, 2, 0)


def test_what_siblings_tell_grows_with_neither_callers_nor_time(clock):
    ours, sibling = Lately(KEY), Lately(KEY)
    for number in range(100):
        clock.now += 1
        sibling.note(number)
        ours.hear(sibling.told())
    assert len(digests(sibling)) == 2
    assert len(ours._siblings) < 5


def test_a_digest_does_not_tell_whose_it_is():
    ours, of_others = Lately(KEY), Lately(b"of another server")
    for one in (ours, of_others):
        one.note("a")
    assert digests(ours).keys() != digests(of_others).keys()


def test_what_no_sibling_has_told_is_refused():
    sibling, of_others = Lately(KEY), Lately(b"of another server")
    for one in (sibling, of_others):
        one.note("b")
    told = sibling.told()
    for forged in (b"", b".", of_others.told(), told[:-1], told + b" ", told[16:], bytes(16) + told[16:]):
        ours = Lately(KEY)
        with pytest.raises(ValueError, match="no sibling"):
            ours.hear(forged)
        assert not ours.has_others("a")


def test_of_a_caller_who_comes_after_a_while_siblings_hear_at_once(clock):
    known = Lately(KEY)
    known.note("a")
    assert known.news.is_set()
    known.news.clear()
    known.note("a")
    assert not known.news.is_set()
    known.note("b")
    assert known.news.is_set()
    known.news.clear()
    # that there are two is enough to know
    known.note("c")
    assert not known.news.is_set()
    clock.now += lately.SHARING
    known.note("a")
    assert known.news.is_set()
