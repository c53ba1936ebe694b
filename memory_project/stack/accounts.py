"""The users of web, worker and beat if root starts Suture, and the files that they may read and write.

Web and worker are two system users, so that neither reads the other's environment, which holds its credentials.
"""

import grp
import os
import pwd
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from memory_project import environment
from memory_project.stack.processes import StackError, say
from memory_project.stack.unprivileged import add_system_user, may_pass, run_as

GROUP = "suture-app"
WEB, WORKER = "suture-web", "suture-worker"
#: Loads what every process of ours needs, as far as the files go: the interpreter, the packages, the source.
_LOADS = "import django, memory_project.stack"


@dataclass(frozen=True, slots=True)
class Accounts:
    """The users of the application's processes; None for the user who runs this."""

    web: pwd.struct_passwd | None = None
    worker: pwd.struct_passwd | None = None

    def of(self, process: str) -> pwd.struct_passwd | None:
        """The user of web, worker or beat. Beat shares the worker's."""
        return self.web if process == "web" else self.worker

    def each(self) -> Iterator[pwd.struct_passwd]:
        """The users who are not the one who runs this."""
        yield from filter(None, (self.web, self.worker))


def find_accounts(home: Path) -> Accounts:
    """The users for web and worker: system users, made when they are missing, if root starts Suture; else nobody else.

    Where the source, its Python or `home` is closed to them, the processes stay root's, and a line says so. Raises
    StackError when a file that the settings name is closed to them.
    """
    if os.geteuid() != 0:
        return Accounts()
    accounts = Accounts(_user(WEB), _user(WORKER))
    if None in (accounts.web, accounts.worker):
        _warn("no other user was found. Start Suture as another user than root.")
        return Accounts()
    for user in accounts.each():
        if closed := _closed_to(user, home):
            _warn(
                f"{closed} is closed to the user {user.pw_name}. Put the clone, its Python and SUTURE_HOME where every"
                " user may read (for example below /opt), or start Suture as another user than root."
            )
            return Accounts()
    _require_usable_files(accounts)
    return accounts


def require_port(accounts: Accounts, host: str, port: int) -> None:
    """Raise StackError when `port` is one that only root may listen on, and the web server is not root's."""
    if accounts.web is None:
        return
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    listening = (
        f"import socket; s = socket.socket({int(family)}); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1);"
        f" s.bind(({host!r}, {port}))"
    )
    if not _succeeds(accounts.web, sys.executable, "-c", listening):
        raise StackError(
            f"Only root may listen on port {port}, and the web server does not run as root: set PORT to 1024 or more,"
            " and put a reverse proxy before it."
        )


def share(home: Path, accounts: Accounts) -> None:
    """Let the application's users read and write what they need in `home`; everything else stays closed to them.

    They read the secret key and the signing key, and the web server the encryption key; they write metrics,
    tree heads, checkpoints, and which jobs run.
    """
    if accounts.web is None or accounts.worker is None:
        return
    worker, group = accounts.worker.pw_uid, accounts.worker.pw_gid
    for name in ("secret_key", "ledger.key"):
        if (home / name).exists():
            os.chown(home / name, 0, group)
            (home / name).chmod(0o640)
    if (home / "encryption_key").exists():  # only the web server verifies second factors
        os.chown(home / "encryption_key", accounts.web.pw_uid, -1)
        (home / "encryption_key").chmod(0o400)
    for name, owner, mode in (
        ("metrics", 0, 0o2770),
        ("alive", 0, 0o2770),
        ("tree_heads", worker, 0o750),
        ("confirmed", worker, 0o750),
        ("embedding", worker, 0o700),
        ("jobs", worker, 0o700),
        # the web server stores the states, and the worker deletes them
        ("checkpoints", accounts.web.pw_uid, 0o2770),
    ):
        directory = home / name
        directory.mkdir(mode=0o700, exist_ok=True)
        os.chown(directory, owner, group)
        directory.chmod(mode)
        for path in directory.iterdir():
            _hand_over(path, owner, group)


def variables_of(user: pwd.struct_passwd | None) -> dict[str, str]:
    """The variables that name the user's home: libpq looks there for certificates, and fails where it may not look."""
    return {} if user is None else {"HOME": user.pw_dir, "USER": user.pw_name, "LOGNAME": user.pw_name}


def _hand_over(path: Path, owner: int, group: int) -> None:
    """Give away a file that root left. Never follow a link, which a process that writes here may have made."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return
    try:
        found = os.fstat(descriptor)
        if stat.S_ISREG(found.st_mode) and found.st_nlink == 1 and found.st_uid == 0:
            os.fchown(descriptor, owner, group)
            os.fchmod(descriptor, 0o640)
    finally:
        os.close(descriptor)


def _user(name: str) -> pwd.struct_passwd | None:
    for candidate in (name, "nobody"):
        if candidate == name:
            _make(name)
        try:
            return pwd.getpwnam(candidate)
        except KeyError:
            continue
    return None


def _make(name: str) -> None:
    try:
        grp.getgrnam(GROUP)
    except KeyError:
        if program := shutil.which("groupadd"):
            subprocess.run([program, "--system", GROUP], capture_output=True, check=False)
    if add_system_user(name, "--gid", GROUP):
        say(f"Made the system user {name}: web, worker and beat do not run as root.")


def _closed_to(user: pwd.struct_passwd, home: Path) -> Path | None:
    """The first directory on the way to the home, or to what our programs are made of, that `user` may not enter."""
    places = (home, environment.BASE_DIR, Path(sys.prefix), Path(sys.base_prefix), Path(sys.executable).resolve())
    for place in places:
        for directory in reversed(place.parents):
            if not may_pass(user, directory):
                return directory
    if not may_pass(user, home):
        return home
    loads = _succeeds(user, sys.executable, "-c", _LOADS, cwd=environment.BASE_DIR)
    return None if loads else environment.BASE_DIR


def _require_usable_files(accounts: Accounts) -> None:
    named = os.environ.get("SUTURE_SIGNING_KEY_FILE")
    for user in accounts.each():
        if named and Path(named).exists() and not _succeeds(user, "test", "-r", named):
            raise StackError(f"SUTURE_SIGNING_KEY_FILE: {named} is closed to {user.pw_name}: chgrp it to {GROUP}.")
    for sink in filter(None, os.environ.get("TREE_HEAD_SINKS", "").split(",")):
        if sink.startswith(("http://", "https://")) or accounts.worker is None:
            continue
        file = Path(sink.removeprefix("file://"))
        writable = file if file.exists() else file.parent
        if writable.exists() and not _succeeds(accounts.worker, "test", "-w", str(writable)):
            raise StackError(f"TREE_HEAD_SINKS: {accounts.worker.pw_name} may not write {file}: chown it.")


def _succeeds(user: pwd.struct_passwd, *command: str, cwd: Path = Path("/")) -> bool:
    try:
        done = subprocess.run(command, check=False, capture_output=True, **(run_as(user) | {"cwd": cwd}))
    except OSError:
        return False
    return done.returncode == 0


def _warn(reason: str) -> None:
    say(f"WARNING: web, worker and beat run as root: {reason}")
