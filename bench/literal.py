"""The specification's view, read as the specification reads it: for scale, since it takes seconds where the other two
take milliseconds. So it gets few runs, and a time after which it is not waited for."""

import statistics
import time
import uuid
from dataclasses import dataclass

import psycopg

from bench.corpus import SUBJECT
from bench.timing import Query

#: So long one run may take, and so many runs are made at most, as long as they take no more than MOST_SECONDS together.
TIMEOUT_SECONDS = 30
RUNS = 5
MOST_SECONDS = 5.0

_COLUMNS = "chunk_id, text, importance, ts, scope, subject_type, subject_id, project_id, channel"
# the specification's search leaves out what is quarantined, and what is blocked in the channel that is asked for
_SEEN = "NOT ec.is_quarantined AND NOT ('private' = ANY (ec.blocked_channels))"


@dataclass(frozen=True, slots=True)
class Taken:
    """The median of the runs in ms, or None where even one was not over after TIMEOUT_SECONDS."""

    p50_ms: float | None
    runs: int
    rows: int


def measure(connection: psycopg.Connection, query: Query) -> Taken:
    """Run the query a few times on a connection that is in no transaction."""
    seconds: list[float] = []
    rows = 0
    try:
        with connection.transaction():
            connection.execute(f"SET LOCAL statement_timeout = '{TIMEOUT_SECONDS}s'".encode())
            while len(seconds) < RUNS and sum(seconds) < MOST_SECONDS:
                started = time.perf_counter()
                rows = len(connection.execute(*query).fetchall())
                seconds.append(time.perf_counter() - started)
    except psycopg.errors.QueryCanceled:
        if not seconds:
            return Taken(None, 0, 0)
    return Taken(round(statistics.median(seconds) * 1000, 3), len(seconds), rows)


def list_of_subject(tenant: uuid.UUID) -> Query:
    query = (
        f"SELECT {_COLUMNS} FROM bench_effective ec WHERE ec.tenant_id = %s AND ec.subject_type = %s"
        f" AND ec.subject_id = %s AND {_SEEN} ORDER BY ec.ts DESC LIMIT 200"
    )
    return query, (tenant, *SUBJECT)


def get(tenant: uuid.UUID, ids: list[uuid.UUID]) -> Query:
    query = f"SELECT {_COLUMNS} FROM bench_effective ec WHERE ec.tenant_id = %s AND ec.chunk_id = ANY (%s) AND {_SEEN}"
    return query, (tenant, ids)


def search(tenant: uuid.UUID, term: str, subject: tuple[str, str] | None = None) -> Query:
    """What the specification's search_chunks asks, with the same limit as the others."""
    about = "AND ec.subject_type = %s AND ec.subject_id = %s" if subject else ""
    query = (
        f"SELECT {_COLUMNS}, ts_rank(ec.tsv, q) AS rank FROM bench_effective ec, to_tsquery('english', %s) q"
        f" WHERE ec.tenant_id = %s AND ec.tsv @@ q {about} AND {_SEEN}"
        " ORDER BY rank DESC, ec.importance DESC, ec.ts DESC LIMIT 50"
    )
    return query, (term, tenant, *(subject or ()))


def timeline(tenant: uuid.UUID, around: uuid.UUID) -> Query:
    """What the specification's get_timeline asks, with the same limit as the others."""
    centre = "(SELECT ts FROM bench_raw WHERE tenant_id = %(tenant)s AND id = %(around)s)"
    query = (
        f"SELECT {_COLUMNS} FROM bench_effective ec WHERE ec.tenant_id = %(tenant)s"
        f" AND ec.ts BETWEEN {centre} - interval '1 hour' AND {centre} + interval '1 hour' AND {_SEEN}"
        f" ORDER BY abs(extract(epoch FROM ec.ts - {centre})) LIMIT 50"
    )
    return query, {"tenant": tenant, "around": around}
