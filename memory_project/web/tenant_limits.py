"""Fair threads: no tenant takes all of them, and no request waits forever
(docs/decisions/0068-one-limit-for-each-tenant.md)."""

import asyncio
from collections.abc import Hashable
from contextlib import ExitStack
from http import HTTPStatus
from weakref import WeakValueDictionary

from memory_project.web.refusals import Refused


class Turns:
    """The `threads` of a process. A tenant gets at most all but one of them at once, and at least one. Requests within
    that limit get threads in the order of arrival; those beyond it wait separately. So with one thread, tenants take
    turns."""

    def __init__(self, threads: int, *, patience: float) -> None:
        self._threads = asyncio.Semaphore(threads)
        self._for_each = max(1, threads - 1)
        self._patience = patience
        # a limit is deleted as soon as no request of the tenant waits or runs
        self._limits: WeakValueDictionary[Hashable, asyncio.Semaphore] = WeakValueDictionary()

    async def take(self, tenant: Hashable) -> ExitStack:
        """Wait for a thread, which is released when the response is closed. Raises Refused after `patience` seconds."""
        limit = self._limits.setdefault(tenant, asyncio.Semaphore(self._for_each))
        try:
            with ExitStack() as taken:
                async with asyncio.timeout(self._patience):
                    for one in (limit, self._threads):
                        await one.acquire()
                        taken.callback(one.release)
                return taken.pop_all()
        except TimeoutError:
            raise Refused(
                HTTPStatus.SERVICE_UNAVAILABLE,
                "busy",
                "Busy",
                f"The server is busy: the request waited for {self._patience:g} s, and nothing was done. Retry it.",
                "turns",
                5.0,
            ) from None
