"""The database and its roles (docs/decisions/0001-roles-and-gate.md), created by a superuser; safe to repeat."""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import LiteralString
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg import sql

from memory_project.stack.processes import StackError

EXTENSIONS = ("vector", "btree_gin", "pg_trgm", "pg_stat_statements")

_PLAIN: LiteralString = "NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS"
ATTRIBUTES: dict[str, LiteralString] = {
    # CREATEDB for the test database; BYPASSRLS because forced row security hides all rows from migrations.
    "owner": "LOGIN NOSUPERUSER CREATEDB NOCREATEROLE NOREPLICATION BYPASSRLS",
    "app": f"LOGIN {_PLAIN}",
    "review": f"LOGIN {_PLAIN}",
    # These two have no rights on tables. Each may execute the one function that opens its kind of context.
    "session": f"LOGIN {_PLAIN}",
    "operator": f"LOGIN {_PLAIN}",
    # Reads what verification needs of every tenant: a verdict depends on no function of the server.
    "verifier": "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION BYPASSRLS",
    "gate": f"NOLOGIN {_PLAIN}",
}
#: All tenants share the large tables, and the planner has no statistics by tenant. Without these settings it would scan
#: a whole table when it expects a matching row soon, or read all of a tenant for each row of a join. Every key begins
#: with the tenant. JIT compilation never pays off for a request.
_WITHIN_A_TENANT = {"enable_seqscan": "off", "enable_mergejoin": "off", "enable_material": "off", "jit": "off"}
SETTINGS = {
    "app": {
        **_WITHIN_A_TENANT,
        "statement_timeout": "30s",
        "lock_timeout": "10s",
        "idle_in_transaction_session_timeout": "60s",
    },
    "review": {
        **_WITHIN_A_TENANT,
        "default_transaction_read_only": "on",
        "statement_timeout": "30s",
        "idle_in_transaction_session_timeout": "60s",
    },
    "verifier": {
        **_WITHIN_A_TENANT,
        "default_transaction_read_only": "on",
        "statement_timeout": "10min",
        "lock_timeout": "10s",
        "idle_in_transaction_session_timeout": "10min",
    },
    "session": {"statement_timeout": "5s", "idle_in_transaction_session_timeout": "60s"},
    "operator": {"statement_timeout": "5s", "idle_in_transaction_session_timeout": "60s"},
}
#: The roles that log in, with the variable of each connection.
VARIABLES = {
    "owner": "DATABASE_OWNER_URL",
    "app": "DATABASE_URL",
    "review": "DATABASE_REVIEW_URL",
    "session": "DATABASE_SESSION_URL",
    "operator": "DATABASE_OPERATOR_URL",
    "verifier": "DATABASE_VERIFIER_URL",
}
#: The roles that log in and do not own the database: each must be granted CONNECT.
CONNECTING = sql.SQL(", ").join(sql.Identifier(f"suture_{role}") for role in VARIABLES if role != "owner")

#: For any server version: lo_create, lo_from_bytea, lo_get, lo_import, lowrite, ...
_REVOKE_LARGE_OBJECTS: LiteralString = r"""
    DO $$
    DECLARE function regprocedure;
    BEGIN
        FOR function IN
            SELECT oid FROM pg_proc
            WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^(lo_.*|loread|lowrite)$'
        LOOP
            EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', function);
        END LOOP;
    END
    $$
"""


class RolesOfOthers(StackError):  # noqa: N818 (a refusal)
    """The roles exist with other passwords: another node created them."""


_LOCK = 0x5E7E5E7  # so that two nodes do not prepare a server at once


#: Errors for a rejected password (28000, 28P01).
_REFUSED = (psycopg.errors.InvalidAuthorizationSpecification, psycopg.errors.InvalidPassword)


def urls(server_url: str, passwords: Mapping[str, str], database: str = "suture") -> dict[str, str]:
    """The URLs of the roles that log in, by variable, on the server that `server_url` names."""
    return {
        variable: _url(server_url, database, f"suture_{role}", passwords[role]) for role, variable in VARIABLES.items()
    }


def are_made(owner_url: str, passwords: Mapping[str, str]) -> bool:
    """Whether `create_roles` of this release has completed, with these passwords."""
    try:
        with psycopg.connect(owner_url, autocommit=True) as connection:
            query = "SELECT shobj_description('suture_owner'::regrole, 'pg_authid')"
            return connection.execute(query).fetchone() == (_mark(passwords),)
    except psycopg.Error:
        return False


def _mark(passwords: Mapping[str, str]) -> str:
    """The comment on the owner role: a hash of this module's text and the passwords."""
    made_of = Path(__file__).read_bytes() + json.dumps(passwords, sort_keys=True).encode()
    return f"suture roles {hashlib.sha256(made_of).hexdigest()}"


def create_roles(
    superuser_url: str,
    passwords: Mapping[str, str],
    database: str = "suture",
    *,
    own_server: bool = False,
    resets: bool = False,
) -> dict[str, str]:
    """Create or correct the roles, database and extensions, and return the roles' URLs by variable.

    Extensions also go into template1, which test databases are copied from. On the embedded server, only the owner may
    connect to the standard databases; on an external server they stay unchanged. Raises StackError if the server cannot
    be reached or refuses, and RolesOfOthers if an external server has the roles with other passwords and `resets` is
    not set; then nothing is changed.
    """
    try:
        with psycopg.connect(superuser_url, autocommit=True) as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", [_LOCK])
            if connection.info.server_version < 160000:
                raise StackError("The PostgreSQL server is older than version 16.")
            if not own_server and not resets:
                _require_ours(connection, superuser_url, passwords)
            _make_roles(connection, passwords)
            _extend(_url(superuser_url, "template1"))
            _make_database(connection, database)
            _extend(_url(superuser_url, database))
            if own_server:
                connection.execute("REVOKE ALL ON DATABASE postgres, template1 FROM PUBLIC")
                connection.execute("GRANT CONNECT ON DATABASE postgres TO suture_owner")
            mark = sql.Literal(_mark(passwords))
            connection.execute(sql.SQL("COMMENT ON ROLE suture_owner IS {}").format(mark))
    except psycopg.Error as error:
        reason = " ".join(str(error).split())
        raise StackError(f"The database server could not be prepared: {reason}") from error
    return urls(superuser_url, passwords, database)


def _require_ours(connection: psycopg.Connection, superuser_url: str, passwords: Mapping[str, str]) -> None:
    present = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles WHERE rolname ~ '^suture_'")}
    for role in VARIABLES:
        if f"suture_{role}" not in present:
            continue
        try:
            # connect to the superuser's database: ours may not exist yet
            psycopg.connect(_url(superuser_url, connection.info.dbname, f"suture_{role}", passwords[role])).close()
        except psycopg.OperationalError as error:
            # libpq omits the error code when the server refuses a login
            if isinstance(error, _REFUSED) or "authentication failed" in str(error):
                raise RolesOfOthers(f"suture_{role}") from None


def _make_roles(connection: psycopg.Connection, passwords: Mapping[str, str]) -> None:
    present = {name for (name,) in connection.execute("SELECT rolname FROM pg_roles WHERE rolname ~ '^suture_'")}
    for role, attributes in ATTRIBUTES.items():
        name = sql.Identifier(f"suture_{role}")
        verb = sql.SQL("ALTER" if f"suture_{role}" in present else "CREATE")
        connection.execute(sql.SQL("{} ROLE {} WITH {}").format(verb, name, sql.SQL(attributes)))
        if role in passwords:
            # The SCRAM verifier, not the password: statements may be logged.
            verifier = connection.pgconn.encrypt_password(
                passwords[role].encode(), f"suture_{role}".encode(), b"scram-sha-256"
            )
            connection.execute(sql.SQL("ALTER ROLE {} PASSWORD {}").format(name, sql.Literal(verifier.decode())))
        for setting, value in SETTINGS.get(role, {}).items():
            connection.execute(
                sql.SQL("ALTER ROLE {} SET {} = {}").format(name, sql.Identifier(setting), sql.Literal(value))
            )
    # Migrations create functions and transfer them to the gate; the owner does not have the gate's rights otherwise.
    connection.execute("GRANT suture_gate TO suture_owner WITH INHERIT FALSE, SET TRUE")
    # manage.py purge_erased
    connection.execute("GRANT pg_checkpoint TO suture_owner")


def _make_database(connection: psycopg.Connection, database: str) -> None:
    name = sql.Identifier(database)
    if not connection.execute("SELECT FROM pg_database WHERE datname = %s", [database]).fetchall():
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER suture_owner").format(name))
    connection.execute(sql.SQL("ALTER DATABASE {} OWNER TO suture_owner").format(name))
    connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC, {}").format(name, CONNECTING))
    connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(name, CONNECTING))


def _extend(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for extension in EXTENSIONS:
            connection.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS {}").format(sql.Identifier(extension)))
        connection.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
        # Large objects belong to no table and no tenant. By default, any role may create them.
        connection.execute(_REVOKE_LARGE_OBJECTS)
        # manage.py purge_erased; rights on the server's functions are per database
        for name in ("pg_switch_wal", "pg_stat_statements_reset"):
            found = connection.execute("SELECT oid::regprocedure::text FROM pg_proc WHERE proname = %s", [name])
            for (function,) in found.fetchall():
                connection.execute(sql.SQL("GRANT EXECUTE ON FUNCTION {} TO suture_owner").format(sql.SQL(function)))


def _url(url: str, database: str, user: str | None = None, password: str = "") -> str:
    """Replace the database in `url` and, if given, the user; host, port and options stay."""
    parts = urlsplit(url)
    netloc = parts.netloc
    if user is not None:
        netloc = f"{user}:{quote(password, safe='')}@{netloc.rpartition('@')[2]}"
    return urlunsplit(parts._replace(netloc=netloc, path=f"/{quote(database, safe='')}"))
