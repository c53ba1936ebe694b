"""Indexes that are dropped while rows are loaded and made after them, as one would for an import."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psycopg
from psycopg import sql

from bench import database

_TOGETHER = 2


def drop(connection: psycopg.Connection, tables: Sequence[str]) -> list[str]:
    """Drop the indexes of the tables that no constraint needs; returns how to make them again."""
    found = connection.execute(
        "SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i"
        " WHERE i.indrelid = ANY (%s::regclass[])"
        " AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)",
        [list(tables)],
    ).fetchall()
    for index, _ in found:
        connection.execute(sql.SQL("DROP INDEX {}").format(sql.Identifier(index)))
    return [made for _, made in found]


def make(name: str, definitions: Iterable[str]) -> None:
    """Make indexes and constraints, some at a time."""

    def one(definition: str) -> None:
        with database.owner(name, autocommit=True) as connection:
            connection.execute("SET maintenance_work_mem = '3GB'")  # the vectors of 1,000,000 chunks need 2
            connection.execute("SET max_parallel_maintenance_workers = 0")  # every one has its process already
            connection.execute(definition.encode())

    with ThreadPoolExecutor(_TOGETHER) as pool:
        list(pool.map(one, definitions))


@contextmanager
def without(name: str, tables: Sequence[str]) -> Iterator[None]:
    """A block without the tables' indexes, keys and foreign keys, and without the foreign keys that lead to them."""
    with database.owner(name, autocommit=True) as connection:
        # the foreign keys first: they need the others
        keys = connection.execute(
            "SELECT conrelid::regclass::text, conname, contype = 'f', pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contype IN ('p', 'u', 'f') AND (conrelid = ANY (%(tables)s::regclass[])"
            " OR confrelid = ANY (%(tables)s::regclass[])) ORDER BY contype <> 'f'",
            {"tables": list(tables)},
        ).fetchall()
        for table, key, *_ in keys:
            connection.execute(
                sql.SQL("ALTER TABLE {} DROP CONSTRAINT {}").format(sql.Identifier(table), sql.Identifier(key))
            )
        indexes = drop(connection, tables)
    yield
    added = {
        foreign: [
            f"ALTER TABLE {table} ADD CONSTRAINT {key} {made}" for table, key, one, made in keys if one is foreign
        ]
        for foreign in (False, True)
    }
    make(name, [*added[False], *indexes])
    make(name, added[True])
