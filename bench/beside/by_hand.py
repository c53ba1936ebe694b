"""One table and the queries that one would write by hand: text search of PostgreSQL and pgvector."""

from collections.abc import Callable, Mapping
from typing import Any

import asyncpg
from pgvector import HalfVector
from pgvector.asyncpg import register_vector

from bench.beside import systems
from bench.beside.memories import DIMENSIONS, Embedder, Memories, indexing_last
from bench.beside.systems import wait

_TABLE = f"""
CREATE TABLE memory (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(), ts timestamptz NOT NULL DEFAULT now(), text text NOT NULL,
    words tsvector GENERATED ALWAYS AS (to_tsvector('english', text)) STORED,
    vector halfvec({DIMENSIONS}) NOT NULL);
CREATE INDEX ON memory (ts DESC, id DESC);
CREATE INDEX ON memory USING gin (words);
CREATE INDEX ON memory USING hnsw (vector halfvec_cosine_ops);
"""
#: Any word of the query makes a match, as in Suture.
_ANY_WORD = "replace(plainto_tsquery('english', $1)::text, '&', '|')::tsquery"
_BY_WORDS = f"""
SELECT id, ts, text, ts_rank(words, q) AS rank FROM memory, CAST ({_ANY_WORD} AS tsquery) q WHERE words @@ q
ORDER BY rank DESC, ts DESC LIMIT {systems.FOUND}
"""
_BY_MEANING = f"SELECT id, ts, text, vector <=> $1 AS distance FROM memory ORDER BY distance LIMIT {systems.FOUND}"
#: Reciprocal rank fusion, as in pgvector's documentation of hybrid search.
_HYBRID = f"""
WITH meant AS (
    SELECT id, rank() OVER (ORDER BY vector <=> $2) AS place FROM memory ORDER BY vector <=> $2 LIMIT 40
), worded AS (
    SELECT id, rank() OVER (ORDER BY ts_rank(words, q) DESC) AS place
    FROM memory, CAST ({_ANY_WORD} AS tsquery) q WHERE words @@ q ORDER BY ts_rank(words, q) DESC LIMIT 40
)
SELECT m.id, m.ts, m.text, f.score FROM (
    SELECT id, coalesce(1.0 / (60 + meant.place), 0) + coalesce(1.0 / (60 + worded.place), 0) AS score
    FROM meant FULL JOIN worded USING (id) ORDER BY score DESC LIMIT {systems.FOUND}) f
JOIN memory m USING (id) ORDER BY f.score DESC
"""
_GET = "SELECT id, ts, text FROM memory WHERE id = $1"
_NEWEST = f"SELECT id, ts, text FROM memory ORDER BY ts DESC, id DESC LIMIT {systems.LISTED}"
_RECORD = "INSERT INTO memory (text, vector) VALUES ($1, $2) RETURNING id"


class ByHand:
    """The table, over asyncpg."""

    name = "by hand, asyncpg"

    def __init__(self, url: str, memories: Memories, embedder: Embedder) -> None:
        self._embedder = embedder
        self._connection = wait(asyncpg.connect(url))
        wait(register_vector(self._connection))
        wait(self._connection.execute(_TABLE))
        with indexing_last(url):
            for part in memories.batches():
                vectors = [HalfVector(one) for one in memories.vectors[part]]
                rows = zip(memories.ids[part], memories.times[part], memories.texts[part], vectors, strict=True)
                columns = ("id", "ts", "text", "vector")
                wait(self._connection.copy_records_to_table("memory", records=rows, columns=columns))
        self.operations: Mapping[str, Callable[[Any], Any]] = {
            systems.BY_MEANING: lambda text: self._fetch(_BY_MEANING, self._vector(text)),
            systems.HYBRID: lambda text: self._fetch(_HYBRID, text, self._vector(text)),
            systems.BY_WORDS: lambda text: self._fetch(_BY_WORDS, text),
            systems.GET: lambda one: self._fetch(_GET, systems.id_in(one)),
            systems.NEWEST: lambda _: self._fetch(_NEWEST),
            systems.RECORD: lambda event: self._record(event["content"]["text"]),
        }

    def close(self) -> None:
        """Close its connection."""
        wait(self._connection.close())

    def _vector(self, text: str) -> HalfVector:
        return HalfVector(self._embedder.embed(text))

    def _record(self, text: str) -> Any:
        return self._fetch(_RECORD, text, self._vector(text))

    def _fetch(self, statement: str, *values: Any) -> Any:
        return wait(self._connection.fetch(statement, *values))
