"""A generated database: two tenants with their records, approved edits in effect, and the ungoverned copy.

Everything is made by the product's own services, so the data is what they make of it; only the indexes are made after
the rows, as one would for an import.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
from psycopg import sql

from bench import database
from bench.corpus import Corpus
from bench.product import AGENT, draft_of, use_database

if TYPE_CHECKING:
    from governance.principals import Principal

LARGE, SMALL = "bench-large", "bench-small"
REVIEWER = "bench-reviewer"
#: How the edits divide. An agent's amends and attenuates apply at once, and so do a reviewer's of any kind.
OPERATIONS = {"amend": 50, "attenuate": 30, "retract": 14, "quarantine": 3, "block": 3}
BATCH = 1000
_RAW_COLUMNS = (
    "tenant_id, id, event_id, source, tier, importance, recorder, scope, subject_type, subject_id, project_id, "
    "session_id, channel, sensitivity, ts, edits_applied, is_quarantined, is_retracted"
)

Say = Callable[[str], None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tenant:
    """A provisioned tenant and who acts in it."""

    id: uuid.UUID
    agent_id: uuid.UUID
    reviewer_id: uuid.UUID

    @property
    def agent(self) -> "Principal":
        from governance.principals import Principal

        return Principal(tenant_id=self.id, kind="agent", id=self.agent_id, name=AGENT)

    @property
    def reviewer(self) -> "Principal":
        from governance.principals import Principal

        return Principal(
            tenant_id=self.id, kind="human", id=self.reviewer_id, name=REVIEWER, roles=frozenset({"reviewer"})
        )


def generate(name: str, chunks: int, edits: int, say: Say) -> None:
    """Make the database `name` from nothing; a half made one never has that name."""
    half_made = f"suture_bench_half_{chunks}_{edits}"
    database.create(half_made)
    use_database(half_made)
    sizes = {LARGE: (chunks, edits), SMALL: (max(50, chunks // 100), edits // 100)}
    with database.owner(half_made, autocommit=True) as connection:
        tenants = {slug: _provision(slug, connection) for slug in sizes}
        indexes = _drop_indexes(connection)
        for seed, (slug, (count, _)) in enumerate(sizes.items()):
            say(f"recording {count:,} chunks of {slug}")
            _record(connection, tenants[slug], Corpus(seed, count))
        say("copying them to the ungoverned table")
        _make_raw(connection)
        _make_indexes(connection, [made for made in indexes if "USING gin" not in made])
        connection.execute("VACUUM (ANALYZE)")
        for seed, (slug, (_, count)) in enumerate(sizes.items(), 100):
            say(f"putting {count:,} edits of {slug} into effect")
            _edit(connection, tenants[slug], Corpus(seed, chunks), count)
        say("indexing and vacuuming")
        _make_indexes(connection, [made for made in indexes if "USING gin" in made])
        for table in ("bench_raw", "bench_rows"):
            connection.execute(f"CREATE INDEX {table}_tsv ON {table} USING gin (tenant_id, tsv)".encode())
        connection.execute("VACUUM (ANALYZE)")
        _require_no_drift(connection, tenants)
    use_database(name)
    database.drop(name)
    database.rename(half_made, name)


def tenant_of(name: str, slug: str) -> Tenant:
    """A generated tenant of the database `name`."""
    with database.owner(name) as connection:
        return _tenant(slug, connection)


def describe(name: str) -> dict[str, Any]:
    """What is in a generated database: rows, and bytes with their indexes, by table."""
    tables = ("memory_effectivechunk", "governance_content", "governance_edit", "bench_raw")
    found: dict[str, Any] = {}
    with database.owner(name) as connection:
        for table in tables:
            query = sql.SQL("SELECT count(*), pg_total_relation_size({}) FROM {}")
            rows, size = connection.execute(query.format(sql.Literal(table), sql.Identifier(table))).fetchall()[0]
            found[table] = {"rows": rows, "bytes": size}
    return found


def _provision(slug: str, connection: psycopg.Connection) -> Tenant:
    from governance.services import identities

    identities.provision(slug, agents=[(AGENT, [])], people=[(REVIEWER, "reviewer")])
    return _tenant(slug, connection)


def _tenant(slug: str, connection: psycopg.Connection) -> Tenant:
    found = connection.execute(
        "SELECT t.id, a.id, u.id FROM governance_tenant t JOIN governance_agent a ON a.tenant_id = t.id,"
        " governance_user u WHERE t.slug = %s AND a.slug = %s AND u.username = %s",
        [slug, AGENT, REVIEWER],
    ).fetchall()
    return Tenant(*found[0])


def _drop_indexes(connection: psycopg.Connection) -> list[str]:
    """Drop the indexes that no constraint needs, of the large tables; returns how to make them again."""
    found = connection.execute(
        "SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i"
        " WHERE i.indrelid IN ('memory_effectivechunk'::regclass, 'memory_event'::regclass) AND NOT i.indisunique"
    ).fetchall()
    for index, _ in found:
        connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(index)))
    return [made for _, made in found]


def _make_indexes(connection: psycopg.Connection, definitions: list[str]) -> None:
    for made in definitions:
        connection.execute(made.encode())


def _record(connection: psycopg.Connection, tenant: Tenant, corpus: Corpus) -> None:
    from governance import gate
    from memory.services import recording

    analyze_after = 10 * BATCH
    for number, memories in enumerate(_batches(corpus.memories())):
        drafts = [draft_of(memory) for memory in memories]
        with gate.tenant(tenant.id):
            recording.record_events(drafts, actor=tenant.agent)
        if number * BATCH == analyze_after:  # plans made for empty tables would last
            connection.execute("ANALYZE governance_content, memory_event, memory_chunk, memory_effectivechunk")


def _make_raw(connection: psycopg.Connection) -> None:
    """What an ungoverned product would have: one table with the words in it (`bench_raw`), or, with the words apart as
    Suture keeps them so that they can be erased, two (`bench_rows`, `bench_words`); and the indexes that they need."""
    columns = ", ".join(f"x.{column.strip()}" for column in _RAW_COLUMNS.split(","))
    for statement in (
        f"CREATE TABLE bench_raw AS SELECT {columns}, c.body AS text, x.tsv FROM memory_effectivechunk x"
        " JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id ORDER BY x.ts",
        "ALTER TABLE bench_raw ADD PRIMARY KEY (tenant_id, id)",
        "CREATE INDEX bench_raw_newest ON bench_raw (tenant_id, ts DESC, id DESC)",
        "CREATE INDEX bench_raw_subject ON bench_raw (tenant_id, subject_type, subject_id, ts DESC)",
        f"CREATE TABLE bench_rows AS SELECT {_RAW_COLUMNS}, tsv FROM bench_raw ORDER BY ts",
        "ALTER TABLE bench_rows ADD PRIMARY KEY (tenant_id, id)",
        "CREATE INDEX bench_rows_newest ON bench_rows (tenant_id, ts DESC, id DESC)",
        "CREATE INDEX bench_rows_subject ON bench_rows (tenant_id, subject_type, subject_id, ts DESC)",
        "CREATE TABLE bench_words AS SELECT tenant_id, id, text FROM bench_raw ORDER BY ts",
        "ALTER TABLE bench_words ADD PRIMARY KEY (tenant_id, id)",
        "GRANT SELECT ON bench_raw, bench_rows, bench_words TO suture_app",
    ):
        connection.execute(statement.encode())


def _edit(connection: psycopg.Connection, tenant: Tenant, corpus: Corpus, count: int) -> None:
    """Edit chunks taken at random, a batch at a time: proposal, verdict of the policy, fold."""
    from governance import gate
    from governance.services import edits

    chance = corpus.random
    query = "SELECT id FROM memory_chunk WHERE tenant_id = %s ORDER BY ts"
    targets = [row[0] for row in connection.execute(query, [tenant.id])]
    for numbers in _batches(range(count)):
        proposals: dict[Principal, list[edits.Proposal]] = {tenant.agent: [], tenant.reviewer: []}
        for _ in numbers:
            op = chance.choices(list(OPERATIONS), list(OPERATIONS.values()))[0]
            patch = edits.Patch(
                text=corpus.text() if op == "amend" else None,
                importance_delta=Decimal("-0.1") if op == "attenuate" else None,
                channel="public" if op == "block" else None,
            )
            proposer = tenant.agent if op in {"amend", "attenuate"} else tenant.reviewer
            proposals[proposer].append(edits.Proposal("chunk", chance.choice(targets), op, "generated", patch))
        for proposer, proposed in proposals.items():
            with gate.tenant(tenant.id):
                outcome = edits.propose_edits(proposed, actor=proposer)
            if any(item.outcome is None or item.outcome.status != "approved" for item in outcome.items):
                raise SystemExit("The policy did not apply every generated edit at once.")


def _require_no_drift(connection: psycopg.Connection, tenants: dict[str, Tenant]) -> None:
    """The whole small tenant by the product's own check, and 500 edited chunks of the large one by their fold."""
    with connection.transaction():
        connection.execute(f"SET LOCAL suture.tenant = '{tenants[SMALL].id}'".encode())
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


def _batches(items: Iterable[T]) -> Iterator[list[T]]:
    remaining = iter(items)
    while batch := list(islice(remaining, BATCH)):
        yield batch
