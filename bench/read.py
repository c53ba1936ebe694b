"""What governing costs when reading: the gate's functions against plain SQL on an ungoverned table.

Both sides run on one connection of the web's role, over psycopg, and return the same columns. The raw side shows
everything: what was retracted, blocked or is too sensitive, in its original words.
"""

import uuid
from dataclasses import dataclass
from typing import Any

import psycopg

from bench import database
from bench.corpus import SUBJECT, TERMS
from bench.generate import LARGE, tenant_of
from bench.timing import Prepared, Query, Step, in_turn, milliseconds

#: What the project promises for the cases marked with a goal: governed at most this many times raw.
GOAL = 1.15
LISTENING = ["private", "public", "team", "agent"]
SENSITIVITIES = ["none", "low"]

Steps = list[Step]

_COLUMNS = (
    "id, text, importance, ts, edits_applied, is_retracted, is_quarantined, event_id, session_id, scope, subject_type,"
    " subject_id, project_id, channel, tier, source, recorder"
)


@dataclass(frozen=True, slots=True)
class Case:
    name: str
    raw: Steps
    governed: Steps
    has_goal: bool = False


def measure(name: str, runs: int) -> list[dict[str, Any]]:
    """The table of ratios for the database `name`: medians of at least `runs` runs each."""
    tenant = tenant_of(name, LARGE).id
    results = []
    with psycopg.connect(database.url("DATABASE_URL", name)) as connection:
        connection.execute(f"SET LOCAL suture.tenant = '{tenant}'".encode())
        for case in _cases(connection, tenant):
            raw, governed = in_turn(Prepared(connection, case.raw), Prepared(connection, case.governed), runs)
            received = [milliseconds([sample.received for sample in side]) for side in (raw, governed)]
            converted = [milliseconds([sample.converted for sample in side]) for side in (raw, governed)]
            results.append(
                {
                    "case": case.name,
                    "goal": GOAL if case.has_goal else None,
                    "ratio": round(received[1]["p50"] / received[0]["p50"], 3),
                    "ratio_with_conversion": round(converted[1]["p50"] / converted[0]["p50"], 3),
                    "raw_ms": received[0],
                    "governed_ms": received[1],
                    "raw_with_conversion_ms": converted[0],
                    "governed_with_conversion_ms": converted[1],
                    "runs": len(raw),
                    "rows": {"raw": len(raw[-1].rows), "governed": len(governed[-1].rows)},
                }
            )
    return results


def _cases(connection: psycopg.Connection, tenant: uuid.UUID) -> list[Case]:
    newest = _newest_ids(connection, tenant)
    spread = [
        row[0]
        for row in connection.execute(
            "SELECT id FROM memory_effectivechunk WHERE tenant_id = %s AND NOT is_retracted"
            " ORDER BY md5(id::text) LIMIT 50",
            [tenant],
        )
    ]
    return [
        Case("subject filter, newest 200", _raw_list(tenant), _governed_list(connection, tenant), has_goal=True),
        Case("get those 200 by id", _raw_get(tenant, newest), _governed_get(tenant, newest)),
        *(
            Case(
                f"full text, {kind} term, top 50",
                _raw_search(tenant, term),
                _governed_search(tenant, term),
                has_goal=kind != "medium",
            )
            for kind, (term, _) in TERMS.items()
        ),
        Case(
            "full text, common term and subject, top 50",
            _raw_search(tenant, TERMS["common"][0], SUBJECT),
            _governed_search(tenant, TERMS["common"][0], SUBJECT),
        ),
        Case("get 50 by id", _raw_get(tenant, spread), _governed_get(tenant, spread)),
        Case(
            "timeline, an hour either way, 50",
            _raw_timeline(tenant, newest[len(newest) // 2]),
            _governed_timeline(tenant, newest[len(newest) // 2]),
        ),
    ]


def _constant(query: str, *parameters: Any) -> Steps:
    return [(query, parameters)]


def _raw_list(tenant: uuid.UUID) -> Steps:
    return _constant(
        f"SELECT {_COLUMNS} FROM bench_raw WHERE tenant_id = %s AND subject_type = %s AND subject_id = %s"
        " ORDER BY ts DESC LIMIT 200",
        tenant,
        *SUBJECT,
    )


def _governed_list(connection: psycopg.Connection, tenant: uuid.UUID) -> Steps:
    """What GET /chunks does: one gate function where there is one, else ids under row security, then get_chunks."""
    if connection.execute("SELECT FROM pg_proc WHERE proname = 'list_chunks'").fetchall():
        return _constant(
            "SELECT * FROM list_chunks(%s, %s, %s, %s, false, NULL, %s, %s, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
            " 200)",
            *(tenant, LISTENING, SENSITIVITIES, LISTENING, *SUBJECT),
        )
    return [_listing(tenant), lambda rows: _get(tenant, [row[0] for row in rows[:200]])]


def _listing(tenant: uuid.UUID) -> Query:
    """The statement of the product's own QuerySet, with a page's one row too many."""
    from memory.models import EffectiveChunk

    rows = (
        EffectiveChunk.objects.filter(tenant_id=tenant)
        .visible(listening=LISTENING, sensitivities=SENSITIVITIES)
        .filter(subject_type=SUBJECT[0], subject_id=SUBJECT[1])
    )
    return rows.only("id", "ts").order_by("-ts", "-id")[:201].query.sql_with_params()


def _newest_ids(connection: psycopg.Connection, tenant: uuid.UUID) -> list[uuid.UUID]:
    query, parameters = _listing(tenant)
    return [row[0] for row in connection.execute(query.encode(), parameters).fetchall()[:200]]


def _raw_get(tenant: uuid.UUID, ids: list[uuid.UUID]) -> Steps:
    return _constant(f"SELECT {_COLUMNS} FROM bench_raw WHERE tenant_id = %s AND id = ANY (%s)", tenant, ids)


def _get(tenant: uuid.UUID, ids: list[uuid.UUID]) -> Query:
    return "SELECT * FROM get_chunks(%s, %s, %s, %s, false)", (tenant, ids, LISTENING, SENSITIVITIES)


def _governed_get(tenant: uuid.UUID, ids: list[uuid.UUID]) -> Steps:
    return [_get(tenant, ids)]


def _raw_search(tenant: uuid.UUID, term: str, subject: tuple[str, str] | None = None) -> Steps:
    about = "AND subject_type = %s AND subject_id = %s" if subject else ""
    return _constant(
        f"SELECT {_COLUMNS}, ts_rank(tsv, q) AS rank, count(*) OVER () AS total_count FROM bench_raw,"
        f" websearch_to_tsquery('english', %s) q WHERE tenant_id = %s AND tsv @@ q {about}"
        " ORDER BY rank DESC, importance DESC, ts DESC, id DESC LIMIT 50",
        *(term, tenant, *(subject or ())),
    )


def _governed_search(tenant: uuid.UUID, term: str, subject: tuple[str, str] | None = None) -> Steps:
    return _constant(
        "SELECT * FROM search_chunks(%s, %s, %s, %s, %s, false, NULL, %s, %s, NULL, NULL, 50)",
        *(tenant, term, LISTENING, SENSITIVITIES, LISTENING, *(subject or (None, None))),
    )


def _raw_timeline(tenant: uuid.UUID, around: uuid.UUID) -> Steps:
    def half(beyond: str, order: str) -> str:
        return (
            f"(SELECT * FROM bench_raw WHERE tenant_id = %(tenant)s AND ts {beyond} ORDER BY ts {order} LIMIT 50)"
        )

    columns = ", ".join(f"n.{column.strip()}" for column in _COLUMNS.split(","))
    query = (
        "WITH centre AS (SELECT ts FROM bench_raw WHERE tenant_id = %(tenant)s AND id = %(around)s)"
        f" SELECT {columns}, round(extract(epoch FROM n.ts - c.ts))::int, c.ts FROM centre c, ("
        + half(">= (SELECT ts FROM centre) AND ts <= (SELECT ts FROM centre) + interval '1 hour'", "ASC")
        + " UNION ALL "
        + half("< (SELECT ts FROM centre) AND ts >= (SELECT ts FROM centre) - interval '1 hour'", "DESC")
        + ") n ORDER BY abs(extract(epoch FROM n.ts - c.ts)), n.ts, n.id LIMIT 50"
    )
    return [(query, {"tenant": tenant, "around": around})]


def _governed_timeline(tenant: uuid.UUID, around: uuid.UUID) -> Steps:
    return _constant(
        "SELECT * FROM get_timeline(%s, %s, 3600, %s, %s, %s, false, 50)",
        *(tenant, around, LISTENING, SENSITIVITIES, LISTENING),
    )
