"""Both faces behind one: an AsyncMemory that runs each call to its end."""

import asyncio
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from suture_client import AsyncMemory, Memory


class Runs:
    """An asynchronous object with blocking methods. What they return is one, too."""

    def __init__(self, found: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._found, self._loop = found, loop

    def __getattr__(self, name: str) -> Any:
        return self._blocking(getattr(self._found, name))

    def __eq__(self, other: object) -> bool:
        return bool(self._found == (other._found if isinstance(other, Runs) else other))

    def __hash__(self) -> int:
        return hash(self._found)

    def _blocking(self, found: Any) -> Any:
        if inspect.isasyncgen(found):
            return self._iterate(found)
        if inspect.iscoroutine(found):
            return self._blocking(self._loop.run_until_complete(found))
        if callable(found) and not isinstance(found, type):
            return self._method(found)
        if isinstance(found, list):
            return [self._blocking(one) for one in found]
        return Runs(found, self._loop) if type(found).__module__.startswith("suture_client.memory.awaiting") else found

    def _method(self, method: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *arguments, **named: self._blocking(method(*arguments, **named))

    def _iterate(self, found: Any) -> Iterator[Any]:
        while (one := self._loop.run_until_complete(anext(found, self))) is not self:
            yield self._blocking(one)


@contextmanager
def opened(face: str, *arguments: Any, **named: Any) -> Iterator[Any]:
    """A Memory, or an AsyncMemory with blocking methods, as `face` says."""
    if face == "Memory":
        with Memory(*arguments, **named) as memory:
            yield memory
        return
    with asyncio.Runner() as runner:
        asynchronous = AsyncMemory(*arguments, **named)
        yield Runs(asynchronous, runner.get_loop())
        runner.run(asynchronous.close())
