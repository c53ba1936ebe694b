"""basic-memory: a directory of notes in Markdown.

Format: github.com/basicmachines-co/basic-memory at 4d1dfdb7, docs/NOTE-FORMAT.md: "Every document in Basic Memory is a
plain Markdown file. Files are the source of truth". A note has frontmatter, observations (`- [category] text #tag`) and
relations (`- relates_to [[Note]]`). A note is stored as a file, so its observations and relations are
searchable as text.
"""

import re
from pathlib import Path

from suture_client.importing.items import BadSource
from suture_client.importing.kinds import Kind, RootFiles, ends_with
from suture_client.importing.markdown import ignored
from suture_client.importing.records import Record
from suture_client.watching.output import OnceLogger
from suture_client.watching.roots import Refused, find_roots
from suture_client.watching.scanning import scan

_FRONTMATTER = re.compile(r"---\r?\n(?:.*\n)*?permalink:")


def recognises(record: Record) -> bool:
    """Whether the text is a note: its frontmatter has a permalink."""
    return isinstance(record.value, str) and _FRONTMATTER.match(record.value) is not None


def find(path: Path, name: str, once: OnceLogger) -> RootFiles:
    """Find the notes of a directory that neither .gitignore files nor the user's lists exclude. Raises BadSource."""
    try:
        (root,) = find_roots([path], [name] if name else [])
    except Refused as error:
        raise BadSource(str(error)) from None
    paths = sorted(scan(root, once, ignored()).files)
    if not paths:
        raise BadSource(f"{path} has nothing to import: expected notes in Markdown.")
    return root, paths


KIND = Kind(
    name="basic-memory",
    title="notes of basic-memory",
    wants="the directory of a project",
    wanted=ends_with(".md", ".markdown"),
    takes_directory=True,
    recognises=recognises,
    find=find,
)
