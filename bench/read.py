"""What governing costs when reading: the statements that the API sends, against plain SQL on an ungoverned table.

Both sides run on one connection of the web's role and return the same columns. The raw side shows everything: what
was retracted, blocked or is too sensitive, in its original words. It is measured twice: with the words in the row
itself, and apart from it as Suture keeps them (one table to guard, one to erase from). The goal is against the
latter, which differs by governance alone; the former is what keeping words apart costs on top. Beside both, for
scale, stands the specification's own view (`bench.literal`).
"""

import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import Any

import psycopg

from bench import database, literal
from bench.corpus import SUBJECT, TERMS
from bench.product import statements_of, use_database
from bench.tenants import LARGE, Tenant, tenant_of
from bench.timing import Prepared, Query, Sample, in_turn, milliseconds

#: What the project promises for the cases marked with a goal: governed at most this many times raw.
GOAL = 1.15

_COLUMNS = (
    "id, text, importance, ts, edits_applied, is_retracted, is_quarantined, event_id, session_id, scope, subject_type,"
    " subject_id, project_id, channel, tier, source, recorder"
)
_BEST_FIRST = "h.rank DESC, h.importance DESC, h.ts DESC, h.id DESC"
_OF_SUBJECT = f"subject_type={SUBJECT[0]}&subject_id={SUBJECT[1]}"


@dataclass(frozen=True, slots=True)
class Case:
    """A question, the statements that answer it, raw and through the specification's view, and the request that asks
    it: method, path, body."""

    name: str
    raw: Query
    literal: Query
    request: tuple[str, str, Any]
    has_goal: bool = False
    order: str = ""

    @property
    def raw_apart(self) -> Query:
        """The same with the words joined to the rows that were chosen."""
        query, parameters = self.raw
        without_words = query.replace(_COLUMNS, _COLUMNS.replace("text, ", "")).replace("n.text, ", "")
        chosen = without_words.replace("bench_raw", "bench_rows")
        tenant = parameters["tenant"] if isinstance(parameters, dict) else _tenant_of(parameters)
        places = "%(tenant)s" if isinstance(parameters, dict) else "%s"
        joined = f"SELECT h.*, w.text FROM ({chosen}) h JOIN bench_words w ON w.tenant_id = {places} AND w.id = h.id"
        if self.order:  # a join keeps no order
            joined += f" ORDER BY {self.order}"
        return joined, parameters if isinstance(parameters, dict) else (*parameters, tenant)


@dataclass(frozen=True, slots=True)
class _Side:
    """A database and its questions."""

    name: str
    tenant: Tenant
    connection: psycopg.Connection
    for_literal: psycopg.Connection
    cases: list[Case]


def measure(names: Sequence[str], runs: int) -> list[list[dict[str, Any]]]:
    """The table of ratios for each of the databases, medians of at least `runs` runs each; of each question in turn."""
    with ExitStack() as stack:
        sides = [stack.enter_context(_side(name)) for name in names]
        results: list[list[dict[str, Any]]] = [[] for _ in sides]
        for number in range(len(sides[0].cases)):
            for side, rows in zip(sides, results, strict=True):
                rows.append(_row(side, side.cases[number], runs))
    return results


@contextmanager
def _side(name: str) -> Iterator[_Side]:
    tenant = tenant_of(name, LARGE)
    url = database.url("DATABASE_URL", name)
    with psycopg.connect(url) as connection, psycopg.connect(url, autocommit=True) as for_literal:
        # the context holds for one transaction, in which this side waits while the other is measured
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        tenant.enter(connection)
        yield _Side(name, tenant, connection, for_literal, _cases(connection, tenant.id))


def _row(side: _Side, case: Case, runs: int) -> dict[str, Any]:
    use_database(side.name)
    queries = statements_of(side.tenant.agent, *case.request)

    def against(raw: Query) -> tuple[list[Sample], list[Sample]]:
        return in_turn(Prepared(side.connection, [raw]), Prepared(side.connection, queries), runs)

    apart, beside_apart = against(case.raw_apart)
    raw, governed = against(case.raw)
    apart_ms, beside_ms = (milliseconds([one.received for one in samples]) for samples in (apart, beside_apart))
    received = [milliseconds([one.received for one in samples]) for samples in (raw, governed)]
    converted = [milliseconds([one.converted for one in samples]) for samples in (raw, governed)]
    return {
        "case": case.name,
        "goal": GOAL if case.has_goal else None,
        "ratio": round(beside_ms["p50"] / apart_ms["p50"], 3),
        "ratio_to_words_inline": round(received[1]["p50"] / received[0]["p50"], 3),
        "raw_apart_ms": apart_ms,
        "ratio_with_conversion": round(converted[1]["p50"] / converted[0]["p50"], 3),
        "raw_ms": received[0],
        "governed_ms": received[1],
        "raw_with_conversion_ms": converted[0],
        "governed_with_conversion_ms": converted[1],
        "governed_statements": len(queries),
        "runs": len(raw),
        "rows": {"raw": len(raw[-1].rows), "governed": len(governed[-1].rows)},
        "literal": asdict(literal.measure(side.for_literal, case.literal)),
    }


def _cases(connection: psycopg.Connection, tenant: uuid.UUID) -> list[Case]:
    newest = _ids(connection, tenant, "subject_type = %s AND subject_id = %s ORDER BY ts DESC LIMIT 200", *SUBJECT)
    spread = _ids(connection, tenant, "true ORDER BY md5(id::text) LIMIT 50")
    centre = newest[len(newest) // 2]
    common = TERMS["common"][0]
    return [
        Case(
            "subject filter, newest 200",
            _raw_list(tenant),
            literal.list_of_subject(tenant),
            ("GET", f"chunks?{_OF_SUBJECT}&limit=200", None),
            True,
            "h.ts DESC",
        ),
        _get_case("get 200 by id", tenant, newest),
        *(
            Case(
                f"full text, {kind} term, top 50",
                _raw_search(tenant, term),
                literal.search(tenant, term),
                ("POST", "chunks/search", {"query": term, "limit": 50}),
                kind != "medium",
                _BEST_FIRST,
            )
            for kind, (term, _) in TERMS.items()
        ),
        Case(
            "full text, common term and subject, top 50",
            _raw_search(tenant, common, SUBJECT),
            literal.search(tenant, common, SUBJECT),
            (
                "POST",
                "chunks/search",
                {"query": common, "subject_type": SUBJECT[0], "subject_id": SUBJECT[1], "limit": 50},
            ),
            order=_BEST_FIRST,
        ),
        _get_case("get 50 by id", tenant, spread),
        Case(
            "timeline, an hour either way, 50",
            _raw_timeline(tenant, centre),
            literal.timeline(tenant, centre),
            ("GET", f"chunks/{centre}/timeline?window_seconds=3600&limit=50", None),
        ),
    ]


def _tenant_of(parameters: Any) -> uuid.UUID:
    return next(value for value in parameters if isinstance(value, uuid.UUID))


def _ids(connection: psycopg.Connection, tenant: uuid.UUID, rest: str, *parameters: Any) -> list[uuid.UUID]:
    """Ids of chunks that the bench's agent may see."""
    query = (
        "SELECT id FROM memory_effectivechunk WHERE tenant_id = %s AND NOT is_retracted AND NOT is_quarantined"
        f" AND blocked_channels = '{{}}' AND superseded_by IS NULL AND sensitivity IN ('none', 'low') AND {rest}"
    )
    return [row[0] for row in connection.execute(query.encode(), [tenant, *parameters])]


def _get_case(name: str, tenant: uuid.UUID, ids: list[uuid.UUID]) -> Case:
    body = {"chunk_ids": [str(one) for one in ids]}
    return Case(name, _raw_get(tenant, ids), literal.get(tenant, ids), ("POST", "chunks/get", body))


def _raw_list(tenant: uuid.UUID) -> Query:
    query = f"SELECT {_COLUMNS} FROM bench_raw WHERE tenant_id = %s AND subject_type = %s AND subject_id = %s"
    # a page of 200, and the row that tells whether another follows: the gate reads it too
    return f"{query} ORDER BY ts DESC LIMIT 201", (tenant, *SUBJECT)


def _raw_get(tenant: uuid.UUID, ids: list[uuid.UUID]) -> Query:
    return f"SELECT {_COLUMNS} FROM bench_raw WHERE tenant_id = %s AND id = ANY (%s)", (tenant, ids)


def _raw_search(tenant: uuid.UUID, term: str, subject: tuple[str, str] | None = None) -> Query:
    about = "AND subject_type = %s AND subject_id = %s" if subject else ""
    return (
        f"SELECT {_COLUMNS}, ts_rank(tsv, q) AS rank, count(*) OVER () AS total_count FROM bench_raw,"
        f" websearch_to_tsquery('english', %s) q WHERE tenant_id = %s AND tsv @@ q {about}"
        " ORDER BY rank DESC, importance DESC, ts DESC, id DESC LIMIT 50",
        (term, tenant, *(subject or ())),
    )


def _raw_timeline(tenant: uuid.UUID, around: uuid.UUID) -> Query:
    def half(beyond: str, order: str) -> str:
        return f"(SELECT * FROM bench_raw WHERE tenant_id = %(tenant)s AND ts {beyond} ORDER BY ts {order} LIMIT 50)"

    columns = ", ".join(f"n.{column.strip()}" for column in _COLUMNS.split(","))
    query = (
        "WITH centre AS (SELECT ts FROM bench_raw WHERE tenant_id = %(tenant)s AND id = %(around)s)"
        f" SELECT {columns}, round(extract(epoch FROM n.ts - c.ts))::int, c.ts FROM centre c, ("
        + half(">= (SELECT ts FROM centre) AND ts <= (SELECT ts FROM centre) + interval '1 hour'", "ASC")
        + " UNION ALL "
        + half("< (SELECT ts FROM centre) AND ts >= (SELECT ts FROM centre) - interval '1 hour'", "DESC")
        + ") n ORDER BY abs(extract(epoch FROM n.ts - c.ts)), n.ts, n.id LIMIT 50"
    )
    return query, {"tenant": tenant, "around": around}
