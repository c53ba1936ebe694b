"""SUTURE_HOME: the directory with a stack's data, secrets and logs."""

import fcntl
import json
import os
import secrets
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from memory_project import environment
from memory_project.stack.processes import StackError

#: The lock is created first, so it marks a directory as a home; `secret_key` may precede it (environment.py).
MARKS = ("lock", "secret_key")


def private_file(path: Path, text: str) -> None:
    """Replace `path` atomically by a file with `text` that only its owner can read (0600)."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    with os.fdopen(os.open(fresh, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


class Home:
    """A home, locked by at most one stack."""

    #: In `secrets`: the passwords of the database roles.
    PASSWORDS = "roles.json"

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._lock: int | None = None

    @property
    def metrics(self) -> Path:
        """The directory of the processes' metrics, which `/metrics` reads."""
        return self.path / "metrics"

    @property
    def alive(self) -> Path:
        """The directory for heartbeats of web processes."""
        return self.path / environment.ALIVE

    def prepare(self) -> None:
        """Create the directory and lock it.

        Raises StackError if it cannot be created or used, belongs to something else, or is locked by another stack.
        """
        try:
            self._make()
            self._hold()
        except NotADirectoryError:
            raise StackError(f"SUTURE_HOME is not a directory: {self.path}") from None
        except OSError as error:
            raise StackError(f"SUTURE_HOME cannot be used: {error.strerror}: {error.filename}") from None

    def _make(self) -> None:
        if not self.path.parent.exists():
            raise StackError(f"The parent directory of SUTURE_HOME does not exist: {self.path.parent}")
        if self.path.exists() and not self.path.is_dir():
            raise StackError(f"SUTURE_HOME is not a directory: {self.path}")
        self.path.mkdir(mode=0o700, exist_ok=True)
        present = {entry.name for entry in self.path.iterdir()} - {"lost+found"}
        if present and present.isdisjoint(MARKS):
            raise StackError(f"SUTURE_HOME contains files that are not Suture's: {self.path}. Choose a new directory.")
        if os.geteuid() == 0:
            # PostgreSQL runs as another user and must reach its data; everything else here is 0700 or 0600.
            self.path.chmod(self.path.stat().st_mode & 0o777 | 0o011)
        for name in ("log", "secrets"):
            (self.path / name).mkdir(mode=0o700, exist_ok=True)

    def _hold(self) -> None:
        descriptor = os.open(self.path / "lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(descriptor, 20).decode().strip()
            os.close(descriptor)
            raise StackError(f"A stack is already running in {self.path} (process {holder}).") from None
        os.ftruncate(descriptor, 0)
        os.write(descriptor, str(os.getpid()).encode())
        self._lock = descriptor

    def running(self) -> tuple[str, str] | None:
        """The process id of the stack that runs in this home, and the address of its web server (empty during the
        start, or without one); None if no stack runs."""
        try:
            with (self.path / "lock").open() as lock:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return (self.path / "lock").read_text().strip(), environment.published(self.path, environment.SITE_VARIABLE)
        except OSError:
            pass
        return None

    def release(self) -> None:
        """Unlock the home for the next stack."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def role_passwords(self, roles: Iterable[str]) -> dict[str, str]:
        """The passwords of the database roles, generated once and stored."""
        path = self.path / "secrets" / self.PASSWORDS
        known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        if missing := [role for role in roles if role not in known]:
            known |= {role: secrets.token_urlsafe(32) for role in missing}
            private_file(path, json.dumps(known))
        return known

    def publish(self, variables: Mapping[str, str]) -> None:
        """Publish the servers' addresses for `manage.py` in other terminals (environment.py reads them)."""
        open_to_all = {}
        for variable, url in variables.items():
            if variable in environment.RESTRICTED_VARIABLES:
                private_file(environment.published_file(self.path, variable), url)
            else:
                open_to_all[variable] = url
        private_file(self.path / "stack.json", json.dumps(open_to_all, indent=1))

    def withdraw(self) -> None:
        for variable in environment.SERVER_VARIABLES:
            environment.published_file(self.path, variable).unlink(missing_ok=True)

    def remove(self) -> None:
        """Delete the home and the data it links to. The lock must be held."""
        data = self.path / "pg18"
        if data.is_symlink():
            shutil.rmtree(data.resolve().parent, ignore_errors=True)
        shutil.rmtree(self.path, ignore_errors=True)
        self.release()
