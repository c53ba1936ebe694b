"""Read the rows of leaves by plain SELECTs, and hash them again in Python."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any

from psycopg import sql

from governance.ledger import sealed_kinds
from governance.ledger.table_rows import RawReader
from suture_verify.export import LeafLine
from suture_verify.leaves import Column, Gathered, LeafForm, Type, UnprintableValue, columns

LEAVES = "governance_leaf"
#: The tables of texts: the rows themselves, and their remains after an erasure.
CONTENT = "governance_content"
ERASED = "governance_erasedcontent"

#: The columns that are read from each table, for RawReader.check().
TABLES: dict[str, Sequence[Column]] = {
    LEAVES: columns("tenant_id:uuid position:integer kind row_id:uuid hash:bytes"),
    CONTENT: columns("tenant_id:uuid id:uuid salt:bytes body sha256:bytes"),
    ERASED: columns("tenant_id:uuid id:uuid sha256:bytes"),
}

#: A placeholder that no leaf hash equals, for a row without a definite hash, such as a duplicate row.
_NONE = b""


@dataclass(frozen=True, slots=True)
class ReadRows:
    """The printed rows of some leaves by kind, the hashes of their texts, and the ids of altered texts."""

    rows: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)
    altered: list[str] = field(default_factory=list)
    erased: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Differences:
    """The differing leaves: those whose row has another hash (None: it is missing), those whose row lacks texts, and
    the ids of these texts, whose absence no erasure explains."""

    changed: list[tuple[LeafLine, bytes | None]] = field(default_factory=list)
    lacking: list[LeafLine] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)


def tables() -> dict[str, Sequence[Column]]:
    """The columns that are read from every table of leaves."""
    found = dict(TABLES)
    for kind in sealed_kinds.kinds():
        found[kind.table] = kind.form.columns
        for one in kind.form.gathered:
            keys = (Column("tenant_id", Type.UUID), Column(one.key, Type.UUID), Column(one.order, Type.INTEGER))
            found[one.table] = (*keys, *one.columns)
    return found


def read(reader: RawReader, leaves: Iterable[LeafLine], *, with_words: bool = False) -> ReadRows:
    """Read the rows of leaves; `with_words` also compares their texts with the hashes."""
    wanted: dict[str, list[str]] = defaultdict(list)
    for leaf in leaves:
        wanted[leaf.kind].append(str(leaf.id))
    found = ReadRows()
    words: set[str] = set()
    for kind in sealed_kinds.kinds():
        if ids := wanted.get(kind.name):
            rows = _rows(reader, kind, ids) if _is_readable(reader, kind) else []
            found.rows[kind.name] = rows
            for element in kind.form.words:
                at = _index(kind.form, element.column)
                words.update(row[at] for row in rows if row[at] is not None)
    if words:
        _read_hashes(reader, list(words), found, with_words)
    return found


def differences(reader: RawReader, leaves: Iterable[LeafLine], read: ReadRows) -> Differences:
    """Compare the rows with their leaves. Rows of unreadable tables are skipped, because these tables are findings
    already."""
    found = Differences()
    now: dict[tuple[str, str], bytes] = {}
    lacking: set[tuple[str, str]] = set()
    for kind in sealed_kinds.kinds():
        form, hashes = kind.form, read.hashes
        places = [_index(form, element.column) for element in form.words]
        for row in read.rows.get(kind.name, ()):
            key = kind.name, row[1]
            if lost := [row[at] for at in places if row[at] is not None and row[at] not in hashes]:
                found.lost.extend(lost)
                lacking.add(key)
            try:
                now[key] = _NONE if key in now else form.hash(with_hashes(form, row, hashes))
            except UnprintableValue:
                now[key] = _NONE
    skipped = {kind.name for kind in sealed_kinds.kinds() if not _is_readable(reader, kind)}
    for leaf in leaves:
        _, kind_name, id_, sealed_hash = leaf
        key = kind_name, str(id_)
        if (digest := now.get(key)) == sealed_hash or kind_name in skipped:
            continue
        if key in lacking:
            found.lacking.append(leaf)
        else:
            found.changed.append((leaf, digest))
    return found


def with_hashes(form: LeafForm, row: Sequence[Any], hashes: Mapping[str, str]) -> Sequence[Any]:
    """A row with the hashes of its texts, for its form."""
    if not form.words:
        return row
    width = len(form.columns)
    words = [hashes.get(row[_index(form, element.column)]) for element in form.words]
    return (*row[:width], *words, *row[width:])


def first_changed(reader: RawReader, start: int, end: int, *, page: int) -> LeafLine | None:
    """The first leaf from `start` up to `end` whose row has another hash, lacks texts or is missing; None if there is
    none."""
    for first in range(start, end, page):
        leaves = read_leaves(reader, first, min(page, end - first))
        found = differences(reader, leaves, read(reader, leaves))
        if wrong := [*(leaf for leaf, _ in found.changed), *found.lacking]:
            return min(wrong)
    return None


def read_leaves(reader: RawReader, first: int, limit: int) -> list[LeafLine]:
    """Leaves in order, from position `first` on."""
    rows = reader.select(
        "SELECT position, kind, row_id, hash FROM public.governance_leaf WHERE tenant_id = %s AND position >= %s"
        " ORDER BY position LIMIT (SELECT %s::int8)",
        [reader.tenant_id, first, limit],
    )
    return [LeafLine(*row) for row in rows]


def words_match(salt: bytes, body: str, digest: bytes) -> bool:
    """Whether a text with its salt has this hash."""
    return sha256(salt + body.encode()).digest() == digest


def _rows(reader: RawReader, kind: sealed_kinds.SealedKind, ids: list[str]) -> list[tuple[Any, ...]]:
    query = sql.SQL("SELECT {} FROM public.{} WHERE tenant_id = %s AND id = ANY (%s::uuid[])").format(
        sql.SQL(", ").join(sql.Identifier(column.name) for column in kind.form.columns), sql.Identifier(kind.table)
    )
    rows = reader.printed(query, [reader.tenant_id, ids])
    for element in kind.form.gathered:
        gathered = _gathered(reader, element, ids)
        rows = [(*row, gathered.get(row[1], ())) for row in rows]
    return rows


def _gathered(reader: RawReader, element: Gathered, ids: list[str]) -> dict[str, list[tuple[Any, ...]]]:
    found: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    query = sql.SQL("SELECT {}, {} FROM public.{} WHERE tenant_id = %s AND {} = ANY (%s::uuid[]) ORDER BY {}").format(
        sql.Identifier(element.key),
        sql.SQL(", ").join(sql.Identifier(column.name) for column in element.columns),
        sql.Identifier(element.table),
        sql.Identifier(element.key),
        sql.Identifier(element.order),
    )
    for key, *values in reader.printed(query, [reader.tenant_id, ids]):
        found[key].append(tuple(values))
    return found


def _read_hashes(reader: RawReader, ids: list[str], found: ReadRows, with_words: bool) -> None:
    """Read the hexadecimal hashes of texts, from their rows or, for erased texts, from the rows that remain."""
    of = [reader.tenant_id, ids]
    where = "WHERE tenant_id = %s AND id = ANY (%s::uuid[])"
    if with_words:
        query = f"SELECT id, salt, body, sha256 FROM public.governance_content {where}"  # noqa: S608 (constants)
        for id_, salt, body, digest in reader.select(query, of):
            _add_digest(found, str(id_), digest.hex())
            if not words_match(salt, body, digest):
                found.altered.append(str(id_))
    else:
        query = f"SELECT id, sha256 FROM public.governance_content {where}"  # noqa: S608 (constants)
        for id_, digest in reader.printed(query, of):
            _add_digest(found, id_, digest[2:])
    if missing := [id_ for id_ in ids if id_ not in found.hashes]:
        query = f"SELECT id, sha256 FROM public.governance_erasedcontent {where}"  # noqa: S608 (constants)
        for id_, digest in reader.printed(query, [reader.tenant_id, missing]):
            _add_digest(found, id_, digest[2:])
            found.erased.append(id_)


def _add_digest(found: ReadRows, id_: str, digest: str) -> None:
    # duplicate rows cannot be told apart: no leaf has a hash of this form
    found.hashes[id_] = digest if found.hashes.get(id_, digest) == digest else "twice"


def _is_readable(reader: RawReader, kind: sealed_kinds.SealedKind) -> bool:
    """Whether all tables of a kind's leaves can be trusted to show their rows."""
    read = {kind.table, *(one.table for one in kind.form.gathered), *((CONTENT, ERASED) if kind.form.words else ())}
    return not read & reader.unreadable


@cache
def _index(form: LeafForm, column: str) -> int:
    return next(at for at, one in enumerate(form.columns) if one.name == column)
