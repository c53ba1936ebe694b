"""The faults, each a function that breaks something, waits while it is broken, and mends what does not mend itself."""

import contextlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import psycopg

from bench.faults.disk import Disk
from bench.stack import Stack
from memory_project.environment import BASE_DIR

#: Seconds for which something stays broken that does not mend itself.
BROKEN = 8.0
#: What the clocks of a node are wrong by.
WRONG_CLOCKS = ("-1h", "+1h", "-20m")
LIBFAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")

Fault = Callable[[Stack], None]
FAULTS: dict[str, Fault] = {}


class Skipped(Exception):  # noqa: N818 (an answer, not an error)
    """This machine cannot do it, for the reason that is the message."""


def fault(inject: Fault) -> Fault:
    """Register a fault under its function's name."""
    FAULTS[inject.__name__.replace("_", "-")] = inject
    return inject


# -- processes that are killed: nothing is mended by hand


@fault
def kill_web(stack: Stack) -> None:
    """The web server's main process is killed."""
    stack.process("web").kill()


@fault
def kill_web_worker(stack: Stack) -> None:
    """One of the web server's processes is killed."""
    stack.web_workers()[0].kill()


@fault
def kill_worker(stack: Stack) -> None:
    """The worker is killed, with its processes."""
    _kill(stack.process("worker"))


@fault
def kill_beat(stack: Stack) -> None:
    """Beat is killed."""
    stack.process("beat").kill()


@fault
def kill_valkey(stack: Stack) -> None:
    """The broker is killed."""
    stack.server("valkey-server").kill()


@fault
def kill_postgres(stack: Stack) -> None:
    """PostgreSQL's main process is killed, and its processes end with it."""
    stack.server("postgres").kill()


@fault
def kill_backend(stack: Stack) -> None:
    """The process of PostgreSQL that serves a connection is killed: PostgreSQL restarts all of its processes."""
    for backend in stack.server("postgres").children():
        if "suture_app" in " ".join(backend.cmdline()):
            backend.kill()
            return
    raise LookupError("no connection of the web server")


@fault
def kill_web_and_worker(stack: Stack) -> None:
    """Both are killed at once."""
    _kill(stack.process("web"), stack.process("worker"))


@fault
def kill_valkey_and_worker(stack: Stack) -> None:
    """The broker and the worker are killed at once."""
    _kill(stack.server("valkey-server"), stack.process("worker"))


@fault
def kill_postgres_and_web(stack: Stack) -> None:
    """PostgreSQL and the web server are killed at once."""
    _kill(stack.server("postgres"), stack.process("web"))


@fault
def kill_postgres_and_valkey(stack: Stack) -> None:
    """Both servers are killed at once."""
    _kill(stack.server("postgres"), stack.server("valkey-server"))


def _kill(*processes: psutil.Process) -> None:
    for process in [below for each in processes for below in (each, *each.children(recursive=True))]:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()


# -- servers that hang, and servers that forget


@fault
def freeze_valkey(stack: Stack) -> None:
    """The broker stands still."""
    with _frozen(stack.server("valkey-server")):
        time.sleep(BROKEN)


@fault
def freeze_postgres(stack: Stack) -> None:
    """PostgreSQL stands still, with all its processes."""
    server = stack.server("postgres")
    with _frozen(server, *server.children(recursive=True)):
        time.sleep(BROKEN)


@fault
def freeze_web_worker(stack: Stack) -> None:
    """One of the web server's processes stands still."""
    with _frozen(stack.web_workers()[0]):
        time.sleep(BROKEN)


@contextlib.contextmanager
def _frozen(*processes: psutil.Process) -> Iterator[None]:
    try:
        for process in processes:
            process.send_signal(signal.SIGSTOP)
        yield
    finally:
        for process in processes:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.send_signal(signal.SIGCONT)


@fault
def flush_valkey(stack: Stack) -> None:
    """The broker loses all that it has."""
    import redis

    with redis.Redis.from_url(stack.url("REDIS_URL")) as client:
        client.flushall()


# -- the database refuses


@fault
def no_connections(stack: Stack) -> None:
    """All connections of the database are taken, those of the web server among them."""
    # The web server's own end first: else it would keep what it has.
    taken: list[psycopg.Connection[tuple[object, ...]]] = []
    try:
        until = time.monotonic() + BROKEN
        with stack.connect("DATABASE_URL") as connection:
            connection.execute(_END_OTHERS)
        while time.monotonic() < until:
            try:
                taken.append(stack.connect("DATABASE_URL"))
            except psycopg.OperationalError:
                time.sleep(0.2)
    finally:
        for connection in taken:
            connection.close()


_END_OTHERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = current_user AND pid <> pg_backend_pid()"
)


@fault
def statement_timeout(stack: Stack) -> None:
    """No statement may take longer than a millisecond."""
    _with_setting(stack, "statement_timeout", "1ms")


@fault
def lock_timeout(stack: Stack) -> None:
    """The chains of the ledger are locked, and no statement waits for a lock."""
    with stack.connect() as holder, holder.transaction():
        holder.execute("LOCK TABLE governance_chain")
        _with_setting(stack, "lock_timeout", "100ms")


@fault
def held_lock(stack: Stack) -> None:
    """The chains of the ledger are locked."""
    with stack.connect() as holder, holder.transaction():
        holder.execute("LOCK TABLE governance_chain")
        time.sleep(BROKEN)


def _with_setting(stack: Stack, name: str, value: str) -> None:
    """Let the database begin each session with a setting for a while."""
    with stack.connect() as owner, stack.connect("DATABASE_URL") as app:
        database = owner.info.dbname
        owner.execute(f"ALTER DATABASE \"{database}\" SET {name} = '{value}'")
        try:
            app.execute(_END_OTHERS)
            time.sleep(BROKEN)
        finally:
            owner.execute("SET statement_timeout = 0")
            owner.execute(f'ALTER DATABASE "{database}" RESET {name}')
            app.execute(_END_OTHERS)


# -- disks that are full


@fault
def full_disk(stack: Stack) -> None:
    """The disk with all that the stack keeps is full."""
    Disk.of(stack.home).filled_for(BROKEN)


@fault
def full_wal_disk(stack: Stack) -> None:
    """The disk with PostgreSQL's write-ahead log is full."""
    Disk.of(stack.home / "pg18" / "pg_wal").filled_for(BROKEN)


# -- clocks, and work that comes twice


@fault
def clock_steps(stack: Stack) -> None:
    """A second web server's clock is wrong, and steps, while it records."""
    if not LIBFAKETIME.exists():
        raise Skipped(f"{LIBFAKETIME} is not there: install the package faketime")
    from bench.faults.second_node import record_with_wrong_clock

    for shift in WRONG_CLOCKS:
        record_with_wrong_clock(stack, LIBFAKETIME, shift)


@fault
def duplicate_tasks(stack: Stack) -> None:
    """Each periodic task is delivered five times at once."""
    sends = (
        "from memory_project.celery import app\n"
        "for job in app.conf.beat_schedule.values():\n"
        "    for _ in range(5): app.send_task(job['task'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", sends],
        cwd=BASE_DIR,
        env=dict(stack.variables_of("beat")),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    time.sleep(BROKEN)


@fault
def two_beats(stack: Stack) -> None:
    """A second beat runs."""
    beat = stack.process("beat")
    second = subprocess.Popen(
        beat.cmdline(), cwd=BASE_DIR, env=beat.environ(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(BROKEN + 7)
    finally:
        second.terminate()
        second.wait(60)


@fault
def migrate_from_before(stack: Stack) -> None:
    """The stack stops, its database is migrated to the state before the last migrations and forth again, and it
    starts."""
    from bench.faults.migrating import back_and_forth

    stack.stop()
    back_and_forth(stack)
    stack.start()
