"""The database roles are what docs/decisions/0001-roles.md says, however often they are made."""

from typing import LiteralString

import psycopg
import pytest

from memory_project.stack.postgres import EmbeddedPostgres
from memory_project.stack.roles import EXTENSIONS, VARIABLES, RolesOfOthers, create_roles

pytestmark = pytest.mark.stack

PASSWORDS = {"owner": "of the owner/@:?"} | {role: f"of-{role}" for role in VARIABLES if role != "owner"}
OTHERS = [variable for role, variable in VARIABLES.items() if role != "owner"]


@pytest.fixture(scope="module")
def urls(postgres: EmbeddedPostgres) -> dict[str, str]:
    first = create_roles(postgres.url(), PASSWORDS)
    assert create_roles(postgres.url(), PASSWORDS) == first
    with psycopg.connect(first["DATABASE_OWNER_URL"]) as connection:
        connection.execute("CREATE TABLE note (n int)")
        connection.execute("GRANT SELECT, INSERT ON note TO suture_app, suture_review, suture_verifier")
    return first


def test_each_role_has_the_attributes_it_needs_and_no_more(postgres: EmbeddedPostgres, urls: dict[str, str]) -> None:
    with psycopg.connect(postgres.url()) as connection:
        found = connection.execute(
            "SELECT rolname, rolcanlogin, rolcreatedb, rolbypassrls, "
            "rolsuper OR rolcreaterole OR rolreplication "
            "FROM pg_roles WHERE rolname ~ '^suture_' ORDER BY 1"
        ).fetchall()
    assert found == [
        ("suture_app", True, False, False, False),
        ("suture_gate", False, False, False, False),
        ("suture_operator", True, False, False, False),
        ("suture_owner", True, True, True, False),
        ("suture_review", True, False, False, False),
        ("suture_session", True, False, False, False),
        ("suture_verifier", True, False, True, False),
    ]


@pytest.mark.parametrize("variable", OTHERS)
@pytest.mark.parametrize("statement", ["CREATE TABLE t (n int)", "CREATE TEMP TABLE t (n int)", "CREATE SCHEMA s"])
def test_all_but_the_owner_create_nothing(urls: dict[str, str], variable: str, statement: LiteralString) -> None:
    with psycopg.connect(urls[variable]) as connection:
        connection.read_only = False
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)


@pytest.mark.parametrize("variable", ["DATABASE_REVIEW_URL", "DATABASE_VERIFIER_URL"])
def test_review_and_verifier_only_read(urls: dict[str, str], variable: str) -> None:
    with (
        psycopg.connect(urls[variable]) as connection,
        pytest.raises(psycopg.errors.ReadOnlySqlTransaction),
    ):
        connection.execute("INSERT INTO note VALUES (1)")


def test_all_but_the_owner_never_wait_for_ever(urls: dict[str, str]) -> None:
    def shown(variable: str, setting: str) -> str:
        with psycopg.connect(urls[variable]) as connection:
            row = connection.execute("SELECT current_setting(%s)", [setting]).fetchone()
        assert row is not None
        return str(row[0])

    idle = "idle_in_transaction_session_timeout"
    assert shown("DATABASE_URL", "statement_timeout") == shown("DATABASE_REVIEW_URL", "statement_timeout") == "30s"
    assert shown("DATABASE_URL", idle) == shown("DATABASE_REVIEW_URL", idle) == "1min"
    assert shown("DATABASE_SESSION_URL", "statement_timeout") == "5s"
    assert shown("DATABASE_OPERATOR_URL", "statement_timeout") == "5s"
    assert shown("DATABASE_URL", "lock_timeout") == "10s"
    assert shown("DATABASE_OWNER_URL", "statement_timeout") == shown("DATABASE_OWNER_URL", idle) == "0"


def test_the_owner_may_become_the_gate_but_is_not_by_itself(urls: dict[str, str]) -> None:
    with psycopg.connect(urls["DATABASE_OWNER_URL"]) as connection:
        assert connection.execute("SELECT pg_has_role('suture_gate', 'USAGE')").fetchone() == (False,)
        connection.execute("SET ROLE suture_gate")
    with (
        psycopg.connect(urls["DATABASE_URL"]) as connection,
        pytest.raises(psycopg.errors.InsufficientPrivilege),
    ):
        connection.execute("SET ROLE suture_gate")


def test_a_test_database_made_by_the_owner_has_the_extensions(urls: dict[str, str]) -> None:
    with psycopg.connect(urls["DATABASE_OWNER_URL"], autocommit=True) as connection:
        connection.execute("CREATE DATABASE test_suture")
    try:
        with psycopg.connect(urls["DATABASE_OWNER_URL"], dbname="test_suture") as connection:
            present = {name for (name,) in connection.execute("SELECT extname FROM pg_extension")}
        assert set(EXTENSIONS) <= present
    finally:
        with psycopg.connect(urls["DATABASE_OWNER_URL"], autocommit=True) as connection:
            connection.execute("DROP DATABASE test_suture")


def test_a_wrong_password_is_refused(urls: dict[str, str]) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(urls["DATABASE_URL"].replace("of-app", "wrong"))


def test_roles_that_another_node_made_are_left_alone(postgres: EmbeddedPostgres, urls: dict[str, str]) -> None:
    others = {role: f"another-{role}" for role in VARIABLES}
    with pytest.raises(RolesOfOthers, match="suture_owner"):
        create_roles(postgres.url(), others)
    for url in urls.values():
        psycopg.connect(url).close()


def test_roles_that_another_node_made_get_new_passwords_if_that_is_asked_for(
    postgres: EmbeddedPostgres, urls: dict[str, str]
) -> None:
    others = {role: f"another-{role}" for role in VARIABLES}
    try:
        for url in create_roles(postgres.url(), others, resets=True).values():
            psycopg.connect(url).close()
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(urls["DATABASE_URL"])
    finally:
        create_roles(postgres.url(), PASSWORDS, resets=True)
