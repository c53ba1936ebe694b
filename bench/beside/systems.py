"""What is compared: each system answers some of the same requests."""

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Protocol, TypeVar

import uvloop

R = TypeVar("R")

BY_MEANING = "search by meaning, top 10"
HYBRID = "search by words and meaning, top 10"
BY_WORDS = "search for a word, top 10"
GET = "get 1 by its id"
NEWEST = "list the newest 50"
RECORD = "record 1"
PUT = "store: put 1"
PUT_MANY = "store: put 100 at once"
ITEM = "store: get 1 by its key"
ITEMS_ABOUT = "store: search by a query, top 10"
NEWEST_ITEMS = "store: list the newest 10"
ADD = "memory: add 1"
MEMORY = "memory: get 1 by its id"
MEMORIES_ABOUT = "memory: search, top 10"
MEMORIES = "memory: list 200"
STORE = "store a checkpoint of 10 KB"
RESUME = "read the newest checkpoint"
RUN = "run a graph of 25 steps"
HISTORY = "list a history of 250 steps"
#: The thread whose history is listed.
LONG_THREAD = "long"
#: How many results to ask for, and how many items to put at once.
FOUND, LISTED, LISTED_MEMORIES, AT_ONCE = 10, 50, 200, 100
#: The namespace of a store's items, and how many of them are asked for by their keys or ids.
NAMESPACE, ASKED = ("bench", "memories"), 2_000


class System(Protocol):
    """A system with its data. Each operation takes the value that its request is about, and returns the results."""

    name: str
    operations: Mapping[str, Callable[[Any], Any]]

    def close(self) -> None:
        """Close its connections."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A checkpoint of a graph in LangGraph's format, and the name of its thread."""

    thread: str
    content: Any


def of_store(store: Any, keys: Sequence[str]) -> dict[str, Callable[[Any], Any]]:
    """The operations of any of LangGraph's stores, which has items with these keys."""
    from langgraph.store.base import PutOp

    def put(texts: Sequence[str]) -> Any:
        return store.batch([PutOp(NAMESPACE, str(uuid.uuid4()), {"text": text}) for text in texts])

    return {
        PUT: lambda texts: put(texts[:1]),
        PUT_MANY: put,
        ITEM: lambda number: [store.get(NAMESPACE, keys[number])],
        ITEMS_ABOUT: lambda text: store.search(NAMESPACE, query=text, limit=FOUND),
        # without a query, it lists by the time of the last change, newest first
        NEWEST_ITEMS: lambda _: store.search(NAMESPACE, limit=FOUND),
    }


def put(saver: Any, one: Checkpoint) -> Any:
    """Store a checkpoint with any of LangGraph's savers."""
    config = {"configurable": {"thread_id": one.thread, "checkpoint_ns": ""}}
    metadata = {"source": "loop", "step": 1, "parents": {}}
    return saver.put(config, one.content, metadata, one.content["channel_versions"])


def newest(saver: Any, thread: str) -> Any:
    """The newest checkpoint of a thread, as a graph reads it before each run."""
    found = saver.get_tuple({"configurable": {"thread_id": thread, "checkpoint_ns": ""}})
    return [found] if found else []


@cache
def _loop() -> asyncio.AbstractEventLoop:
    return uvloop.new_event_loop()


def wait(for_this: Coroutine[Any, Any, R]) -> R:
    """The result of a coroutine, in the loop of this process."""
    return _loop().run_until_complete(for_this)


def id_in(value: Any) -> uuid.UUID:
    """A drawn id as the drivers of PostgreSQL want it."""
    return value if isinstance(value, uuid.UUID) else uuid.UUID(value)
