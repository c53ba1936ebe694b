"""mem0 with its provider pgvector, without a language model (`infer=False`)."""

import hashlib
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench.beside import systems
from bench.beside.memories import DIMENSIONS, Embedder, Memories, indexing_last

#: The user whose memories they are: mem0 searches those of a user, an agent or a run.
_OWNER = {"user_id": "bench"}
#: Never asked: the models that mem0 must be configured with. Nothing listens there.
_NOBODY = {"api_key": "none", "openai_base_url": "http://127.0.0.1:9"}


class Mem0:
    """A `Memory` with all of its own settings except for the models. Its history is a file of SQLite in `place`."""

    name = "mem0"

    def __init__(self, url: str, place: Path, memories: Memories, embedder: Embedder) -> None:
        # mem0 reads both when it is imported
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(place)}
        from mem0 import Memory

        logging.getLogger("mem0").setLevel(logging.ERROR)  # it warns that spaCy is not installed
        store = {"connection_string": url, "embedding_model_dims": DIMENSIONS}
        self._memory = Memory.from_config(
            {
                "vector_store": {"provider": "pgvector", "config": store},
                "embedder": {"provider": "openai", "config": _NOBODY},
                "llm": {"provider": "openai", "config": _NOBODY},
                "history_db_path": str(place / "mem0-history.db"),
            }
        )
        self._memory.embedding_model = embedder
        self._load(url, memories)
        self.operations: Mapping[str, Callable[[Any], Any]] = {
            systems.ADD: lambda text: self._memory.add(text, **_OWNER, infer=False)["results"],
            systems.MEMORY: lambda number: [self._memory.get(str(memories.ids[number]))],
            systems.MEMORIES_ABOUT: self._search,
            systems.MEMORIES: self._list,
        }

    def close(self) -> None:
        """Close its connections."""
        self._memory.vector_store.connection_pool.close()
        self._memory.close()

    def _load(self, url: str, memories: Memories) -> None:
        """Insert what `Memory.add` would insert: one by one takes its history hours."""
        store = self._memory.vector_store
        store.list(top_k=1)  # creates the table
        with indexing_last(url):
            for part in memories.batches():
                payloads = [
                    {**_OWNER, "role": "user", "data": text, "hash": _hash(text), "text_lemmatized": text}
                    | dict.fromkeys(("created_at", "updated_at"), ts.isoformat())
                    for text, ts in zip(memories.texts[part], memories.times[part], strict=True)
                ]
                store.insert(memories.vectors[part].tolist(), payloads, [str(one) for one in memories.ids[part]])

    def _search(self, text: str) -> Any:
        return self._memory.search(text, filters=_OWNER, top_k=systems.FOUND)["results"]

    def _list(self, _: None) -> Any:
        return self._memory.get_all(filters=_OWNER, top_k=systems.LISTED_MEMORIES)["results"]


def _hash(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()
