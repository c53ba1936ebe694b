"""The user that PostgreSQL runs as if root starts Suture (PostgreSQL refuses to run as root), and the directories that
this user can reach. No user is created."""

import os
import pwd
import secrets
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

from memory_project.stack.processes import StackError, say

#: The user id and group id of a process.
Identity = tuple[int, int]
SHARED_DATA = Path("/var/lib/suture")


def server_user(data: Path) -> Identity | None:
    """The user that PostgreSQL runs as, for the directory `data`; None for the current user.

    Root uses the owner of existing data, else the system user `postgres`, else `nobody`. Raises StackError if there is
    neither, or if the data belongs to another user.
    """
    owner = data.stat() if data.exists() else None
    if os.geteuid() != 0:
        if owner is not None and owner.st_uid != os.geteuid():
            raise StackError(f"{data} belongs to another user. Start as that user, or set another SUTURE_HOME.")
        return None
    if owner is not None:
        if owner.st_uid == 0:
            raise StackError(
                f"{data} belongs to root, and PostgreSQL refuses to run as root. Change its owner with chown -R."
            )
        return owner.st_uid, owner.st_gid
    for name in ("postgres", "nobody"):
        with suppress(KeyError):
            found = pwd.getpwnam(name)
            return found.pw_uid, found.pw_gid
    raise StackError(
        "PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`. Start as another user."
    )


def run_as(user: Identity | None) -> dict[str, Any]:
    """The arguments for `subprocess` to run a program as `user`, without our environment."""
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
    """The directory that holds the data: `data`, or the target of its link.

    If `user` cannot reach `data` (a clone below /root) and `may_move`, new data goes below /var/lib/suture and the home
    gets a link to it; this prints a line. Otherwise raises StackError with the directory that blocks access.
    """
    real = data.resolve()
    if not real.parent.exists():
        raise StackError(
            f"{data} links to {real}, which does not exist. Restore it, or remove the link to start empty."
        )
    blocked = next((p for p in reversed(real.parents) if not may_pass(user, p)), None)
    if blocked is None and real.exists() and not may_use(user, real):
        blocked = real
    if blocked is None:
        return real
    name = f"the user {user[0]}" if user else "this user"
    if not may_move or real.exists() or data.is_symlink():
        raise StackError(
            f"PostgreSQL runs as {name}, which cannot reach its data directory {real} (blocked at {blocked})."
            " Set SUTURE_HOME to a directory that it can reach, for example below /srv"
        )
    place = SHARED_DATA / secrets.token_hex(6)
    for directory in (SHARED_DATA, place):
        directory.mkdir(exist_ok=True)
        directory.chmod(0o711)  # independent of the umask
    data.symlink_to(place / data.name)
    say(f"PostgreSQL's data is in {place}, because the server runs as {name}, which cannot reach {blocked}.")
    return data.resolve()
