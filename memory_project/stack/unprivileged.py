"""Whom PostgreSQL runs as if root starts Suture, since it refuses to run as root; and the places that user can reach.
No user is made."""

import os
import pwd
import secrets
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from memory_project.stack.processes import StackError, say

#: The user and the group of a process.
Identity = tuple[int, int]
SHARED_DATA = Path("/var/lib/suture")


def server_user(data: Path) -> Identity | None:
    """Whom PostgreSQL shall run as on the directory `data`; None for the user who runs this.

    Root gets the owner of existing data, else the user `postgres` of the system, else `nobody`. Raises StackError when
    there is neither, or the data is another's.
    """
    owner = data.stat() if data.exists() else None
    if os.geteuid() != 0:
        if owner is not None and owner.st_uid != os.geteuid():
            raise StackError(f"{data} belongs to another user: start as that user, or set SUTURE_HOME elsewhere.")
        return None
    if owner is not None:
        if owner.st_uid == 0:
            raise StackError(f"{data} belongs to root, which PostgreSQL refuses to run as: chown -R it.")
        return owner.st_uid, owner.st_gid
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            found = pwd.getpwnam(name)
            return found.pw_uid, found.pw_gid
    raise StackError("PostgreSQL refuses to run as root, and no other user was found: start as another user.")


def run_as(user: Identity | None) -> dict[str, Any]:
    """The arguments that make `subprocess` run a program as `user`, without any of our environment."""
    arguments: dict[str, Any] = {"cwd": "/", "env": {"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"}}
    if user is not None:
        arguments |= {"user": user[0], "group": user[1], "extra_groups": []}
    return arguments


def may_pass(user: Identity | None, directory: Path) -> bool:
    """Whether `user` can walk through `directory`."""
    return subprocess.run(["test", "-x", directory], check=False, **run_as(user)).returncode == 0


def may_use(user: Identity | None, directory: Path) -> bool:
    """Whether `user` can list, change and walk through `directory`."""
    script = 'test -r "$1" && test -w "$1" && test -x "$1"'
    return subprocess.run(["sh", "-c", script, "sh", directory], check=False, **run_as(user)).returncode == 0


def reachable_data(data: Path, user: Identity | None, *, may_move: bool) -> Path:
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
    name = f"the user {user[0]}" if user else "this user"
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
