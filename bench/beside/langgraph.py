"""LangGraph's PostgresStore, with its index of vectors, and its PostgresSaver."""

import contextlib
from collections.abc import Callable, Mapping
from typing import Any

from langgraph.checkpoint.postgres import PostgresSaver
from langgraph.store.base import PutOp
from langgraph.store.postgres import PostgresStore

from bench.beside import systems
from bench.beside.graphs import LONG, Graph
from bench.beside.memories import DIMENSIONS, Embedder, Memories, indexing_last


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
                self._store.batch([PutOp(systems.NAMESPACE, str(one), {"text": text}) for one, text in pairs])
        graph = Graph(self._saver)
        self.operations: Mapping[str, Callable[[Any], Any]] = {
            **systems.of_store(self._store, [str(one) for one in memories.ids]),
            systems.STORE: lambda one: systems.put(self._saver, one),
            systems.RESUME: lambda thread: systems.newest(self._saver, thread),
            systems.RUN: graph.run,
            systems.HISTORY: graph.history,
        }
        graph.run(systems.LONG_THREAD, LONG)

    def close(self) -> None:
        """Close its connections."""
        self._open.close()
