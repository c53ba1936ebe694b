"""Finds out of which kind a source is, by what it contains."""

from itertools import islice
from pathlib import Path

from suture_client.importing.items import BadSource
from suture_client.importing.kinds import MODULES, SAMPLE_SIZE, Kind, all_kinds
from suture_client.importing.records import Record, records
from suture_client.importing.sources import STANDARD_INPUT, Source, check_text, file_source, sources_of

#: The name that stands for any kind.
AUTO = "auto"
#: Bytes of a text that are looked at.
_HEAD = 4_096
#: Files of a directory that are looked at.
_FILES = 500
_NAME_IT = f"Name its kind: {', '.join(MODULES)}."


def detect(path: str) -> Kind:
    """Return the kind of a source. Raises BadSource if no kind, or more than one, fits."""
    if path == STANDARD_INPUT:
        raise BadSource(f"Standard input can be read only once. {_NAME_IT}")
    place = Path(path)
    if not place.exists():
        raise BadSource(f"There is no file {path}.")
    found = [kind for kind in all_kinds() if _fits(kind, path)]
    if len(found) == 1:
        return found[0]
    if found:
        raise BadSource(f"{path} looks like {' and like '.join(kind.title for kind in found)}. {_NAME_IT}")
    if place.is_file() and not path.lower().endswith(".zip"):
        check_text(file_source(place))
    raise BadSource(f"{path} looks like no kind that Suture knows. {_NAME_IT}")


def _fits(kind: Kind, path: str) -> bool:
    """Whether one of the first records is of the kind."""
    try:
        sources = sources_of(path, wanted=kind.wanted, wants=kind.wants, takes_directory=kind.takes_directory)
    except BadSource:
        return False
    return any(_has_record(kind, source) for source in sources[:_FILES])


def _has_record(kind: Kind, source: Source) -> bool:
    def is_record(value: object) -> bool:
        return kind.recognises(Record("", "", value))

    try:
        check_text(source)
        if source.name.lower().endswith((".md", ".markdown")):
            return kind.recognises(Record(source.name, "", _head(source)))
        is_lines = source.name.lower().endswith((".jsonl", ".ndjson"))
        sample = islice(records(source, is_record=is_record, lines_only=is_lines), SAMPLE_SIZE)
        return any(isinstance(one, Record) and kind.recognises(one) for one in sample)
    except BadSource:
        return False


def _head(source: Source) -> str:
    """The beginning of a text."""
    with source.open() as stream:
        return stream.read(_HEAD).decode(errors="replace")
