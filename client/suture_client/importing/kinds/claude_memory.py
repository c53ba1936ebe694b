"""Claude Code's memory: CLAUDE.md, which people write, and MEMORY.md and its notes, which Claude writes.

Locations: https://code.claude.com/docs/en/memory. `CLAUDE.md`, `.claude/CLAUDE.md` and `CLAUDE.local.md` in a
project and in the directories of it, `~/.claude/CLAUDE.md`, rules in `.claude/rules/*.md`; Claude's own notes in
`~/.claude/projects/<project>/memory/`, with `MEMORY.md` as their beginning. Imports of other files (`@path`) are not
resolved.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from suture_client.importing.items import BadSource
from suture_client.importing.kinds import Kind, RootFiles, ends_with
from suture_client.importing.markdown import ignored
from suture_client.importing.records import Record
from suture_client.watching.files import is_markdown
from suture_client.watching.output import OnceLogger
from suture_client.watching.roots import Refused, Root, find_roots

_NAMES = {"claude.md", "claude.local.md", "memory.md"}
#: Directories that are not searched.
_OTHERS = {".git", ".hg", ".jj", ".svn", "node_modules", ".venv", "__pycache__"}


def recognises(record: Record) -> bool:
    """Whether the text is of a file that Claude Code reads."""
    return isinstance(record.value, str) and Path(record.place).name.lower() in _NAMES


def find(path: Path, name: str, once: OnceLogger) -> RootFiles:
    """Find the memory files of a path: the file itself, or those in a directory. Raises BadSource."""
    directory, files = (path, None) if path.is_dir() else (path.absolute().parent, [path.name])
    if files and not is_markdown(path.name):
        raise BadSource(f"{path} is not a Markdown file: expected {KIND.wants}.")
    try:
        (root,) = find_roots([directory], [name or _name(directory.absolute())])
    except Refused as error:
        raise BadSource(str(error)) from None
    lists = ignored()
    found = [one for one in files or sorted(_memory_in(root)) if not lists.path(str(root.path / one))]
    if not found:
        raise BadSource(f"{path} has nothing to import: expected {KIND.wants}.")
    return root, found


def _name(directory: Path) -> str:
    """Return the session name of a directory. The notes of a project are in a directory called `memory`."""
    parts = directory.parts
    if len(parts) > 3 and parts[-1] == "memory" and parts[-3] == "projects":
        return parts[-2]
    return directory.name


def _memory_in(root: Root) -> Iterator[str]:
    for place, directories, names in os.walk(root.path):
        directories[:] = sorted(name for name in directories if name not in _OTHERS)
        inside = Path(place).relative_to(root.path)
        is_notes = "MEMORY.md" in names or Path(place).parts[-2:] == (".claude", "rules")
        for name in names:
            wanted = name.lower() in _NAMES or (is_notes and is_markdown(name))
            if wanted and not Path(place, name).is_symlink():
                yield (inside / name).as_posix()


KIND = Kind(
    name="claude-memory",
    title="the memory files of Claude Code",
    wants="a CLAUDE.md or MEMORY.md, or a directory with such files",
    wanted=ends_with(".md"),
    takes_directory=True,
    recognises=recognises,
    find=find,
)
