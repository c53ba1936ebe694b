"""Tenants that the planner's statistics do not know: what the same requests cost before and after ANALYZE, and what a
search costs beside one tenant more, and beside 1,000 more."""

import json
import statistics
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg import sql

from bench import database, loading
from bench.corpus import SUBJECT, TERMS
from bench.product import leave_database, use_database
from bench.tenants import LARGE, Tenant, provision, tenant_of

NEWCOMER = "bench-newcomer"
IDLE_TENANTS = 1000
IDLE_CHUNKS = 3
SEED = 3
#: What is promised: a request of a tenant that statistics do not know takes at most this many times as long.
GOAL = 2.0
WARMING = 6  # plpgsql decides on a plan for good at the sixth execution

_OF_SUBJECT = {"subject_type": SUBJECT[0], "subject_id": SUBJECT[1]}
#: Rows and index entries that the open transaction has read, by table and index.
COUNTED = (
    "SELECT c.relname::text, pg_stat_get_xact_tuples_returned(c.oid) FROM pg_class c"
    " WHERE c.relkind IN ('r', 'i') AND c.relnamespace = 'public'::regnamespace"
    " AND pg_stat_get_xact_tuples_returned(c.oid) > 0"
)


@dataclass(frozen=True, slots=True)
class Request:
    """A request of an agent: its name, method, path and body."""

    name: str
    method: str
    path: str
    body: Any = None


@dataclass(frozen=True, slots=True)
class Answered:
    """Seconds that a request took, and how many rows the database read for it of each table, and entries of each index,
    without those that it read by their position."""

    seconds: float
    read: dict[str, int]

    @property
    def rows(self) -> int:
        """How many in all."""
        return sum(self.read.values())


def requests_of(name: str, tenant: Tenant) -> list[Request]:
    """Requests of the tenant's agent, the writes last."""
    with database.owner(name) as connection:
        found = connection.execute(
            "SELECT id, event_id, session_id FROM memory_effectivechunk WHERE tenant_id = %s AND NOT is_retracted"
            " AND NOT is_quarantined AND sensitivity IN ('none', 'low') ORDER BY md5(id::text) LIMIT 50",
            [tenant.id],
        ).fetchall()
    chunks = [str(row[0]) for row in found]
    event, session = found[0][1:]
    subject = "&".join(f"{field}={value}" for field, value in _OF_SUBJECT.items())

    def search(term: str, **fields: str) -> dict[str, Any]:
        return {"query": TERMS[term][0], "limit": 50, **fields}

    return [
        Request("newest events", "GET", "events?limit=50"),
        Request("events of a session", "GET", f"events?session_id={session}&limit=50"),
        Request("one event", "GET", f"events/{event}"),
        Request("newest chunks", "GET", "chunks?limit=50"),
        Request("chunks of a subject", "GET", f"chunks?{subject}&limit=200"),
        Request("chunks of a project", "GET", "chunks?project_id=project-7&limit=50"),
        Request("search, rare term", "POST", "chunks/search", search("rare")),
        Request("search, common term", "POST", "chunks/search", search("common")),
        Request("search, subject", "POST", "chunks/search", search("common", **_OF_SUBJECT)),
        Request("get 50 by id", "POST", "chunks/get", {"chunk_ids": chunks}),
        Request("timeline", "GET", f"chunks/{chunks[0]}/timeline?window_seconds=3600&limit=50"),
        Request(
            "context bundle",
            "POST",
            "acb/build",
            {"session_id": session, "channel": "private", "max_tokens": 8000, "query": TERMS["rare"][0], **_OF_SUBJECT},
        ),
        Request("newest edits", "GET", "edits?limit=50"),
        Request("record 1 event", "POST", "events", _event(1)),
        Request("record 100 events", "POST", "events/batch", {"events": [_event(number) for number in range(100)]}),
        Request(
            "amend",
            "POST",
            "edits",
            {
                "target_type": "chunk",
                "target_id": chunks[0],
                "op": "amend",
                "reason": "bench",
                "patch": {"text": "Corrected."},
            },
        ),
    ]


def _event(number: int) -> dict[str, Any]:
    return {
        "session_id": "bench",
        "channel": "private",
        "actor_type": "agent",
        "actor_id": "bench",
        "kind": "message",
        "content": {"text": f"The customer of order {number} prefers an apple in the evening."},
        **_OF_SUBJECT,
    }


def answer(tenant: Tenant, request: Request) -> Answered:
    """Answer a request in a transaction that is rolled back. Raises SystemExit if it was refused."""
    from django.db import connection, transaction
    from django.urls import resolve
    from rest_framework.test import APIRequestFactory, force_authenticate

    from governance import gate

    body = "" if request.body is None else json.dumps(request.body)
    made = APIRequestFactory().generic(
        request.method, f"/api/v1/{request.path}", body, "application/json",
        headers={"Idempotency-Key": str(uuid.uuid4())},
    )  # fmt: skip
    force_authenticate(made, user=tenant.agent)  # type: ignore[arg-type] # a Principal, as our authentication gives
    match = resolve(made.path_info)

    def counted() -> Counter[str]:
        with connection.cursor() as cursor:
            cursor.execute(COUNTED)
            return Counter(dict(cursor.fetchall()))

    with transaction.atomic():
        with gate.acting_as(tenant.agent):
            before = counted()
            started = time.perf_counter()
            response = match.func(made, *match.args, **match.kwargs)
            seconds = time.perf_counter() - started
            if response.status_code >= 300:
                raise SystemExit(f"{request.method} {request.path} answered {response.status_code}: {response.data}")
            read = counted() - before
        transaction.set_rollback(True)
    return Answered(seconds, dict(read))


def add_newcomer(name: str, chunks: int, slug: str = NEWCOMER) -> Tenant:
    """Make a tenant with so many chunks, of which no statistics tell."""
    use_database(name)
    with database.owner(name, autocommit=True) as connection:
        tenant = provision(slug, connection)
    loading.load(loading.record_part, name, tenant, SEED, chunks)
    loading.load(loading.edit_part, name, tenant, SEED, chunks // 10)
    loading.complete_all(name, tenant, chunks)
    with database.owner(name, autocommit=True) as connection:
        # the index entries of the rows before their vectors came would be counted as read; statistics stay as they are
        connection.execute("VACUUM (ANALYZE false) memory_effectivechunk")
    return tenant


def add_idle(
    name: str, pattern: Tenant, count: int = IDLE_TENANTS, chunks: int = IDLE_CHUNKS, prefix: str = "bench-idle"
) -> None:
    """Make `count` tenants with `chunks` chunks each, copied from another tenant."""
    copied = ("governance_content", "memory_event", "memory_chunk", "memory_effectivechunk")
    # their words and events are those of the chunks
    chosen = (
        "SELECT id, content_id, event_id FROM memory_chunk WHERE tenant_id = %(pattern)s ORDER BY id LIMIT %(chunks)s"
    )
    values = {"pattern": pattern.id, "chunks": chunks, "like": f"{prefix}-%"}
    with database.owner(name, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO governance_tenant SELECT (jsonb_populate_record(t, jsonb_build_object("
            "'id', gen_random_uuid(), 'slug', %s || '-' || n))).*"
            " FROM governance_tenant t, generate_series(1, %s) n WHERE t.id = %s",
            [prefix, count, pattern.id],
        )
        with connection.transaction():
            pattern.enter(connection)
            connection.execute("SET LOCAL ROLE suture_gate")
            for table, key in zip(copied, ("content_id", "event_id", "id", "id"), strict=True):
                columns = [
                    row[0]
                    for row in connection.execute(
                        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                        " AND NOT attisdropped AND attname <> 'tenant_id'",
                        [table],
                    ).fetchall()
                ]
                connection.execute(
                    sql.SQL(
                        "INSERT INTO {table} (tenant_id, {columns}) SELECT t.id, {values} FROM governance_tenant t,"
                        " {table} x WHERE t.slug LIKE %(like)s AND x.tenant_id = %(pattern)s"
                        " AND x.id IN (SELECT {key} FROM ({chosen}) k)"
                    ).format(
                        table=sql.Identifier(table),
                        columns=sql.SQL(", ").join(map(sql.Identifier, columns)),
                        values=sql.SQL(", ").join(sql.Identifier("x", column) for column in columns),
                        key=sql.Identifier(key),
                        chosen=sql.SQL(chosen),
                    ),
                    values,
                )


def analyze(name: str) -> None:
    """Bring the planner's statistics up to date, and remove what requests that were rolled back have left."""
    with database.owner(name, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")


@contextmanager
def not_analyzed_by_itself(name: str) -> Iterator[None]:
    """Keep the server from bringing statistics up to date within the block."""
    with database.owner(name, autocommit=True) as connection:
        tables = _tables(connection)
        for table in tables:
            connection.execute(sql.SQL("ALTER TABLE {} SET (autovacuum_enabled = off)").format(sql.Identifier(table)))
        yield
        for table in tables:
            connection.execute(sql.SQL("ALTER TABLE {} RESET (autovacuum_enabled)").format(sql.Identifier(table)))


def _tables(connection: psycopg.Connection) -> list[str]:
    found = connection.execute("SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'")
    return [row[0] for row in found.fetchall()]


def measure(name: str, runs: int) -> list[dict[str, Any]]:
    """The figures of the part `tenants`; the database `name` gets 1,001 tenants more."""
    use_database(name)
    large = tenant_of(name, LARGE)
    with not_analyzed_by_itself(name):
        with database.owner(name) as connection:
            (chunks,) = connection.execute("SELECT count(*) FROM memory_effectivechunk").fetchall()[0]
            (tenants,) = connection.execute("SELECT count(*) FROM governance_tenant").fetchall()[0]
        searches = {tenants: _searches(name, large, runs)}
        newcomer = add_newcomer(name, max(100, chunks // 5))
        use_database(name)
        cases = requests_of(name, newcomer)
        unknown = {case.name: _median(newcomer, case, runs) for case in cases}
        analyze(name)
        known = {case.name: _median(newcomer, case, runs) for case in cases}
        searches[tenants + 1] = _searches(name, large, runs)
        add_idle(name, newcomer)
        analyze(name)
        searches[tenants + 1 + IDLE_TENANTS] = _searches(name, large, runs)
        leave_database()
    ratios = {case: round(unknown[case].seconds / known[case].seconds, 2) for case in unknown}
    return [
        {
            "case": f"{case}, in a tenant unknown to statistics",
            "figure": ratio,
            "unit": "times as long as after ANALYZE",
            "goal": f"<= {GOAL} {'kept' if ratio <= GOAL else 'missed'}",
            "ms": round(unknown[case].seconds * 1000, 2),
            "rows_read": unknown[case].rows,
            "rows_read_after": known[case].rows,
        }
        for case, ratio in ratios.items()
    ] + [
        {
            "case": f"{case}, of {count:,} tenants",
            "figure": round(answered.seconds * 1000, 2),
            "unit": "ms",
            "goal": "",
            "rows_read": answered.rows,
        }
        for count, answers in searches.items()
        for case, answered in answers.items()
    ]


def _searches(name: str, tenant: Tenant, runs: int) -> dict[str, Answered]:
    return {
        case.name: _median(tenant, case, runs) for case in requests_of(name, tenant) if case.name.startswith("search")
    }


def settled(tenant: Tenant, request: Request) -> Answered:
    """The answer to a request once its plans are those that stay."""
    for _ in range(WARMING):
        answer(tenant, request)
    return answer(tenant, request)


def _median(tenant: Tenant, request: Request, runs: int) -> Answered:
    settled(tenant, request)
    answers = [answer(tenant, request) for _ in range(runs)]
    return Answered(statistics.median(one.seconds for one in answers), answers[-1].read)
