"""Checkpoints that wait at the same time are stored in one request."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from suture_client.checkpointing.batches import Batches
from suture_client.checkpointing.connections import BlockingConnection, completed
from suture_client.errors import Away, Problem

pytestmark = pytest.mark.pure

PATH = ("sessions", "s", "checkpoints")


class Requests:
    """Records the checkpoints of each request. Those that are in `refused` are refused, alone and in a batch; `held`
    makes the first request wait."""

    def __init__(self, **refused: Exception) -> None:
        self.refused = refused
        self.stored: list[list[str]] = []
        self.tries = 0

    def take(self, path: tuple[str, ...], body: str) -> dict[str, Any]:
        self.tries += 1
        content = json.loads(body)
        names = [one["name"] for one in content["checkpoints"]] if path[-1] == "batch" else [content["name"]]
        for name in names:
            if name in self.refused:
                raise self.refused[name]
        self.stored.append(names)
        return {}


class LoopRequests(Requests):
    """A connection of a loop, whose first request waits for `go`."""

    def __init__(self, **refused: Exception) -> None:
        super().__init__(**refused)
        self.go, self.has_begun = asyncio.Event(), asyncio.Event()

    async def ask(self, method: str, *path: str, body: str | None = None, **parameters: Any) -> dict[str, Any]:
        self.has_begun.set()
        await self.go.wait()
        return self.take(path, body or "")

    async def pause(self, seconds: float) -> None:
        await asyncio.sleep(0)

    def new_lock(self) -> asyncio.Lock:
        return asyncio.Lock()


def checkpoint(name: str) -> str:
    return json.dumps({"name": name})


def problem(status: int, detail: str = "For a test.") -> Problem:
    return Problem(status, {"title": "No", "detail": detail}, {})


async def stored_while_one_is_under_way(requests: LoopRequests, *names: str) -> list[Any]:
    """Store "first", and the others while the request of the first one is under way."""
    batches = Batches(requests, None)
    first = asyncio.create_task(batches.store(PATH, [checkpoint("first")]))
    await requests.has_begun.wait()
    others = [asyncio.create_task(batches.store(PATH, [checkpoint(name)])) for name in names]
    await asyncio.sleep(0)
    requests.go.set()
    return await asyncio.gather(first, *others, return_exceptions=True)


def test_what_gathers_while_a_request_is_under_way_is_one_request() -> None:
    async def store() -> None:
        requests = LoopRequests()
        assert await stored_while_one_is_under_way(requests, "a", "b", "c") == [None] * 4
        assert requests.stored == [["first"], ["a", "b", "c"]]

    asyncio.run(store())


def test_a_step_and_its_writes_are_one_request() -> None:
    async def store() -> None:
        requests = LoopRequests()
        requests.go.set()
        batches = Batches(requests, None)
        await asyncio.gather(*(batches.store(PATH, [checkpoint(name)]) for name in "ab"))
        assert requests.stored == [["a", "b"]]
        await batches.store(PATH, [checkpoint("alone")])
        assert requests.stored[1:] == [["alone"]]

    asyncio.run(store())


def test_sessions_do_not_wait_for_each_other() -> None:
    async def store() -> None:
        requests = LoopRequests()
        batches = Batches(requests, None)
        paths = [("sessions", name, "checkpoints") for name in "ab"]
        tasks = [asyncio.create_task(batches.store(path, [checkpoint(path[1])])) for path in paths]
        for _ in range(9):
            await asyncio.sleep(0)
        requests.go.set()
        await asyncio.gather(*tasks)
        assert sorted(requests.stored) == [["a"], ["b"]]

    asyncio.run(store())


@pytest.mark.parametrize("status", [400, 409, 413])
def test_a_faulty_one_is_refused_alone(status: int) -> None:
    async def store() -> None:
        requests = LoopRequests(b=problem(status, "b is wrong"))
        answers = await stored_while_one_is_under_way(requests, "a", "b", "c")
        assert [str(one) for one in answers if one is not None] == ["No: b is wrong"]
        assert answers.index(requests.refused["b"]) == 2
        assert requests.stored == [["first"], ["a"], ["c"]]

    asyncio.run(store())


@pytest.mark.parametrize("error", [problem(403), problem(404), problem(503), Away("No answer.")])
def test_what_concerns_all_of_them_is_not_tried_again(error: Exception) -> None:
    async def store() -> None:
        requests = LoopRequests(b=error)
        assert await stored_while_one_is_under_way(requests, "a", "b", "c") == [None, error, error, error]
        assert requests.tries == 2

    asyncio.run(store())


def test_when_one_is_cancelled_the_others_are_stored() -> None:
    async def store() -> None:
        requests = LoopRequests()
        batches = Batches(requests, None)
        tasks = [asyncio.create_task(batches.store(PATH, [checkpoint(name)])) for name in "abcd"]
        await requests.has_begun.wait()
        tasks[0].cancel()  # its request is under way, with the others in it
        tasks[2].cancel()
        answers = await asyncio.gather(tasks[0], tasks[2], return_exceptions=True)
        assert [type(one) for one in answers] == [asyncio.CancelledError] * 2
        requests.go.set()
        await asyncio.gather(tasks[1], tasks[3])
        assert requests.stored == [["b", "d"]]
        await batches.store(PATH, [checkpoint("later")])
        assert requests.stored[1:] == [["later"]]

    asyncio.run(store())


def test_a_request_has_at_most_100_and_at_most_4_mib() -> None:
    async def store() -> None:
        requests = LoopRequests()
        requests.go.set()
        batches = Batches(requests, None)
        await batches.store(PATH, [checkpoint(str(number)) for number in range(250)])
        assert [len(one) for one in requests.stored] == [100, 100, 50]
        requests.stored.clear()
        large = json.dumps({"name": "large", "text": "x" * 3 * 1024 * 1024})
        await batches.store(PATH, [large, large, checkpoint("small"), large])
        assert requests.stored == [["large"], ["large", "small"], ["large"]]

    asyncio.run(store())


class ThreadRequests(BlockingConnection, Requests):
    """A connection of threads, whose first request waits for `go`."""

    def __init__(self) -> None:
        Requests.__init__(self)
        self.go, self.has_begun = threading.Event(), threading.Event()

    async def ask(self, method: str, *path: str, body: str | None = None, **parameters: Any) -> dict[str, Any]:
        self.has_begun.set()
        self.go.wait()
        return self.take(path, body or "")


def test_threads_gather_too() -> None:
    requests = ThreadRequests()
    batches = Batches(requests, None)

    def store(name: str) -> None:
        completed(batches.store(PATH, [checkpoint(name)]))

    with ThreadPoolExecutor(4) as threads:
        first = threads.submit(store, "first")
        requests.has_begun.wait()
        (queue,) = batches._queues.values()
        others = [threads.submit(store, name) for name in "abc"]
        while len(queue.waiting) < 3:
            pass
        requests.go.set()
        for one in (first, *others):
            one.result()
    assert [sorted(one) for one in requests.stored] == [["first"], ["a", "b", "c"]]


def test_a_coroutine_that_suspends_is_no_blocking_one() -> None:
    with pytest.raises(RuntimeError, match="has suspended"):
        completed(asyncio.sleep(0))
