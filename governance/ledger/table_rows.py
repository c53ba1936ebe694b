"""Read the tables of a tenant for verification, by plain SELECTs in one snapshot, without row security.

No function, view, rule or policy of the database affects the result. It depends only on the PostgreSQL program and its
system catalogs.
"""

import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import psycopg
from django.apps import apps
from django.db import connections, transaction
from psycopg import sql
from psycopg.types.string import TextLoader

from governance.refusals import Halted
from suture_verify.findings import ROWS, Findings, Kind
from suture_verify.leaves import Column, Type

#: The connection that bypasses row security.
VERIFIER = "verifier"

#: Override the defaults of the database and the role that affect what a SELECT reads or prints. With row_security off,
#: a query that a policy would filter fails.
_SESSION = """
    SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
    SET LOCAL search_path = pg_catalog, public, pg_temp;
    SET LOCAL row_security = off;
    SET LOCAL TimeZone = 'UTC';
    SET LOCAL DateStyle = 'ISO, YMD';
    SET LOCAL bytea_output = 'hex';
    SET LOCAL enable_seqscan = off;
    SET LOCAL enable_mergejoin = off;
    SET LOCAL enable_material = off;
    SET LOCAL jit = off
"""

#: The PostgreSQL types that a column may have, by its declared type.
_OIDS = {
    kind: frozenset(psycopg.adapters.types[name].oid for name in names)
    for kind, names in {
        Type.TEXT: ("text", "varchar"),
        Type.UUID: ("uuid",),
        Type.INTEGER: ("int2", "int4", "int8"),
        Type.NUMBER: ("numeric",),
        Type.BOOLEAN: ("bool",),
        Type.MOMENT: ("timestamptz",),
        Type.BYTES: ("bytea",),
        Type.JSON: ("jsonb",),
    }.items()
} | {
    Type.TEXTS: frozenset({psycopg.adapters.types["text"].array_oid}),
    Type.INTEGERS: frozenset({psycopg.adapters.types["int4"].array_oid}),
}

_PRINTED = [oid for kind, oids in _OIDS.items() if kind not in (Type.TEXT, Type.TEXTS, Type.INTEGERS) for oid in oids]

_TABLES = """
    SELECT c.relname, n.nspname, c.relkind::text,
        c.relhasrules OR c.relispartition OR EXISTS (
            SELECT FROM pg_catalog.pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent))
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relname = ANY (%s) AND n.nspname IN ('public', 'pg_catalog')
"""
_COLUMNS = """
    SELECT c.relname, a.attname, a.atttypid::int8, a.attgenerated::text
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relname = ANY (%s) AND n.nspname = 'public'
"""


class VerifierIsBlind(Halted):
    """The verifying role is subject to row security, or lacks read permissions."""


class RawReader:
    """Reads the rows of one tenant in one snapshot. Created by `snapshot`."""

    def __init__(self, tenant_id: uuid.UUID, connection: psycopg.Connection[Any], using: str) -> None:
        self.tenant_id, self.using = tenant_id, using
        self._connection = connection
        #: The unreadable tables; each is already a finding.
        self.unreadable: set[str] = set()

    def check(self, declared: Mapping[str, Sequence[Column]], findings: Findings) -> None:
        """Report every table that is not an ordinary one with the declared columns, and mark it as unreadable: a view
        or a rule could show other rows than the table has."""
        every = {model._meta.db_table for model in apps.get_models(include_auto_created=True)} | declared.keys()
        found: dict[str, str] = {}
        present = set()
        for name, schema, kind, has_others in self.select(_TABLES, [sorted(every)]):
            present.add(name)
            if schema != "public":
                found[name] = f"is hidden by a relation of this name in {schema}"
            elif kind != "r":
                found[name] = "is not an ordinary table"
            elif has_others:
                found[name] = "has rules, or shares its rows with another table"
        found.update(dict.fromkeys(declared.keys() - present, "does not exist"))
        columns = {
            (table, column): (oid, generated)
            for table, column, oid, generated in self.select(_COLUMNS, [sorted(declared)])
        }
        for table, wanted in declared.items():
            for column in wanted:
                oid, generated = columns.get((table, column.name), (None, ""))
                if oid not in _OIDS[column.type] or generated:
                    found.setdefault(table, f"has no column {column.name} of the type {column.type}")
        for table, reason in sorted(found.items()):
            findings.add(Kind.SCHEMA, ROWS, None, f"{table} {reason}")
        self.unreadable |= found.keys()

    def select(self, query: str | sql.Composable, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query as Python values; times and JSON as PostgreSQL prints them."""
        return self._fetch(query, values, (*_OIDS[Type.JSON], *_OIDS[Type.MOMENT]))

    def printed(self, query: str | sql.Composable, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query, each value as PostgreSQL prints it; arrays of texts as lists."""
        return self._fetch(query, values, _PRINTED)

    def _fetch(
        self, query: str | sql.Composable, values: Sequence[Any], printed: Iterable[int]
    ) -> list[tuple[Any, ...]]:
        # a cursor with server-side binding: the server need not parse a text of thousands of ids
        with psycopg.Cursor(self._connection) as cursor:
            for oid in printed:
                cursor.adapters.register_loader(oid, TextLoader)
            return cursor.execute(query, values).fetchall()  # type: ignore[arg-type] # a text of this program


@contextmanager
def snapshot(tenant_id: uuid.UUID, using: str = VERIFIER) -> Iterator[RawReader]:
    """A reader of a tenant's rows over the connection `using`, whose transaction is the snapshot. Raises
    VerifierIsBlind."""
    with transaction.atomic(using=using):
        with connections[using].cursor() as cursor:
            cursor.execute(_SESSION)
            cursor.execute("SELECT rolbypassrls OR rolsuper FROM pg_catalog.pg_roles WHERE rolname = CURRENT_USER")
            if cursor.fetchone() != (True,):
                raise VerifierIsBlind(
                    f"The role of the connection {using!r} is subject to row security, so it cannot verify anything."
                    " Grant it BYPASSRLS: `make up` does this, unless you create the roles yourself."
                )
        try:
            yield RawReader(tenant_id, connections[using].connection, using)
        except psycopg.errors.InsufficientPrivilege as error:
            raise VerifierIsBlind(
                f"The role of the connection {using!r} lacks read permissions: {error}. `manage.py migrate` grants"
                " them."
            ) from None
