"""Relations from a CSV file: all of them or none."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from governance.acting.principals import Principal
from governance.faults import Faults
from governance.inputs import InstantField, read_value
from governance.refusals import Invalid, Refusal
from governance.relations import adding, unused_names
from governance.relations.authority import require_relater
from governance.relations.drafts import RelationDraft
from governance.relations.unused_names import Notice

COLUMNS = ("principal", "relation", "object", "valid_from", "valid_until", "reason")
#: Those that a file may leave out; an empty cell is the same.
OPTIONAL = ("valid_from", "valid_until")
#: One transaction appends an entry for each.
AT_MOST = 1_000

_TIME = InstantField(reads_dates=True)


class MalformedCSV(Invalid):
    """The file must be CSV in UTF-8, with a first line that names its columns: principal, relation, object, reason and,
    if you need them, valid_from and valid_until. It has at most 1,000 relations."""


@dataclass(frozen=True, slots=True)
class Imported:
    """How many relations were added, and what may be a mistake in them."""

    relations: int
    notices: list[Notice]


@transaction.atomic
def import_relations(file: bytes, *, actor: Principal) -> Imported:
    """Add the relations of a CSV file, in this order, or none of them. A date alone is its beginning in UTC.

    Raises RelatedByPeople, MalformedCSV, and Invalid with a fault for each wrong line, whose pointer begins with its
    number.
    """
    require_relater(actor)
    faults = Faults()
    drafts = {line: _draft(row, line, faults) for line, row in _rows(file)}
    if not drafts:
        raise MalformedCSV("The file has no relations below the line with the names of the columns.")
    _raise(faults)
    notices = unused_names.notices_of(list(drafts.values()), actor)
    for line, draft in drafts.items():
        try:
            adding.record(draft, actor)
        except Refusal as refusal:  # it has changed nothing; raised at the end, it rolls all back
            faults.add(f"/{line}", refusal.detail, refusal.code)
    _raise(faults)
    return Imported(len(drafts), notices)


def _rows(file: bytes) -> Iterator[tuple[int, dict[str, str]]]:
    """Each row with the number of its last line, from 1. Raises MalformedCSV."""
    try:
        reader = csv.reader(io.StringIO(file.decode("utf-8-sig"), newline=""), strict=True)
        names = [name.strip() for name in next(reader, [])]
        unknown = [name for name in names if name not in COLUMNS]
        lacking = [name for name in COLUMNS if name not in names and name not in OPTIONAL]
        if unknown or lacking or len(set(names)) < len(names):
            raise MalformedCSV
        count = 0
        for cells in reader:
            if not any(cells):
                continue
            count += 1
            if count > AT_MOST:
                raise MalformedCSV(f"The file has more than {AT_MOST:,} relations. Send it in parts.")
            if len(cells) != len(names):
                has = f"Line {reader.line_num} has {len(cells)} cells, but the first line names {len(names)} columns."
                raise MalformedCSV(has)
            yield reader.line_num, dict(zip(names, cells, strict=True))
    except UnicodeDecodeError:
        raise MalformedCSV from None
    except csv.Error as error:
        raise MalformedCSV(f"Line {reader.line_num} is not CSV: {error}.") from None


def _draft(row: dict[str, str], line: int, faults: Faults) -> RelationDraft:
    named: dict[str, Any] = {name: text.strip() for name, text in row.items()}
    for name in OPTIONAL:
        if text := named.pop(name, ""):
            named[name] = read_value(_TIME, text, f"/{line}/{name}", faults)
    draft = RelationDraft(**named)
    draft.check(faults, f"/{line}")
    return draft


def _raise(faults: Faults) -> None:
    """Raise the faults, each of which names its line in words too."""
    for fault in faults.found:
        line = fault["pointer"].split("/")[1]
        fault["detail"] = f"Line {line}: {fault['detail']}"
    faults.raise_any()
