"""Stores the checkpoints that wait at the same time in one request."""

from collections import deque
from collections.abc import Sequence
from weakref import WeakValueDictionary

from suture_client.checkpointing.connections import Connection
from suture_client.errors import Failed, Problem

#: Maximum number of checkpoints in a request, and of their characters, unless there is only one.
_MAX_ITEMS, _MAX_SIZE = 100, 4 * 1024 * 1024
#: Seconds that a checkpoint waits for another one of its session, to be stored in one request with it.
GATHERING = 0.001
#: The statuses of refusals because of one of several checkpoints: malformed, in conflict, too large.
_OF_ONE = frozenset({400, 409, 413})


class _Waiting:
    """A checkpoint to store, as JSON."""

    def __init__(self, body: str) -> None:
        self.body = body
        self.is_done = self.is_abandoned = False
        self.error: Failed | None = None


class _Queue:
    """The checkpoints of a session that wait until the request before is answered."""

    def __init__(self, connection: Connection) -> None:
        self.waiting: deque[_Waiting] = deque()
        self.lock = connection.new_lock()


class Batches:
    """Stores checkpoints. While a request of a session is under way, further ones gather for the next one, and one that
    is alone waits for GATHERING: after each step of a graph come its writes and, a moment later, its checkpoint. Each
    call returns when its checkpoints are stored."""

    def __init__(self, connection: Connection, owner: str | None) -> None:
        self._connection, self._owner = connection, owner
        self._queues: WeakValueDictionary[tuple[str, ...], _Queue] = WeakValueDictionary()

    async def store(self, path: tuple[str, ...], bodies: Sequence[str]) -> None:
        """Store checkpoints of the session at `path`, in their order. Raises the first error of them."""
        queue = self._queues.setdefault(path, _Queue(self._connection))
        added = [_Waiting(body) for body in bodies]
        queue.waiting.extend(added)
        try:
            async with queue.lock:
                while not all(one.is_done for one in added):
                    await self._send(path, queue)
        finally:
            for one in added:
                one.is_abandoned = True
        for one in added:
            if one.error is not None:
                raise one.error

    async def _send(self, path: tuple[str, ...], queue: _Queue) -> None:
        """Send one request with what waits. If that is cancelled, the others wait again: what is stored twice counts
        once."""
        if len(queue.waiting) == 1:
            await self._connection.pause(GATHERING)
        taken: list[_Waiting] = []
        size = 0
        while queue.waiting and len(taken) < _MAX_ITEMS:
            size += len(queue.waiting[0].body)
            if taken and size > _MAX_SIZE:
                break
            one = queue.waiting.popleft()
            if not one.is_abandoned:
                taken.append(one)
        try:
            await self._store(path, taken)
        except BaseException:
            queue.waiting.extendleft(one for one in reversed(taken) if not one.is_done)
            raise

    async def _store(self, path: tuple[str, ...], taken: Sequence[_Waiting]) -> None:
        if len(taken) > 1:
            error = await self._asked(*path, "batch", body=f'{{"checkpoints":[{",".join(one.body for one in taken)}]}}')
            # A batch is refused as a whole. If one of it may be at fault, each gets its own answer.
            if not (isinstance(error, Problem) and error.status in _OF_ONE):
                for one in taken:
                    one.is_done, one.error = True, error
                return
        for one in taken:
            one.error = await self._asked(*path, body=one.body)
            one.is_done = True

    async def _asked(self, *path: str, body: str) -> Failed | None:
        try:
            await self._connection.ask("POST", *path, body=body, owner=self._owner)
        except Failed as error:
            return error
        return None
