"""Threads are shared out between callers: in one event loop, without a server."""

import asyncio

import pytest

from memory_project.web import lately, turns
from memory_project.web.refusing import Refused
from memory_project.web.turns import Turns

pytestmark = pytest.mark.pure

#: Longer than any test takes.
NEVER = 300.0


def running(test):
    return asyncio.run(test())


async def others_run():
    for _ in range(5):
        await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def nothing_is_held_up(monkeypatch):
    monkeypatch.setattr(turns, "HELD_UP", NEVER)


@pytest.fixture
def held_up_at_once(monkeypatch):
    monkeypatch.setattr(turns, "HELD_UP", 0.01)


def test_so_many_run_at_once_and_the_next_when_one_is_done():
    @running
    async def test():
        shared = Turns(2, patience=NEVER)
        first = await shared.take("a", reads=True)
        await shared.take("b", reads=True)
        third = asyncio.ensure_future(shared.take("c", reads=True))
        await others_run()
        assert not third.done()
        shared.give_back(first)
        assert (await third).lane == ("c", True)


def test_the_last_thread_is_left_to_others_who_have_come_lately():
    @running
    async def test():
        shared = Turns(2, patience=NEVER)
        hot = [asyncio.ensure_future(shared.take("a", reads=True)) for _ in range(5)]
        await others_run()
        assert [one.done() for one in hot] == [True, True, False, False, False]  # it was alone
        other = asyncio.ensure_future(shared.take("b", reads=True))
        await others_run()
        shared.give_back(await hot[0])
        assert (await other).lane == ("b", True)
        shared.give_back(await other)
        await others_run()
        assert not hot[2].done()
        # who makes few requests is not held back by a hot one
        for turn in [await shared.take("b", reads=True)]:
            shared.give_back(turn)
        for one in hot[2:]:
            one.cancel()


def test_the_place_of_a_hot_callers_request_stays_empty_as_long_as_it_ran(monkeypatch):
    monkeypatch.setattr(turns, "RESTING", 1.5)

    @running
    async def test():
        shared = Turns(2, patience=NEVER)
        loop = asyncio.get_running_loop()
        first, second = [await shared.take("hot", reads=True) for _ in range(2)]
        waiting = [asyncio.ensure_future(shared.take("hot", reads=True)) for _ in range(5)]
        shared.give_back(first)
        await others_run()
        assert waiting[0].done()  # nobody else has come
        other = asyncio.ensure_future(shared.take("other", reads=True))
        await asyncio.sleep(0.05)
        shared.give_back(second)
        shared.give_back(await other)
        shared.give_back(await waiting[0])
        ended = loop.time()
        await others_run()
        assert not waiting[1].done()
        # who makes few requests finds a thread meanwhile
        for _ in range(2):
            shared.give_back(await shared.take("other", reads=True))
        await waiting[1]
        assert loop.time() - ended >= 1.5 * 0.05 - 0.01
        for one in waiting[2:]:
            one.cancel()


class Told(lately.Lately):
    """Three siblings, in which "hot" has so many requests, and others none."""

    def __init__(self, elsewhere):
        super().__init__()
        self._elsewhere = elsewhere

    processes = 4

    def elsewhere(self, caller):
        return self._elsewhere if caller == "hot" else 0


@pytest.mark.parametrize(("elsewhere", "is_hot"), [(0, False), (4, False), (6, True)])
def test_who_has_more_requests_than_all_processes_have_threads_is_hot(elsewhere, is_hot):
    @running
    async def test():
        shared = Turns(2, patience=NEVER, lately=Told(elsewhere))
        shared.give_back(await shared.take("other", reads=True))
        first = await shared.take("hot", reads=True)
        waiting = [asyncio.ensure_future(shared.take("hot", reads=True)) for _ in range(3)]
        await asyncio.sleep(0.01)
        shared.give_back(first)
        await others_run()
        assert [one.done() for one in waiting] == ([True, False, False] if is_hot else [True, True, False])
        for one in waiting:
            one.cancel()


class OneSlot:
    """A slot that a sibling may have."""

    def __init__(self):
        self.is_free = True

    def take(self, caller):
        if not self.is_free:
            return None
        self.is_free = False
        return self

    def release(self):
        self.is_free = True


def of_a_hot_caller(slots):
    """Turns with slots, and four waiting requests of a hot caller, of which none has a slot."""
    slots.is_free = False
    shared = Turns(2, patience=NEVER, slots=slots, lately=Told(elsewhere=20))
    shared._lately.note("other")
    return shared, [asyncio.ensure_future(shared.take("hot", reads=True)) for _ in range(4)]


def test_a_hot_caller_runs_when_it_gets_a_slot_and_gives_it_back():
    @running
    async def test():
        shared, hot = of_a_hot_caller(slots := OneSlot())
        await asyncio.sleep(0.02)
        assert not any(one.done() for one in hot)
        for _ in range(2):  # others need none
            await shared.take("other", reads=True)
        shared.give_back(next(iter(shared._running)))
        slots.is_free = True
        turn = await hot[0]
        assert not slots.is_free
        shared.give_back(turn)
        assert slots.is_free
        for one in hot[1:]:
            one.cancel()


def test_a_hot_callers_request_runs_beside_those_of_others():
    @running
    async def test():
        shared, hot = of_a_hot_caller(slots := OneSlot())
        slots.is_free = True
        await hot[0]
        for _ in range(2):
            await shared.take("other", reads=True)
        third = asyncio.ensure_future(shared.take("a third", reads=True))
        await others_run()
        assert not third.done()
        for one in (third, *hot[1:]):
            one.cancel()


def test_a_hot_caller_runs_without_a_slot_that_a_frozen_sibling_keeps(monkeypatch):
    monkeypatch.setattr(turns, "LONGEST_WITHOUT_SLOT", 0.05)

    @running
    async def test():
        _, hot = of_a_hot_caller(slots := OneSlot())
        assert (await hot[0]).slot is None
        assert not slots.is_free
        for one in hot[1:]:
            one.cancel()


def test_a_request_that_is_held_up_gives_its_slot_back(held_up_at_once):
    @running
    async def test():
        shared, hot = of_a_hot_caller(slots := OneSlot())
        slots.is_free = True
        first = await hot[0]
        await asyncio.sleep(0.05)
        assert first.is_held_up
        assert first.slot is None
        second = await hot[1]
        shared.give_back(first)
        assert second.is_hot
        for one in hot[2:]:
            one.cancel()


def test_what_was_held_up_is_followed_by_the_next_at_once(held_up_at_once):
    @running
    async def test():
        shared = Turns(2, patience=NEVER)
        held = [await shared.take("hot", reads=True) for _ in range(2)]
        waiting = [asyncio.ensure_future(shared.take("hot", reads=True)) for _ in range(2)]
        shared.give_back(await shared.take("other", reads=True))
        await asyncio.sleep(0.05)
        shared.give_back(held[0])
        await others_run()
        assert waiting[0].done()
        waiting[1].cancel()


def test_who_is_alone_has_all_threads(monkeypatch):
    monkeypatch.setattr(lately, "SHARING", 0.01)

    @running
    async def test():
        shared = Turns(2, patience=NEVER)
        shared.give_back(await shared.take("b", reads=True))
        await asyncio.sleep(0.02)
        for _ in range(2):
            await shared.take("a", reads=True)


def test_who_waits_too_long_is_refused_and_takes_nothing():
    @running
    async def test():
        shared = Turns(1, patience=0.05)
        only = await shared.take("a", reads=True)
        with pytest.raises(Refused) as refused:
            await shared.take("b", reads=True)
        assert (refused.value.status, refused.value.code) == (503, "busy")
        shared.give_back(only)
        assert (await shared.take("c", reads=True)).lane == ("c", True)


def test_who_goes_away_while_waiting_takes_nothing():
    @running
    async def test():
        shared = Turns(1, patience=NEVER)
        only = await shared.take("a", reads=True)
        gone = asyncio.ensure_future(shared.take("b", reads=True))
        await others_run()
        gone.cancel()
        shared.give_back(only)
        await others_run()
        assert (await shared.take("c", reads=True)).lane == ("c", True)


def test_who_goes_away_with_a_turn_just_given_gives_it_back():
    @running
    async def test():
        shared = Turns(1, patience=NEVER)
        only = await shared.take("a", reads=True)
        gone = asyncio.ensure_future(shared.take("b", reads=True))
        await others_run()
        shared.give_back(only)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        assert (await shared.take("c", reads=True)).lane == ("c", True)


def test_a_caller_with_few_requests_goes_before_one_with_many():
    @running
    async def test():
        shared = Turns(1, patience=NEVER)
        only = await shared.take("hot", reads=True)
        many = [asyncio.ensure_future(shared.take("hot", reads=True)) for _ in range(10)]
        await others_run()
        other = asyncio.ensure_future(shared.take("other", reads=True))
        await others_run()
        shared.give_back(only)
        await others_run()
        assert other.done()
        assert not any(one.done() for one in many)


def test_the_one_with_many_is_not_put_off_for_ever(monkeypatch):
    monkeypatch.setattr(lately, "SHARING", 0.0)

    @running
    async def test():
        shared = Turns(1, patience=NEVER)
        turn = await shared.take("hot", reads=True)
        many = [asyncio.ensure_future(shared.take("hot", reads=True)) for _ in range(10)]
        await others_run()
        given = []
        for number in range(12):
            asyncio.ensure_future(shared.take(number, reads=True)).add_done_callback(
                lambda done: given.append(done.result())
            )
            await others_run()
            shared.give_back(turn)
            await others_run()
            turn = next(iter(shared._running))
        assert sum(one.done() for one in many) == 12 // turns.FAIR


def test_what_is_held_up_lets_others_run(held_up_at_once):
    @running
    async def test():
        shared = Turns(2, patience=NEVER)
        for _ in range(2):
            await shared.take("locked", reads=False)
        for _ in range(2):
            await shared.take("other", reads=False)
        await shared.take("a third", reads=False)


def test_a_caller_whose_changes_are_all_held_up_still_reads(held_up_at_once):
    @running
    async def test():
        shared = Turns(2, patience=NEVER)
        locked = [asyncio.ensure_future(shared.take("locked", reads=False)) for _ in range(10)]
        await others_run()
        reading = await shared.take("locked", reads=True)
        shared.give_back(reading)
        assert sum(one.done() for one in locked) == 2


def test_there_are_never_more_than_the_most(held_up_at_once):
    @running
    async def test():
        shared = Turns(2, patience=0.5)
        for number in range(shared.most):
            await shared.take(number, reads=False)
        with pytest.raises(Refused):
            await shared.take("one more", reads=False)
