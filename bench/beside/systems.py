"""What is compared: each system answers some of the same requests."""

import asyncio
import uuid
from collections.abc import Callable, Coroutine, Mapping
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
STORE = "store a checkpoint of 10 KB"
RESUME = "read the newest checkpoint"
RUN = "run a graph of 25 steps"
HISTORY = "list a history of 250 steps"
#: The thread whose history is listed.
LONG_THREAD = "long"
#: How many results to ask for.
FOUND, LISTED = 10, 50


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
