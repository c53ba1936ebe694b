"""What every system is loaded with: the texts of the generated tenant, and their vectors."""

import contextlib
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import psycopg
from numpy.typing import NDArray
from psycopg import sql

from bench.stack import Stack

#: The database of the other systems.
DATABASE = "bench_beside"
#: Memories in a batch while loading.
BATCH = 500
DIMENSIONS = 384

_READ = """
SELECT x.id, x.text, x.ts, m.dense::vector FROM memory_effectivechunk x
JOIN memory_embedding m ON m.tenant_id = x.tenant_id AND m.chunk_id = x.id AND m.space = 'E1'
JOIN governance_tenant t ON t.id = x.tenant_id
WHERE t.slug = %s AND NOT x.is_retracted AND NOT x.is_quarantined AND x.superseded_by IS NULL ORDER BY x.ts, x.id
"""
_INDEXES = "SELECT indexname, indexdef FROM pg_indexes WHERE indexdef ~ 'USING hnsw' ORDER BY indexname"


@dataclass(frozen=True, slots=True)
class Memories:
    """The memories that have a vector, oldest first."""

    ids: Sequence[uuid.UUID]
    texts: Sequence[str]
    times: Sequence[datetime]
    vectors: NDArray[np.float32]

    def batches(self) -> Iterator[slice]:
        """The places of all memories, in batches."""
        return (slice(start, start + BATCH) for start in range(0, len(self.ids), BATCH))


def read(stack: Stack, slug: str) -> Memories:
    """The memories of a tenant that readers may see."""
    from pgvector.psycopg import register_vector

    with stack.connect() as owner:
        register_vector(owner)
        owner.execute("SET statement_timeout = 0")
        ids, texts, times, vectors = zip(*owner.execute(_READ, [slug]).fetchall(), strict=True)
    return Memories(ids, texts, times, np.stack([one.to_numpy() for one in vectors]))


class Embedder:
    """The embedding model of all systems. It knows the vectors of the memories, and computes others with Suture's local
    model. Its methods are those that LangGraph and mem0 call."""

    def __init__(self, memories: Memories) -> None:
        from memory.embedding.local import local_model

        self._model = local_model()
        self._vectors = memories.vectors
        self._places = {text: place for place, text in enumerate(memories.texts)}

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Their vectors."""
        return [self.embed(text) for text in texts]

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """The vector of a text, whatever it is for."""
        place = self._places.get(text)
        vector = self._model.embed_query(text) if place is None else self._vectors[place]
        numbers: list[float] = vector.tolist()
        return numbers

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        """Their vectors, whatever they are for."""
        return self.embed_documents(texts)


@contextlib.contextmanager
def new_database(stack: Stack) -> Iterator[str]:
    """An empty database beside that of the stack, with pgvector; yields its owner's URL."""
    name = sql.Identifier(DATABASE)
    with stack.connect() as owner:
        owner.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
        owner.execute(sql.SQL("CREATE DATABASE {}").format(name))
    yield urlunsplit(urlsplit(stack.url("DATABASE_OWNER_URL"))._replace(path=f"/{DATABASE}"))
    with stack.connect() as owner:
        owner.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


@contextlib.contextmanager
def indexing_last(url: str) -> Iterator[None]:
    """Drop the indexes of vectors, and create them again after the block: to create one of so many vectors is much
    faster than to grow it."""
    with connect(url) as connection:
        found = connection.execute(_INDEXES).fetchall()
        for name, _ in found:
            connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(name)))
        yield
        connection.execute("SET maintenance_work_mem = '1GB'")
        for _, definition in found:
            connection.execute(definition.encode())


def connect(url: str) -> "psycopg.Connection[tuple[Any, ...]]":
    """A connection to the database of the others."""
    return psycopg.connect(url, autocommit=True)
