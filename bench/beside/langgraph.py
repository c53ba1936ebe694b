"""LangGraph's PostgresStore, with its index of vectors, and its PostgresSaver."""

import contextlib
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.store.base import PutOp
from langgraph.store.postgres import PostgresStore

from bench.beside import systems
from bench.beside.graphs import LONG, Graph
from bench.beside.memories import DIMENSIONS, Embedder, Memories, indexing_last

#: The namespace of all memories.
_NAMESPACE = ("bench", "memories")


class LangGraph:
    """Both, as `from_conn_string` makes them."""

    name = "LangGraph"

    def __init__(self, url: str, memories: Memories, embedder: Embedder) -> None:
        self._open = contextlib.ExitStack()
        index = {"dims": DIMENSIONS, "embed": embedder.embed_documents, "fields": ["text"]}
        self._store = self._open.enter_context(PostgresStore.from_conn_string(url, index=index))
        self._saver = self._open.enter_context(PostgresSaver.from_conn_string(url))
        self._store.setup()
        self._saver.setup()
        with indexing_last(url):
            for part in memories.batches():
                pairs = zip(memories.ids[part], memories.texts[part], strict=True)
                self._store.batch([PutOp(_NAMESPACE, str(one), {"text": text}) for one, text in pairs])
        graph = Graph(self._saver)
        self.operations: Mapping[str, Callable[[Any], Any]] = {
            systems.BY_MEANING: lambda text: self._store.search(_NAMESPACE, query=text, limit=systems.FOUND),
            systems.GET: lambda one: [self._store.get(_NAMESPACE, str(one))],
            # without a query, it lists by the time of the last change, newest first
            systems.NEWEST: lambda _: self._store.search(_NAMESPACE, limit=systems.LISTED),
            systems.RECORD: lambda event: self._put(event["content"]["text"]),
            systems.STORE: lambda one: systems.put(self._saver, one),
            systems.RESUME: lambda thread: systems.newest(self._saver, thread),
            systems.RUN: graph.run,
            systems.HISTORY: graph.history,
        }
        graph.run(systems.LONG_THREAD, LONG)

    def close(self) -> None:
        """Close its connections."""
        self._open.close()

    def _put(self, text: str) -> list[None]:
        return [self._store.put(_NAMESPACE, str(uuid.uuid4()), {"text": text})]
