"""What LangGraph asks of a checkpointer, as coroutines for any connection."""

import base64
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_id,
    get_checkpoint_metadata,
    writes_sort_key,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from suture_client.checkpointing.named_ids import ids_in
from suture_client.checkpointing.threads import MAX_PAGE, Item, Stored, Threads

#: How many items to read at first for one checkpoint: itself, and the writes of a task.
_OF_ONE = 2
_Writes = list[PendingWrite]


class GraphStates:
    """The threads of graphs. All methods raise Problem and Away."""

    def __init__(self, threads: Threads, serde: SerializerProtocol) -> None:
        self._threads, self._serde = threads, serde

    async def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint that the configuration names, or the one with the greatest id of its namespace."""
        place = _thread(config), _namespace(config) or "", get_checkpoint_id(config)
        async for group in self._threads.read(*place, first=_OF_ONE):
            if found := self._tuple(group):
                return found
        return None

    async def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncGenerator[CheckpointTuple, None]:
        """Yield the matching checkpoints of a thread, or of all threads, the greatest id first. Without a namespace,
        this reads a thread completely first."""
        left = limit
        until = get_checkpoint_id(before) if before else None
        threads = [_thread(config)] if config else [one async for one in self._threads.names()]
        for thread in threads:
            if left is not None and left <= 0:
                return
            async for found in self._of_thread(thread, config, until, None if filter else left):
                if all(found.metadata.get(name) == value for name, value in (filter or {}).items()):
                    yield found
                    left = None if left is None else left - 1
                    if left == 0:
                        return

    async def _of_thread(
        self, thread: str, config: RunnableConfig | None, until: str | None, wanted: int | None
    ) -> AsyncGenerator[CheckpointTuple, None]:
        namespace, named = (_namespace(config), get_checkpoint_id(config)) if config else (None, None)
        first = MAX_PAGE if wanted is None else min(_OF_ONE * wanted, MAX_PAGE)
        groups = self._threads.read(thread, namespace, named, before=until, first=first)
        if namespace is None:
            groups = _sorted([group async for group in groups])
        async for group in groups:
            if (until is None or group[0].checkpoint_id < until) and (found := self._tuple(group)):
                yield found

    async def put(self, config: RunnableConfig, checkpoint: Checkpoint, metadata: CheckpointMetadata) -> RunnableConfig:
        """Store a checkpoint, with all its values."""
        known: Mapping[str, Any] = get_checkpoint_metadata(config, metadata)
        kept = {
            **_place(config, checkpoint["id"]),
            "parent_checkpoint_id": get_checkpoint_id(config),
            "checkpoint": self._dumped(checkpoint),
            "metadata": self._dumped(known),
        }
        await self._threads.keep(kept["thread_id"], [_item(kept, known)])
        return _config(kept)

    async def put_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str
    ) -> None:
        """Store a task's writes after a checkpoint."""
        dumped = [
            {"index": WRITES_IDX_MAP.get(channel, index), "channel": channel, "value": self._dumped(value)}
            for index, (channel, value) in enumerate(writes)
        ]
        kept = _place(config, get_checkpoint_id(config) or "")
        kept |= {"task_id": task_id, "task_path": task_path, "writes": dumped}
        await self._threads.keep(kept["thread_id"], [_item(kept)])

    async def delete_thread(self, thread_id: str) -> None:
        """Delete a thread permanently, with all its checkpoints and writes."""
        await self._threads.delete_all(str(thread_id))

    async def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints whose metadata names one of the runs, with their writes, in all threads."""
        wanted = {str(run_id) for run_id in run_ids}
        async for thread in self._threads.names():
            found: list[str] = []
            async for group in self._threads.read(thread, has_copies=True):
                metadata = [self._metadata(one.kept) for one in group if not one.is_writes]
                if any(one.get("run_id") in wanted for one in metadata):
                    found += [one.id for one in group]
            await self._threads.delete(thread, found)

    async def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy all checkpoints and writes of a thread into another."""
        target = str(target_thread_id)
        async for group in self._threads.read(str(source_thread_id), has_copies=True):
            items = []
            for one in sorted(group, key=attrgetter("id")):
                about = {} if one.is_writes else self._metadata(one.kept)
                items.append(_item({**one.kept, "thread_id": target}, about))
            await self._threads.keep(target, items)

    async def prune(self, thread_ids: Sequence[str], strategy: str) -> None:
        """Delete all checkpoints of threads (`delete`), or all but the newest of each namespace (`keep_latest`) and the
        ancestors that its delta channels are built from. Raises ValueError for another strategy."""
        if strategy not in {"keep_latest", "delete"}:
            raise ValueError(f"The strategy must be keep_latest or delete, not {strategy!r}.")
        for thread in map(str, thread_ids):
            if strategy == "delete":
                await self.delete_thread(thread)
                continue
            stored = [one async for one in self._threads.stored(thread)]
            needed = await self._needed(stored)
            await self._threads.delete(thread, [one.id for one in stored if one.key not in needed])

    async def _needed(self, stored: Iterable[Stored]) -> set[tuple[str, str]]:
        """Return the keys of the newest checkpoint of each namespace, and of the ancestors that its delta channels
        need."""
        checkpoints: dict[tuple[str, str], Stored] = {}
        for one in stored:
            if not one.is_writes:
                checkpoints.setdefault(one.key, one)
        newest = dict(sorted(checkpoints))
        needed = set(newest.items())
        for namespace, checkpoint_id in newest.items():
            at: str | None = checkpoint_id
            missing: set[str] | None = None
            while at is not None and (namespace, at) in checkpoints and (missing is None or missing):
                needed.add((namespace, at))
                kept = await self._threads.kept(checkpoints[namespace, at])
                if kept is None:
                    break
                if missing is None:
                    missing = set(self._metadata(kept).get("counters_since_delta_snapshot", ()))
                missing -= set(self._loaded(kept["checkpoint"])["channel_values"])
                at = kept["parent_checkpoint_id"]
        return needed

    def _tuple(self, group: Sequence[Stored]) -> CheckpointTuple | None:
        """Return the checkpoint of a group with its writes; None if there are only writes. Of a checkpoint that was
        stored twice, the newer one counts."""
        kept = next((one.kept for one in group if not one.is_writes), None)
        if kept is None:
            return None
        parent = kept["parent_checkpoint_id"]
        return CheckpointTuple(
            config=_config(kept),
            checkpoint=self._loaded(kept["checkpoint"]),
            metadata=self._loaded(kept["metadata"]),
            parent_config=_config({**kept, "checkpoint_id": parent}) if parent else None,
            pending_writes=self._writes(one for one in group if one.is_writes),
        )

    def _writes(self, stored: Iterable[Stored]) -> _Writes:
        writes: dict[tuple[str, str, int], dict[str, Any]] = {}
        for one in sorted(stored, key=attrgetter("id")):
            for write in one.kept["writes"]:
                key = writes_sort_key(one.kept["task_path"], one.kept["task_id"], write["index"])
                # A repeated task writes the same values, but its error or interrupt may differ.
                if key not in writes or write["index"] < 0:
                    writes[key] = {**write, "task_id": one.kept["task_id"]}
        return [
            (write["task_id"], write["channel"], self._loaded(write["value"])) for _, write in sorted(writes.items())
        ]

    def _metadata(self, kept: Mapping[str, Any]) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self._loaded(kept["metadata"])
        return found

    def _dumped(self, value: Any) -> tuple[str, str]:
        kind, content = self._serde.dumps_typed(value)
        return kind, base64.b64encode(content).decode()

    def _loaded(self, dumped: Sequence[str]) -> Any:
        kind, content = dumped
        return self._serde.loads_typed((kind, base64.b64decode(content)))


async def _sorted(groups: list[list[Stored]]) -> AsyncGenerator[list[Stored], None]:
    for group in sorted(groups, key=lambda group: group[0].checkpoint_id, reverse=True):
        yield group


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


def _item(kept: Mapping[str, Any], metadata: Mapping[str, Any] | None = None) -> Item:
    """The item of a checkpoint with this metadata, or of writes."""
    dumped = [kept[name] for name in ("checkpoint", "metadata") if name in kept]
    dumped += [write["value"] for write in kept.get("writes", ())]
    named: set[str] = set()
    for kind, content in dumped:
        named |= ids_in(kind, base64.b64decode(content))
    shown = {name: value for name in ("source", "step") if isinstance(value := (metadata or {}).get(name), str | int)}
    return Item(kept, named, shown, is_writes="writes" in kept)
