"""PostgreSQL, with every table that has a `tenant_id` keyed, referenced and row-secured by tenant.

Models stay ordinary (`id` primary key, a `tenant` ForeignKey). This backend gives every tenant table its composite key,
row security and policies. tests/test_catalog.py checks the result.
"""

import datetime
import select
from types import SimpleNamespace
from typing import Any

import dj_database_url
import psycopg
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, models
from django.db.backends.ddl_references import Columns, Statement
from django.db.backends.postgresql import base, features, operations, schema
from psycopg.abc import AdaptContext, Buffer
from psycopg.adapt import Loader
from psycopg.pq import Format

from governance.database import before_commit
from governance.database.connection_timeouts import WatchedConnection
from memory_project import environment

#: The tenant of the transaction's verified context; NULL, and therefore no row, without a context.
CURRENT_TENANT = "context_tenant()"
TENANT_TABLE = "governance_tenant"
GATE_ROLE = "suture_gate"
_TIMESTAMPTZ = psycopg.adapters.types["timestamptz"].oid
#: The connection settings that come from the URL.
URL_SETTINGS = ("NAME", "USER", "PASSWORD", "HOST", "PORT", "OPTIONS")


def has_tenant(model: type[models.Model]) -> bool:
    return any(field.column == "tenant_id" for field in model._meta.local_concrete_fields)


class DatabaseFeatures(features.DatabaseFeatures):
    # PostgreSQL's key is (tenant_id, id): GROUP BY id alone does not cover the other columns.
    allows_group_by_selected_pks = False


class DatabaseOperations(operations.DatabaseOperations):
    def limit_offset_sql(self, low_mark: int, high_mark: int | None) -> str:
        """LIMIT as a subquery, so that the planner does not see the value. Otherwise, for a tenant with few expected
        rows, it would read and sort all of them instead of walking an index in order."""
        limit, offset = self._get_limit_offset_params(low_mark, high_mark)  # type: ignore[attr-defined] # private, stable
        return " ".join(
            clause for clause in (limit and f"LIMIT (SELECT {limit})", offset and f"OFFSET {offset}") if clause
        )

    def deferrable_sql(self) -> str:
        """Make foreign keys immediate: a violation fails in its own statement, not at COMMIT after the view."""
        return ""


class DatabaseSchemaEditor(schema.DatabaseSchemaEditor):
    # AddField must call _create_fk_sql too.
    sql_create_column_inline_fk = None  # type: ignore[assignment] # the documented off switch

    def create_model(self, model: type[models.Model]) -> None:
        super().create_model(model)
        if has_tenant(model):
            self._key_by_tenant(model)
            self._secure_rows(model, "tenant_id")
            self._plan_alike(model)
        elif model._meta.db_table == TENANT_TABLE:
            self._secure_rows(model, "id")

    def add_field(self, model: type[models.Model], field: "models.Field[Any, Any]") -> None:
        super().add_field(model, field)
        if field.column == "tenant_id":  # the autodetector may split "tenant" off into an AddField
            self._key_by_tenant(model)
            self._secure_rows(model, "tenant_id")
            self._plan_alike(model)

    def _key_by_tenant(self, model: type[models.Model]) -> None:
        table = self.quote_name(model._meta.db_table)
        constraint = self.quote_name(f"{model._meta.db_table}_pkey")
        column = self.quote_name(str(model._meta.pk.column))
        self.execute(
            f"ALTER TABLE {table} DROP CONSTRAINT {constraint}, "
            f"ADD CONSTRAINT {constraint} PRIMARY KEY (tenant_id, {column})"
        )

    def _plan_alike(self, model: type[models.Model]) -> None:
        """Keep no statistics of `tenant_id`. With them, the planner expects one row of a tenant that is newer than the
        statistics, and reads all of the tenant for each row of a join. Without them, all tenants get the same plan."""
        table = self.quote_name(model._meta.db_table)
        self.execute(f"ALTER TABLE {table} ALTER COLUMN tenant_id SET STATISTICS 0")

    def _secure_rows(self, model: type[models.Model], column: str) -> None:
        table = self.quote_name(model._meta.db_table)
        in_tenant = f"({column} = {CURRENT_TENANT})"
        self.execute(f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY")
        self.execute(f"CREATE POLICY tenant ON {table} USING {in_tenant} WITH CHECK {in_tenant}")
        self.execute(f"CREATE POLICY gate ON {table} TO {GATE_ROLE} USING (true) WITH CHECK (true)")

    def _constraint_names(self, model: Any, column_names: Any = None, *args: Any, **kwargs: Any) -> list[str]:
        """Include the tenant's column: AlterField finds the old key by its columns."""
        find = super()._constraint_names  # type: ignore[misc] # private, and stable since Django 1.7
        names: list[str] = find(model, column_names, *args, **kwargs)
        if not names and kwargs.get("foreign_key") and column_names and has_tenant(model):
            names = find(model, ["tenant_id", *column_names], *args, **kwargs)
        return names

    def _create_fk_sql(self, model: Any, field: Any, suffix: str) -> Statement:
        statement: Statement = super()._create_fk_sql(model, field, suffix)  # type: ignore[misc] # private too
        target = field.remote_field.model
        if has_tenant(model) and has_tenant(target):
            statement.parts["column"] = Columns(model._meta.db_table, ["tenant_id", field.column], self.quote_name)
            statement.parts["to_column"] = Columns(
                target._meta.db_table, ["tenant_id", field.target_field.column], self.quote_name
            )
        return statement


class UtcLoader(Loader):
    """Reads `timestamptz` with psycopg's compiled loader, in 0.4 µs. Django's Python loader takes 7 µs: with 1,200
    values, a fifth of the time of a context bundle."""

    #: Django compares this with the connection's time zone, and registers its own loader if they differ.
    timezone = datetime.UTC

    def __init__(self, oid: int, context: AdaptContext | None = None) -> None:
        super().__init__(oid, context)
        compiled: Any = psycopg.adapters.get_loader(oid, Format.TEXT)
        self._load = compiled(oid, context).load

    def load(self, data: Buffer) -> datetime.datetime:
        loaded: datetime.datetime = self._load(data)
        return loaded


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection of one role. `URL_VARIABLE` in its settings names a variable whose URL is looked up at first use."""

    #: psycopg, with connections that give up on an unresponsive server.
    Database: Any = SimpleNamespace(**{**vars(psycopg), "connect": WatchedConnection.connect})
    SchemaEditorClass = DatabaseSchemaEditor
    features_class = DatabaseFeatures
    ops_class = DatabaseOperations
    #: The principal of the open transaction's context (governance/acting/gate.py). Reset at the end of the transaction
    #: and after a rollback to a savepoint; then the context is opened again where needed.
    acting: Any = None
    #: Ledger entries that the open transaction has yet to append (governance/ledger/appending.py).
    held_entries: Any = None

    def __init__(self, settings_dict: dict[str, Any], alias: str = DEFAULT_DB_ALIAS) -> None:
        if not settings_dict["NAME"] and (variable := settings_dict.get("URL_VARIABLE")):
            url = environment.server(variable)
            found = dj_database_url.parse(url) if url else {}
            settings_dict.update({name: found[name] for name in URL_SETTINGS if name in found})
        super().__init__(settings_dict, alias)
        #: Contexts minted for the open transaction (governance/acting/credentials.py), by principal.
        self.tokens: dict[Any, str] = {}
        #: Principals who acted in the open transaction and have no receipt of it yet, by tenant.
        self.actors: dict[Any, Any] = {}
        #: How each statement opens its context itself, in read-only requests (governance/database/read_context.py).
        self.entering: Any = None

    def get_connection_params(self) -> dict[str, Any]:
        """Raises ImproperlyConfigured with the name of the variable if this process has no URL."""
        variable = self.settings_dict.get("URL_VARIABLE")
        if variable and not self.settings_dict["NAME"]:
            raise ImproperlyConfigured(environment.missing(variable))
        params: dict[str, Any] = super().get_connection_params()
        return params

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        connection = super().get_new_connection(conn_params)
        if self.timezone == UtcLoader.timezone:
            connection.adapters.register_loader(_TIMESTAMPTZ, UtcLoader)
        return connection

    def _cursor(self, name: str | None = None) -> Any:
        if self.entering is not None:
            raise RuntimeError(
                "This request only calls database functions, each of which opens its context."
                " For other statements, open a transaction with gate.entered()."
            )
        return super()._cursor(name)  # type: ignore[misc] # private, and stable since Django 1.6

    def entering_cursor(self) -> Any:
        """Return a cursor for a statement that opens its context itself."""
        return super()._cursor()  # type: ignore[misc] # as above

    def is_usable(self) -> bool:
        """Whether the server has not closed the connection, according to the socket. Django checks this before the
        first statement of each request, with a query, which takes a round trip. An idle connection is readable only if
        the server has closed it."""
        if self.connection is None or self.connection.closed:
            return False
        poll = select.poll()
        poll.register(self.connection.fileno(), select.POLLIN)
        return not poll.poll(0)

    def connect(self) -> None:
        self._forget_transaction()
        super().connect()

    def _commit(self) -> None:
        if self.held_entries is not None and self.held_entries.entries:
            self._rollback()
            raise RuntimeError("the transaction has ledger entries that were not appended")
        if self.alias == DEFAULT_DB_ALIAS and self.actors:  # other connections record nothing that is sealed
            self.in_atomic_block = True  # Django has just reset it; a context may have to be opened
            try:
                before_commit.finish(self)
            except BaseException:
                self._rollback()
                raise
            finally:
                self.in_atomic_block = False
        self._forget_transaction()
        super()._commit()  # type: ignore[misc] # private, and stable since Django 1.6

    def _rollback(self) -> None:
        self._forget_transaction()
        super()._rollback()  # type: ignore[misc] # private, and stable since Django 1.6

    def _forget_transaction(self) -> None:
        self.acting = self.held_entries = None
        self.tokens.clear()
        self.actors.clear()

    def _savepoint_rollback(self, sid: str) -> None:
        self.acting = None
        if self.held_entries is not None:
            self.held_entries.forget(sid)
        super()._savepoint_rollback(sid)  # type: ignore[misc] # as above
