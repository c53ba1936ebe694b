"""The watched directories, and the sessions of their chunks."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from suture_client.errors import Failed
from suture_client.watching.output import shown

#: How to set names, for messages.
BY_OPTION = "--name, once for each directory, in their order"
#: The longest session name on the server, without `watch:`.
MAX_NAME_LENGTH = 190


class Refused(Failed):
    """The watcher cannot start. The message gives the reason and a solution."""


@dataclass(frozen=True, slots=True)
class Root:
    """A watched directory: its real path, and its name, which must be unique."""

    path: Path
    name: str

    @property
    def session_id(self) -> str:
        """The session of all chunks of its files."""
        return f"watch:{self.name}"

    def __str__(self) -> str:
        return shown(str(self.path))

    def shown(self, relative: str) -> str:
        """Format the full path of a file in the root for the log."""
        return shown(str(self.path / relative))


def find_roots(
    directories: Sequence[str | os.PathLike[str]], names: Sequence[str] = (), *, named_by: str = BY_OPTION
) -> list[Root]:
    """Return the roots, with the given names or those of the directories. `named_by` describes how users set names.

    Raises Refused if a path is missing, unreadable or not a directory, if two overlap, or if names are equal or
    invalid.
    """
    paths = [_directory(os.fspath(directory)) for directory in directories]
    if names and len(names) != len(paths):
        raise Refused(f"{len(names)} names were given for {len(paths)} directories. Name each with {named_by}.")
    if not names:
        paths = list(dict.fromkeys(paths))
    _refuse_overlaps(paths)
    roots = [Root(path, _name(path, names[number] if names else None, named_by)) for number, path in enumerate(paths)]
    for number, root in enumerate(roots):
        for other in roots[:number]:
            if other.name == root.name:
                raise Refused(
                    f"Two watched directories have the name {root.name}: {other.path} and {root.path}. Give them other"
                    f" names with {named_by}."
                )
    return roots


def _directory(given: str) -> Path:
    """Return the real path of a directory. Raises Refused."""
    path = Path(given).expanduser()
    try:
        is_directory = path.is_dir()
        real = path.resolve()
    except (OSError, RuntimeError, ValueError):  # no permission, a loop of links, a NUL character
        raise Refused(f"Watch directory cannot be read: {shown(given)}") from None
    if not is_directory:
        if os.path.lexists(path) and not path.is_symlink():
            raise Refused(f"Watch directory is not a directory: {shown(given)}")
        raise Refused(f"Watch directory does not exist: {shown(given)}")
    if not os.access(real, os.R_OK | os.X_OK):
        raise Refused(f"Watch directory cannot be read: {shown(given)}")
    return real


def _refuse_overlaps(paths: Sequence[Path]) -> None:
    for path in paths:
        for other in paths:
            if other is not path and path.is_relative_to(other):
                if path == other:
                    raise Refused(f"{path} is given twice.")
                raise Refused(
                    f"{path} is inside {other}, which is watched including its subdirectories. Name only one of them."
                )


def _name(path: Path, given: str | None, named_by: str) -> str:
    name = path.name if given is None else given.strip()
    if name and name.isprintable() and len(name) <= MAX_NAME_LENGTH:
        return name
    if given is None:
        raise Refused(
            f"The directory {shown(str(path))} has a name that cannot be a session's name. Name it with {named_by}."
        )
    raise Refused(f"A name must have up to {MAX_NAME_LENGTH} printable characters, not {given!r}.")
