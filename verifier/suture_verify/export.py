"""Exports of a tenant's ledger: JSON lines, written and read as a stream.

A header line is followed by the entries in order of (chain, seq), and then the leaves in order of position.
"""

import gzip
import io
import json
import uuid
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any, BinaryIO, NamedTuple

from suture_verify.canonical import LARGEST_NUMBER
from suture_verify.entries import HASH_SIZE, bytes_of
from suture_verify.signatures import SIGNATURE_SIZE

FORMAT = "suture-ledger/1"

#: In bytes. Far more than any entry has, but prevents other files from filling the memory.
MAX_LINE = 16 * 1024 * 1024

_GZIP = b"\x1f\x8b"
_HEADER = {"format", "tenant", "slug", "exported_at"}
_ENTRY = {"chain", "seq", "canonical", "hash", "signature"}
_LEAF = {"leaf", "kind", "id", "hash"}


class MalformedExport(ValueError):  # noqa: N818 (bad input, not a bug)
    """The file is not an export of a ledger; the message gives the line and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line


class Header(NamedTuple):
    """The tenant of the ledger, and the time of the export."""

    tenant: uuid.UUID
    slug: str
    exported_at: datetime


class EntryLine(NamedTuple):
    """One entry: the exact bytes that were hashed and signed."""

    chain: str
    seq: int
    canonical: bytes
    hash: bytes
    signature: bytes


class LeafLine(NamedTuple):
    """One leaf of the tenant's tree: its position, the kind and id of its row, and its leaf hash."""

    position: int
    kind: str
    id: uuid.UUID
    hash: bytes


def write_export(header: Header, entries: Iterable[EntryLine], leaves: Iterable[LeafLine]) -> Iterator[str]:
    """Yield the lines of an export, each with a newline. The iterables must come from one snapshot, in the order
    above."""
    yield _line(
        {
            "format": FORMAT,
            "tenant": str(header.tenant),
            "slug": header.slug,
            "exported_at": header.exported_at.isoformat(),
        }
    )
    for entry in entries:
        yield _line(
            {
                "chain": entry.chain,
                "seq": entry.seq,
                # damaged bytes may not be UTF-8; the replacement does not match the hash either
                "canonical": entry.canonical.decode(errors="replace"),
                "hash": entry.hash.hex(),
                "signature": entry.signature.hex(),
            }
        )
    for leaf in leaves:
        yield _line({"leaf": leaf.position, "kind": leaf.kind, "id": str(leaf.id), "hash": leaf.hash.hex()})


def _line(fields: dict[str, Any]) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":")) + "\n"


class ExportReader:
    """Iterates over the lines of an export, gzipped or not. Raises MalformedExport."""

    def __init__(self, file: BinaryIO) -> None:
        """Read the header from an open binary file."""
        buffered = io.BufferedReader(file, 1024 * 1024)  # type: ignore[type-var] # any readable binary file will do
        is_compressed = buffered.peek(len(_GZIP))[: len(_GZIP)] == _GZIP
        self._file = io.BufferedReader(gzip.GzipFile(fileobj=buffered)) if is_compressed else buffered
        self._number = 0
        fields = self._next()
        if fields is None:
            raise MalformedExport(1, "the file is empty")
        self.header = self._header(fields)

    def __iter__(self) -> Iterator[EntryLine | LeafLine]:
        in_leaves = False
        while (fields := self._next()) is not None:
            line = self._parsed(fields)
            if isinstance(line, LeafLine):
                in_leaves = True
            elif in_leaves:
                raise MalformedExport(self._number, "an entry after the leaves")
            yield line

    def _next(self) -> dict[str, Any] | None:
        """Return the object of the next line; None at the end."""
        self._number += 1
        try:
            line = self._file.readline(MAX_LINE + 1)
            if not line:
                return None
            if len(line) > MAX_LINE:
                raise MalformedExport(self._number, f"longer than {MAX_LINE} bytes")
            fields = _PLAIN.decode(line.decode())
        except (EOFError, OSError, zlib.error) as error:
            raise MalformedExport(self._number, f"cannot be read: {error}") from None
        except UnicodeDecodeError:
            raise MalformedExport(self._number, "not UTF-8") from None
        except json.JSONDecodeError as error:
            raise MalformedExport(self._number, f"not JSON: {error.msg} at column {error.colno}") from None
        except RecursionError:
            raise MalformedExport(self._number, "nested too deeply") from None
        except ValueError as error:
            raise MalformedExport(self._number, str(error)) from None
        if not isinstance(fields, dict):
            raise MalformedExport(self._number, "not a JSON object")
        return fields

    def _header(self, fields: dict[str, Any]) -> Header:
        version = fields.get("format")
        if version != FORMAT:
            raise MalformedExport(1, f"not an export in the format {FORMAT}, which this program supports")
        try:
            if fields.keys() != _HEADER:
                raise ValueError("not the fields of a header")
            return Header(
                _id(fields, "tenant"),
                _text(fields, "slug"),
                _time(fields, "exported_at"),
            )
        except ValueError as error:
            raise MalformedExport(1, str(error)) from None

    def _parsed(self, fields: dict[str, Any]) -> EntryLine | LeafLine:
        names = fields.keys()
        try:
            if names == _ENTRY:
                return EntryLine(
                    _text(fields, "chain"),
                    _number(fields, "seq"),
                    _text(fields, "canonical").encode(),
                    _bytes(fields, "hash", HASH_SIZE),
                    _bytes(fields, "signature", SIGNATURE_SIZE),
                )
            if names == _LEAF:
                return LeafLine(
                    _number(fields, "leaf"),
                    _text(fields, "kind"),
                    _id(fields, "id"),
                    _bytes(fields, "hash", HASH_SIZE),
                )
        except ValueError as error:
            raise MalformedExport(self._number, str(error)) from None
        raise MalformedExport(self._number, "not the fields of an entry or a leaf")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(fields := dict(pairs)) != len(pairs):
        raise ValueError("a name is repeated")
    return fields


def _whole(text: str) -> int:
    if text == "-0":
        raise ValueError("-0 is not a whole number")
    return int(text)


def _refuse(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


#: Refuses texts that JSON parsers may read differently: repeated names, -0, NaN and Infinity.
_PLAIN = json.JSONDecoder(object_pairs_hook=_once, parse_int=_whole, parse_constant=_refuse)


def _text(fields: dict[str, Any], name: str) -> str:
    value = fields[name]
    if type(value) is not str:
        raise ValueError(f"{name} is not a string")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise ValueError(f"{name} has a lone surrogate") from None
    return value


def _number(fields: dict[str, Any], name: str) -> int:
    value = fields[name]
    if type(value) is not int or not 0 <= value <= LARGEST_NUMBER:
        raise ValueError(f"{name} is not a whole number from 0 to 2**53 - 1")
    return value


def _id(fields: dict[str, Any], name: str) -> uuid.UUID:
    value = uuid.UUID(_text(fields, name))
    if str(value) != fields[name]:
        raise ValueError(f"{name} is not a UUID in its usual form")
    return value


def _time(fields: dict[str, Any], name: str) -> datetime:
    value = datetime.fromisoformat(_text(fields, name))
    if value.utcoffset() != timedelta() or value.isoformat() != fields[name]:
        raise ValueError(f"{name} is not a time in UTC")
    return value


def _bytes(fields: dict[str, Any], name: str, size: int) -> bytes:
    try:
        return bytes_of(fields[name], size)
    except ValueError as error:
        raise ValueError(f"{name} is {error}") from None
