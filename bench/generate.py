"""A generated database: two tenants with their records, approved edits in effect, and the ungoverned copy.

Records are copied straight into their tables as the owner, indexes made afterwards as one would for an import. The
projection and the effect of the edits are made by the product's own gate functions, and checked by its drift check.
"""

import json
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any

import psycopg
from psycopg import sql

from bench import database
from bench.corpus import NEWEST, Corpus

LARGE, SMALL = "bench-large", "bench-small"
AGENT, REVIEWER = "bench-agent", "bench-reviewer"
#: How the edits divide; agents' amends and attenuates apply by policy, the others by a reviewer's verdict.
OPERATIONS = {"amend": 50, "attenuate": 30, "retract": 14, "quarantine": 3, "block": 3}
_RAW_COLUMNS = (
    "tenant_id, id, event_id, source, tier, importance, recorder, scope, subject_type, subject_id, project_id, "
    "session_id, channel, sensitivity, ts, edits_applied, is_quarantined"
)
_STAGED = (
    "event_id uuid, chunk_id uuid, content_id uuid, ts timestamptz, body text, scope text, subject_type text, "
    "subject_id text, project_id text, session_id text, channel text, sensitivity text, importance numeric"
)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Tenant:
    """A provisioned tenant and who acts in it."""

    id: uuid.UUID
    agent_id: uuid.UUID
    reviewer_id: uuid.UUID


def generate(name: str, chunks: int, edits: int, say: Say) -> None:
    """Make the database `name` from nothing; a half made one never has that name."""
    half_made = f"suture_bench_half_{chunks}_{edits}"
    database.create(half_made)
    with database.owner(half_made) as connection:
        tenants = {slug: _provision(half_made, slug, connection) for slug in (LARGE, SMALL)}
        indexes = _drop_indexes(connection)
        sizes = {LARGE: (1, chunks, edits), SMALL: (2, max(50, chunks // 100), edits // 100)}
        for slug, (seed, count, _) in sizes.items():
            say(f"recording {count:,} chunks of {slug}")
            _record(connection, tenants[slug], Corpus(seed, count))
        say("copying the ungoverned table")
        _make_raw(connection)
        _make_indexes(connection, [made for made in indexes if "USING gin" not in made])
        connection.commit()
        for slug, (seed, _, count) in sizes.items():
            say(f"putting {count:,} edits of {slug} into effect")
            _edit(connection, tenants[slug], Corpus(seed + 100, 1_000_000), count)
        say("building the full text indexes")
        _make_indexes(connection, [made for made in indexes if "USING gin" in made])
        connection.execute("CREATE INDEX bench_raw_tsv ON bench_raw USING gin (tenant_id, tsv)")
    with database.owner(half_made, autocommit=True) as connection:
        say("vacuuming")
        connection.execute("VACUUM (ANALYZE)")
        connection.execute("CHECKPOINT") if _may_checkpoint(connection) else None
        _require_no_drift(connection, tenants)
    database.drop(name)
    database.rename(half_made, name)


def describe(name: str) -> dict[str, Any]:
    """What is in a generated database: rows and bytes."""
    with database.owner(name) as connection:
        tables = ("memory_effectivechunk", "governance_content", "governance_edit", "bench_raw")
        found: dict[str, Any] = {}
        for table in tables:
            query = sql.SQL("SELECT count(*), pg_total_relation_size({}) FROM {}")
            row = connection.execute(query.format(sql.Literal(table), sql.Identifier(table))).fetchone()
            assert row is not None
            found[table] = {"rows": row[0], "bytes": row[1]}
        return found


def _may_checkpoint(connection: psycopg.Connection) -> bool:
    row = connection.execute("SELECT pg_has_role(current_user, 'pg_checkpoint', 'usage')").fetchone()
    return row == (True,)


def _provision(name: str, slug: str, connection: psycopg.Connection) -> Tenant:
    from bench.django import use_database

    use_database(name)
    from governance.services import identities

    identities.provision(slug, agents=[(AGENT, [])], people=[(REVIEWER, "reviewer")])
    row = connection.execute(
        "SELECT t.id, a.id, u.id FROM governance_tenant t JOIN governance_agent a ON a.tenant_id = t.id,"
        " governance_user u WHERE t.slug = %s AND u.username = %s",
        [slug, REVIEWER],
    ).fetchone()
    connection.commit()
    assert row is not None
    return Tenant(*row)


def _drop_indexes(connection: psycopg.Connection) -> list[str]:
    """Drop the indexes that no constraint needs, of the large tables; returns how to make them again."""
    found = connection.execute(
        "SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i"
        " WHERE i.indrelid IN ('memory_effectivechunk'::regclass, 'memory_event'::regclass)"
        " AND NOT i.indisunique"
    ).fetchall()
    for index, _ in found:
        connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(index)))
    return [made for _, made in found]


def _make_indexes(connection: psycopg.Connection, definitions: list[str]) -> None:
    connection.execute("SET maintenance_work_mem = '256MB'")
    for made in definitions:
        connection.execute(made.encode())


def _record(connection: psycopg.Connection, tenant: Tenant, corpus: Corpus) -> None:
    connection.execute(f"CREATE TEMP TABLE staged ({_STAGED}) ON COMMIT DROP".encode())
    with connection.cursor().copy("COPY staged FROM STDIN") as copy:
        for m in corpus.memories():
            copy.write_row((
                m.event_id, m.chunk_id, m.content_id, m.ts, m.body, m.scope, m.subject_type, m.subject_id,
                m.project_id, m.session_id, m.channel, m.sensitivity, m.importance,
            ))  # fmt: skip
    who = {"tenant": tenant.id, "agent": tenant.agent_id, "name": AGENT}
    connection.execute(
        "INSERT INTO governance_content (tenant_id, id, salt, body, sha256) SELECT %(tenant)s, content_id, salt, body,"
        " sha256(salt || convert_to(body, 'UTF8')) FROM (SELECT *, uuid_send(gen_random_uuid()) AS salt FROM staged) s",
        who,
    )
    connection.execute(
        "INSERT INTO memory_event (tenant_id, id, session_id, channel, actor_type, actor_id, kind, sensitivity, scope,"
        " subject_type, subject_id, project_id, ts, tags, refs, content_id, recorder_kind, recorded_by, recorder,"
        " recorded_at) SELECT %(tenant)s, event_id, session_id, channel, 'agent', %(name)s, 'message', sensitivity,"
        " scope, subject_type, subject_id, project_id, ts, '{}', '{}', content_id, 'agent', %(agent)s, %(name)s, ts"
        " FROM staged",
        who,
    )
    connection.execute(
        "INSERT INTO memory_chunk (tenant_id, id, event_id, source, content_id, chunk_index, total_chunks, importance,"
        " tags, recorder_kind, recorded_by, recorder, scope, subject_type, subject_id, project_id, session_id, channel,"
        " sensitivity, ts) SELECT %(tenant)s, chunk_id, event_id, 'event', content_id, 0, 1, importance, '{}', 'agent',"
        " %(agent)s, %(name)s, scope, subject_type, subject_id, project_id, session_id, channel, sensitivity, ts"
        " FROM staged",
        who,
    )
    connection.execute("ANALYZE governance_content, memory_event, memory_chunk, staged")
    connection.execute("GRANT SELECT ON staged TO suture_gate")
    connection.execute("SET LOCAL ROLE suture_gate")
    connection.execute("SELECT project_chunks(%(tenant)s, (SELECT array_agg(chunk_id) FROM staged))", who)
    connection.execute("RESET ROLE")
    connection.commit()


def _make_raw(connection: psycopg.Connection) -> None:
    """What an ungoverned product would have: one table with the words in it, and the indexes that it needs."""
    columns = ", ".join(f"x.{column.strip()}" for column in _RAW_COLUMNS.split(","))
    statements = (
        f"CREATE TABLE bench_raw AS SELECT {columns}, c.body AS text, x.tsv FROM memory_effectivechunk x"
        " JOIN governance_content c ON c.tenant_id = x.tenant_id AND c.id = x.content_id ORDER BY x.ts",
        "ALTER TABLE bench_raw ADD PRIMARY KEY (tenant_id, id)",
        "CREATE INDEX bench_raw_newest ON bench_raw (tenant_id, ts DESC, id DESC)",
        "CREATE INDEX bench_raw_subject ON bench_raw (tenant_id, subject_type, subject_id, ts DESC)",
        "GRANT SELECT ON bench_raw TO suture_app",
    )
    for statement in statements:
        connection.execute(statement.encode())


def _edit(connection: psycopg.Connection, tenant: Tenant, corpus: Corpus, count: int) -> None:
    """Record approved edits of chunks taken at random, then let the gate fold each."""
    from governance.services.edits import Patch, patch_hash

    chance = corpus.random
    targets = [
        row[0]
        for row in connection.execute("SELECT id FROM memory_chunk WHERE tenant_id = %s ORDER BY id", [tenant.id])
    ]
    connection.execute(
        "CREATE TEMP TABLE staged_edit (id uuid, at timestamptz, target uuid, op text, content_id uuid, body text,"
        " delta numeric, channel text, digest bytea, by_policy boolean) ON COMMIT DROP"
    )
    with connection.cursor().copy("COPY staged_edit FROM STDIN") as copy:
        for number in range(count):
            at = NEWEST + timedelta(seconds=number)
            op = chance.choices(list(OPERATIONS), list(OPERATIONS.values()))[0]
            target = chance.choice(targets)
            body = corpus.text() if op == "amend" else None
            delta = Decimal("-0.1") if op == "attenuate" else None
            channel = "public" if op == "block" else None
            digest = patch_hash(op, "chunk", target, Patch(text=body, importance_delta=delta, channel=channel))
            content_id = corpus.new_id(at) if body else None
            by_policy = op in {"amend", "attenuate"}
            copy.write_row((corpus.new_id(at), at, target, op, content_id, body, delta, channel, digest, by_policy))
    who = {"tenant": tenant.id, "agent": tenant.agent_id, "name": AGENT, "reviewer": tenant.reviewer_id,
           "reviewer_name": REVIEWER}  # fmt: skip
    connection.execute(
        "INSERT INTO governance_content (tenant_id, id, salt, body, sha256) SELECT %(tenant)s, content_id, salt, body,"
        " sha256(salt || convert_to(body, 'UTF8')) FROM (SELECT *, uuid_send(gen_random_uuid()) AS salt"
        " FROM staged_edit WHERE body IS NOT NULL) s",
        who,
    )
    connection.execute(
        "INSERT INTO governance_edit (tenant_id, id, created_at, target_type, target_id, op, reason, proposer_kind,"
        " proposed_by, proposer, content_id, importance_delta, channel, patch_sha256, approvals_required, policy)"
        " SELECT %(tenant)s, id, at, 'chunk', target, op, 'generated', 'agent', %(agent)s, %(name)s, content_id, delta,"
        " channel, digest, CASE WHEN by_policy THEN 0 ELSE 1 END, 'standard' FROM staged_edit",
        who,
    )
    connection.execute(
        "INSERT INTO governance_editstate (tenant_id, edit_id, status, approvals, applied_at, approved_by, created_at)"
        " SELECT %(tenant)s, id, 'approved', CASE WHEN by_policy THEN 0 ELSE 1 END, at,"
        " CASE WHEN by_policy THEN 'policy:standard' ELSE %(reviewer_name)s END, at FROM staged_edit",
        who,
    )
    connection.execute(
        "INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider,"
        " decided_at, reason, proposed_by, patch_sha256) SELECT %(tenant)s, gen_random_uuid(), id, 'approved',"
        " CASE WHEN by_policy THEN 'policy' ELSE 'human' END, CASE WHEN NOT by_policy THEN %(reviewer)s::uuid END,"
        " CASE WHEN by_policy THEN 'policy:standard' ELSE %(reviewer_name)s END, at, '', %(agent)s, digest"
        " FROM staged_edit",
        who,
    )
    connection.execute("ANALYZE governance_content, governance_edit, governance_editstate, memory_effectivechunk")
    edited = [row[0] for row in connection.execute("SELECT DISTINCT target FROM staged_edit")]
    connection.execute("SET LOCAL ROLE suture_gate")
    connection.execute(
        "SELECT count(*) FROM (SELECT refold_chunk(%s, id) FROM unnest(%s::uuid[]) AS id OFFSET 0) folded",
        [tenant.id, edited],
    )
    connection.execute("RESET ROLE")
    connection.commit()


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
        raise SystemExit(f"The generated projection is not its fold: {json.dumps(drift, default=str)}")
