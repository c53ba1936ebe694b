"""The databases of the bench: made by the owner, named by what is in them, and never the product's own."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg import sql

ROOT = Path(__file__).resolve().parents[1]
ROLE_VARIABLES = ("DATABASE_URL", "DATABASE_OWNER_URL", "DATABASE_REVIEW_URL")
#: What decides how the generated data looks.
_SOURCES = ("*/migrations/*.py", "*/sql/*.sql", "bench/corpus.py", "bench/generate.py")


def fingerprint() -> str:
    """Eight hex digits that change with the migrations, the gate functions or the generator."""
    digest = hashlib.sha256()
    for pattern in _SOURCES:
        for path in sorted(ROOT.glob(pattern)):
            digest.update(path.name.encode() + path.read_bytes())
    return digest.hexdigest()[:8]


def name_of(chunks: int, edits: int) -> str:
    """The database for these sizes and this schema."""
    return f"suture_bench_{chunks}_{edits}_{fingerprint()}"


def url(variable: str, database: str) -> str:
    """A role's URL, on another database."""
    return urlunsplit(urlsplit(os.environ[variable])._replace(path=f"/{quote(database, safe='')}"))


def environment(database: str) -> dict[str, str]:
    """The variables with which Django works on `database`."""
    return {variable: url(variable, database) for variable in ROLE_VARIABLES}


def owner(database: str, *, autocommit: bool = False) -> psycopg.Connection:
    """A connection for generating; the owner may also become the gate (SET ROLE)."""
    connection = psycopg.connect(url("DATABASE_OWNER_URL", database), autocommit=autocommit)
    connection.execute("SET statement_timeout = 0")
    return connection


@contextmanager
def maintenance() -> Iterator[psycopg.Connection]:
    """The owner in its own database, to create, copy and drop others."""
    with psycopg.connect(os.environ["DATABASE_OWNER_URL"], autocommit=True) as connection:
        yield connection


def exists(database: str) -> bool:
    with maintenance() as connection:
        return bool(connection.execute("SELECT FROM pg_database WHERE datname = %s", [database]).fetchall())


def create(database: str, template: str | None = None) -> None:
    """Make an empty migrated database, or a copy of `template`, replacing what has that name."""
    drop(database)
    name = sql.Identifier(database)
    with maintenance() as connection:
        copied = (
            sql.SQL(" TEMPLATE {} STRATEGY FILE_COPY").format(sql.Identifier(template)) if template else sql.SQL("")
        )
        connection.execute(sql.SQL("CREATE DATABASE {}").format(name) + copied)
        connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
        connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO suture_app, suture_review").format(name))
    if template is None:
        subprocess.run(
            [sys.executable, ROOT / "manage.py", "migrate", "--no-input", "--verbosity", "0"],
            env={**os.environ, **environment(database)},
            check=True,
        )


def rename(database: str, new: str) -> None:
    with maintenance() as connection:
        connection.execute(
            sql.SQL("ALTER DATABASE {} RENAME TO {}").format(sql.Identifier(database), sql.Identifier(new))
        )


def drop(database: str) -> None:
    """Drop a database of the bench, if it is there. Nobody may be connected to it."""
    if not database.startswith("suture_bench_"):
        raise ValueError(f"{database} is not the bench's")
    with maintenance() as connection:
        # not WITH (FORCE): the owner may not end an autovacuum, which PostgreSQL otherwise does itself
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {}").format(sql.Identifier(database)))


def drop_outdated(chunks: int, edits: int) -> None:
    """Drop the databases of these sizes that were made for another schema."""
    with maintenance() as connection:
        found = connection.execute(
            "SELECT datname FROM pg_database WHERE starts_with(datname, %s)", [f"suture_bench_{chunks}_{edits}_"]
        ).fetchall()
    for (database,) in found:
        if database != name_of(chunks, edits):
            drop(database)
