"""The system user that PostgreSQL runs as when root starts Suture, and the places that user can reach."""

import os
import pwd
import secrets
import shutil
import subprocess
from pathlib import Path
from typing import Any

from memory_project.stack.processes import StackError, say

PREFERRED = "suture"
SHARED_DATA = Path("/var/lib/suture")


def server_user(data: Path) -> pwd.struct_passwd | None:
    """Whom PostgreSQL shall run as on the directory `data`; None for the user who runs this.

    Root gets the owner of existing data, else the system user `suture` (made when it is missing), else one of
    those every system has. Raises StackError when no such user is found or the data is another's.
    """
    if os.geteuid() != 0:
        if data.exists() and data.stat().st_uid != os.geteuid():
            raise StackError(f"{data} belongs to another user: start as that user, or set SUTURE_HOME elsewhere.")
        return None
    if data.exists():
        owner = data.stat().st_uid
        if owner == 0:
            raise StackError(f"{data} belongs to root, which PostgreSQL refuses to run as: chown -R it.")
        return pwd.getpwuid(owner)
    for name in (PREFERRED, "postgres", "nobody"):
        if name == PREFERRED and add_system_user(PREFERRED):
            say(f"Made the system user {PREFERRED}: PostgreSQL refuses to run as root.")
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise StackError("PostgreSQL refuses to run as root, and no other user was found: start as another user.")


def add_system_user(name: str, *options: str) -> bool:
    """Make the system user `name`, who cannot log in, unless there is one; whether it was made."""
    try:
        pwd.getpwnam(name)
    except KeyError:
        if program := shutil.which("useradd"):
            shell = shutil.which("nologin") or "/bin/false"
            made = subprocess.run(
                [program, "--system", "--no-create-home", "--shell", shell, *options, name],
                capture_output=True,
                check=False,
            )
            return made.returncode == 0
    return False


def run_as(user: pwd.struct_passwd | None) -> dict[str, Any]:
    """The arguments that make `subprocess` run a program as `user`, without any of our environment."""
    arguments: dict[str, Any] = {"cwd": "/", "env": {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}}
    if user is not None:
        arguments |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    return arguments


def may_pass(user: pwd.struct_passwd | None, directory: Path) -> bool:
    """Whether `user` can walk through `directory`."""
    return subprocess.run(["test", "-x", directory], check=False, **run_as(user)).returncode == 0


def may_use(user: pwd.struct_passwd | None, directory: Path) -> bool:
    """Whether `user` can list, change and walk through `directory`."""
    script = 'test -r "$1" && test -w "$1" && test -x "$1"'
    return subprocess.run(["sh", "-c", script, "sh", directory], check=False, **run_as(user)).returncode == 0


def reachable_data(data: Path, user: pwd.struct_passwd | None, *, may_move: bool) -> Path:
    """The directory that really holds the data: `data`, or what it links to.

    When `user` cannot reach `data` (a clone below /root) and `may_move`, new data goes below /var/lib/suture,
    the home keeps a link to it, and a line says so. Otherwise raises StackError naming what is in the way.
    """
    real = data.resolve()
    if not real.parent.exists():
        raise StackError(f"{data} points to {real}, which is gone: bring it back, or remove the link to start empty.")
    blocked = next((p for p in reversed(real.parents) if not may_pass(user, p)), None)
    if blocked is None and real.exists() and not may_use(user, real):
        blocked = real
    if blocked is None:
        return real
    name = user.pw_name if user else "this user"
    if not may_move or real.exists() or data.is_symlink():
        raise StackError(
            f"PostgreSQL's data directory {real} is closed to {name}, which it runs as (at {blocked}):"
            " set SUTURE_HOME to a directory it can reach, for example below /srv"
        )
    place = SHARED_DATA / secrets.token_hex(6)
    for directory in (SHARED_DATA, place):
        directory.mkdir(exist_ok=True)
        directory.chmod(0o711)  # whatever the umask
    data.symlink_to(place / data.name)
    say(f"PostgreSQL keeps its data in {place}: {blocked} is closed to {name}, which the server must run as.")
    return data.resolve()
