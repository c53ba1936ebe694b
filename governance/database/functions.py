"""The database's functions, each defined once: `<app>/sql/functions/<name>.sql`.

`migrate` calls `apply_functions`. A file has one `CREATE OR REPLACE FUNCTION` with the file's name. Its first line may
grant it to roles other than the gate, which owns all functions: `-- executable by: suture_app`. A function that runs
with the gate's rights (SECURITY DEFINER) gets the standard search path, unless it sets another. The comment of the
function in the database has a digest of all this, so that unchanged functions are not run again. Functions that an
index or a guard needs are defined in migrations instead.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from pathlib import Path

from django.apps import apps
from django.db import NotSupportedError, ProgrammingError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper
from django.db.migrations.loader import MigrationLoader

#: Two nodes that migrate one database take turns.
LOCK = 0x5E7F0C
GATE = "suture_gate"
#: The possible grantees of a function. Grants that a file no longer has are revoked.
GRANTEES = "PUBLIC, suture_app, suture_review, suture_session, suture_operator, suture_owner"

#: The search path of functions that run with the gate's rights, so that no foreign function can shadow ours.
PATH = "SET search_path = pg_catalog, public, pg_temp"

_DEFINED = re.compile(r"^CREATE OR REPLACE FUNCTION (\w+)\s*\(", re.MULTILINE)
_LANGUAGE_SQL = re.compile(r"\bLANGUAGE sql\b")
_COMMENT = re.compile(r"--[^\n]*")
_EXECUTABLE = re.compile(r"\A-- executable by: (\w+(?:, \w+)*)\n")
#: The part from the function's name to its body.
_ATTRIBUTES = re.compile(r"^CREATE OR REPLACE FUNCTION .*?\bAS \$", re.MULTILINE | re.DOTALL)
_DEFINER = re.compile(r"\bSECURITY DEFINER\b")


class MisplacedFunctionError(ValueError):
    """A file of sql/functions/ must define exactly one function, of the file's name."""


@dataclass(frozen=True, slots=True)
class Definition:
    """One function: its app, its name, and the text of its file."""

    app: str
    name: str
    text: str

    @property
    def statement(self) -> str:
        """The statement that creates the function: the text, with the standard search path."""
        return _ATTRIBUTES.sub(_with_path, self.text, count=1)

    @property
    def grant(self) -> str | None:
        """The statement that grants the function to other roles, if any."""
        named = _EXECUTABLE.match(self.text)
        return f"GRANT EXECUTE ON FUNCTION {self.name} TO {named[1]}" if named else None

    @property
    def mark(self) -> str:
        """The comment that identifies the app, the file and its version in the database."""
        made = f"{self.statement}\n{self.grant}"
        return f"suture:{self.app}:{hashlib.sha256(made.encode()).hexdigest()}"


def _with_path(attributes: re.Match[str]) -> str:
    given = attributes[0]
    return given if "search_path" in given else _DEFINER.sub(rf"\g<0> {PATH}", given, count=1)


_makers: list[Callable[[], Iterable[Definition]]] = []


def register(maker: Callable[[], Iterable[Definition]]) -> None:
    """Register functions that are generated instead of read from files; called once by an app's `ready()`."""
    _makers.append(maker)


def definitions(app: str) -> dict[str, Definition]:
    """The functions of an app by name. Raises MisplacedFunctionError for a file that defines another."""
    found = {}
    for path in sorted(Path(apps.get_app_config(app).path, "sql", "functions").glob("*.sql")):
        text = path.read_text()
        if _DEFINED.findall(text) != [path.stem]:
            raise MisplacedFunctionError(f"{path} must define exactly one function, named {path.stem}.")
        found[path.stem] = Definition(app, path.stem, text)
    return found | {one.name: one for maker in _makers for one in maker() if one.app == app}


def in_order(wanted: dict[str, Definition]) -> Iterator[Definition]:
    """The definitions, each after those that it needs: PostgreSQL resolves the calls in a SQL function when it is
    created, and those in a PL/pgSQL function when it runs. Raises graphlib.CycleError."""
    needs: dict[str, set[str]] = {name: set() for name in wanted}
    for name, definition in wanted.items():
        if _LANGUAGE_SQL.search(definition.text):
            words = set(re.findall(r"\b(\w+)\s*\(", _COMMENT.sub("", definition.text)))
            needs[name] = (words & wanted.keys()) - {name}
    for name in TopologicalSorter(needs).static_order():
        yield wanted[name]


def apply_functions(connection: BaseDatabaseWrapper) -> list[str]:
    """Update the functions of a migrated database from the files, in one transaction under a lock.

    Runs the changed files, and drops functions without a file, and all functions of an app whose migrations were all
    reversed. An app with only some of its migrations applied is skipped. `connection` is the owner's. Returns the names
    of the functions that were created, replaced or dropped.
    """
    wanted: dict[str, Definition] = {}
    undone: set[str] = set()
    loader = MigrationLoader(connection)
    for config in apps.get_app_configs():
        if not Path(config.path, "sql", "functions").is_dir():
            continue
        ours = {key for key in loader.disk_migrations if key[0] == config.label}
        if ours <= loader.applied_migrations.keys():
            wanted |= definitions(config.label)
        elif not ours & loader.applied_migrations.keys():
            undone.add(config.label)
    decided = {definition.app for definition in wanted.values()} | undone
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [LOCK])
        present = _present(cursor)
        gone = [name for name, mark in present.items() if mark.split(":")[1] in decided and name not in wanted]
        changed = {name: one for name, one in wanted.items() if present.get(name) != one.mark}
        if not gone and not changed:
            return []
        cursor.execute(f"GRANT CREATE ON SCHEMA public TO {GATE}")  # required of the future owner of a function
        cursor.execute(f"SET LOCAL ROLE {GATE}")
        for name in gone:
            _drop(cursor, name)
        for one in in_order(wanted):
            if one.name in changed:
                _create(connection, cursor, one)
        cursor.execute("RESET ROLE")
        cursor.execute(f"REVOKE CREATE ON SCHEMA public FROM {GATE}")
        return sorted([*gone, *changed])


def _present(cursor: CursorWrapper) -> dict[str, str]:
    """The mark of every function created from a file, by name."""
    cursor.execute(
        "SELECT p.proname, d.description FROM pg_proc p JOIN pg_description d"
        " ON d.objoid = p.oid AND d.classoid = 'pg_proc'::regclass AND starts_with(d.description, 'suture:')"
        " WHERE p.pronamespace = 'public'::regnamespace AND p.proowner = %s::regrole",
        [GATE],
    )
    return dict(cursor.fetchall())


def _create(connection: BaseDatabaseWrapper, cursor: CursorWrapper, one: Definition) -> None:
    """Create or replace one function. If its parameters or its result type changed, the old one is dropped."""
    before = _oids(cursor, one.name)
    if before and not _replace(connection, cursor, one, before):
        _drop(cursor, one.name)
        before = []
    if not before:
        cursor.execute(one.statement)
    if one.grant:
        cursor.execute(one.grant)
    cursor.execute(f"REVOKE ALL ON FUNCTION {one.name} FROM PUBLIC")
    cursor.execute(f"COMMENT ON FUNCTION {one.name} IS '{one.mark}'")


def _replace(connection: BaseDatabaseWrapper, cursor: CursorWrapper, one: Definition, before: list[int]) -> bool:
    """Replace the existing function in place, so that running callers keep it; False if it must be recreated."""
    for oid in before:
        cursor.execute(f"REVOKE ALL ON FUNCTION {_signature(cursor, oid)} FROM {GRANTEES}")
    try:
        with transaction.atomic(connection.alias):
            cursor.execute(one.statement)
            if _oids(cursor, one.name) != before:
                raise NotSupportedError("another function of that name")
    except (ProgrammingError, NotSupportedError):
        return False
    return True


def _oids(cursor: CursorWrapper, name: str) -> list[int]:
    cursor.execute(
        "SELECT oid::int8 FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname = %s ORDER BY 1", [name]
    )
    return [oid for (oid,) in cursor.fetchall()]


def _signature(cursor: CursorWrapper, oid: int) -> str:
    cursor.execute("SELECT %s::oid::regprocedure::text", [oid])
    (row,) = cursor.fetchall()
    return str(row[0])


def _drop(cursor: CursorWrapper, name: str) -> None:
    for oid in _oids(cursor, name):
        cursor.execute(f"DROP FUNCTION {_signature(cursor, oid)}")
