"""Connections of threads and event loops: each loop has its own."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Generic, TypeVar

T = TypeVar("T")


class PerLoop(Generic[T]):
    """Something with connections, opened once for each event loop that uses it."""

    def __init__(self, new: Callable[[], AbstractAsyncContextManager[T]]) -> None:
        self._new = new
        self._opened: dict[asyncio.AbstractEventLoop, tuple[AsyncGenerator[T, None], T]] = {}

    async def current(self) -> T:
        """That of the running loop. It is closed by `close`, or when the loop ends."""
        loop = asyncio.get_running_loop()
        if loop not in self._opened:
            opening = self._open(loop)
            self._opened[loop] = opening, await anext(opening)
        return self._opened[loop][1]

    async def close(self) -> None:
        """Close that of the running loop. A later request opens another."""
        opened = self._opened.get(asyncio.get_running_loop())
        if opened is not None:
            await opened[0].aclose()

    async def _open(self, loop: asyncio.AbstractEventLoop) -> AsyncGenerator[T, None]:
        # A generator, because a loop that ends closes its generators (`shutdown_asyncgens`, in asyncio.run).
        try:
            async with self._new() as opened:
                yield opened
        finally:
            self._opened.pop(loop, None)
