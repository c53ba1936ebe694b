"""Dumping the database into a file, and restoring a dump into a server without a database of Suture."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from memory_project.stack import postgres, roles, servers
from memory_project.stack.home import Home
from memory_project.stack.postgres import EmbeddedPostgres
from memory_project.stack.processes import StackError, never

#: The name of the database on every server.
_DATABASE = "suture"


def dump(file: Path, owner_url: str) -> None:
    """Write a consistent dump of the owner's database into a new file (mode 0600), in pg_dump's custom format. Raises
    StackError; an incomplete file is removed."""
    if file.exists():
        raise StackError(f"{file} already exists.")
    try:
        _run("pg_dump", owner_url, "--format=custom", f"--file={file}")
    except StackError:
        file.unlink(missing_ok=True)
        raise


def restore(
    file: Path,
    home: Home,
    given: Mapping[str, str],
    *,
    may_move: bool = False,
    resets_roles: bool = False,
) -> None:
    """Create roles and database, as on a first start, and restore a dump in one transaction. The server is the one that
    a superuser's URL in `given` names, else the embedded one of the home, which must not run.

    Raises StackError if the database has tables or the dump cannot be restored; then nothing is restored.
    """
    if not file.is_file():
        raise StackError(f"The file {file} does not exist.")
    if superuser := given.get(servers.SUPERUSER_VARIABLE):
        servers.made_roles(superuser, home, resets=resets_roles)
        fill(make_conninfo(superuser, dbname=_DATABASE), file)
        return
    server = EmbeddedPostgres(home.path, may_move=may_move)
    server.set_password()
    server.start()
    try:
        roles.create_roles(server.url(), home.role_passwords(roles.VARIABLES), own_server=True)
        try:
            fill(server.url(_DATABASE), file)
        finally:
            server.drop_password()
    finally:
        server.stop(never)


def fill(superuser_url: str, file: Path) -> None:
    """Restore a dump into an empty database that `roles.create_roles` created. Needs the superuser, because the dump
    contains extensions and functions of the superuser. Raises StackError."""
    with psycopg.connect(superuser_url) as connection:
        found = connection.execute("SELECT FROM pg_tables WHERE schemaname = 'public' LIMIT 1").fetchall()
    if found:
        raise StackError(
            "The database already has tables; nothing was changed. Restore into an empty one: set another"
            " SUTURE_HOME or another server, or drop the database."
        )
    _run("pg_restore", superuser_url, "--single-transaction", file)


def _run(program: str, url: str, *arguments: str | Path) -> None:
    """Run one of PostgreSQL's programs. The password is in its environment, because any user of the machine can read a
    command line."""
    parameters = {name: str(value) for name, value in conninfo_to_dict(url).items()}
    password = parameters.pop("password", "")
    command = [postgres.installed_programs() / program, "--dbname", make_conninfo("", **parameters), *arguments]
    environment = {**os.environ, "PGPASSWORD": password}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False, umask=0o077)
    if done.returncode != 0:
        raise StackError(f"{program} failed: {' '.join(done.stderr.split())[-800:]}")
