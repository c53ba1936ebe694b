"""What only a superuser can do to the roles of a database server shows in its catalog."""

from pathlib import Path

import psycopg
import pytest

from governance.database import catalog
from governance.ledger.schema_differences import differences
from memory_project.stack.postgres import EPHEMERAL_SETTINGS, EmbeddedPostgres
from tests.stack.test_superuser import running

pytestmark = pytest.mark.stack


def test_it_works(home: Path) -> None:
    with running(home):
        pass
    server = EmbeddedPostgres(home, settings=EPHEMERAL_SETTINGS)
    server.set_password()
    server.start()
    try:
        with psycopg.connect(server.url("suture"), autocommit=True) as connection:
            for statement, told in {
                "ALTER ROLE suture_app BYPASSRLS": "role suture_app was changed after the last migration: passes row"
                " security is true instead of false",
                "ALTER ROLE suture_review SUPERUSER": "superuser is true instead of false",
                "ALTER ROLE suture_gate LOGIN": "logs in is true instead of false",
                "ALTER ROLE suture_app SET search_path = evil": "settings also has search_path=evil",
                "ALTER ROLE suture_app IN DATABASE suture SET row_security = off": "has row_security=off (here)",
                "ALTER DATABASE suture SET session_replication_role = replica": "database was changed",
                "GRANT suture_gate TO suture_app": "membership of suture_app in suture_gate was added",
                "GRANT suture_gate TO suture_owner WITH INHERIT TRUE": "inherits is true instead of false",
                "CREATE ROLE mallory LOGIN SUPERUSER": "role mallory was added",
                "CREATE ROLE mallory LOGIN BYPASSRLS": "role mallory was added",
                "CREATE ROLE mallory LOGIN IN ROLE suture_review": "membership of mallory in suture_review was added",
                "CREATE ROLE mallory LOGIN IN ROLE pg_read_all_data": "membership of mallory in pg_read_all_data was",
                "CREATE OR REPLACE FUNCTION pg_catalog.pg_get_expr(pg_node_tree, oid) RETURNS text LANGUAGE sql AS"
                " $$ SELECT 'true' $$": "function pg_catalog.pg_get_expr(pg_node_tree, oid) was changed",
                "GRANT EXECUTE ON FUNCTION lo_get(oid) TO suture_app": "grants also has EXECUTE to suture_app",
            }.items():
                assert told in told_of(connection, statement), statement
            assert told_of(connection, "SELECT 1") == ""
            # passwords, and roles that have nothing to do with us
            assert told_of(connection, "ALTER ROLE suture_app PASSWORD 'another'; CREATE ROLE other LOGIN") == ""
    finally:
        server.stop()


def told_of(connection: psycopg.Connection, statement: str) -> str:
    """What differs after a statement, which is taken back."""
    with connection.transaction(force_rollback=True), connection.cursor() as cursor:
        before = catalog.read(cursor)
        cursor.execute(statement.encode())
        return "\n".join(one.detail for one in differences(before, catalog.read(cursor)))
