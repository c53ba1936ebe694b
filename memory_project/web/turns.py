"""Who gets a thread next: no caller takes all of them, and nobody waits without end
(docs/decisions/0049-turns.md)."""

import asyncio
from collections import Counter, defaultdict, deque
from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from http import HTTPStatus

from memory_project.web.lately import Lately
from memory_project.web.refusing import Refused

#: Seconds after which a request that runs is held up, most likely by a lock in the database, and uses no processor:
#: then another may run beside it.
HELD_UP = 0.5
#: How many threads there are for each request that may run: the others are for those that run beside held-up ones.
SPARE = 3
#: One turn in so many goes to the request that has waited longest.
FAIR = 4
#: How long the place of a hot caller's request stays empty while others are active, as a multiple of the time that the
#: request took. Four processes of two threads then run one or two of its requests at a time.
RESTING = 2.0


@dataclass(eq=False, slots=True)
class Turn:
    """A request that has a thread. `lane` is its caller and whether it reads."""

    lane: tuple[Hashable, bool]
    began: float
    is_held_up: bool = False
    timer: asyncio.TimerHandle | None = None


@dataclass(eq=False, slots=True)
class _Waiting:
    number: int
    lane: tuple[Hashable, bool]
    turn: asyncio.Future[Turn]


@dataclass(eq=False, slots=True)
class _Queue:
    """What waits of one caller: what reads, and what changes something."""

    lanes: dict[bool, deque[_Waiting]] = field(default_factory=lambda: {True: deque(), False: deque()})

    def __len__(self) -> int:
        return sum(map(len, self.lanes.values()))


class Turns:
    """The turns of one event loop. `threads` requests run at once; what is held up does not count, until there are
    SPARE times as many. What a caller reads has `threads` at most, and what the same caller changes, too: so a caller
    whose changes all wait for one lock still reads, and others go on.

    Of those who wait, the caller with the fewest requests is next, and each FAIR-th time the one who waits longest. As
    long as others make requests too (`lately`), a caller with more requests than all processes have threads is hot: it
    does not get the last thread, so that who makes few requests finds one free; and after each of its requests the
    place stays empty for RESTING times as long, so that the others' requests get the processors.
    """

    def __init__(self, threads: int, *, patience: float, lately: Lately | None = None) -> None:
        self._threads = threads
        self._patience = patience
        self._lately = lately or Lately()
        self._resting: Counter[Hashable] = Counter()
        self._running: set[Turn] = set()
        self._held_up = 0
        self._in_lane: Counter[tuple[Hashable, bool]] = Counter()
        self._of_caller: Counter[Hashable] = Counter()
        self._waiting: defaultdict[Hashable, _Queue] = defaultdict(_Queue)
        self._number = self._given = 0

    @property
    def most(self) -> int:
        """How many threads there may be."""
        return SPARE * self._threads

    async def take(self, caller: Hashable, *, reads: bool) -> Turn:
        """Wait for a turn, which the caller gives back. Raises Refused after `patience` seconds."""
        lane = caller, reads
        self._lately.note(caller, 1 + self._requests(caller))
        if self._may_run(lane):
            return self._give(lane)
        self._number += 1
        waiting = _Waiting(self._number, lane, asyncio.get_running_loop().create_future())
        self._waiting[caller].lanes[reads].append(waiting)
        try:
            async with asyncio.timeout(self._patience):
                return await waiting.turn
        except TimeoutError:
            self._leave(waiting)
            raise _busy(self._in_lane[lane] >= self._threads) from None
        except asyncio.CancelledError:
            self._leave(waiting)
            raise

    def give_back(self, turn: Turn) -> None:
        """The request is done."""
        if turn.timer is not None:
            turn.timer.cancel()
        self._running.remove(turn)
        if not turn.is_held_up and self._is_hot(turn.lane[0]):
            self._rest(turn.lane[0], RESTING * (asyncio.get_running_loop().time() - turn.began))
        self._held_up -= turn.is_held_up
        self._in_lane[turn.lane] -= 1
        self._of_caller[turn.lane[0]] -= 1
        # without these nothing is kept of callers who are gone
        self._in_lane, self._of_caller = +self._in_lane, +self._of_caller
        self._go_on()

    def _may_run(self, lane: tuple[Hashable, bool]) -> bool:
        running = len(self._running)
        return (
            running < self.most
            and running - self._held_up < self._threads
            and self._in_lane.get(lane, 0) < self._threads
            and not self._leaves_the_last(lane[0])
        )

    def _requests(self, caller: Hashable) -> int:
        """How many requests of the caller run and wait in this process."""
        waiting = len(self._waiting[caller]) if caller in self._waiting else 0
        return self._of_caller.get(caller, 0) + waiting

    def _is_hot(self, caller: Hashable) -> bool:
        # Of this process alone it would say little: the kernel gives it four of four connections, or of forty.
        requests = self._requests(caller) + self._lately.elsewhere(caller)
        return requests > self._threads * self._lately.processes and self._lately.has_others(caller)

    def _leaves_the_last(self, caller: Hashable) -> bool:
        """Whether a hot caller has all threads but the last."""
        if not self._is_hot(caller):
            return False
        active = sum(turn.lane[0] == caller and not turn.is_held_up for turn in self._running)
        return 0 < active + self._resting[caller] >= self._threads - 1

    def _rest(self, caller: Hashable, seconds: float) -> None:
        """Let the place of a request stay empty."""

        def end() -> None:
            self._resting[caller] -= 1
            self._resting = +self._resting
            self._go_on()

        self._resting[caller] += 1
        asyncio.get_running_loop().call_later(seconds, end)

    def _give(self, lane: tuple[Hashable, bool]) -> Turn:
        loop = asyncio.get_running_loop()
        turn = Turn(lane, loop.time())
        turn.timer = loop.call_later(HELD_UP, self._hold_up, turn)
        self._running.add(turn)
        self._in_lane[lane] += 1
        self._of_caller[lane[0]] += 1
        return turn

    def _hold_up(self, turn: Turn) -> None:
        turn.is_held_up = True
        self._held_up += 1
        self._go_on()

    def _go_on(self) -> None:
        """Give a turn to everybody who may have one."""
        while (waiting := self._next()) is not None:
            self._forget(waiting)
            if not waiting.turn.done():  # it may just have been cancelled
                waiting.turn.set_result(self._give(waiting.lane))

    def _next(self) -> _Waiting | None:
        found = [
            (len(queue) + self._of_caller.get(caller, 0), lane[0])
            for caller, queue in self._waiting.items()
            for lane in queue.lanes.values()
            if lane and self._may_run(lane[0].lane)
        ]
        if not found:
            return None
        self._given += 1
        if self._given % FAIR == 0:
            return min((waiting for _, waiting in found), key=lambda waiting: waiting.number)
        return min(found, key=lambda one: (one[0], one[1].number))[1]

    def _leave(self, waiting: _Waiting) -> None:
        """Who waited does not wait any more; a turn that came just then goes to another."""
        if waiting.turn.done() and not waiting.turn.cancelled():
            self.give_back(waiting.turn.result())
        else:
            self._forget(waiting)

    def _forget(self, waiting: _Waiting) -> None:
        caller, reads = waiting.lane
        with suppress(ValueError):
            self._waiting[caller].lanes[reads].remove(waiting)
        if not len(self._waiting[caller]):
            del self._waiting[caller]


def _busy(is_own: bool) -> Refused:
    whose = "your tenant already has all that it may have" if is_own else "all are taken"
    return Refused(
        HTTPStatus.SERVICE_UNAVAILABLE,
        "busy",
        "Busy",
        f"The server is busy: of the requests that it answers at once, {whose}. Nothing was done. Retry the request.",
        "turns",
        5.0,
    )
