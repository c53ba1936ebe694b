"""Readiness checks of the database, over a new connection in each round: an existing one may work while new ones are
refused."""

import functools
import os
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any

import psycopg
from django.db import Error as DatabaseFailure
from django.db import connections, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from governance.ledger import keyring, status
from memory_project.readiness.outcomes import Degraded, NotReady

#: Timeouts of a connection in seconds, and of a statement in milliseconds.
CONNECT_SECONDS = 2
STATEMENT_MILLISECONDS = 3000
#: Maximum difference in seconds between the clocks of this node and the database.
CLOCK_LIMIT = 5.0
#: Writes to the disks and keeps nothing.
PROBE = "SELECT probe_writing()"
#: Sets the statement timeout, unless a lower one is set. 0 is no limit.
_LIMIT = """
    SELECT set_config('statement_timeout', %s, true)
    WHERE current_setting('statement_timeout')::interval NOT BETWEEN interval '1us' AND %s::interval
"""


class Database:
    """The database, in the role of requests. Rounds do not overlap."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._connection: Any = None
        #: The database's clock (seconds since 1970) at 0 of this process's monotonic clock; None if unknown.
        self._epoch: float | None = None
        self._skew = 0.0

    @property
    def checks(self) -> Mapping[str, Callable[[], str]]:
        """The checks, in the order in which they run: functions and tables come after the migrations that create
        them."""
        return {
            "database": self.check_database,
            "migrations": self.check_migrations,
            "writing": self.check_writing,
            "signing key": self.check_signing_key,
            "ledger": self.check_ledger,
            "clock": self.check_clock,
        }

    def now(self) -> float | None:
        """The database's current time in seconds since 1970, as of the last round; None if unknown."""
        return None if self._epoch is None else self._epoch + time.monotonic()

    @contextmanager
    def asked(self) -> Iterator[None]:
        """Open a new connection for this thread, closed at the end."""
        connection = connections.create_connection("default")
        options = {**connection.settings_dict["OPTIONS"], "connect_timeout": CONNECT_SECONDS}
        connection.settings_dict = {**connection.settings_dict, "OPTIONS": options}
        connections["default"] = connection
        try:
            connection.ensure_connection()
            with self._lock:
                self._connection = connection.connection
            yield
        finally:
            with self._lock:
                self._connection = None
            connection.close()
            del connections["default"]

    def interrupt(self) -> None:
        """Shut the connection down, so that any wait for the server fails."""
        with self._lock:
            if self._connection is None or self._connection.closed:
                return
            # socket.socket() would take ownership of the connection's descriptor
            with suppress(OSError), socket.socket(fileno=os.dup(self._connection.fileno())) as ours:
                ours.shutdown(socket.SHUT_RDWR)

    def check_database(self) -> str:
        """Check that the database answers a role that is bound by row security, and accepts writes."""
        before, here = time.monotonic(), time.time()
        with _statements() as cursor:
            cursor.execute(
                "SELECT clock_timestamp(),"
                " (SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),"
                " pg_is_in_recovery() OR current_setting('transaction_read_only')::bool"
            )
            there, is_unbound, is_read_only = cursor.fetchone()
        half = (time.monotonic() - before) / 2
        self._epoch = there.timestamp() - before - half
        self._skew = here + half - there.timestamp()
        if is_unbound:
            raise NotReady("connected as a role that bypasses row security", lasts=True)
        if is_read_only:
            raise NotReady("the database accepts no writes")
        return "reachable"

    def check_migrations(self) -> str:
        """Check that all migrations of this release are applied."""
        with _statements():
            applied = MigrationRecorder(connections["default"]).applied_migrations()
        missing = [node for node in last_migrations() if node not in applied]
        if missing:
            names = ", ".join(f"{app}.{name}" for app, name in sorted(missing))
            raise NotReady(f"not applied: {names}", lasts=True)
        return "applied"

    def check_writing(self) -> str:
        """Check that the database can write to its disks: with a full disk it still answers reads."""
        try:
            with _statements() as cursor:
                cursor.execute(PROBE)
        except DatabaseFailure as failure:
            if isinstance(failure.__cause__, psycopg.errors.DiskFull):
                raise NotReady("the disk of the database is full") from None
            if isinstance(failure.__cause__, psycopg.errors.UndefinedFunction):
                raise NotReady("the database has no function to test this: see migrations", lasts=True) from None
            raise
        return "written"

    def check_signing_key(self) -> str:
        """Check that the ledger's signing keys can be read and match the keys that its chains pin: without them, no
        write works."""
        try:
            held = keyring.keys()
        except keyring.SigningKeyUnusable:
            raise NotReady("cannot be read: see manage.py check_ledger", lasts=True) from None
        with _statements() as cursor:
            cursor.execute("SELECT pinned_keys()")
            pinned = {bytes(key) for (key,) in cursor.fetchall()}
        if missing := pinned - {key.public for key in held}:
            if missing == pinned:
                raise NotReady("signs no chain of the ledger: see manage.py check_ledger", lasts=True)
            raise Degraded(f"{len(missing)} of {len(pinned)} keys of chains are missing: see manage.py check_ledger")
        return "readable"

    def check_ledger(self) -> str:
        """Check that the ledger of every tenant is sealed and published, and shows no sign of tampering."""
        with _statements():
            alarms = status.count_alarms()
        if alarms:
            tenants = "1 tenant" if alarms == 1 else f"{alarms} tenants"
            raise Degraded(f"nothing is sealed or published for {tenants}: see manage.py check_ledger")
        return "sealed and published"

    def check_clock(self) -> str:
        """Check that the clock of this node agrees with the database's."""
        if abs(self._skew) > CLOCK_LIMIT:
            how = "ahead of" if self._skew > 0 else "behind"
            raise Degraded(f"the clock of this node is {abs(self._skew):.0f} s {how} the database's")
        return f"within {CLOCK_LIMIT:g} s of the database's"


@contextmanager
def _statements() -> Iterator[Any]:
    """A transaction whose statements time out, so that those of abandoned rounds do not pile up behind a lock. A lower
    timeout of the role stays."""
    with transaction.atomic(), connections["default"].cursor() as cursor:
        # Local to the transaction: a pooler shares the session.
        cursor.execute(_LIMIT, [str(STATEMENT_MILLISECONDS), f"{STATEMENT_MILLISECONDS}ms"])
        yield cursor


@functools.cache
def last_migrations() -> list[tuple[str, str]]:
    """The last migration of each app in this release, cached: reading them takes a while."""
    return list(MigrationLoader(None).graph.leaf_nodes())
