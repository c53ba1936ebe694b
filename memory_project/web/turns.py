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
from memory_project.web.slots import Slot, Slots

#: Seconds after which a request that runs is held up, most likely by a lock in the database, and uses no processor:
#: then another may run beside it.
HELD_UP = 0.5
#: How many threads there are for each request that may run: the others are for those that run beside held-up ones.
SPARE = 3
#: One turn in so many goes to the request that has waited longest.
FAIR = 4
#: How long the place of a hot caller's request stays empty while others are active, as a multiple of the time that the
#: request took.
RESTING = 1.0
#: Seconds between two tries to get a slot for a hot caller's request; and after which it runs without: the process that
#: has the slot may be frozen.
RETRY, LONGEST_WITHOUT_SLOT = 0.005, 2.0


@dataclass(eq=False, slots=True)
class Turn:
    """A request that has a thread. `lane` is its caller and whether it reads; `is_hot` says whether its caller was hot
    when it got the thread."""

    lane: tuple[Hashable, bool]
    began: float
    is_hot: bool = False
    is_held_up: bool = False
    timer: asyncio.TimerHandle | None = None
    slot: Slot | None = None

    def release(self) -> None:
        """Let another process have its slot."""
        if self.slot is not None:
            self.slot.release()
            self.slot = None


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
    does not get the last thread, and after each of its requests the place stays empty for RESTING times as long. In all
    processes, as many of its requests run as it has `slots`, so that the others' requests get the processors; and these
    do not wait for its threads.
    """

    def __init__(
        self, threads: int, *, patience: float, lately: Lately | None = None, slots: Slots | None = None
    ) -> None:
        self._threads = threads
        self._patience = patience
        self._lately = lately or Lately()
        self._slots = slots
        self._without_slot: float | None = None
        self._retry: asyncio.TimerHandle | None = None
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
        if (turn := self._try(lane)) is not None:
            return turn
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
        turn.release()
        # without these nothing is kept of callers who are gone
        self._in_lane, self._of_caller = +self._in_lane, +self._of_caller
        self._go_on()

    def _may_run(self, lane: tuple[Hashable, bool]) -> bool:
        running = len(self._running)
        is_hot = self._is_hot(lane[0])
        beside = 0 if is_hot else sum(turn.is_hot and not turn.is_held_up for turn in self._running)
        return (
            running < self.most
            and running - self._held_up - beside < self._threads
            and self._in_lane.get(lane, 0) < self._threads
            and not (is_hot and self._leaves_the_last(lane[0]))
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

    def _try(self, lane: tuple[Hashable, bool]) -> Turn | None:
        """A turn, if the lane may have one now."""
        if not self._may_run(lane):
            return None
        if not self._is_hot(lane[0]):
            return self._give(lane)
        now = asyncio.get_running_loop().time()
        slot = self._slots.take(lane[0]) if self._slots is not None else None
        if slot is None and self._slots is not None:
            self._without_slot = self._without_slot or now
            if now - self._without_slot < LONGEST_WITHOUT_SLOT:
                self._retry_soon()
                return None
        self._without_slot = None
        return self._give(lane, is_hot=True, slot=slot)

    def _retry_soon(self) -> None:
        def retry() -> None:
            self._retry = None
            self._go_on()

        if self._retry is None:
            self._retry = asyncio.get_running_loop().call_later(RETRY, retry)

    def _give(self, lane: tuple[Hashable, bool], *, is_hot: bool = False, slot: Slot | None = None) -> Turn:
        loop = asyncio.get_running_loop()
        turn = Turn(lane, loop.time(), is_hot, slot=slot)
        turn.timer = loop.call_later(HELD_UP, self._hold_up, turn)
        self._running.add(turn)
        self._in_lane[lane] += 1
        self._of_caller[lane[0]] += 1
        return turn

    def _hold_up(self, turn: Turn) -> None:
        turn.is_held_up = True
        turn.release()
        self._held_up += 1
        self._go_on()

    def _go_on(self) -> None:
        """Give a turn to everybody who may have one."""
        while any(map(self._gave, self._next())):
            pass

    def _next(self) -> list[_Waiting]:
        """The first of each lane, in the order in which they get a turn."""
        found = [
            (len(queue) + self._of_caller.get(caller, 0), lane[0])
            for caller, queue in self._waiting.items()
            for lane in queue.lanes.values()
            if lane
        ]
        if (self._given + 1) % FAIR == 0:
            return sorted((waiting for _, waiting in found), key=lambda waiting: waiting.number)
        return [waiting for _, waiting in sorted(found, key=lambda one: (one[0], one[1].number))]

    def _gave(self, waiting: _Waiting) -> bool:
        """Whether a turn was given to one who waits, or nobody waits there any more."""
        if not waiting.turn.done():  # it may just have been cancelled
            if (turn := self._try(waiting.lane)) is None:
                return False
            self._given += 1
            waiting.turn.set_result(turn)
        self._forget(waiting)
        return True

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
