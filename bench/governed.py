"""The part `governed`: the gate functions against the one table that one would write by hand, with inline text.

Both sides alternate in one transaction of the web's role, return the same columns, and use new ids each time. The table
has current memory, with corrections applied, but no tenants' permissions, channels, sensitivities or history: it is the
baseline of governed reads.
"""

import random
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.corpus import SUBJECT, TERMS
from bench.gates import percentiles, verdict
from bench.generate import Tenant
from bench.stack import Stack

#: The promise: the highest ratio of governed time to the table's time.
SEARCH_GOAL, READ_GOAL = 1.15, 1.3
#: The number of chunks that each kind of request returns.
OF_SUBJECT, NEWEST, GET, NEAR, FOUND = 200, 50, 50, 50, 20
WARMING = 10  # plpgsql decides on a plan for good at the sixth execution
MAX_SECONDS = 5.0

_COLUMNS = (
    "id, text, importance, ts, edits_applied, event_id, session_id, scope, subject_type, subject_id, project_id,"
    " channel, tier, source, recorder"
)
#: The tenants have different ids; the id comes first, as in a key of the id alone.
_TABLE = (
    "DROP TABLE IF EXISTS bench_inline",
    f"CREATE TABLE bench_inline AS SELECT tenant_id, {_COLUMNS}, tsv FROM memory_effectivechunk"
    " WHERE NOT is_retracted AND superseded_by IS NULL",
    "ALTER TABLE bench_inline ADD PRIMARY KEY (id, tenant_id)",
    "CREATE INDEX ON bench_inline (tenant_id, ts DESC, id DESC)",
    "CREATE INDEX ON bench_inline (tenant_id, subject_type, subject_id, ts DESC, id DESC)",
    "CREATE INDEX ON bench_inline USING gin (tsv)",
    "GRANT SELECT ON bench_inline TO suture_app",
    "VACUUM (ANALYZE)",
)


@dataclass(frozen=True, slots=True)
class Case:
    """A question: the handwritten statement, the gate's function, and a source of values for both."""

    name: str
    goal: float
    by_hand: str
    function: str
    draw: Callable[[], dict[str, Any]]


def measure(stack: Stack, tenant: Tenant, runs: int) -> list[dict[str, Any]]:
    """A row for each question, with at least `runs` alternating runs of each side."""
    from django.db import connection, transaction

    from governance.acting import gate

    with stack.connect() as owner:
        owner.execute("SET statement_timeout = 0")
        for statement in _TABLE:
            owner.execute(statement.encode())
    with transaction.atomic():
        principal = gate.authenticate(tenant.agent)
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = 0")
            cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
            rows = []
            for case in _cases(principal.tenant_id, [uuid.UUID(one) for one in tenant.ids]):
                raw, gated, found = _in_turn(cursor, case, runs)
                ratio = round(gated["p50_ms"] / raw["p50_ms"], 2)
                rows.append(
                    {
                        "case": case.name,
                        "ratio": ratio,
                        "goal": case.goal,
                        "kept": verdict(ratio <= case.goal),
                        **{f"by_hand_{name}": value for name, value in raw.items()},
                        **{f"governed_{name}": value for name, value in gated.items()},
                        "rows": found,
                    }
                )
    return rows


def _in_turn(cursor: Any, case: Case, runs: int) -> tuple[dict[str, float], dict[str, float], str]:
    """Run each side at least `runs` times, A B, B A, A B ...; up to twenty times as often within 5 s. Also returns the
    last numbers of rows."""
    from memory.queries import db

    function = getattr(db, case.function)
    seconds: tuple[list[float], list[float]] = ([], [])
    found = [0, 0]
    until = time.monotonic() + MAX_SECONDS
    for number in range(-WARMING, 20 * runs):
        if number >= runs and time.monotonic() > until:
            break
        for side in (0, 1) if number % 2 else (1, 0):
            values = {**dict.fromkeys(function.parameters), **function.defaults, **case.draw()}
            started = time.perf_counter()
            cursor.execute(function.sql if side else case.by_hand, values)
            found[side] = len(cursor.fetchall())
            if number >= 0:
                seconds[side].append(time.perf_counter() - started)
    return percentiles(seconds[0]), percentiles(seconds[1]), f"{found[0]} / {found[1]}"


def _cases(tenant: uuid.UUID, ids: Sequence[uuid.UUID]) -> list[Case]:
    from governance.models import Channel

    chance = random.Random(5)
    channels = list(Channel.values)
    usual = {"tenant": tenant, "listening": channels, "channels": channels}
    usual |= {"include_quarantined": False, "include_archived": False}
    words = {"highlight": False, "explain": False, "mode": "keyword", "collapse": True}

    def drawing(**values: Any) -> Callable[[], dict[str, Any]]:
        return lambda: {**usual, **{name: value() if callable(value) else value for name, value in values.items()}}

    # also read the row that tells whether another page follows
    about = drawing(subject_type=SUBJECT[0], subject_id=SUBJECT[1], limit=OF_SUBJECT + 1)
    some = drawing(ids=lambda: chance.sample(ids, min(GET, len(ids))))
    one = drawing(around=lambda: chance.choice(ids), window_seconds=3600, limit=NEAR + 1)
    return [
        Case(f"list of a subject, newest {OF_SUBJECT}", READ_GOAL, _OF_SUBJECT, "list_chunks", about),
        Case(f"list of all, newest {NEWEST}", READ_GOAL, _NEWEST, "list_chunks", drawing(limit=NEWEST + 1)),
        Case(f"get {GET} random ids", READ_GOAL, _GET, "get_chunks", some),
        Case(f"timeline, an hour either way, {NEAR}", READ_GOAL, _TIMELINE, "get_timeline", one),
        *(
            Case(
                f"search, {kind} term, top {FOUND}",
                SEARCH_GOAL,
                _SEARCH,
                "search_chunks",
                drawing(query=term, limit=FOUND, **words),
            )
            for kind, (term, _) in TERMS.items()
        ),
    ]


_FROM = f"SELECT {_COLUMNS} FROM bench_inline WHERE tenant_id = %(tenant)s"
_NEWEST = f"{_FROM} ORDER BY ts DESC, id DESC LIMIT %(limit)s"
_OF_SUBJECT = (
    f"{_FROM} AND subject_type = %(subject_type)s AND subject_id = %(subject_id)s"
    " ORDER BY ts DESC, id DESC LIMIT %(limit)s"
)
_GET = f"{_FROM} AND id = ANY (%(ids)s)"
_SEARCH = (
    f"SELECT {_COLUMNS}, ts_rank(tsv, q) AS rank, count(*) OVER () AS total_count FROM bench_inline,"
    " websearch_to_tsquery('english', %(query)s) q WHERE tenant_id = %(tenant)s AND tsv @@ q"
    " ORDER BY rank DESC, importance DESC, ts DESC, id DESC LIMIT %(limit)s"
)
_TIMELINE = f"""
WITH c AS (SELECT ts FROM bench_inline WHERE id = %(around)s AND tenant_id = %(tenant)s)
SELECT n.*, round(extract(epoch FROM n.ts - c.ts))::int, c.ts FROM c, (
    ({_FROM} AND ts >= (SELECT ts FROM c) AND ts <= (SELECT ts FROM c) + interval '1 hour' ORDER BY ts LIMIT %(limit)s)
    UNION ALL
    ({_FROM} AND ts < (SELECT ts FROM c) AND ts >= (SELECT ts FROM c) - interval '1 hour'
        ORDER BY ts DESC LIMIT %(limit)s)) n
ORDER BY abs(extract(epoch FROM n.ts - c.ts)) LIMIT %(limit)s
"""
