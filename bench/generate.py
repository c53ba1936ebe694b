"""A generated database: tenants with their records, approved edits in effect, and the ungoverned copies.

The rows are loaded by COPY, the indexes made after them, as one would for an import. Of a large tenant a part is
loaded so, and the rest copied from it (bench/copying.py).
"""

import time
from collections.abc import Callable
from typing import Any

import psycopg
from psycopg import sql

from bench import copying, database, indexes, loading, newcomer, ungoverned, vectors
from bench.product import leave_database, use_database
from bench.sizes import Size
from bench.tenants import KINDS, LARGE, NEWEST, OTHERS, SMALL, Tenant, provision

Say = Callable[[str], None]

_INDEXED_LATER = ("memory_effectivechunk", "memory_event", "memory_chunk", "memory_embedding")


def generate(size: Size, say: Say) -> None:
    """Make the database of that size from nothing; a half made one never has its name."""
    started = time.monotonic()

    def report(what: str) -> None:
        say(f"{time.monotonic() - started:4.0f} s  {what}")

    sources = database.sources()
    half_made = f"{size.name}_half"
    database.drop_family(size.name)
    database.create(half_made)
    use_database(half_made)
    # chunks, edits, and how often all of it is there in the end
    sizes = {LARGE: (*size.recorded, size.copies), SMALL: (*size.small, 1)}
    with database.owner(half_made, autocommit=True) as connection:
        tenants = {slug: provision(slug, connection) for slug in sizes}
        leave_database()
        definitions = indexes.drop(connection, _INDEXED_LATER)
        for seed, (slug, (count, _, copies)) in enumerate(sizes.items()):
            report(f"recording {count:,} chunks of {slug}")
            loading.load(loading.record_part, half_made, tenants[slug], seed, count, copies)
        if size.has_meaning:
            report("copying them to the ungoverned tables")
            with database.owner(half_made, autocommit=True) as for_raw:
                ungoverned.make_raw(for_raw)
        report("indexing")
        indexes.make(half_made, (made for made in definitions if not _comes_late(made)))
        connection.execute("ANALYZE")
        for seed, (slug, (_, count, _)) in enumerate(sizes.items(), 100):
            report(f"putting {count:,} edits of {slug} into effect")
            loading.load(loading.edit_part, half_made, tenants[slug], seed, count)
        for slug, (count, _, _) in sizes.items():
            report(f"computing the vectors of the words of {count:,} chunks of {slug}")
            loading.complete_all(half_made, tenants[slug], count)
        if size.copies > 1:
            report(f"copying what {LARGE} has {size.copies - 1} times")
            leave_database()
            copying.copy(half_made, tenants[LARGE], size.chunks, size.copies)
        report("giving them vectors of meaning, and counting words" if size.has_meaning else "counting words")
        vectors.fill(half_made, list(tenants.values()), size.chunks if size.has_meaning else 0)
        leave_database()
        others = size.tenants - len(KINDS)
        if others > 0:
            report(f"copying {size.chunks_of_others:,} chunks to each of {others:,} other tenants")
            newcomer.add_idle(half_made, tenants[SMALL], others, size.chunks_of_others, OTHERS)
        if size.has_meaning:
            ungoverned.make_view(connection)
        report("indexing and vacuuming")
        late = [made for made in definitions if _comes_late(made)]
        indexes.make(half_made, [*late, *(ungoverned.INDEXES if size.has_meaning else ())])
        connection.execute("VACUUM (ANALYZE)")
        report("recording the newest tenant, of which statistics do not tell")
        newcomer.add_newcomer(half_made, size.small[0], NEWEST)
        leave_database()
        report("copying memory to the table that is written by hand")
        ungoverned.make_inline(connection)
        _require_no_drift(connection, tenants)
        database.remember_sources(connection, sources)
    database.rename(half_made, size.name)
    report("generated")


def describe(name: str) -> dict[str, Any]:
    """What is in a generated database: rows, and bytes with their indexes, by table."""
    tables = ("memory_effectivechunk", "governance_content", "governance_edit", "bench_inline")
    found: dict[str, Any] = {}
    with database.owner(name) as connection:
        for table in tables:
            query = sql.SQL("SELECT count(*), pg_total_relation_size({}) FROM {}")
            rows, size = connection.execute(query.format(sql.Literal(table), sql.Identifier(table))).fetchall()[0]
            found[table] = {"rows": rows, "bytes": size}
    return found


def _comes_late(definition: str) -> bool:
    """Whether an index is made only after the edits, which would be slow with it."""
    return "USING gin" in definition or "USING hnsw" in definition


def _require_no_drift(connection: psycopg.Connection, tenants: dict[str, Tenant]) -> None:
    """The whole small tenant by the product's own check, and 500 edited chunks of the large one by their fold."""
    with connection.transaction():
        tenants[SMALL].enter(connection)
        drift = connection.execute("SELECT * FROM effective_drift(%s) LIMIT 5", [tenants[SMALL].id]).fetchall()
    with connection.transaction():
        connection.execute("SET LOCAL ROLE suture_gate")
        drift += connection.execute(
            "SELECT x.id FROM (SELECT * FROM memory_effectivechunk y WHERE y.tenant_id = %(tenant)s"
            " AND y.edits_applied > 0 ORDER BY y.id LIMIT 500) x,"
            " fold_memory(%(tenant)s, x.event_id, NULL) f WHERE f.chunk_id = x.id AND"
            " (f.is_retracted, f.is_quarantined, f.blocked_channels, f.content_id, f.importance, f.edits_applied)"
            " IS DISTINCT FROM (x.is_retracted, x.is_quarantined, x.blocked_channels, x.content_id, x.importance,"
            " x.edits_applied)",
            {"tenant": tenants[LARGE].id},
        ).fetchall()
    if drift:
        raise SystemExit(f"The generated projection is not what its fold makes of the record: {drift}")
