"""The superuser makes the roles, and then nobody logs in as the superuser."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
from psycopg import sql

from memory_project.stack import roles, servers
from memory_project.stack.home import Home
from memory_project.stack.postgres import EPHEMERAL_SETTINGS, EmbeddedPostgres
from memory_project.stack.supervisor import Supervisor

pytestmark = pytest.mark.stack


@contextmanager
def running(path: Path) -> Iterator[dict[str, str]]:
    """The embedded database of the home; its variables."""
    home, supervisor = Home(path), Supervisor()
    home.prepare()
    try:
        yield servers._embedded_database(supervisor, home, ephemeral=True)
    finally:
        supervisor.stop()
        home.release()


def shown(url: str, query: sql.SQL) -> object:
    with psycopg.connect(url) as connection:
        row = connection.execute(query).fetchone()
    assert row is not None
    return row[0]


def test_nobody_logs_in_as_the_superuser_and_a_restart_needs_none(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    passwords: list[str] = []
    drop = EmbeddedPostgres.drop_password

    def noting(self: EmbeddedPostgres) -> None:
        passwords.append(self.url())
        drop(self)

    monkeypatch.setattr(EmbeddedPostgres, "drop_password", noting)
    with running(home) as variables:
        (url,) = passwords
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(url, port=port_of(variables))
        # what every server has besides our database: nobody works there
        for name in ("postgres", "template1"):
            for variable in (
                "DATABASE_URL",
                "DATABASE_REVIEW_URL",
                "DATABASE_SESSION_URL",
                "DATABASE_OPERATOR_URL",
                "DATABASE_VERIFIER_URL",
            ):
                with pytest.raises(psycopg.OperationalError, match="permission denied"):
                    psycopg.connect(variables[variable], dbname=name)

    def refuse(self: EmbeddedPostgres) -> None:
        raise AssertionError("the roles are made")

    monkeypatch.setattr(EmbeddedPostgres, "set_password", refuse)
    with running(home) as variables:
        assert shown(variables["DATABASE_OWNER_URL"], sql.SQL("SELECT 1")) == 1


def test_roles_of_an_older_stack_are_made_again_and_the_superuser_is_closed_again(home: Path) -> None:
    with running(home):
        pass
    # an older stack's: its superuser had a password, and some roles were not there
    server = EmbeddedPostgres(home, settings=EPHEMERAL_SETTINGS)
    server.set_password()
    server.start()
    with psycopg.connect(server.url("suture"), autocommit=True) as connection:
        connection.execute("DROP OWNED BY suture_operator")
        connection.execute("DROP ROLE suture_operator")
        connection.execute("COMMENT ON ROLE suture_owner IS NULL")
    server.stop()

    with running(home) as variables:
        assert shown(variables["DATABASE_OPERATOR_URL"], sql.SQL("SELECT current_user")) == "suture_operator"
        assert shown(
            variables["DATABASE_OWNER_URL"],
            sql.SQL("SELECT count(*) = 1 FROM pg_roles WHERE rolsuper AND rolcanlogin"),
        )
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(server.url(), port=port_of(variables))


def test_new_passwords_of_the_roles_are_set(home: Path) -> None:
    with running(home):
        pass
    (home / "secrets" / "roles.json").unlink()
    with running(home) as variables:
        for variable in roles.VARIABLES.values():
            assert shown(variables[variable], sql.SQL("SELECT current_user")) == f"suture_{role_of(variable)}"


def port_of(variables: dict[str, str]) -> int | None:
    return urlsplit(variables["DATABASE_URL"]).port


def role_of(variable: str) -> str:
    return next(role for role, named in roles.VARIABLES.items() if named == variable)
