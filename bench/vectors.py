"""Vectors of meaning for a generated tenant, as if the job had embedded all of it.

Embedding 1,000,000 chunks takes hours. Each chunk gets the sum of the vectors of three real sentences instead, at
length 1: as near to each other and to questions as vectors of text are, which random numbers would not be.
"""

import re
from typing import Any

import psycopg

from bench import database
from bench.corpora import sources
from bench.tenants import Tenant

#: Of so many chunks, one sentence: any three of a few hundred make more vectors than there are chunks.
CHUNKS_A_SENTENCE = 20

_FILL = """
INSERT INTO memory_embedding (tenant_id, id, chunk_id, space, model, content_id, span_start, span_end, dense)
SELECT x.tenant_id, gen_random_uuid(), x.id, 'E1', %(model)s, x.content_id, x.span_start, x.span_end,
    l2_normalize(a.vector + b.vector + c.vector)
FROM memory_effectivechunk x
CROSS JOIN LATERAL (SELECT hashtextextended(x.id::text, 1) & 2147483647 AS one,
    hashtextextended(x.id::text, 2) & 2147483647 AS two, hashtextextended(x.id::text, 3) & 2147483647 AS three) h
JOIN sentence a ON a.place = h.one %% %(count)s
JOIN sentence b ON b.place = h.two %% %(count)s
JOIN sentence c ON c.place = h.three %% %(count)s
WHERE x.tenant_id = %(tenant)s AND NOT x.is_retracted AND x.superseded_by IS NULL AND x.sensitivity <> 'secret'
"""


def fill(name: str, tenants: list[Tenant], chunks: int) -> None:
    """Give every chunk that the job would embed a vector of the local model, and say that it is done.

    `chunks` says how large the database is: a small one needs fewer sentences. With 0 there are no vectors, and words
    alone are counted.
    """
    if not chunks:
        _without_vectors(name, tenants)
        return
    from memory.embedding.composing import literal
    from memory.embedding.local import local_model

    model = local_model()
    texts = sentences()[: max(30, chunks // CHUNKS_A_SENTENCE)]
    size = model.batch_size
    vectors = [vector for start in range(0, len(texts), size) for vector in model.embed(texts[start : start + size])]
    with database.owner(name, autocommit=True) as connection:
        connection.execute("CREATE TEMP TABLE sentence (place int PRIMARY KEY, vector halfvec)")
        with connection.cursor() as cursor, cursor.copy("COPY sentence FROM STDIN") as copy:
            for place, vector in enumerate(vectors):
                copy.write_row((place, literal(vector.tolist())))
        connection.execute("ANALYZE sentence")
        connection.execute("GRANT SELECT ON sentence TO suture_gate")
        for tenant in tenants:
            with connection.transaction():
                _fill_tenant(connection, tenant, {"model": model.model, "count": len(vectors)}, model.dimensions)


def _without_vectors(name: str, tenants: list[Tenant]) -> None:
    """Nothing waits to be embedded, as on a server without a model, and the words are counted."""
    with database.owner(name, autocommit=True) as connection:
        for tenant in tenants:
            with connection.transaction():
                tenant.enter(connection, "job")
                connection.execute("SET LOCAL ROLE suture_gate")
                connection.execute("DELETE FROM memory_embeddingitem WHERE tenant_id = %s", [tenant.id])
                connection.execute("SELECT count_terms(%s)", [tenant.id])


def _fill_tenant(connection: psycopg.Connection, tenant: Tenant, values: dict[str, Any], dimensions: int) -> None:
    tenant.enter(connection, "job")
    connection.execute("SET LOCAL ROLE suture_gate")
    made = connection.execute(_FILL, {**values, "tenant": tenant.id}).rowcount
    connection.execute("DELETE FROM memory_embeddingitem WHERE tenant_id = %s AND state = 'waiting'", [tenant.id])
    connection.execute(
        "INSERT INTO memory_embeddingmodel (tenant_id, id, model, dimensions, is_complete, filled_at, row_count)"
        " VALUES (%s, gen_random_uuid(), %s, %s, true, now(), %s)",
        [tenant.id, values["model"], dimensions, made],
    )
    connection.execute("SELECT count_terms(%s)", [tenant.id])


def sentences() -> list[str]:
    """The distinct sentences of the corpora that ship, each with 20 letters or more."""
    texts = (
        str(event["content"].get("text", ""))
        for source in sources().values()
        if not source.NEEDS_PLACE
        for event in source.read(None).events
    )
    found = (sentence.strip() for text in texts for sentence in re.split(r"(?<=[.!?])\s+|\n", text))
    return list(dict.fromkeys(sentence for sentence in found if len(sentence) >= 20))
