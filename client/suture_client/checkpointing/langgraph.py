"""A LangGraph checkpointer that stores checkpoints in Suture (docs/checkpoints.md)."""

from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Self

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
)
from langgraph.checkpoint.serde.base import CipherProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer

from suture_client.checkpointing.connections import (
    BlockingConnection,
    Connection,
    LoopConnection,
    completed,
    iterated,
)
from suture_client.checkpointing.graph_states import GraphStates
from suture_client.checkpointing.strict import StrictSerializer
from suture_client.checkpointing.threads import Threads
from suture_client.http import TIMEOUT, Api
from suture_client.per_loop import PerLoop


class SutureSaver(BaseCheckpointSaver[int]):
    """Stores the threads of LangGraph's graphs in Suture: `graph.compile(checkpointer=SutureSaver())`.

    Its checkpoints are pinned, because LangGraph reads the whole history of a thread. Only `delete_thread`,
    `delete_for_runs` and `prune` delete them. Threads and event loops may share it. Close it at the end, or use `with`
    or `async with`.
    """

    def __init__(
        self,
        *,
        url: str | None = None,
        key: str | None = None,
        timeout: float = TIMEOUT,
        prefix: str = "langgraph",
        owner: str | None = None,
        allowed_types: Iterable[type] = (),
        cipher: CipherProtocol | None = None,
    ) -> None:
        """`prefix`: the prefix of session names. `owner`: the agent that owns the threads, if another agent shares them
        with you. `allowed_types`: your classes that states contain, in addition to LangGraph's list. `cipher`: encrypts
        the values. `timeout`: seconds per request. Raises `Failed` if no server or key is known."""
        strict = StrictSerializer(allowed_types)
        super().__init__(serde=EncryptedSerializer(cipher, strict) if cipher else strict)
        self._api = Api(url, key, timeout=timeout).__enter__()

        def states(connection: Connection) -> GraphStates:
            return GraphStates(Threads(connection, prefix, owner), self.serde)

        @asynccontextmanager
        async def of_loop() -> AsyncIterator[GraphStates]:
            async with self._api.in_asyncio() as api:
                yield states(LoopConnection(api))

        self._states = states(BlockingConnection(self._api))
        self._in_loops = PerLoop(of_loop)

    def close(self) -> None:
        """Close the connections of threads. `async with` closes those of its event loop, and the end of a loop too."""
        self._api.close()

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

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the configuration names, or the newest of its namespace. Raises Problem, Away."""
        return completed(self._states.get_tuple(config))

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As `get_tuple`."""
        return await (await self._in_loops.current()).get_tuple(config)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """List the matching checkpoints of a thread, or of all threads, newest first. Raises Problem, Away."""
        return iterated(self._states.list(config, filter=filter, before=before, limit=limit))

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """As `list`."""
        states = await self._in_loops.current()
        async for one in states.list(config, filter=filter, before=before, limit=limit):
            yield one

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, with all its values. Raises Problem, Away."""
        return completed(self._states.put(config, checkpoint, metadata))

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As `put`."""
        return await (await self._in_loops.current()).put(config, checkpoint, metadata)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store a task's writes after a checkpoint. Raises Problem, Away."""
        completed(self._states.put_writes(config, writes, task_id, task_path))

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """As `put_writes`."""
        await (await self._in_loops.current()).put_writes(config, writes, task_id, task_path)

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread permanently, with all its checkpoints and writes. A later `put` or `put_writes` is refused.
        Raises Problem, Away."""
        completed(self._states.delete_thread(thread_id))

    async def adelete_thread(self, thread_id: str) -> None:
        """As `delete_thread`."""
        await (await self._in_loops.current()).delete_thread(thread_id)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints whose metadata names one of the runs, with their writes, in all threads. Reads every
        checkpoint of this agent. Raises Problem, Away."""
        completed(self._states.delete_for_runs(run_ids))

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """As `delete_for_runs`."""
        await (await self._in_loops.current()).delete_for_runs(run_ids)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of a thread into another. Raises Problem, Away."""
        completed(self._states.copy_thread(source_thread_id, target_thread_id))

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """As `copy_thread`."""
        await (await self._in_loops.current()).copy_thread(source_thread_id, target_thread_id)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of threads (`delete`), or all but the newest of each namespace (`keep_latest`) and the
        ancestors that its delta channels are built from. Raises Problem, Away, and ValueError for another strategy."""
        completed(self._states.prune(thread_ids, strategy))

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """As `prune`."""
        await (await self._in_loops.current()).prune(thread_ids, strategy)
