"""The part `promotion`: a tenth of the chunks of a large tenant changed, and one run of the job evaluates them and
moves what meets its criteria, with its entries in the ledger."""

import time
from collections.abc import Callable
from typing import Any

import psycopg

from bench import database
from bench.product import leave_database, use_database
from bench.tenants import LARGE, tenant_of

#: What is promised for 1,000,000 chunks of which 100,000 changed; a smaller database has its share of it.
GOAL_SECONDS, GOAL_CHANGED = 60.0, 100_000

# Every chunk has been used, in three sessions. Of each ten that changed, four come from task to session, two from
# session to longterm and one from longterm to archive; three stay.
_USE = """
    CREATE TEMPORARY TABLE used AS
    SELECT x.id, row_number() OVER (ORDER BY x.id) AS number FROM memory_effectivechunk x
    WHERE x.tenant_id = %(tenant)s;
    ALTER TABLE used ADD COLUMN tier text;
    UPDATE used SET tier = CASE (number / 10) %% 10 WHEN 4 THEN 'session' WHEN 5 THEN 'session' WHEN 6 THEN 'longterm'
        ELSE 'task' END;
    INSERT INTO memory_chunkaccess (tenant_id, id, access_count, last_accessed, confidence, successes, failures)
    SELECT %(tenant)s, u.id, 4, now() - interval '100 days', 0.85, 1, 0 FROM used u
    ON CONFLICT (tenant_id, id) DO UPDATE SET access_count = excluded.access_count,
        last_accessed = excluded.last_accessed, confidence = excluded.confidence, successes = excluded.successes;
    INSERT INTO memory_chunksession (tenant_id, id, chunk_id, session_id, access_count, first_accessed, last_accessed)
    SELECT %(tenant)s, gen_random_uuid(), u.id, 'session-' || s,
        CASE WHEN s = 1 AND (u.number / 10) %% 10 < 4 THEN 2 ELSE 1 END, now() - interval '100 days',
        now() - interval '100 days'
    FROM used u CROSS JOIN generate_series(1, 3) s;
    INSERT INTO memory_outcome (tenant_id, id, chunk_id, version, outcome, session_id, note, reporter_kind, reported_by,
        reporter, at)
    SELECT %(tenant)s, u.id, u.id, 0, 'success', 'session-1', '', 'agent', %(agent)s, 'bench',
        now() - interval '100 days'
    FROM used u;
    INSERT INTO memory_confidencechange (tenant_id, id, chunk_id, number, kind, before, after, outcome_id, is_failure,
        reason, changer_kind, changed_by, changer, at)
    SELECT %(tenant)s, gen_random_uuid(), u.id, 1, 'outcome', 0.5, 0.85, u.id, false, '', 'agent', %(agent)s, 'bench',
        now() - interval '100 days'
    FROM used u;
    INSERT INTO memory_promotion (tenant_id, id, chunk_id, number, kind, from_tier, to_tier, reason, evidence,
        promoter_kind, promoted_by, promoter, at)
    SELECT %(tenant)s, gen_random_uuid(), u.id, 1, 'automatic', 'task', u.tier, 'bench', '{}', 'system', %(agent)s,
        'bench', now() - interval '100 days'
    FROM used u WHERE u.tier <> 'task';
    UPDATE memory_effectivechunk x SET tier = u.tier FROM used u
    WHERE x.tenant_id = %(tenant)s AND x.id = u.id AND x.tier <> u.tier;
    DELETE FROM memory_promotiondue d WHERE d.tenant_id = %(tenant)s;
    INSERT INTO memory_promotiondue (tenant_id, id, due_at)
    SELECT %(tenant)s, u.id, now() FROM used u WHERE u.number %% 10 = 0;
    DROP TABLE used;
"""
_TABLES = (
    *("memory_chunkaccess", "memory_chunksession", "memory_confidencechange", "memory_promotion"),
    *("memory_promotiondue", "memory_effectivechunk"),
)


def measure(name: str, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """The rows, of the generated database `name`."""
    use_database(name)
    from memory.tiers import promoting

    tenant = tenant_of(name, LARGE)
    say("writing what every chunk was used for")
    with database.owner(name) as connection:
        chunks, changed = _use(connection, {"tenant": tenant.id, "agent": tenant.agent_id})
    with database.owner(name, autocommit=True) as connection:
        for table in _TABLES:  # autovacuum would, between two such runs
            connection.execute(f"VACUUM (ANALYZE) {table}".encode())
    say(f"promoting: {changed:,} of {chunks:,} chunks changed")
    began = time.perf_counter()
    summary = promoting.promote(among=[tenant.id])
    taken = time.perf_counter() - began
    again = time.perf_counter()
    idle = promoting.promote(among=[tenant.id])
    waited = time.perf_counter() - again
    leave_database()
    goal = GOAL_SECONDS * changed / GOAL_CHANGED
    return [
        {
            "case": f"promotion run over {chunks:,} chunks, {changed:,} changed",
            "figure": round(taken, 1),
            "unit": "s",
            "goal": f"<= {goal:g} {'kept' if taken <= goal else 'missed'}",
            "evaluated": summary.evaluated,
            "moved": summary.moved.total(),
        },
        {
            "case": "evaluations a second, moves and entries in the ledger included",
            "figure": round(summary.evaluated / taken),
            "unit": "/s",
            "goal": "",
        },
        {
            "case": f"a run with nothing due ({idle.evaluated} evaluated)",
            "figure": round(waited * 1000, 1),
            "unit": "ms",
            "goal": "",
        },
    ]


def _use(connection: psycopg.Connection, values: dict[str, Any]) -> tuple[int, int]:
    """Write the use of every chunk of the tenant; answers how many there are, and how many are due."""
    for statement in _USE.split(";\n"):
        if statement.strip():
            connection.execute(statement.encode(), values)
    (chunks,) = connection.execute(
        "SELECT count(*) FROM memory_chunkaccess WHERE tenant_id = %(tenant)s", values
    ).fetchall()[0]
    (changed,) = connection.execute(
        "SELECT count(*) FROM memory_promotiondue WHERE tenant_id = %(tenant)s", values
    ).fetchall()[0]
    return chunks, changed
