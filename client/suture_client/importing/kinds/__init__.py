"""The kinds of sources. Each has a module, which cites the format that it reads.

To add one, write `suture_client/importing/kinds/<name>.py` with a `KIND`, and add it to MODULES.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from suture_client.importing.items import BadSource, NotUnderstood, Read
from suture_client.importing.records import Record, records
from suture_client.importing.sources import Source, check_text

if TYPE_CHECKING:
    from suture_client.watching.output import Once
    from suture_client.watching.roots import Root

OnRead = Callable[[int], object]
#: The directory whose files are stored, and their paths in it.
Found = tuple["Root", list[str]]
Find = Callable[[Path, str, "Once"], Found]
#: By the names of the kinds, the modules.
MODULES = {
    "claude-code": "claude_code",
    "claude-memory": "claude_memory",
    "chatgpt": "chatgpt",
    "mem0": "mem0",
    "zep": "zep",
    "letta": "letta",
    "basic-memory": "basic_memory",
    "mcp-memory": "mcp_memory",
}
#: Other names that people try.
ALIASES = {"graphiti": "zep", "claude": "claude-code", "openai": "chatgpt", "memory": "mcp-memory"}
#: How many records are looked at to tell one kind from another.
_SAMPLE = 20


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of source."""

    name: str
    #: What it is, for the list of kinds.
    title: str
    #: Which file or directory the command wants.
    wants: str
    #: Whether a file of a directory or a zip file belongs to it, by its name.
    wanted: Callable[[str], bool]
    takes_directory: bool
    #: Whether a record is of this kind.
    recognises: Callable[[Record], bool]
    #: Reads one source.
    read: Callable[[Source, OnRead], Iterator[Read]] | None = None
    #: Where its files are Markdown, which are stored as they are: the files for a path and a name of the session.
    find: Find | None = None


def named(name: str) -> Kind:
    """The kind of a name. Raises BadSource."""
    module = MODULES.get(ALIASES.get(name, name))
    if module is None:
        raise BadSource(f"There is no kind {name!r}. Use one of: {', '.join(MODULES)}.")
    found: Kind = import_module(f"{__name__}.{module}").KIND
    return found


def every() -> list[Kind]:
    """All kinds, in the order of the list."""
    return [named(name) for name in MODULES]


def ends_with(*endings: str) -> Callable[[str], bool]:
    """Whether a file's name ends so, in capitals or not."""
    return lambda name: name.lower().endswith(endings)


def each_record(
    source: Source, on_read: OnRead, kind: str, *, lines_only: bool = False
) -> Iterator[Record | NotUnderstood]:
    """The records of a source of JSON. Raises BadSource if it is none, or of another kind."""
    check_text(source)
    me = named(kind)

    def is_record(value: object) -> bool:
        return me.recognises(Record("", "", value))

    found = records(source, on_read=on_read, is_record=is_record, lines_only=lines_only)
    sample: list[Record | NotUnderstood] = []
    for one in found:
        sample.append(one)
        if len(sample) == _SAMPLE or (isinstance(one, Record) and me.recognises(one)):
            break
    if not any(isinstance(one, Record) and me.recognises(one) for one in sample) and source.can_reopen:
        _refuse_others(source, me)
    yield from chain(sample, found)


def _refuse_others(source: Source, me: Kind) -> None:
    """Raises BadSource if the first records of a source are those of another kind."""
    for one in islice(records(source), _SAMPLE):
        for other in every():
            if other is not me and isinstance(one, Record) and other.recognises(one):
                raise BadSource(
                    f"{source.name} looks like {other.title}, not like {me.title}. Use `suture import {other.name}`."
                )


def never(record: Record) -> bool:
    """For a kind that is no JSON."""
    return False
