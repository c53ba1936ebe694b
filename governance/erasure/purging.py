"""Remove erased texts from the files: they remain in dead rows, indexes, statistics and the write-ahead log until
those are rewritten (docs/erasure.md). As the owner, outside of transactions, and with the tables locked meanwhile.
"""

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import LiteralString, NamedTuple

import psycopg
from django.db import Error as DatabaseFailure
from django.db import connections
from psycopg import sql

from governance.database.typed_calls import select
from governance.erasure import keepers

OWNER = "owner"
#: The planner's statistics, which quote column values: ANALYZE replaces them, but dead rows stay until rewritten.
STATISTICS = "pg_statistic"

#: Total time that a purge waits for older transactions.
PATIENCE_SECONDS = 60.0

#: The settings with which a checkpoint deletes old WAL, and the consequence of any other value.
_WAL_DELETED = {
    "archive_mode": ("off", "WAL archives keep the texts until you delete the archives"),
    "wal_keep_size": ("0", "WAL segments are kept for standby servers"),
    "wal_recycle": ("off", "WAL segments are renamed and keep their bytes until PostgreSQL overwrites them"),
}


def purge() -> Iterator[tuple[bool, str]]:
    """Rewrite everything that may contain erased texts, step by step. Yields (done, message) for each step."""
    until = time.monotonic() + PATIENCE_SECONDS
    for table in (*keepers.tables(), STATISTICS):
        wait_for_older_transactions(until - time.monotonic())
        yield _rewrite(table)
    yield _attempt("SELECT pg_stat_statements_reset()", "reset the statement statistics")
    # A checkpoint keeps the segment in which it begins, so it must begin in a new one.
    yield _attempt("SELECT pg_switch_wal()", "switch to a new WAL segment")
    yield _attempt("CHECKPOINT", "write a checkpoint and remove the WAL segments before it")
    for name, (wanted, consequence) in _WAL_DELETED.items():
        (value,) = select(str, "SELECT setting FROM pg_settings WHERE name = %s", [name], OWNER)
        if value != wanted:
            yield False, f"{name} is {value}: {consequence}."
    slots = select(str, "SELECT slot_name FROM pg_replication_slots ORDER BY 1", (), OWNER)
    if slots:
        yield False, f"Replication slots ({', '.join(slots)}) keep WAL segments until their consumers have read them."


def wait_for_older_transactions(seconds: float) -> bool:
    """Wait at most `seconds` until all transactions that began before this call have ended; returns whether they have.

    A dead row is kept for every older snapshot of this database, including the server's own while it analyzes a table.
    A snapshot is as old as the oldest writing transaction, in any database, that ran when it was taken.
    """
    until = time.monotonic() + seconds
    (now,) = select(str, "SELECT pg_current_xact_id()::text", (), OWNER)
    while not select(bool, _NOTHING_OLDER, [now, now], OWNER)[0]:
        if time.monotonic() >= until:
            return False
        time.sleep(0.05)
    return True


_NOTHING_OLDER = """
    SELECT pg_snapshot_xmin(pg_current_snapshot()) > %s::xid8 AND NOT EXISTS (
        SELECT FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND age(backend_xmin) >= age(%s::xid8::xid)
    ) AS nothing_older
"""


def _rewrite(table: str) -> tuple[bool, str]:
    """Run VACUUM FULL, which rewrites the table and its indexes from the live rows, then ANALYZE."""
    analyze = sql.SQL("") if table == STATISTICS else sql.SQL(", ANALYZE")
    statement = sql.SQL("VACUUM (FULL, VERBOSE{}) {}").format(analyze, sql.Identifier(table))
    try:
        with _notices() as notices:
            _run(statement)
    except DatabaseFailure as error:
        return False, f"{table} was not rewritten: {_reason(error)}"
    for notice in notices:
        if notice.severity == "WARNING":
            return False, f"{table} was not rewritten: {notice.message}"
        # "N dead row versions cannot be removed yet", in the server's language
        dead = re.match(r"\D*(\d+)", notice.detail or "")
        if dead and int(dead[1]):
            return (
                False,
                f"{table} keeps {dead[1]} dead rows that an open transaction can still see. Run this command again"
                f" later.",
            )
    return True, f"{table} was rewritten."


def _attempt(statement: LiteralString, purpose: str) -> tuple[bool, str]:
    try:
        _run(sql.SQL(statement))
    except DatabaseFailure as error:
        return False, f"Could not {purpose}: {_reason(error)}"
    return True, f"Done: {purpose}."


def _run(statement: sql.Composable) -> None:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(statement)


class _Notice(NamedTuple):
    severity: str | None
    message: str | None
    detail: str | None


@contextmanager
def _notices() -> Iterator[list[_Notice]]:
    """The notices of the server during the block."""
    connections[OWNER].ensure_connection()
    connection = connections[OWNER].connection
    heard: list[_Notice] = []

    def hear(notice: psycopg.errors.Diagnostic) -> None:
        # read immediately: the notice is freed after the call
        heard.append(_Notice(notice.severity_nonlocalized, notice.message_primary, notice.message_detail))

    connection.add_notice_handler(hear)
    try:
        yield heard
    finally:
        connection.remove_notice_handler(hear)


def _reason(error: DatabaseFailure) -> str:
    return " ".join(str(error).split())
