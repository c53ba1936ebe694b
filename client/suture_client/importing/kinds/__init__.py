"""The kinds of sources. Each has a module, which cites the format that it reads.

To add one, write `suture_client/importing/kinds/<name>.py` with a `KIND`, and add it to MODULES.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from suture_client.importing.items import BadSource, NotParsed, Read
from suture_client.importing.records import Record, records
from suture_client.importing.sources import Source, check_text

if TYPE_CHECKING:
    from suture_client.watching.output import OnceLogger
    from suture_client.watching.roots import Root

OnRead = Callable[[int], object]
#: A directory, and the paths in it of the files to store.
RootFiles = tuple["Root", list[str]]
Find = Callable[[Path, str, "OnceLogger"], RootFiles]
#: The module of each kind.
MODULES = {
    "claude-code": "claude_code",
    "claude-memory": "claude_memory",
    "chatgpt": "chatgpt",
    "claude": "claude",
    "mem0": "mem0",
    "zep": "zep",
    "letta": "letta",
    "basic-memory": "basic_memory",
    "mcp-memory": "mcp_memory",
    "suture": "suture",
}
#: Other names that people try.
ALIASES = {"graphiti": "zep", "openai": "chatgpt", "memory": "mcp-memory"}
#: The number of records that are checked to detect the kind.
SAMPLE_SIZE = 20


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of source."""

    name: str
    #: For the list of kinds.
    title: str
    #: The expected file or directory, for messages.
    wants: str
    #: Whether a file in a directory or a zip file belongs to the kind, by its name.
    wanted: Callable[[str], bool]
    takes_directory: bool
    #: Whether a record is of this kind. A Markdown file is one record: its name and the beginning of its text.
    recognises: Callable[[Record], bool]
    #: Reads one source.
    read: Callable[[Source, OnRead], Iterator[Read]] | None = None
    #: For Markdown files, which are stored unchanged: finds the files of a path, for a session name.
    find: Find | None = None


def get_kind(name: str) -> Kind:
    """Return the kind of this name. Raises BadSource."""
    module = MODULES.get(ALIASES.get(name, name))
    if module is None:
        raise BadSource(f"There is no kind {name!r}. Use one of: {', '.join(MODULES)}, or auto.")
    found: Kind = import_module(f"{__name__}.{module}").KIND
    return found


def all_kinds() -> list[Kind]:
    """Return all kinds, in the order of MODULES."""
    return [get_kind(name) for name in MODULES]


def ends_with(*endings: str) -> Callable[[str], bool]:
    """Return a function that checks whether a file name has one of these endings, ignoring case."""
    return lambda name: name.lower().endswith(endings)


def each_record(
    source: Source, on_read: OnRead, kind: str, *, lines_only: bool = False
) -> Iterator[Record | NotParsed]:
    """Yield the records of a JSON source. Raises BadSource if it is not JSON or of another kind."""
    check_text(source)
    me = get_kind(kind)

    def is_record(value: object) -> bool:
        return me.recognises(Record("", "", value))

    found = records(source, on_read=on_read, is_record=is_record, lines_only=lines_only)
    sample: list[Record | NotParsed] = []
    for one in found:
        sample.append(one)
        if len(sample) == SAMPLE_SIZE or (isinstance(one, Record) and me.recognises(one)):
            break
    if not any(isinstance(one, Record) and me.recognises(one) for one in sample) and source.can_reopen:
        _refuse_others(source, me)
    yield from chain(sample, found)


def _refuse_others(source: Source, me: Kind) -> None:
    """Raise BadSource if the first records of a source belong to another kind."""
    for one in islice(records(source), SAMPLE_SIZE):
        for other in all_kinds():
            if other is not me and isinstance(one, Record) and other.recognises(one):
                raise BadSource(
                    f"{source.name} looks like {other.title}, not like {me.title}. Use `suture import {other.name}`."
                )
