"""So many requests in some time: counted in Redis for all processes together, or without it by each."""

import asyncio
import secrets

import pytest
from django.conf import settings

from memory_project.web import rate_limits
from memory_project.web.rate_limits import Limit, Rate, Shared

pytestmark = pytest.mark.redis

#: Nobody listens there.
AWAY = "redis://127.0.0.1:1/0"


@pytest.fixture
def caller():
    """A caller whom no other test has counted."""
    return secrets.token_hex(8)


def counted(url, *steps, rate, in_advance=False):
    """What each of the steps answers, a coroutine function of two processes' limits."""

    async def run():
        shared = [Shared(url) for _ in range(2)]
        limits = [Limit(one, "test", rate, in_advance=in_advance) for one in shared]
        try:
            return [await step(*limits) for step in steps]
        finally:
            for one in shared:
                await one.client.aclose()

    return asyncio.run(run())


def test_two_processes_together_take_no_more_than_there_are(caller):
    async def both(one, other):
        return [(await limit.take(caller)).is_taken for _ in range(10) for limit in (one, other)]

    (taken,) = counted(settings.REDIS_URL, both, rate=Rate(7, 3600))
    assert taken == [True] * 7 + [False] * 13


def test_they_take_no_more_when_they_take_in_advance(caller, monkeypatch):
    # fifty at once, of 2,000 of which none comes back while this test runs
    rate = Rate(2_000, 10_000_000)
    monkeypatch.setattr(rate_limits, "ADVANCE_SECONDS", 600)
    monkeypatch.setattr(rate_limits, "ADVANCE_SHARE", 50 * rate.seconds / rate.number / 600)

    async def both(one, other):
        return [(await limit.take(caller)).is_taken for _ in range(2_000) for limit in (one, other)]

    (taken,) = counted(settings.REDIS_URL, both, rate=rate, in_advance=True)
    assert sum(taken) == 2_000


def test_a_busy_caller_costs_few_round_trips(caller, monkeypatch):
    asked = []
    take = Shared.take

    async def counted_take(self, name, rate, wanted):
        asked.append(wanted)
        return await take(self, name, rate, wanted)

    monkeypatch.setattr(Shared, "take", counted_take)
    # on a slow machine, what is taken would be too old
    monkeypatch.setattr(rate_limits, "ADVANCE_SECONDS", 600)
    monkeypatch.setattr(rate_limits, "ADVANCE_SHARE", 0.05 / 600)

    async def many(one, _):
        return [(await one.take(caller)).is_taken for _ in range(1_000)]

    (taken,) = counted(settings.REDIS_URL, many, rate=Rate(60_000, 60), in_advance=True)
    assert all(taken)
    assert asked[:7] == [1, 2, 4, 8, 16, 32, 50]
    assert len(asked) < 30


def test_it_says_what_is_left_and_when_there_is_one_again(caller):
    async def three(one, _):
        return [await one.take(caller) for _ in range(3)]

    (found,) = counted(settings.REDIS_URL, three, rate=Rate(2, 3600))
    assert [(one.is_taken, one.left) for one in found] == [(True, 1), (True, 0), (False, 0)]
    assert found[0].seconds == pytest.approx(1800, abs=120)
    assert found[1].seconds == pytest.approx(3600, abs=120)
    assert found[2].seconds == pytest.approx(1800, abs=120)


def test_after_that_time_there_is_one_again(caller):
    async def until_taken(one, _):
        await one.take(caller)
        refused = await one.take(caller)
        await asyncio.sleep(refused.seconds)
        return refused.is_taken, (await one.take(caller)).is_taken

    assert counted(settings.REDIS_URL, until_taken, rate=Rate(1, 1)) == [(False, True)]


@pytest.mark.parametrize("in_advance", [False, True])
def test_without_redis_each_process_counts_by_itself(caller, in_advance):
    async def both(one, other):
        return [[(await limit.take(caller)).is_taken for _ in range(8)] for limit in (one, other)]

    (taken,) = counted(AWAY, both, rate=Rate(5, 3600), in_advance=in_advance)
    assert taken == [[True] * 5 + [False] * 3] * 2


def test_a_redis_that_is_away_is_not_asked_each_time(caller, monkeypatch):
    monkeypatch.setattr(rate_limits, "PAUSE", 600)
    failed = []
    note = Shared.note_failure

    def noted(self, error):
        failed.append(error)
        note(self, error)

    monkeypatch.setattr(Shared, "note_failure", noted)

    async def many(one, _):
        return [(await one.take(caller)).is_taken for _ in range(50)]

    (taken,) = counted(AWAY, many, rate=Rate(100, 3600))
    assert all(taken)
    assert len(failed) == 1


def test_callers_are_counted_apart_and_forgotten_in_the_end(caller, monkeypatch):
    monkeypatch.setattr(rate_limits, "MAX_CALLERS", 3)

    async def five(one, _):
        taken = [(await one.take(f"{caller}-{number}")).is_taken for number in range(5)]
        return taken, len(one._kept)

    assert counted(settings.REDIS_URL, five, rate=Rate(1, 3600)) == [([True] * 5, 3)]
