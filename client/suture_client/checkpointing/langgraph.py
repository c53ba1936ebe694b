"""A LangGraph checkpointer that stores checkpoints in Suture (docs/checkpoints.md)."""

import asyncio
import base64
import re
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from operator import attrgetter
from types import TracebackType
from typing import Any, Self
from uuid import UUID

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import CipherProtocol
from langgraph.checkpoint.serde.encrypted import EncryptedSerializer

from suture_client.checkpointing.strict import StrictSerializer
from suture_client.checkpointing.threads import Stored, Threads
from suture_client.http import TIMEOUT, Api

#: An id in LangGraph's bytes. By such ids, Suture finds checkpoints with corrected or erased memory.
_ID = re.compile(rb"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}")


#: The number of newest checkpoints among which to find the one with the largest id.
_MAX_NEWEST = 20
_Writes = list[PendingWrite]


class SutureSaver(BaseCheckpointSaver[int]):
    """Stores the threads of LangGraph's graphs in Suture: `graph.compile(checkpointer=SutureSaver())`.

    Its checkpoints are pinned, because LangGraph reads the whole history of a thread. Only `delete_thread`,
    `delete_for_runs` and `prune` delete them. It is thread-safe. Close it at the end, or use `with`.
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
        self._threads = Threads(Api(url, key, timeout=timeout).__enter__(), prefix, owner)

    def close(self) -> None:
        """Close the connections to the server."""
        self._threads.api.close()

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
        await asyncio.to_thread(self.close)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the configuration names, or the newest of its namespace. Raises Problem, Away."""
        thread, namespace, wanted = _thread(config), _namespace(config) or "", get_checkpoint_id(config)
        if wanted is None:
            # They are stored in the order of their ids, unless clocks differ.
            newest = islice((one for one in self._threads.stored(thread, namespace) if not one.is_writes), _MAX_NEWEST)
            wanted = max((one.checkpoint_id for one in newest), default=None)
        if wanted is None:
            return None
        stored = [*self._threads.stored(thread, namespace, wanted)]
        return next((self._tuple(one, stored) for one in _checkpoints(stored).values()), None)

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """List the matching checkpoints of a thread, or of all threads, newest first. With `filter`, read them one by
        one until `limit` match. Raises Problem, Away."""
        found = self._matching(config, filter, get_checkpoint_id(before) if before else None)
        return islice(found, None if limit is None else max(limit, 0))

    def _matching(
        self, config: RunnableConfig | None, wanted: dict[str, Any] | None, until: str | None
    ) -> Iterator[CheckpointTuple]:
        threads = [_thread(config)] if config else self._threads.names()
        namespace, named = (_namespace(config), get_checkpoint_id(config)) if config else (None, None)
        for thread in threads:
            stored = [*self._threads.stored(thread, namespace, named)]
            checkpoints = [one for one in _checkpoints(stored).values() if until is None or one.checkpoint_id < until]
            for one in sorted(checkpoints, key=attrgetter("checkpoint_id"), reverse=True):
                found = self._tuple(one, stored)
                if found and all(found.metadata.get(name) == value for name, value in (wanted or {}).items()):
                    yield found

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint, with all its values. Raises Problem, Away."""
        known = get_checkpoint_metadata(config, metadata)
        kept = {
            **_place(config, checkpoint["id"]),
            "parent_checkpoint_id": get_checkpoint_id(config),
            "checkpoint": self._dumped(checkpoint),
            "metadata": self._dumped(known),
        }
        self._keep(kept, is_writes=False)
        return _config(kept)

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store a task's writes after a checkpoint. Raises Problem, Away."""
        dumped = [
            {"index": WRITES_IDX_MAP.get(channel, index), "channel": channel, "value": self._dumped(value)}
            for index, (channel, value) in enumerate(writes)
        ]
        place = _place(config, get_checkpoint_id(config) or "")
        self._keep({**place, "task_id": task_id, "task_path": task_path, "writes": dumped}, is_writes=True)

    def delete_thread(self, thread_id: str) -> None:
        """Delete a thread permanently, with all its checkpoints and writes. A later `put` or `put_writes` is refused.
        Raises Problem, Away."""
        self._threads.delete_all(str(thread_id))

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints whose metadata names one of the runs, with their writes, in all threads. Reads every
        checkpoint of this agent. Raises Problem, Away."""
        wanted = {str(run_id) for run_id in run_ids}
        for thread in self._threads.names():
            stored = [*self._threads.stored(thread)]
            for key, one in _checkpoints(stored).items():
                kept = self._threads.kept(one)
                if kept and self._loaded(kept["metadata"]).get("run_id") in wanted:
                    self._threads.delete(other for other in stored if other.key == key)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of a thread into another. Raises Problem, Away."""
        for one in sorted(self._threads.stored(str(source_thread_id)), key=attrgetter("id")):
            if kept := self._threads.kept(one):
                self._keep({**kept, "thread_id": str(target_thread_id)}, is_writes=one.is_writes)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of threads (`delete`), or all but the newest of each namespace (`keep_latest`) and the
        ancestors that its delta channels are built from. Raises Problem, Away, and ValueError for another strategy."""
        if strategy not in {"keep_latest", "delete"}:
            raise ValueError(f"The strategy must be keep_latest or delete, not {strategy!r}.")
        for thread in map(str, thread_ids):
            if strategy == "delete":
                self.delete_thread(thread)
                continue
            stored = [*self._threads.stored(thread)]
            needed = self._needed(stored)
            self._threads.delete(one for one in stored if one.key not in needed)

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """As `get_tuple`."""
        return await asyncio.to_thread(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """As `list`."""
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (one := await asyncio.to_thread(next, found, None)) is not None:
            yield one

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """As `put`."""
        return await asyncio.to_thread(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """As `put_writes`."""
        await asyncio.to_thread(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """As `delete_thread`."""
        await asyncio.to_thread(self.delete_thread, thread_id)

    async def adelete_for_runs(self, run_ids: Sequence[str]) -> None:
        """As `delete_for_runs`."""
        await asyncio.to_thread(self.delete_for_runs, run_ids)

    async def acopy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """As `copy_thread`."""
        await asyncio.to_thread(self.copy_thread, source_thread_id, target_thread_id)

    async def aprune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """As `prune`."""
        await asyncio.to_thread(lambda: self.prune(thread_ids, strategy=strategy))

    def _tuple(self, found: Stored, stored: Iterable[Stored]) -> CheckpointTuple | None:
        """Return a checkpoint with its writes among `stored`; None if it has been deleted."""
        kept = self._threads.kept(found)
        if kept is None:
            return None
        parent = kept["parent_checkpoint_id"]
        return CheckpointTuple(
            config=_config(kept),
            checkpoint=self._loaded(kept["checkpoint"]),
            metadata=self._loaded(kept["metadata"]),
            parent_config=_config({**kept, "checkpoint_id": parent}) if parent else None,
            pending_writes=self._writes(one for one in stored if one.is_writes and one.key == found.key),
        )

    def _writes(self, stored: Iterable[Stored]) -> _Writes:
        writes: dict[tuple[str, str, int], dict[str, Any]] = {}
        for one in sorted(stored, key=attrgetter("id")):
            kept = self._threads.kept(one) or {"writes": []}
            for write in kept["writes"]:
                key = writes_sort_key(kept["task_path"], kept["task_id"], write["index"])
                # A repeated task writes the same values, but its error or interrupt may differ.
                if key not in writes or write["index"] < 0:
                    writes[key] = {**write, "task_id": kept["task_id"]}
        return [
            (write["task_id"], write["channel"], self._loaded(write["value"])) for _, write in sorted(writes.items())
        ]

    def _needed(self, stored: Iterable[Stored]) -> set[tuple[str, str]]:
        """Return the keys of the newest checkpoint of each namespace, and of the ancestors that its delta channels
        need."""
        checkpoints = _checkpoints(stored)
        newest = dict(sorted(checkpoints))
        needed = set(newest.items())
        for namespace, checkpoint_id in newest.items():
            at: str | None = checkpoint_id
            missing: set[str] | None = None
            while at is not None and (namespace, at) in checkpoints and (missing is None or missing):
                needed.add((namespace, at))
                kept = self._threads.kept(checkpoints[namespace, at])
                if kept is None:
                    break
                if missing is None:
                    missing = set(self._loaded(kept["metadata"]).get("counters_since_delta_snapshot", ()))
                missing -= set(self._loaded(kept["checkpoint"])["channel_values"])
                at = kept["parent_checkpoint_id"]
        return needed

    def _keep(self, kept: Mapping[str, Any], *, is_writes: bool) -> None:
        named = {str(UUID(found.decode())) for content in _bytes_in(kept) for found in _ID.findall(content)}
        about = {} if is_writes else self._loaded(kept["metadata"])
        shown = {name: value for name in ("source", "step") if isinstance(value := about.get(name), str | int)}
        self._threads.keep(kept, named, shown, is_writes=is_writes)

    def _dumped(self, value: Any) -> tuple[str, str]:
        kind, content = self.serde.dumps_typed(value)
        return kind, base64.b64encode(content).decode()

    def _loaded(self, dumped: Sequence[str]) -> Any:
        kind, content = dumped
        return self.serde.loads_typed((kind, base64.b64decode(content)))


def _thread(config: RunnableConfig) -> str:
    return str(config["configurable"]["thread_id"])


def _namespace(config: RunnableConfig) -> str | None:
    found = config["configurable"].get("checkpoint_ns")
    return None if found is None else str(found)


def _place(config: RunnableConfig, checkpoint_id: str) -> dict[str, Any]:
    return {
        "thread_id": _thread(config),
        "checkpoint_ns": _namespace(config) or "",
        "checkpoint_id": checkpoint_id,
    }


def _config(kept: Mapping[str, Any]) -> RunnableConfig:
    return {"configurable": {name: kept[name] for name in ("thread_id", "checkpoint_ns", "checkpoint_id")}}


def _checkpoints(stored: Iterable[Stored]) -> dict[tuple[str, str], Stored]:
    """Return the stored checkpoints, newest first. Of a checkpoint that was stored twice, return the newer one."""
    found: dict[tuple[str, str], Stored] = {}
    for one in stored:
        if not one.is_writes:
            found.setdefault(one.key, one)
    return found


def _bytes_in(kept: Mapping[str, Any]) -> Iterator[bytes]:
    dumped = [kept[name] for name in ("checkpoint", "metadata") if name in kept]
    for _, content in [*dumped, *(write["value"] for write in kept.get("writes", ()))]:
        yield base64.b64decode(content)
