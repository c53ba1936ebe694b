"""The faults: each is a function that breaks something, waits, and repairs what does not recover by itself.

Each proves that it was in effect: the function raises NoEffect if it can tell, and otherwise declares what clients,
PostgreSQL's log or a probe must report.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import psycopg
import redis

from bench.faults import duplicates
from bench.faults.disk import Disk
from bench.faults.effects import Log, NoEffect, require_ended, require_stopped
from bench.stack import Stack
from memory_project.environment import BASE_DIR

#: Seconds for which something stays broken: longer than readiness may be wrong.
BROKEN = 15.0
#: Maximum seconds that a process takes to start on a busy machine.
STARTING = 60.0
#: Seconds for which PostgreSQL cannot start: longer than all its counted attempts.
UNSTARTABLE = 75.0
#: Wrong clocks of a node, one after the other.
WRONG_CLOCKS = ("-1h", "+1h", "-20m")
LIBFAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")

Inject = Callable[[Stack], None]


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault, and how it shows: whether a request of the clients `fails`, a pattern in PostgreSQL's log (`logs`), and
    the text of a readiness probe (`probed`)."""

    inject: Inject
    fails: bool = False
    logs: str = ""
    probed: str = ""

    @property
    def description(self) -> str:
        """A one-line description."""
        return " ".join((self.inject.__doc__ or "").split())


FAULTS: dict[str, Fault] = {}


class Skipped(Exception):  # noqa: N818 (an answer, not an error)
    """This machine cannot run the fault; the message is the reason."""


def fault(*, fails: bool = False, logs: str = "", probed: str = "") -> Callable[[Inject], Inject]:
    """Register a fault under its function's name."""

    def register(inject: Inject) -> Inject:
        FAULTS[inject.__name__.replace("_", "-")] = Fault(inject, fails, logs, probed)
        return inject

    return register


# -- killed processes: everything recovers without help


@fault()
def kill_web(stack: Stack) -> None:
    """The web server's main process is killed."""
    _kill_alone(stack.process("web"))


@fault()
def kill_web_worker(stack: Stack) -> None:
    """One of the web server's processes is killed."""
    _kill_alone(stack.web_workers()[0])


@fault()
def kill_worker(stack: Stack) -> None:
    """The worker is killed, with its processes."""
    _kill(stack.process("worker"))


@fault()
def kill_worker_process(stack: Stack) -> None:
    """One of the worker's processes is killed."""
    worker = stack.process("worker")
    _kill_alone(worker.children()[-1])
    if not worker.is_running():
        raise NoEffect("the worker ended with it")


@fault()
def kill_beat(stack: Stack) -> None:
    """Beat is killed."""
    _kill_alone(stack.process("beat"))


@fault()
def kill_valkey(stack: Stack) -> None:
    """The broker is killed."""
    _kill_alone(stack.process("valkey-server"))


@fault(fails=True)
def kill_postgres(stack: Stack) -> None:
    """PostgreSQL's main process is killed, and its child processes exit."""
    _kill_alone(stack.process("postgres"))


@fault(fails=True, logs="terminating any other active server processes")
def kill_backend(stack: Stack) -> None:
    """The process of PostgreSQL that serves a connection is killed: PostgreSQL exits, and is restarted."""
    for backend in stack.process("postgres").children():
        if "suture_app" in " ".join(backend.cmdline()):
            _kill_alone(backend)
            return
    raise LookupError("no connection of the web server")


@fault(fails=True)
def kill_supervisor(stack: Stack) -> None:
    """The supervisor is killed, all of its processes exit, and a service manager restarts it."""
    _, *others = stack.processes()
    stack.kill()
    require_ended(others)
    stack.start()


@fault(fails=True)
def kill_web_and_worker(stack: Stack) -> None:
    """Both are killed at once."""
    _kill(stack.process("web"), stack.process("worker"))


@fault()
def kill_valkey_and_worker(stack: Stack) -> None:
    """The broker and the worker are killed at once."""
    _kill(stack.process("valkey-server"), stack.process("worker"))


@fault(fails=True)
def kill_postgres_and_web(stack: Stack) -> None:
    """PostgreSQL and the web server are killed at once."""
    _kill(stack.process("postgres"), stack.process("web"))


@fault(fails=True)
def kill_postgres_and_valkey(stack: Stack) -> None:
    """Both servers are killed at once."""
    _kill(stack.process("postgres"), stack.process("valkey-server"))


def _kill(*processes: psutil.Process) -> None:
    """Kill them with all of their child processes."""
    _kill_alone(*(below for each in processes for below in (each, *each.children(recursive=True))))


def _kill_alone(*processes: psutil.Process) -> None:
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    require_ended(processes)


# -- servers that hang, and servers that lose their data


@fault()
def freeze_valkey(stack: Stack) -> None:
    """The broker is frozen."""
    with _frozen(stack.process("valkey-server")):
        time.sleep(BROKEN)


@fault(fails=True)
def freeze_postgres(stack: Stack) -> None:
    """PostgreSQL is frozen, with all its processes."""
    server = stack.process("postgres")
    with _frozen(server, *server.children(recursive=True)):
        time.sleep(BROKEN)


@fault()
def freeze_web_worker(stack: Stack) -> None:
    """One of the web server's processes is frozen, until the supervisor kills it."""
    process = stack.web_workers()[0]
    process.send_signal(signal.SIGSTOP)
    try:
        require_ended([process])
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def _frozen(main: psutil.Process, *others: psutil.Process) -> Iterator[None]:
    try:
        for process in (main, *others):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGSTOP)
        yield
        require_stopped([main])
    finally:
        for process in (main, *others):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGCONT)


@fault()
def flush_valkey(stack: Stack) -> None:
    """The broker loses all its data."""
    with redis.Redis.from_url(stack.url("REDIS_URL")) as client:
        client.set("faults", "")
        client.flushall()
        if client.exists("faults"):
            raise NoEffect("the broker has kept its data")


# -- the database refuses requests

#: The beginning of a line about a connection of the web server or the worker.
_OF_APP = r"suture_app@\S+ (ERROR|FATAL): .*"
_END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE usename = current_user AND pid <> pg_backend_pid() AND pid <> ALL (%s)"
)


@fault(fails=True, logs=_OF_APP + "(too many clients|connection slots are reserved)")
def no_connections(stack: Stack) -> None:
    """All connections of the database are taken, including those of the web server."""
    taken: list[psycopg.Connection[tuple[object, ...]]] = []
    try:
        until = time.monotonic() + BROKEN
        with stack.connect("DATABASE_URL") as connection:
            while time.monotonic() < until:
                with contextlib.suppress(psycopg.OperationalError):
                    while True:
                        taken.append(stack.connect("DATABASE_URL"))
                # connections that the web server has kept open
                connection.execute(_END_OTHERS, [[one.info.backend_pid for one in taken]])
                time.sleep(0.05)
    finally:
        for one in taken:
            one.close()


@fault(fails=True, logs=_OF_APP + "canceling statement due to statement timeout")
def statement_timeout(stack: Stack) -> None:
    """No statement may take longer than a millisecond."""
    _with_setting(stack, "statement_timeout", "1ms")


@fault(fails=True, logs=_OF_APP + "canceling statement due to lock timeout")
def lock_timeout(stack: Stack) -> None:
    """The chains of the ledger are locked, and lock waits time out at once."""
    with stack.connect() as holder, holder.transaction():
        holder.execute("LOCK TABLE governance_chain")
        _with_setting(stack, "lock_timeout", "100ms")


@fault(fails=True, logs=_OF_APP + "canceling statement due to lock timeout")
def held_lock(stack: Stack) -> None:
    """The chains of the ledger are locked."""
    with stack.connect() as holder, holder.transaction():
        holder.execute("LOCK TABLE governance_chain")
        time.sleep(BROKEN)


def _with_setting(stack: Stack, name: str, value: str) -> None:
    """Set a default for new sessions of requests for a while."""
    with stack.connect("DATABASE_URL") as app:
        # for the role in this database: the role's own setting overrides a setting of the database
        role = f'ROLE CURRENT_USER IN DATABASE "{app.info.dbname}"'
        app.execute("SET statement_timeout = 0")
        app.execute(f"ALTER {role} SET {name} = '{value}'")
        try:
            with stack.connect("DATABASE_URL") as other:
                (found,) = other.execute(f"SHOW {name}").fetchone() or ("nothing",)
                if found != value:
                    raise NoEffect(f"{name} is {found} in a new session")
            app.execute(_END_OTHERS, [[]])
            time.sleep(BROKEN)
        finally:
            app.execute(f"ALTER {role} RESET {name}")
            app.execute(_END_OTHERS, [[]])


# -- full disks


@fault(fails=True, probed="the disk of the database is full")
def full_disk(stack: Stack) -> None:
    """The disk with all data of the stack is full."""
    with Disk.of(stack.home).filled():
        time.sleep(BROKEN)


@fault(fails=True, logs=r"PANIC: .*pg_wal.*No space left on device")
def full_wal_disk(stack: Stack) -> None:
    """The disk with PostgreSQL's write-ahead log is full when the log needs another file."""
    log = Log(stack.home)
    with Disk.of(stack.home / "pg18" / "pg_wal").filled():
        until = time.monotonic() + UNSTARTABLE
        while time.monotonic() < until:
            # the current file has room for the writes of some minutes
            with contextlib.suppress(psycopg.Error):
                if not log.count(FAULTS["full-wal-disk"].logs):
                    with stack.connect() as owner:
                        owner.execute("SELECT pg_switch_wal()")
            time.sleep(0.2)


# -- clocks, and duplicate work


@fault()
def clock_steps(stack: Stack) -> None:
    """A second web server's clock is wrong, and jumps, while it records."""
    if not LIBFAKETIME.exists():
        raise Skipped(f"{LIBFAKETIME} does not exist: install the package faketime")
    from bench.faults.second_node import record_with_wrong_clocks

    record_with_wrong_clocks(stack, LIBFAKETIME, WRONG_CLOCKS)


@fault()
def duplicate_tasks(stack: Stack) -> None:
    """Each periodic task is delivered five times at once."""
    done = subprocess.run(
        [sys.executable, "-m", duplicates.__name__],
        cwd=BASE_DIR,
        env=stack.process("worker").environ(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    if done.returncode == duplicates.NOT_DONE:
        raise NoEffect(done.stdout.strip())
    if done.returncode:
        raise RuntimeError(done.stderr)


@fault()
def two_beats(stack: Stack) -> None:
    """A second beat runs."""
    beat = stack.process("beat")
    with tempfile.TemporaryFile() as output:
        second = subprocess.Popen(
            beat.cmdline(), cwd=BASE_DIR, env=beat.environ(), stdout=subprocess.DEVNULL, stderr=output
        )

        def waits() -> bool:
            # not by seek(): the file position is also where the process writes
            return b"another beat sends the jobs" in os.pread(output.fileno(), 1 << 20, 0)

        try:
            until = time.monotonic() + STARTING
            while not waits() and second.poll() is None and time.monotonic() < until:
                time.sleep(0.1)
            time.sleep(BROKEN)
            if not waits() or second.poll() is not None:
                raise NoEffect("the second beat did not wait for the first")
        finally:
            second.terminate()
            second.wait(60)
