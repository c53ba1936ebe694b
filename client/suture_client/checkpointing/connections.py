"""How LangGraph's states reach the server: from threads, or from event loops.

What is done with the answers is written once, as coroutines. With a BlockingConnection they never suspend, so that
`completed` and `iterated` run them without an event loop.
"""

import asyncio
import threading
import time
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

from suture_client.http import Api, AsyncApi

T = TypeVar("T")


class Connection(Protocol):
    """Sends requests. It may be used by several threads, or by several tasks of one loop."""

    async def ask(self, method: str, *path: str, body: str | None = None, **parameters: Any) -> dict[str, Any]:
        """Send a request and return the answer. Raises Problem, Away, UnsupportedVersion."""

    async def pause(self, seconds: float) -> None:
        """Let others run."""

    def new_lock(self) -> AbstractAsyncContextManager[None]:
        """A lock between those who use this connection."""


class BlockingConnection:
    """Requests that block the thread. Its coroutines never suspend."""

    def __init__(self, api: Api) -> None:
        self._api = api

    async def ask(self, method: str, *path: str, body: str | None = None, **parameters: Any) -> dict[str, Any]:
        """As Connection.ask."""
        if method == "GET":
            return self._api.get(*path, **parameters)
        if method == "DELETE":
            return self._api.delete(*path, **parameters)
        return self._api.send(method, *path, body=body or "{}", **parameters)

    async def pause(self, seconds: float) -> None:
        """As Connection.pause."""
        time.sleep(seconds)

    def new_lock(self) -> AbstractAsyncContextManager[None]:
        """As Connection.new_lock."""
        return _ThreadLock()


class _ThreadLock(AbstractAsyncContextManager[None]):
    def __init__(self) -> None:
        self._lock = threading.Lock()

    async def __aenter__(self) -> None:
        self._lock.acquire()

    async def __aexit__(self, *_: object) -> None:
        self._lock.release()


class LoopConnection:
    """Requests of the tasks of one event loop."""

    def __init__(self, api: AsyncApi) -> None:
        self.ask = api.ask

    async def pause(self, seconds: float) -> None:
        """As Connection.pause."""
        await asyncio.sleep(seconds)

    def new_lock(self) -> AbstractAsyncContextManager[None]:
        """As Connection.new_lock."""
        return asyncio.Lock()


def completed(coroutine: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine that never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: T = end.value
        return result
    coroutine.close()
    raise RuntimeError("a coroutine of a blocking connection has suspended")


def iterated(items: AsyncGenerator[T, None]) -> Iterator[T]:
    """The items of an asynchronous generator that never suspends."""
    try:
        while True:
            try:
                one = completed(_awaited(items.__anext__))
            except StopAsyncIteration:
                return
            yield one
    finally:
        completed(_awaited(items.aclose))


async def _awaited(following: Callable[[], Any]) -> Any:
    return await following()
