"""LangGraph's store in Suture (docs/langgraph.md)."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any, Self

from langgraph.store.base import (
    BaseStore,
    GetOp,
    ListNamespacesOp,
    Op,
    PutOp,
    Result,
    SearchOp,
    TTLConfig,
    validate_op_namespace,
)

from suture_client.http import TIMEOUT
from suture_client.memory.awaiting import AsyncMemory
from suture_client.memory.blocking import Memory
from suture_client.memory.steps import Steps
from suture_client.per_loop import PerLoop
from suture_client.storing.items import Items


class SutureStore(BaseStore):
    """Keeps LangGraph's long-term memory in Suture: `graph.compile(store=SutureStore())`.

    Each item is a memory, which people can correct. Threads and event loops may share a store. Close it at the end, or
    use `with` or `async with`.
    """

    supports_ttl = True

    def __init__(
        self,
        *,
        url: str | None = None,
        key: str | None = None,
        on_behalf_of: str | None = None,
        channel: str | None = None,
        session: str | None = None,
        subject_type: str = "store",
        fields: Sequence[str] | None = None,
        ttl: TTLConfig | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        """`url`, `key`, `on_behalf_of`, `channel` and `session` as in `Memory`. `subject_type`: the type of its
        namespaces as subjects. `fields`: the members of values that search looks into, if not all. `ttl`: LangGraph's
        configuration, in minutes; reading an item prolongs its time to live only with `refresh_on_read`, because that
        records it again. `timeout`: seconds per request. Raises `Failed` for an invalid address or key."""
        self.ttl_config = TTLConfig(**{"refresh_on_read": False, **(ttl or {})})

        def over(memory: Any) -> Any:
            return memory.about(channel=channel, session=session)

        given: dict[str, Any] = {"on_behalf_of": on_behalf_of, "timeout": timeout}
        self._memory: Memory = over(Memory(url, key, **given))
        self._in_loops: PerLoop[AsyncMemory] = PerLoop(lambda: over(AsyncMemory(url, key, **given)))
        self._items: Callable[[Any], Items] = lambda memory: Items(memory, subject_type, fields)

    def close(self) -> None:
        """Close the connections of threads. `async with` closes those of its event loop, and the end of a loop too."""
        self._memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
        await self._in_loops.close()

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Execute operations: reads first, then writes, of which all that store are one request. Raises
        InvalidNamespaceError, Failed, and ValueError for an unknown operation or operator of a filter."""
        items, ops = self._items(self._memory), list(ops)
        reads, puts = _reads(items, ops)
        results = {index: self._memory.run(steps) for index, steps in reads.items()}
        if puts:
            self._memory.run(items.put(puts))
        return [results.get(index) for index in range(len(ops))]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """As `batch`. A cancelled task may have stored its items."""
        memory = await self._in_loops.current()
        items, ops = self._items(memory), list(ops)
        reads, puts = _reads(items, ops)
        found = await asyncio.gather(*map(memory.run, reads.values()))
        if puts:
            await memory.run(items.put(puts))
        results = dict(zip(reads, found, strict=True))
        return [results.get(index) for index in range(len(ops))]


def _reads(items: Items, ops: Sequence[Op]) -> tuple[dict[int, Steps[Any]], list[PutOp]]:
    """The steps of operations that read, by their place, and those that write."""
    reads: dict[int, Steps[Any]] = {}
    puts: list[PutOp] = []
    for index, op in enumerate(ops):
        validate_op_namespace(op)
        if isinstance(op, PutOp):
            puts.append(op)
        elif isinstance(op, GetOp):
            reads[index] = items.get(op)
        elif isinstance(op, SearchOp):
            reads[index] = items.search(op)
        elif isinstance(op, ListNamespacesOp):
            reads[index] = items.list_namespaces(op)
        else:
            raise ValueError(f"Unknown operation type: {type(op)}")  # noqa: TRY004 (as LangGraph's stores do)
    return reads, puts
