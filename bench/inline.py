"""The part `inline`: the gate functions against the one table that one would write by hand, with the words in it.

Both sides work on one connection of the web's role, in turn, return the same columns, and send a statement as psycopg
sends it, other ids and other chunks each time. The table (`bench.ungoverned`) has no tenants' permissions, no channels,
no sensitivities and no history: it is what governed reads are measured by. Figures for a huge tenant, a small one and
the newest, which the planner's statistics do not know.
"""

import random
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import psycopg

from bench import database
from bench.corpus import SUBJECT, TERMS
from bench.product import use_database
from bench.tenants import KINDS, Tenant, tenant_of
from bench.timing import Drawn, Query, in_turn, milliseconds

#: What is promised: governed at most so many times the table's.
SEARCH_GOAL, READ_GOAL = 1.15, 1.3
#: As many chunks as a request of each sort answers.
OF_SUBJECT, NEWEST, GET, NEAR, FOUND = 200, 50, 50, 50, 20
#: So many of the newest matches a search ranks where there are more; the goal is against all of them.
WINDOW = 2_000

_COLUMNS = (
    "id, text, importance, ts, edits_applied, event_id, session_id, scope, subject_type, subject_id, project_id,"
    " channel, tier, source, recorder"
)
_BEST_FIRST = "rank DESC, importance DESC, ts DESC, id DESC"
_HOUR = 3600


@dataclass(frozen=True, slots=True)
class Case:
    """A question, asked of the gate and of the table; each draws its next statement."""

    name: str
    goal: float | None
    governed: Callable[[], Query]
    by_hand: Callable[[], Query]


def measure(name: str, runs: int) -> list[dict[str, Any]]:
    """A row for each kind of tenant and each question, medians of at least `runs` runs of each side in turn."""
    use_database(name)
    url = database.url("DATABASE_URL", name)
    rows = []
    for kind, slug in KINDS.items():
        tenant = tenant_of(name, slug)
        with psycopg.connect(url) as connection:
            connection.execute("SET LOCAL statement_timeout = 0")
            tenant.enter(connection)
            for case in cases(connection, tenant):
                by_hand, governed = in_turn(Drawn(connection, case.by_hand), Drawn(connection, case.governed), runs)
                raw_ms, governed_ms = (
                    milliseconds([one.converted for one in samples]) for samples in (by_hand, governed)
                )
                rows.append(
                    {
                        "tenant": kind,
                        "case": case.name,
                        "goal": case.goal,
                        "ratio": round(governed_ms["p50"] / raw_ms["p50"], 2),
                        "raw_ms": raw_ms,
                        "governed_ms": governed_ms,
                        "rows": {"raw": len(by_hand[-1].rows), "governed": len(governed[-1].rows)},
                        "runs": len(governed),
                    }
                )
    return rows


def cases(connection: psycopg.Connection, tenant: Tenant) -> list[Case]:
    """The questions about one tenant, in whose context the connection is."""
    ids = _ids(connection, tenant.id)
    by_hand, governed = _ByHand(tenant.id, ids), _Governed(tenant.id, ids)
    return [
        Case(f"list of a subject, newest {OF_SUBJECT}", READ_GOAL, governed.of_subject, by_hand.of_subject),
        Case(f"list of all, newest {NEWEST}", READ_GOAL, governed.newest, by_hand.newest),
        Case(f"get {GET} random ids", READ_GOAL, governed.get, by_hand.get),
        Case(f"timeline, an hour either way, {NEAR}", READ_GOAL, governed.timeline, by_hand.timeline),
        *(
            Case(
                f"search, {kind} term, top {FOUND}",
                SEARCH_GOAL,
                partial(governed.search, term),
                partial(by_hand.search, term),
            )
            for kind, (term, _) in TERMS.items()
        ),
        *(
            Case(
                f"search, {kind} term, against the newest {WINDOW:,} matches by hand",
                None,
                partial(governed.search, term),
                partial(by_hand.windowed, term),
            )
            for kind, (term, _) in TERMS.items()
            if kind != "rare"
        ),
    ]


class _Governed:
    """The statements by which the product calls the gate, each with its next values."""

    def __init__(self, tenant: uuid.UUID, ids: list[uuid.UUID]) -> None:
        self._chance = random.Random(5)
        self._tenant, self._ids = tenant, ids

    def _call(self, name: str, **values: Any) -> Query:
        from governance.models import Channel
        from memory.reading import calls

        function = getattr(calls, name)
        channels = list(Channel.values)
        usual = {"tenant": self._tenant, "listening": channels, "channels": channels, "include_quarantined": False}
        given = {**usual, "include_archived": False, **function.defaults, **values}
        return function.sql, {parameter: given.get(parameter) for parameter in function.parameters}

    def of_subject(self) -> Query:
        # the row that tells whether another page follows is read too
        return self._call("list_chunks", subject_type=SUBJECT[0], subject_id=SUBJECT[1], limit=OF_SUBJECT + 1)

    def newest(self) -> Query:
        return self._call("list_chunks", limit=NEWEST + 1)

    def get(self) -> Query:
        return self._call("get_chunks", ids=self._chance.sample(self._ids, min(GET, len(self._ids))))

    def timeline(self) -> Query:
        return self._call("get_timeline", around=self._chance.choice(self._ids), window_seconds=_HOUR, limit=NEAR + 1)

    def search(self, term: str) -> Query:
        return self._call(
            "search_chunks",
            query=term,
            limit=FOUND,
            highlight=False,
            explain=False,
            mode="keyword",
            collapse=True,
        )


class _ByHand:
    """The same questions in SQL on the one table."""

    def __init__(self, tenant: uuid.UUID, ids: list[uuid.UUID]) -> None:
        self._chance = random.Random(5)
        self._tenant, self._ids = tenant, ids

    def of_subject(self) -> Query:
        query = (
            f"SELECT {_COLUMNS} FROM bench_inline WHERE tenant_id = %s AND subject_type = %s AND subject_id = %s"
            f" ORDER BY ts DESC, id DESC LIMIT {OF_SUBJECT + 1}"
        )
        return query, (self._tenant, *SUBJECT)

    def newest(self) -> Query:
        query = f"SELECT {_COLUMNS} FROM bench_inline WHERE tenant_id = %s ORDER BY ts DESC, id DESC LIMIT {NEWEST + 1}"
        return query, (self._tenant,)

    def get(self) -> Query:
        ids = self._chance.sample(self._ids, min(GET, len(self._ids)))
        return f"SELECT {_COLUMNS} FROM bench_inline WHERE tenant_id = %s AND id = ANY (%s)", (self._tenant, ids)

    def timeline(self) -> Query:
        def half(within: str, order: str) -> str:
            return (
                f"(SELECT {_COLUMNS} FROM bench_inline WHERE tenant_id = %(tenant)s AND {within}"
                f" ORDER BY ts {order} LIMIT {NEAR + 1})"
            )

        after = half("ts >= (SELECT ts FROM c) AND ts <= (SELECT ts FROM c) + interval '1 hour'", "ASC")
        before = half("ts < (SELECT ts FROM c) AND ts >= (SELECT ts FROM c) - interval '1 hour'", "DESC")
        query = (
            "WITH c AS (SELECT ts FROM bench_inline WHERE id = %(around)s AND tenant_id = %(tenant)s)"
            f" SELECT n.*, round(extract(epoch FROM n.ts - c.ts))::int, c.ts FROM c, ({after} UNION ALL {before}) n"
            f" ORDER BY abs(extract(epoch FROM n.ts - c.ts)) LIMIT {NEAR + 1}"
        )
        return query, {"tenant": self._tenant, "around": self._chance.choice(self._ids)}

    def search(self, term: str) -> Query:
        query = (
            f"SELECT {_COLUMNS}, ts_rank(tsv, q) AS rank, count(*) OVER () AS total_count FROM bench_inline,"
            " websearch_to_tsquery('english', %s) q WHERE tenant_id = %s AND tsv @@ q"
            f" ORDER BY {_BEST_FIRST} LIMIT {FOUND}"
        )
        return query, (term, self._tenant)

    def windowed(self, term: str) -> Query:
        """As a search of the gate ranks where there are many matches, by hand."""
        query = (
            f"SELECT {_COLUMNS}, ts_rank(tsv, q) AS rank FROM (SELECT r.*, q FROM bench_inline r,"
            " websearch_to_tsquery('english', %s) q WHERE tenant_id = %s AND tsv @@ q"
            f" ORDER BY ts DESC, id DESC LIMIT {WINDOW}) w ORDER BY {_BEST_FIRST} LIMIT {FOUND}"
        )
        return query, (term, self._tenant)


def _ids(connection: psycopg.Connection, tenant: uuid.UUID) -> list[uuid.UUID]:
    """Ids, at random, of chunks that the bench's agent may see."""
    query = (
        "SELECT id FROM memory_effectivechunk WHERE tenant_id = %s AND NOT is_retracted AND NOT is_quarantined"
        " AND blocked_channels = '{}' AND superseded_by IS NULL AND sensitivity IN ('none', 'low')"
        " ORDER BY md5(id::text) LIMIT 5000"
    )
    return [row[0] for row in connection.execute(query, [tenant])]
