"""What retrieval finds and what it takes: candidates against scoring every row, the vector index against comparing
every vector, chunks embedded per second, and bytes."""

import os
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import psycopg
from psycopg import sql

from bench import database
from bench.corpora import sources
from bench.corpus import Corpus
from bench.product import use_database
from bench.tenants import LARGE, SMALL, Tenant, tenant_of
from bench.vectors import sentences

#: What is promised of the first ten: so many of them are those that scoring every row finds.
GOAL = 0.95
BEST = 10
#: As many as a search asks the index for.
NEAREST = 200
#: Chunks that are embedded to see how long it takes.
EMBEDDED = 200

#: A generated chunk is in this channel in one of ten cases, and in a sensitive one in one of thirty.
HIDDEN_CHANNEL = "public"

_FILTER = """
(%(listening)s, sensitivities_heard(%(tenant)s, %(listening)s), %(listening)s, false, NULL, NULL, NULL, NULL,
    NULL, false, NULL)::search_filter
"""
_SEARCHED = f"""
SELECT k.chunk_id FROM ranked_chunks(%(tenant)s, parse_question(search_language(%(tenant)s), %(query)s), {_FILTER},
    ('keyword', NULL, NULL, NULL)::search_meaning, true, {BEST}, NULL) k
"""
_EVERY_ROW = f"""
WITH filter AS MATERIALIZED (SELECT {_FILTER} AS f),
asked AS MATERIALIZED (
    SELECT f.f, term_weights_of(%(tenant)s, parse_question(search_language(%(tenant)s), %(query)s), NULL, f.f) AS w
    FROM filter f)
SELECT x.id, word_score(x.lex, x.tsv, a.w) AS score FROM asked a CROSS JOIN memory_effectivechunk x
WHERE x.tenant_id = %(tenant)s AND is_found(x, a.f) AND word_score(x.lex, x.tsv, a.w) > 0
ORDER BY score DESC LIMIT 100
"""
_NEAREST = """
SELECT s.chunk_id FROM semantic_candidates(%(tenant)s, %(vector)s, %(model)s, {filter}, {limit}) s
ORDER BY s.score DESC LIMIT {best}
"""
_EVERY_VECTOR = """
SELECT e.chunk_id FROM memory_embedding e
JOIN memory_effectivechunk x ON x.tenant_id = e.tenant_id AND x.id = e.chunk_id
WHERE e.tenant_id = %(tenant)s AND e.space = 'E1' AND e.model = %(model)s AND x.channel = ANY (%(listening)s)
  AND is_seen(x, %(listening)s, ARRAY(SELECT unnest(sensitivities_heard(%(tenant)s, %(listening)s))), false)
ORDER BY (e.dense <=> %(vector)s::halfvec) + 0, e.chunk_id LIMIT {best}
"""


@dataclass(frozen=True, slots=True)
class _Reader:
    """A tenant, and the channels that somebody in it reads."""

    name: str
    tenant: Tenant
    listening: list[str]


def measure(name: str, runs: int) -> list[dict[str, Any]]:
    """The figures of the part `retrieval`, of `runs` questions each."""
    use_database(name)
    channels = ["private", "team", "public", "agent"]
    large, small = tenant_of(name, LARGE), tenant_of(name, SMALL)
    readers = [
        _Reader("the large tenant", large, channels),
        _Reader("10 % of its rows hidden", large, [one for one in channels if one != HIDDEN_CHANNEL]),
        _Reader("a tenant with 1 % of the rows", small, channels),
    ]
    with database.owner(name, autocommit=True) as connection:
        rows = [_candidates(connection, reader, runs) for reader in readers]
        vectors, model = _vectors(runs)
        rows += [_nearest(connection, reader, vectors, model) for reader in readers]
        rows += _bytes(connection, large)
    return [*rows, _speed()]


def _candidates(connection: psycopg.Connection, reader: _Reader, questions: int) -> dict[str, Any]:
    """How many of the ten best by words a search finds."""
    chance = random.Random(7)
    corpus = Corpus(11, 1_000_000)
    recalls: list[float] = []
    searched: list[float] = []
    every: list[float] = []
    while len(recalls) < questions:
        query = corpus.question(chance)
        values = {"tenant": reader.tenant.id, "query": query, "listening": reader.listening}

        def ask(query: str, values: dict[str, Any] = values) -> tuple[list[Any], float]:
            return _ask(connection, reader.tenant, query, values)

        ask(_SEARCHED)
        found, seconds = ask(_SEARCHED)
        searched.append(seconds)
        best, seconds = ask(_EVERY_ROW)
        every.append(seconds)
        if not best:  # a small tenant may have none of the words
            continue
        # of chunks with the same score, any will do
        least = best[min(BEST, len(best)) - 1][1] - 0.0005
        good = {chunk for chunk, score in best if score >= least}
        recalls.append(sum(chunk in good for (chunk,) in found) / min(BEST, len(best)))
    return _recall(f"recall@10 of candidates by words, {reader.name}", recalls, searched, every)


def _nearest(connection: psycopg.Connection, reader: _Reader, vectors: Sequence[str], model: str) -> dict[str, Any]:
    """How many of the ten nearest vectors a search finds."""
    recalls: list[float] = []
    searched: list[float] = []
    every: list[float] = []
    for vector in vectors:
        values = {"tenant": reader.tenant.id, "vector": vector, "model": model, "listening": reader.listening}
        nearest = _NEAREST.format(filter=_FILTER, limit=NEAREST, best=BEST)
        _ask(connection, reader.tenant, nearest, values)
        found, seconds = _ask(connection, reader.tenant, nearest, values)
        searched.append(seconds)
        best, seconds = _ask(connection, reader.tenant, _EVERY_VECTOR.format(best=BEST), values)
        every.append(seconds)
        recalls.append(len(set(found) & set(best)) / len(best))
    return _recall(f"recall@10 of the nearest vectors, {reader.name}", recalls, searched, every)


def _ask(connection: psycopg.Connection, tenant: Tenant, query: str, values: dict[str, Any]) -> tuple[list[Any], float]:
    """The rows of a query of the gate within the tenant, and its seconds."""
    with connection.transaction():
        tenant.enter(connection)
        connection.execute("SET LOCAL ROLE suture_gate")
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute("SET LOCAL plan_cache_mode = force_generic_plan" if "ranked_chunks" in query else "SELECT")
        started = time.perf_counter()
        rows = connection.execute(query.encode(), values).fetchall()
        return rows, time.perf_counter() - started


def _recall(case: str, recalls: list[float], searched: list[float], every: list[float]) -> dict[str, Any]:
    recall = round(statistics.mean(recalls), 3)
    return {
        "case": case,
        "figure": recall,
        "unit": "",
        "goal": f">= {GOAL} {'kept' if recall >= GOAL else 'missed'}",
        "questions": len(recalls),
        "least": min(recalls),
        "ms": round(1000 * statistics.median(searched), 1),
        "ms_of_every_row": round(1000 * statistics.median(every), 1),
    }


def _vectors(count: int) -> tuple[list[str], str]:
    """The vectors of real questions, as PostgreSQL reads them, and their model."""
    from memory.embedding.composing import literal
    from memory.embedding.local import local_model

    questions = [
        question.text
        for source in sources().values()
        if not source.NEEDS_PLACE
        for question in source.read(None).questions
    ]
    chosen = random.Random(5).sample(questions, min(count, len(questions)))
    return [literal(local_model().embed_query(text).tolist()) for text in chosen], local_model().model


def _speed() -> dict[str, Any]:
    """How many chunks a processor embeds in a second: each with the turn before it and the turn after it."""
    from memory.embedding.composing import embed_chunks
    from memory.embedding.local import local_model

    texts = sentences()
    chance = random.Random(3)

    def said() -> str:
        return " ".join(chance.sample(texts, 2))

    chunks = [_Spoken(said(), said(), said()) for _ in range(EMBEDDED)]
    embed_chunks(local_model(), chunks[:8])
    started = time.process_time()
    for first in range(0, EMBEDDED, 32):
        embed_chunks(local_model(), chunks[first : first + 32])
    taken = time.process_time() - started
    words = statistics.mean(len(chunk.text.split()) for chunk in chunks)
    return {
        "case": "chunks embedded by the local model",
        "figure": round(EMBEDDED / taken, 1),
        "unit": "per second of a processor",
        "goal": "",
        "words_a_chunk": round(words, 1),
        "processors": os.cpu_count(),
    }


def _computed_when_asked() -> float:
    """Bytes that a chunk's values in E2 to E5 and E7 to E13 would take as pgvector stores them: numbers as halves, of
    sparse vectors as 4 bytes with 4 for their place, 8 bytes for what each value begins with."""
    from memory.embedding.local import local_model
    from memory.spaces.catalog import without_model
    from memory.spaces.protocol import Item, Kind

    at = datetime(2026, 6, 1, tzinfo=UTC)
    items = [Item(text, at, "alice", "a session", place) for place, text in enumerate(sentences()[:100])]
    taken = sum(vectors.size * 2 + 8 for vectors in local_model().token_vectors([item.text for item in items[:20]])) * 5
    for space in without_model().values():
        if space.name == "E6":
            continue
        for value in space.embed(items):
            taken += 8 + (
                len(value) * 8
                if space.kind is Kind.SPARSE
                else space.size // 8
                if space.kind is Kind.BITS
                else space.size * 2
            )
    return float(taken) / len(items)


@dataclass(frozen=True, slots=True)
class _Spoken:
    text: str
    text_before: str | None
    text_after: str | None
    speaker: str = "alice"
    speaker_before: str | None = "bob"
    speaker_after: str | None = "bob"


def _bytes(connection: psycopg.Connection, tenant: Tenant) -> list[dict[str, Any]]:
    """Bytes a chunk of what makes memory found, and as a ratio to its text."""
    with connection.transaction():
        tenant.enter(connection)
        connection.execute("SET LOCAL ROLE suture_gate")
        text, tsv, lex = connection.execute(
            "SELECT avg(octet_length(c.body)), avg(pg_column_size(x.tsv)), avg(pg_column_size(x.lex))"
            " FROM (SELECT * FROM memory_effectivechunk y WHERE y.tenant_id = %(tenant)s AND NOT y.is_retracted"
            " ORDER BY md5(y.id::text) LIMIT 2000) x CROSS JOIN LATERAL content_of(%(tenant)s, x.content_id) c",
            {"tenant": tenant.id},
        ).fetchall()[0]
    ((chunks,),) = connection.execute("SELECT count(*) FROM memory_effectivechunk").fetchall()

    def size(function: str, relation: str) -> float:
        query = sql.SQL("SELECT {}({}::regclass)").format(sql.SQL(function), sql.Literal(relation))
        ((found,),) = connection.execute(query).fetchall()
        return int(found) / int(chunks)

    by_words = {
        "words of the text (column)": float(tsv),
        "words in context, E6 (column)": float(lex),
        "index of words": size("pg_relation_size", "effective_chunk_terms"),
        "statistics of words": size("pg_total_relation_size", "memory_term"),
    }
    by_meaning = {
        "vector E1 (table)": size("pg_table_size", "memory_embedding"),
        "vector E1 (key)": size("pg_relation_size", "embedding_once"),
        "vector E1 (HNSW)": size("pg_relation_size", "embedding_near_384"),
    }
    parts: dict[str, float] = {
        **by_words,
        "all of words": sum(by_words.values()),
        **by_meaning,
        "all of words and E1": sum(by_words.values()) + sum(by_meaning.values()),
        "the other eleven, which are computed when asked for": _computed_when_asked(),
    }
    return [
        {
            "case": f"bytes a chunk: {case}",
            "figure": round(value),
            "unit": "bytes",
            "goal": "",
            "to_its_text": round(value / float(text), 2),
        }
        for case, value in parts.items()
    ]
