"""The part `governed`: the gate functions against the one table that one would write by hand, with the words in it.

Both sides work in turn in one transaction of the web's role, return the same columns, and ask for other ids each time.
The table has memory as it is now, with corrections in place, but no tenants' permissions, channels, sensitivities or
history: it is what governed reads are measured by.
"""

import random
import time
from collections.abc import Callable
from typing import Any

from bench.corpus import SUBJECT, TERMS
from bench.gates import percentiles, verdict
from bench.generate import Tenant
from bench.stack import Stack

#: What is promised: governed at most so many times the table's.
SEARCH_GOAL, READ_GOAL = 1.15, 1.3
#: As many chunks as a request of each sort answers.
OF_SUBJECT, NEWEST, GET, NEAR, FOUND = 200, 50, 50, 50, 20
WARMING = 10  # plpgsql decides on a plan for good at the sixth execution
MOST_SECONDS = 5.0
Query = tuple[str, dict[str, Any]]

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


def measure(stack: Stack, tenant: Tenant, runs: int) -> list[dict[str, Any]]:
    """A row for each question, of at least `runs` runs of each side in turn."""
    from django.db import connection, transaction

    from governance import gate

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
            for case, (goal, by_hand, governed) in _cases({"tenant": principal.tenant_id}, tenant.ids).items():
                raw, gated, found = _in_turn(cursor, by_hand, governed, runs)
                ratio = round(gated["p50_ms"] / raw["p50_ms"], 2)
                rows.append(
                    {
                        "case": case,
                        "ratio": ratio,
                        "goal": goal,
                        "kept": verdict(ratio <= goal),
                        **{f"by_hand_{name}": value for name, value in raw.items()},
                        **{f"governed_{name}": value for name, value in gated.items()},
                        "rows": found,
                    }
                )
    return rows


def _in_turn(
    cursor: Any, by_hand: Callable[[], Query], governed: Callable[[], Query], runs: int
) -> tuple[dict[str, float], dict[str, float], str]:
    """At least `runs` runs of each, A B, B A, A B ...; up to twenty times as many in 5 s. And the last numbers of
    rows."""
    seconds: tuple[list[float], list[float]] = ([], [])
    found = [0, 0]
    until = time.monotonic() + MOST_SECONDS
    for number in range(-WARMING, 20 * runs):
        if number >= runs and time.monotonic() > until:
            break
        for side in (0, 1) if number % 2 else (1, 0):
            query, values = (by_hand, governed)[side]()
            started = time.perf_counter()
            cursor.execute(query, values)
            found[side] = len(cursor.fetchall())
            if number >= 0:
                seconds[side].append(time.perf_counter() - started)
    return percentiles(seconds[0]), percentiles(seconds[1]), f"{found[0]} / {found[1]}"


def _cases(of_tenant: dict[str, Any], ids: Any) -> dict[str, tuple[float, Callable[[], Query], Callable[[], Query]]]:
    """The questions: what is promised, and each side's next statement."""
    chance = random.Random(5)

    def by_hand(query: str, draw: Callable[[], dict[str, Any]] = dict) -> Callable[[], Query]:
        return lambda: (query.replace("COLUMNS", _COLUMNS), {**of_tenant, **draw()})

    def governed(name: str, draw: Callable[[], dict[str, Any]] = dict, **values: Any) -> Callable[[], Query]:
        return lambda: _call(name, {**of_tenant, **values, **draw()})

    def some() -> dict[str, Any]:
        return {"ids": chance.sample(ids, min(GET, len(ids)))}

    def one() -> dict[str, Any]:
        return {"around": chance.choice(ids)}

    about = {"subject_type": SUBJECT[0], "subject_id": SUBJECT[1]}
    # the row that tells whether another page follows is read too
    return {
        f"list of a subject, newest {OF_SUBJECT}": (
            READ_GOAL,
            by_hand(
                "SELECT COLUMNS FROM bench_inline WHERE tenant_id = %(tenant)s AND subject_type = %(subject_type)s"
                f" AND subject_id = %(subject_id)s ORDER BY ts DESC, id DESC LIMIT {OF_SUBJECT + 1}",
                lambda: about,
            ),
            governed("list_chunks", **about, limit=OF_SUBJECT + 1),
        ),
        f"list of all, newest {NEWEST}": (
            READ_GOAL,
            by_hand(
                f"SELECT COLUMNS FROM bench_inline WHERE tenant_id = %(tenant)s ORDER BY ts DESC, id DESC"
                f" LIMIT {NEWEST + 1}"
            ),
            governed("list_chunks", limit=NEWEST + 1),
        ),
        f"get {GET} random ids": (
            READ_GOAL,
            by_hand(
                "SELECT COLUMNS FROM bench_inline WHERE tenant_id = %(tenant)s AND id = ANY (%(ids)s::uuid[])", some
            ),
            governed("get_chunks", some),
        ),
        f"timeline, an hour either way, {NEAR}": (
            READ_GOAL,
            by_hand(_TIMELINE, one),
            governed("get_timeline", one, window_seconds=3600, limit=NEAR + 1),
        ),
        **{
            f"search, {kind} term, top {FOUND}": (
                SEARCH_GOAL,
                by_hand(_SEARCH, lambda term=term: {"term": term}),  # type: ignore[misc] # bound now
                governed(
                    "search_chunks",
                    query=term,
                    limit=FOUND,
                    highlight=False,
                    explain=False,
                    mode="keyword",
                    collapse=True,
                ),
            )
            for kind, (term, _) in TERMS.items()
        },
    }


def _call(name: str, values: dict[str, Any]) -> Query:
    """The statement by which the product calls a function of the gate."""
    from governance.models import Channel
    from memory.reading import calls

    function = getattr(calls, name)
    channels = list(Channel.values)
    usual = {"listening": channels, "channels": channels, "include_quarantined": False, "include_archived": False}
    given = {**usual, **function.defaults, **values}
    return function.sql, {parameter: given.get(parameter) for parameter in function.parameters}


_SEARCH = (
    "SELECT COLUMNS, ts_rank(tsv, q) AS rank, count(*) OVER () AS total_count FROM bench_inline,"
    " websearch_to_tsquery('english', %(term)s) q WHERE tenant_id = %(tenant)s AND tsv @@ q"
    f" ORDER BY rank DESC, importance DESC, ts DESC, id DESC LIMIT {FOUND}"
)
_TIMELINE = f"""
WITH c AS (SELECT ts FROM bench_inline WHERE id = %(around)s AND tenant_id = %(tenant)s)
SELECT n.*, round(extract(epoch FROM n.ts - c.ts))::int, c.ts FROM c, (
    (SELECT COLUMNS FROM bench_inline WHERE tenant_id = %(tenant)s AND ts >= (SELECT ts FROM c)
        AND ts <= (SELECT ts FROM c) + interval '1 hour' ORDER BY ts LIMIT {NEAR + 1})
    UNION ALL
    (SELECT COLUMNS FROM bench_inline WHERE tenant_id = %(tenant)s AND ts < (SELECT ts FROM c)
        AND ts >= (SELECT ts FROM c) - interval '1 hour' ORDER BY ts DESC LIMIT {NEAR + 1})) n
ORDER BY abs(extract(epoch FROM n.ts - c.ts)) LIMIT {NEAR + 1}
"""
