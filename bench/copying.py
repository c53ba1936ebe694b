"""Copies on the server: what is recorded, corrected and completed of a tenant, several times over.

A copy has ids of its own, sessions of its own and other subjects. Everything else is the original's: texts with their
search vectors and the vectors of their words, projects, times and corrections. The copies of a memory follow it within
milliseconds and have neighbours that are copied in the same way, so that the copied vectors are those that the product
would compute. A test compares.
"""

from concurrent.futures import ThreadPoolExecutor

import psycopg

from bench import database, indexes
from bench.corpus import subjects_of
from bench.loading import PROCESSES
from bench.tenants import Tenant

#: The tables of memory and its corrections, of which the largest takes as long as all others.
TABLES = (
    "memory_effectivechunk",
    "governance_content",
    "memory_event",
    "memory_chunk",
    "memory_removedvalue",
    "memory_promotiondue",
    "governance_edit",
    "governance_editstate",
    "governance_verdict",
)

_IDS = ("id", "event_id", "chunk_id", "content_id", "target_id", "edit_id", "batch_id")
#: The id of copy `n`: of the same millisecond, so that ids stay in the order of time.
_ID = "encode(set_byte(uuid_send({0}), 14, (get_byte(uuid_send({0}), 14) + n) %% 256), 'hex')::uuid"
_CHANGED = {
    "ts": "x.ts + n * interval '1 millisecond'",
    "session_id": "'session-' || substr(x.session_id, 9)::int + n",
    "subject_id": "CASE WHEN x.subject_id LIKE 'subject-%%' THEN 'subject-' ||"
    " (substr(x.subject_id, 9)::int + n * (%(subjects)s / %(copies)s)) %% %(subjects)s ELSE x.subject_id END",
    # governance.edits.patches.patch_hash, of an edit `e` and its words `c`
    "patch_sha256": 'sha256(convert_to(\'{"op":"\' || e.op || \'","patch":\' || replace(jsonb_strip_nulls('
    "jsonb_build_object('channel', e.channel, 'importance_delta', trim_scale(e.importance_delta)::text,"
    " 'text_sha256', encode(c.sha256, 'hex')))::text, '\": \"', '\":\"')"
    f' || \',"target_id":"\' || {_ID.format("e.target_id")} || \'","target_type":"\' || e.target_type || \'"}}\','
    " 'UTF8'))",
}
_WORDS_OF_EDIT = "LEFT JOIN governance_content c ON c.tenant_id = e.tenant_id AND c.id = e.content_id"
_JOINED = {
    "governance_edit": f"JOIN governance_edit e ON e.tenant_id = x.tenant_id AND e.id = x.id {_WORDS_OF_EDIT}",
    "governance_verdict": f"JOIN governance_edit e ON e.tenant_id = x.tenant_id AND e.id = x.edit_id {_WORDS_OF_EDIT}",
}


def copy(name: str, tenant: Tenant, chunks: int, copies: int) -> None:
    """Copy what the tenant has, so that all of it is there `copies` times, `chunks` chunks in all. The tables have no
    index and no foreign key meanwhile."""

    def one(table: str) -> None:
        with database.owner(name, autocommit=True) as connection:
            copy_table(connection, table, tenant, chunks, copies)

    with indexes.without(name, TABLES), ThreadPoolExecutor(PROCESSES) as pool:
        list(pool.map(one, TABLES))


def copy_table(connection: psycopg.Connection, table: str, tenant: Tenant, chunks: int, copies: int) -> None:
    """Copy the tenant's rows of one table, as the owner."""
    columns = [
        row[0]
        for row in connection.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
            [table],
        ).fetchall()
    ]
    changed = {column: _ID.format(f"x.{column}") for column in _IDS} | _CHANGED
    with connection.transaction():
        # without statistics of tenants the planner takes all edits of one for a few, and compares each with each
        connection.execute("SET LOCAL enable_nestloop = off")
        connection.execute(
            f"INSERT INTO {table} ({', '.join(columns)})"
            f" SELECT {', '.join(changed.get(column, f'x.{column}') for column in columns)}"
            f" FROM {table} x {_JOINED.get(table, '')} CROSS JOIN generate_series(1, %(copies)s - 1) n"
            " WHERE x.tenant_id = %(tenant)s".encode(),
            {"tenant": tenant.id, "copies": copies, "subjects": subjects_of(chunks)},
        )
