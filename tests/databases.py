"""The databases of the tests: the first worker migrates a template, and every worker copies it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

import psycopg
from django.db import connections
from django.db.backends.signals import connection_created
from django.dispatch import receiver
from django.test.utils import setup_databases, teardown_databases

from governance.acting import credentials

TEMPLATE = "test_suture_template"
#: The number of the advisory lock under which the template is made, copied and deleted.
TEMPLATE_LOCK = 0x7465_7374
#: Every connection of this process. `connections` knows those of its own thread only, and a thread of the live server
#: keeps its connection for as long as a client keeps its own to it.
_opened: WeakSet[psycopg.Connection[Any]] = WeakSet()


@receiver(connection_created)
def _note(connection: Any, **_: Any) -> None:
    _opened.add(connection.connection)


def create(run: str, furnish: Callable[[], None], *, keep: bool) -> Any:
    """Create this process's test database; return what `delete` takes.

    `run` is the same for all workers of one run: the first of them migrates the template and furnishes it. With
    `keep` there is no template, and a database that is there already is used again.
    """
    owner = connections["owner"]
    test = owner.settings_dict["TEST"]
    # Django takes a database of another name than that of `default` for one that is made after it.
    test["DEPENDENCIES"] = []
    if keep:
        created = _set_up(keep=True)
        furnish()
        return created
    with _locked() as cursor:
        if _run_of_template(cursor) != run:
            own_name = test["NAME"]
            test["NAME"] = TEMPLATE
            template = _set_up()
            furnish()
            connections.close_all()
            credentials.close_connections()
            teardown_databases(template, verbosity=0, keepdb=True)
            test["NAME"] = own_name
            cursor.execute(f"COMMENT ON DATABASE {TEMPLATE} IS '{run}'")
        test["TEMPLATE"] = TEMPLATE
        created = _set_up()
        # PostgreSQL copies no rights on the database itself: this one the migrations have taken away.
        cursor.execute(f'REVOKE TEMP ON DATABASE "{owner.settings_dict["NAME"]}" FROM PUBLIC')
        return created


def delete(created: Any) -> None:
    """Delete this process's test database, and the template with the last copy."""
    connections.close_all()
    credentials.close_connections()
    for connection in list(_opened):
        connection.close()
    teardown_databases(created, verbosity=0)
    with _locked() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_database WHERE starts_with(datname, 'test_') AND datname <> %s", [TEMPLATE]
        )
        if cursor.fetchone() == (0,):
            cursor.execute(f"DROP DATABASE IF EXISTS {TEMPLATE}")


def reset_sessions() -> None:
    """Leave every open session as a new one is; close what cannot be."""
    for connection in connections.all(initialized_only=True):
        if connection.connection is None:
            continue
        try:
            if connection.in_atomic_block or not connection.get_autocommit():
                connection.close()
            else:
                # not by a cursor of Django's: the test may have left it forbidden to use this database
                connection.connection.execute("RESET ROLE; RESET ALL; SELECT pg_advisory_unlock_all()")
        except psycopg.Error:
            connection.close()


def _set_up(*, keep: bool = False) -> Any:
    """The owner creates and migrates; `default` and `review` mirror it, each as its own role."""
    created = setup_databases(
        verbosity=0,
        interactive=False,
        aliases={"owner"},  # type: ignore[arg-type] # any collection of aliases will do
        serialized_aliases=set(),
        keepdb=keep,
    )
    for connection in connections.all():
        assert str(connection.settings_dict["NAME"]).startswith("test_"), "refusing to test in a real database"
    return created


@contextmanager
def _locked() -> Iterator[Any]:
    """A cursor of the owner outside every test database. One process at a time has it."""
    with connections["owner"]._nodb_cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [TEMPLATE_LOCK])
        yield cursor


def _run_of_template(cursor: Any) -> str | None:
    cursor.execute("SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s", [TEMPLATE])
    row = cursor.fetchone()
    return row[0] if row else None
