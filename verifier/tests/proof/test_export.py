"""The export as a stream of JSON lines."""

import gzip
import io
import json

import pytest

from suture_verify import export
from suture_verify.entries import GOVERNANCE
from suture_verify.export import EntryLine, ExportReader, LeafLine, MalformedExport
from tests.proof.ledgers import BEGIN

pytestmark = pytest.mark.pure


def lines_of(ledger):
    return [json.loads(line) for line in ledger.export().decode().splitlines()]


def read(data):
    return list(ExportReader(io.BytesIO(data)))


def test_what_was_written_is_read_back(ledger):
    reader = ExportReader(ledger.file())
    assert (reader.header.tenant, reader.header.slug, reader.header.exported_at) == (ledger.tenant, "acme", BEGIN)
    lines = list(reader)
    assert [line for line in lines if isinstance(line, EntryLine)] == sorted(
        ledger.lines, key=lambda line: (line.chain, line.seq)
    )
    assert [line for line in lines if isinstance(line, LeafLine)] == ledger.leaves


def test_the_lines_are_as_documented(ledger):
    header, *entries_and_leaves = lines_of(ledger)
    assert header == {
        "format": "suture-ledger/1",
        "tenant": str(ledger.tenant),
        "slug": "acme",
        "exported_at": BEGIN.isoformat(),
    }
    first = next(line for line in entries_and_leaves if line.get("chain") == GOVERNANCE)
    genesis = ledger.lines[0]
    assert first == {
        "chain": GOVERNANCE,
        "seq": 0,
        "canonical": genesis.canonical.decode(),
        "hash": genesis.hash.hex(),
        "signature": genesis.signature.hex(),
    }
    leaf = ledger.leaves[-1]
    assert entries_and_leaves[-1] == {"leaf": 3, "kind": "event", "id": str(leaf.id), "hash": leaf.hash.hex()}


def test_gzip_is_read_too(ledger):
    assert read(gzip.compress(ledger.export())) == read(ledger.export())


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"", 1, "empty"),
        (b"hello\n", 1, "not JSON"),
        (b"[]\n", 1, "not a JSON object"),
        (b"\xff\xfe\n", 1, "not UTF-8"),
        (b'{"format": "suture-ledger/2"}\n', 1, "not an export in the format suture-ledger/1"),
        (b'{"format": "suture-ledger/1"}\n', 1, "not the fields of a header"),
        (b"\x1f\x8bhello", 1, "cannot be read"),
    ],
)
def test_what_is_no_export_is_refused(data, line, reason):
    with pytest.raises(MalformedExport, match=reason) as refusal:
        read(data)
    assert refusal.value.line == line


@pytest.mark.parametrize("changes", [{"tenant": "acme"}, {"tenant": 5}, {"slug": None}, {"exported_at": "today"}])
def test_a_broken_header_is_refused(ledger, changes):
    header = json.dumps(lines_of(ledger)[0] | changes).encode()
    with pytest.raises(MalformedExport, match="line 1"):
        read(header)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"chain": 5}, "chain is not a string"),
        ({"seq": "1"}, "seq is not a whole number"),
        ({"seq": True}, "seq is not a whole number"),
        ({"seq": -1}, "seq is not a whole number"),
        ({"seq": 1.0}, "seq is not a whole number"),
        ({"canonical": {}}, "canonical is not a string"),
        ({"canonical": "\ud800"}, "canonical has a lone surrogate"),
        ({"hash": "00"}, "hash is not 32 bytes"),
        ({"hash": "AB" * 32}, "hash is not 32 bytes in lower-case"),
        ({"hash": " " * 64}, "hash is not 32 bytes"),
        ({"signature": "zz" * 64}, "signature is not 64 bytes"),
        ({"more": 1}, "not the fields of an entry or a leaf"),
    ],
)
def test_a_broken_entry_is_refused_with_its_line(ledger, changes, reason):
    header, entry, *_ = lines_of(ledger)
    data = "\n".join(json.dumps(one) for one in (header, entry, entry | changes)).encode()
    with pytest.raises(MalformedExport, match=f"line 3: .*{reason}") as refusal:
        read(data)
    assert refusal.value.line == 3


@pytest.mark.parametrize(
    "changes", [{"leaf": None}, {"leaf": -1}, {"kind": 1}, {"id": "one"}, {"hash": "00" * 33}, {"seq": 1}]
)
def test_a_broken_leaf_is_refused_with_its_line(ledger, changes):
    header, *_, leaf = lines_of(ledger)
    with pytest.raises(MalformedExport, match="line 2"):
        read("\n".join(json.dumps(one) for one in (header, leaf | changes)).encode())


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ('"seq":0', '"seq":9007199254740992', "seq is not a whole number"),
        ('"seq":0', '"seq":0e0', "seq is not a whole number"),
        ('"seq":0', '"seq":-0', "-0 is not a whole number"),
        ('"seq":0', '"seq":0,"seq":0', "a name is repeated"),
        ('"seq":0', '"seq":5,"seq":0', "a name is repeated"),
        ("+00:00", "Z", "exported_at is not a time in UTC"),
        ("+00:00", "+01:00", "exported_at is not a time in UTC"),
        ('"tenant":"', '"tenant":"urn:uuid:', "tenant is not a UUID in its usual form"),
    ],
)
def test_what_other_readers_may_read_differently_is_refused(ledger, old, new, reason):
    data = ledger.export().decode()
    assert old in data
    with pytest.raises(MalformedExport, match=reason):
        read(data.replace(old, new, 1).encode())


def test_spaces_and_the_order_of_names_do_not_count(ledger):
    lines = [json.dumps(dict(reversed(line.items())), indent=None) for line in lines_of(ledger)]
    assert read("\n".join(lines).encode()) == read(ledger.export())


def test_an_entry_behind_the_leaves_is_refused(ledger):
    header, entry, *_, leaf = lines_of(ledger)
    with pytest.raises(MalformedExport, match="line 3: an entry after the leaves"):
        read("\n".join(json.dumps(one) for one in (header, leaf, entry)).encode())


def test_an_empty_line_is_refused(ledger):
    with pytest.raises(MalformedExport, match="line 2"):
        read(ledger.export().replace(b"\n", b"\n\n", 1))


def test_deep_nesting_is_refused(ledger):
    with pytest.raises(MalformedExport, match="nested too deeply"):
        read(ledger.export() + b"[" * 200_000)


def test_a_line_without_end_is_refused(ledger, monkeypatch):
    monkeypatch.setattr(export, "MAX_LINE", 10_000)
    with pytest.raises(MalformedExport, match="longer than 10000 bytes"):
        read(ledger.export() + b" " * 10_001)


def test_a_line_cut_in_the_middle_is_refused(ledger):
    data = ledger.export()
    with pytest.raises(MalformedExport, match=f"line {len(data.splitlines())}: not JSON"):
        read(data[:-20])


def test_gzip_cut_in_the_middle_is_refused(ledger):
    with pytest.raises(MalformedExport, match="cannot be read"):
        read(gzip.compress(ledger.export())[:-20])
