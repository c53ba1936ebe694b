"""Reading the tables of a tenant as they are, for verification: in one snapshot, past row security, by plain SELECTs.

No function, view, rule or policy of the database takes part in what is read. What remains is the server itself: its
program and its own catalogs say which rows a table has.
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

#: The connection that reads past row security.
VERIFIER = "verifier"

#: Nothing that the owner of the database or a role has as a default decides what a SELECT reads, or how it is printed.
#: Without row security, a query that a policy would filter fails.
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

#: The types of PostgreSQL that a column may have, by the type in which it is declared here.
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
} | {Type.TEXTS: frozenset({psycopg.adapters.types["text"].array_oid})}

_PRINTED = [oid for kind, oids in _OIDS.items() if kind not in (Type.TEXT, Type.TEXTS) for oid in oids]

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
    """The role that verifies is subject to row security, or may not read what it has to."""


class RawReader:
    """Reads the rows of one tenant in one snapshot. Made by `snapshot`."""

    def __init__(self, tenant_id: uuid.UUID, connection: psycopg.Connection[Any], using: str) -> None:
        self.tenant_id, self.using = tenant_id, using
        self._connection = connection
        #: The tables that cannot be read as they are; each is a finding already.
        self.unreadable: set[str] = set()

    def check(self, declared: Mapping[str, Sequence[Column]], findings: Findings) -> None:
        """Report every table that is not an ordinary one with the declared columns, and note it as unreadable: a view
        or a rule would show something else than what the table holds."""
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
        """The rows of a query, as Python's values; times and JSON as PostgreSQL prints them."""
        return self._fetch(query, values, (*_OIDS[Type.JSON], *_OIDS[Type.MOMENT]))

    def printed(self, query: str | sql.Composable, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query, each value as PostgreSQL prints it; arrays of texts as lists."""
        return self._fetch(query, values, _PRINTED)

    def _fetch(
        self, query: str | sql.Composable, values: Sequence[Any], printed: Iterable[int]
    ) -> list[tuple[Any, ...]]:
        # a cursor that binds on the server: thousands of ids are no text that it would have to parse
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
                    f"The role of the connection {using!r} is subject to row security, so what it reads proves nothing."
                    " Give it BYPASSRLS: `make up` does, unless the roles are made by somebody else."
                )
        try:
            yield RawReader(tenant_id, connections[using].connection, using)
        except psycopg.errors.InsufficientPrivilege as error:
            raise VerifierIsBlind(
                f"The role of the connection {using!r} may not read what it has to: {error}. `manage.py migrate` grants"
                " it what it needs."
            ) from None
