"""The parts that measure one promise each: latency with four callers, amends of one hot tenant, ingest, sealing of idle
tenants, and space. `make bench ARGS="--only p95"` and so on; the goal stands beside each figure."""

import multiprocessing
import statistics
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from bench import connections, database, http, load, webserver
from bench.corpus import Corpus
from bench.product import draft_of, leave_database, use_database
from bench.tenants import Tenant, provision
from bench.timing import milliseconds

#: Callers of the parts, and the goals: the 95th percentile in ms of each request, amends and events a second, seconds
#: of a run of sealing, and bytes.
CALLERS, HOT_CALLERS, CLIENTS = 4, 16, 2
P95 = {
    "search, common term": 100,
    "context bundle, 65,000 tokens": 120,
    "create a capsule": 50,
    "record 1 event": 40,
    "amend a chunk": 50,
}
AMENDS, EVENTS, SEALING_SECONDS, CHUNK_BYTES = 400, 3_500, 1.0, 2_200
#: Events that are recorded to see what they take of disk and log: at most, in batches of BATCH, and for so many one
#: that is recorded by itself.
RECORDED, BATCH, FOR_ONE = 10_000, 1_000, 20
_PROCESSES = 2

Rows = list[dict[str, Any]]


def p95(name: str, seconds: float) -> Rows:
    """The 95th percentile of requests, of four callers for `seconds` each. The database `name` is changed."""
    rows = []
    for case, taken in _called(name, list(P95), CALLERS, seconds):
        ms, goal = milliseconds(taken), P95[case]
        rows.append(
            _row(
                f"{case}, p95 of {CALLERS} callers",
                ms["p95"],
                "ms",
                _at_most(ms["p95"], goal),
                p50=ms["p50"],
                per_second=round(CALLERS * len(taken) / sum(taken)),
                requests=len(taken),
            )
        )
    return rows


def amends(name: str, seconds: float) -> Rows:
    """Amends a second of one tenant by sixteen callers. The database `name` is changed."""
    ((case, taken),) = _called(name, ["amend a chunk"], HOT_CALLERS, seconds)
    return [_rate(case, taken, HOT_CALLERS, 1, AMENDS, "amends/s")]


def ingest(name: str, seconds: float) -> Rows:
    """Events a second by two clients, each with one batch under way. The database `name` is changed."""
    batches = {"record 1,000 events": (1_000, EVENTS), "record 100 events": (100, None), "record 1 event": (1, None)}
    return [
        _rate(case, taken, CLIENTS, *batches[case], "events/s")
        for case, taken in _called(name, list(batches), CLIENTS, seconds)
    ]


def sealing(name: str, tenants: int, say: Callable[[str], None]) -> Rows:
    """Seconds of a run of sealing over `tenants` tenants that are sealed already and do nothing, which are made first.
    The database `name` is changed."""
    say(f"making {tenants:,} tenants and sealing what they begin with")
    leave_database()
    with multiprocessing.get_context("spawn").Pool(_PROCESSES) as pool:
        parts = pool.starmap(make_idle, [(name, range(first, tenants, _PROCESSES)) for first in range(_PROCESSES)])
    use_database(name)
    from governance import tasks
    from governance.ledger import published

    try:
        tasks.seal()  # this process verifies each ledger once
        seconds = []
        for _ in range(5):
            started = time.perf_counter()
            tasks.seal()
            seconds.append(time.perf_counter() - started)
    finally:
        for tenant_id in (one for part in parts for one in part):
            published.path_of(tenant_id).unlink(missing_ok=True)
        leave_database()
    took = statistics.median(seconds)
    return [
        _row(
            f"a run of sealing over {tenants:,} idle tenants",
            took,
            "s",
            f"{_at_most(took, SEALING_SECONDS)} for 10,000",
            longest=round(max(seconds), 2),
        )
    ]


def make_idle(name: str, numbers: range) -> list[uuid.UUID]:
    """Make tenants as the command `provision` does, seal them and publish their tree heads; one process's part."""
    use_database(name)
    from governance import gate
    from governance.identity import identities
    from governance.ledger import sealing as seals
    from governance.ledger import tree_heads

    slugs = [f"bench-sealed-{number}" for number in numbers]
    for slug in slugs:
        identities.provision(slug)
    ids = gate.tenants()
    for slug in slugs:
        seals.seal_all(ids[slug])
        tree_heads.publish(ids[slug])
    leave_database()
    return [ids[slug] for slug in slugs]


def space(name: str, chunks: int) -> Rows:
    """What events and their chunks take, recorded by the product's service, completed and sealed: bytes of each table
    with its indexes, and bytes of the write-ahead log. The database `name`, of so many chunks, is changed.

    They are recorded twice, and the second half is measured: the room of the rows that the first half has replaced is
    used again, as in a database that has been in use.
    """
    recorded = max(BATCH, min(RECORDED, chunks // 5))
    alone = recorded // FOR_ONE
    use_database(name)
    from governance.ledger import published, sealing
    from memory.services import completing

    # a new tenant, so that sealing covers what is recorded here alone
    with database.owner(name, autocommit=True) as connection:
        tenant = provision("bench-space", connection)
    memories = Corpus("space", 1_000_000).memories()
    drafts = [draft_of(next(memories)) for _ in range(2 * recorded + 2 * alone)]
    try:
        _vacuum(name)
        # what a page's first change after a checkpoint adds to the log belongs to none of the events
        _record(tenant, drafts[:alone], 1)
        logged_once = _logged(name, partial(_record, tenant, drafts[alone : 2 * alone], 1))
        before: Counter[str] = Counter()
        for first in (2 * alone, 2 * alone + recorded):
            before = _sizes(name)
            logged = _logged(name, partial(_record, tenant, drafts[first : first + recorded], BATCH))
            completing.complete_contexts()
            sealing.seal_all(tenant.id)
            _vacuum(name)
        grown = _sizes(name) - before
        hot = _hot_updates(name)
    finally:
        published.path_of(tenant.id).unlink(missing_ok=True)
        leave_database()
    parts = {table: round(size / recorded) for table, size in grown.most_common() if size >= recorded}
    total = round(sum(grown.values()) / recorded)
    one, many = logged_once["bytes"] / alone, logged["bytes"] / recorded
    return [
        _row("bytes per chunk before embeddings", total, "bytes", _at_most(total, CHUNK_BYTES), chunks=recorded),
        *(_row(f"bytes per chunk: {table}", size, "bytes") for table, size in parts.items()),
        _row("log per event, recorded one by one", one, "bytes of WAL", whole_pages=logged_once["pages"]),
        _row(f"log per event, recorded {BATCH:,} at once", many, "bytes of WAL", whole_pages=logged["pages"]),
        *(_row(f"updates of {table} that change no index", share, "%") for table, share in hot.items()),
    ]


def _called(name: str, cases: Sequence[str], callers: int, seconds: float) -> Iterator[tuple[str, list[float]]]:
    """Each of the cases with the seconds of its requests, on one server that is started as `make up` does."""
    key, ids = http.prepare(name)
    with webserver.running(webserver.default(), http.variables(name)) as port:
        for case in cases:
            draws = [
                load.requests_of(load.Caller(port, key, case, seconds, place, callers, tuple(ids)))
                for place in range(callers)
            ]
            yield case, connections.call(port, key, draws, seconds, are_writes=load.is_write(case))


def _rate(case: str, taken: list[float], callers: int, size: int, goal: int | None, unit: str) -> dict[str, Any]:
    rate = size * callers * len(taken) / sum(taken)
    ms = milliseconds(taken)
    told = "" if goal is None else f">= {goal:,} {'kept' if rate >= goal else 'missed'}"
    return _row(f"{case}, {callers} callers", rate, unit, told, p50_ms=ms["p50"], p95_ms=ms["p95"], requests=len(taken))


def _record(tenant: Tenant, drafts: Sequence[Any], size: int) -> None:
    from governance import gate
    from memory.services import recording

    for first in range(0, len(drafts), size):
        with gate.acting_as(tenant.agent):
            recording.record_events(list(drafts[first : first + size]), actor=tenant.agent)


def _logged(name: str, work: Callable[[], object]) -> Counter[str]:
    """Bytes of the log and whole pages in it that some work writes."""
    query = "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn, wal_fpi FROM pg_stat_wal"
    with database.owner(name, autocommit=True) as connection:
        found = []
        for act in (None, work):
            if act is not None:
                act()
            connection.execute("SELECT pg_stat_clear_snapshot()")
            found.append(connection.execute(query).fetchall()[0])
    (bytes_before, pages_before), (bytes_after, pages_after) = found
    return Counter({"bytes": int(bytes_after - bytes_before), "pages": int(pages_after - pages_before)})


def _sizes(name: str) -> Counter[str]:
    """Bytes of each table of the product with its indexes, without those of embeddings."""
    with database.owner(name) as connection:
        found = connection.execute(
            "SELECT relname::text, pg_total_relation_size(oid) FROM pg_class WHERE relkind = 'r'"
            " AND relnamespace = 'public'::regnamespace AND relname !~ '^(bench_|memory_embedding)'"
        )
        return Counter(dict(found.fetchall()))


def _hot_updates(name: str) -> dict[str, float]:
    """Of the tables whose rows are updated, the share of updates that left the indexes alone, in percent."""
    with database.owner(name) as connection:
        found = connection.execute(
            "SELECT relname::text, 100.0 * n_tup_hot_upd / n_tup_upd FROM pg_stat_user_tables"
            " WHERE n_tup_upd >= 1000 ORDER BY n_tup_upd DESC LIMIT 4"
        )
        return {table: float(share) for table, share in found.fetchall()}


def _vacuum(name: str) -> None:
    with database.owner(name, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE)")


def _at_most(measured: float, goal: float) -> str:
    return f"<= {goal:,} {'kept' if measured <= goal else 'missed'}"


def _row(case: str, figure: float, unit: str, goal: str = "", **more: Any) -> dict[str, Any]:
    return {"case": case, "figure": round(figure, 2), "unit": unit, "goal": goal, **more}
