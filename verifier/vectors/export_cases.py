"""Exports without faults and with each kind of fault, and tree heads to verify them with."""

import json
from collections.abc import Callable
from hashlib import sha256
from typing import NamedTuple

import rfc8785

from suture_verify.entries import GOVERNANCE
from suture_verify.notes import origin_of
from vectors.ledger import ACME, ALICE, OTHER, Ledger, id_of, key_of, signed, whole
from vectors.receipt_cases import unsealed

STRANGER = key_of("stranger")
FIRST_KEY = key_of(f"{ACME} {GOVERNANCE}")

Expected = tuple[str, str, int]


class Case(NamedTuple):
    """A file, files of trusted tree heads to verify it with, and the expected result."""

    name: str
    data: bytes
    trusted: list[str]
    exit: int
    findings: list[Expected]
    what: str


def tree_heads() -> dict[str, str]:
    """Return the files of tree heads by name."""
    ledger = whole()
    seal = ledger.lines[ledger.at(3)]
    first = ledger.note(FIRST_KEY, size=3, root=ledger.root(3), seq=3, head=seal.hash)
    last = ledger.note()
    answer = {"note": last, "size": 5, "root": ledger.root().hex(), "seq": 8, "head": ledger.tip().hash.hex()}
    newer = whole()
    newer.add("policy.changed", policy="standard", overrides=[])
    return {
        "kept.txt": first + last,
        "answer.json": json.dumps(answer),
        "witnessed.txt": last.rstrip("\n") + "\n— witness.example/log 9Xw+1QTh0R0uJg==\n\n",
        "stranger.txt": ledger.note(STRANGER),
        "other-tenant.txt": ledger.note(origin=origin_of(OTHER)),
        "other-root.txt": last + ledger.note(root=sha256(b"another tree").digest()),
        "larger.txt": ledger.note(size=6),
        "newer.txt": first + newer.note(),
        "no-note.txt": "suture/what\n",
        "empty.txt": "\n",
    }


def cases() -> list[Case]:
    """Return all cases, in the order of the index."""
    ledger = whole()
    data = ledger.export()
    found = [
        Case("whole", data, [], 0, [], "nothing is wrong"),
        Case("whole", data, ["kept.txt"], 0, [], "both tree heads are of this ledger"),
        Case("whole", data, ["answer.json"], 0, [], "the tree head as the API answers it"),
        Case("whole", data, ["witnessed.txt"], 0, [], "a tree head that a witness has signed too"),
        Case("whole", data, ["kept.txt", "other-tenant.txt"], 0, [], "notes of other tenants are left out"),
        Case("whole", data, ["other-tenant.txt"], 1, [("foreign", GOVERNANCE, 8)], "only a note of another tenant"),
        Case("whole", data, ["stranger.txt"], 1, [("key", GOVERNANCE, 8)], "another key signed the tree head"),
        Case("whole", data, ["other-root.txt"], 1, [("split view", GOVERNANCE, 8)], "two roots for one size"),
        Case("whole", data, ["larger.txt"], 1, [("truncated", GOVERNANCE, 8)], "the tree head has a leaf more"),
        Case("whole", data, ["newer.txt"], 1, [("older than the tree head", GOVERNANCE, 9)], "made before it"),
        Case("whole", data, ["no-note.txt"], 2, [], "not a file of tree heads"),
        Case("whole", data, ["empty.txt"], 2, [], "no tree head in the file"),
    ]
    found.append(Case("unsealed", unsealed().export(), ["kept.txt"], 0, [], "a leaf that is not sealed yet"))
    for change, trusted, findings in _BROKEN:
        broken = whole()
        change(broken)
        name = change.__name__.removeprefix("_").replace("_", "-")
        found.append(Case(name, broken.export(), trusted, 1, findings, str(change.__doc__)))
    found.append(
        Case("dangling", _dangling().export(), [], 1,
             [("dangling reference", GOVERNANCE, 2), ("dangling reference", ALICE, 1)],
             "an edit and a verdict without a leaf, named before two complete seals")
    )  # fmt: skip
    for name, bytes_, what in _no_exports(data):
        found.append(Case(f"no-export-{name}", bytes_, [], 2, [], what))
    return found


def _gap_removed(ledger: Ledger) -> None:
    """an entry was removed"""
    del ledger.lines[ledger.at(4)]


def _gap_repeated(ledger: Ledger) -> None:
    """an entry comes twice"""
    ledger.lines.insert(ledger.at(2), ledger.lines[ledger.at(2)])


def _gap_leaf(ledger: Ledger) -> None:
    """a leaf was removed; nothing after it can be compared"""
    del ledger.leaves[1]


def _gap_number(ledger: Ledger) -> None:
    """the signed text has another number than the line"""
    ledger.rewrite(8, seq=9)


def _gap_governance(ledger: Ledger) -> None:
    """the governance chain is missing"""
    ledger.lines = [line for line in ledger.lines if line.chain != GOVERNANCE]


def _link_changed(ledger: Ledger) -> None:
    """the text of an entry was changed"""
    canonical = ledger.lines[ledger.at(4)].canonical.replace(b"edit.approved", b"edit.rejected")
    ledger.change(4, canonical=canonical)


def _link_rehashed(ledger: Ledger) -> None:
    """the text of an entry was changed, and its hash computed again"""
    canonical = ledger.lines[ledger.at(4)].canonical.replace(b"edit.approved", b"edit.rejected")
    ledger.change(4, canonical=canonical, hash=sha256(canonical).digest())


def _time(ledger: Ledger) -> None:
    """the time of an entry is that of the entry before it"""
    ledger.rewrite(8, ts=ledger.fields(7)["ts"])


def _signature(ledger: Ledger) -> None:
    """a signature is damaged; later entries prove the entry"""
    ledger.change(2, signature=bytes(64))


def _signature_last(ledger: Ledger) -> None:
    """the signature of the last entry is damaged"""
    ledger.change(8, signature=bytes(64))


def _key_stranger(ledger: Ledger) -> None:
    """somebody without the key wrote the end of the chain"""
    ledger.rewrite(6, STRANGER, type="nothing.happened")


def _key_replaced(ledger: Ledger) -> None:
    """a key that was replaced before signed the last entry"""
    ledger.rewrite(8, FIRST_KEY)


def _key_genesis(ledger: Ledger) -> None:
    """the first entry names no key"""
    ledger.rewrite(0, metadata={})


def _key_rotation(ledger: Ledger) -> None:
    """the current key did not sign the entry that replaces it"""
    ledger.rewrite(5, STRANGER)
    ledger.rewrite(6)


def _foreign(ledger: Ledger) -> None:
    """an agent's chain is that of another tenant"""
    other = Ledger(OTHER)
    for _ in range(2):
        other.add("memory.committed", ALICE, content=sha256(b"words").digest(), chunk=str(id_of("other")))
    ledger.lines = [line for line in ledger.lines if line.chain != ALICE] + other.lines


def _malformed_order(ledger: Ledger) -> None:
    """the names of a signed text are in the order of UTF-8"""
    _sign_last(ledger, {"\U0001f600": 1}, lambda text: text.replace('"\U0001f600":1', '"\ue000":1,"\U0001f600":2'))


def _malformed_number(ledger: Ledger) -> None:
    """a signed text has a number that is no double"""
    _sign_last(ledger, {"count": 1}, lambda text: text.replace('"count":1', '"count":9007199254740993'))


def _malformed_double(ledger: Ledger) -> None:
    """a signed text has a number that is a double, but beyond 2**53 - 1"""
    _sign_last(ledger, {"count": 1}, lambda text: text.replace('"count":1', '"count":9007199254740992'))


def _malformed_zero(ledger: Ledger) -> None:
    """a signed text has -0"""
    _sign_last(ledger, {"count": 1}, lambda text: text.replace('"count":1', '"count":-0'))


def _malformed_name(ledger: Ledger) -> None:
    """a signed text has a name twice"""
    _sign_last(ledger, {"count": 1}, lambda text: text.replace('"count":1', '"count":1,"count":1'))


def _malformed_surrogate(ledger: Ledger) -> None:
    """a signed text has a lone surrogate"""
    _sign_last(ledger, {"reason": "x"}, lambda text: text.replace('"reason":"x"', '"reason":"\\ud800"'))


def _malformed_field(ledger: Ledger) -> None:
    """a signed text has a field more"""
    fields = ledger.fields(8) | {"words": "secret"}
    ledger.lines[ledger.at(8)] = signed(GOVERNANCE, 8, rfc8785.dumps(fields), ledger.keys[GOVERNANCE])


def _malformed_redaction(ledger: Ledger) -> None:
    """a redaction does not say what was erased"""
    ledger.rewrite(6, metadata={"erasure": str(id_of("erasure")), "contents": "all"})


def _seal_root(ledger: Ledger) -> None:
    """a leaf hash was changed"""
    ledger.leaves[1] = ledger.leaves[1]._replace(hash=bytes(32))


def _seal_kind(ledger: Ledger) -> None:
    """the kind of a leaf was changed"""
    ledger.leaves[1] = ledger.leaves[1]._replace(kind="edit")


def _seal_order(ledger: Ledger) -> None:
    """the kind of a leaf was changed to one that came before another"""
    ledger.leaves[2] = ledger.leaves[2]._replace(kind="event")


def _seal_sizes(ledger: Ledger) -> None:
    """a seal continues from another size"""
    ledger.rewrite(7, metadata=ledger.fields(7)["metadata"] | {"previous_size": 2})


def _seal_head(ledger: Ledger) -> None:
    """an agent's chain was written again with its key after it was sealed"""
    ledger.rewrite(2, chain=ALICE, type="nothing.happened")


def _seal_none(ledger: Ledger) -> None:
    """a seal has no root"""
    metadata = ledger.fields(7)["metadata"]
    del metadata["root"]
    ledger.rewrite(7, metadata=metadata)


def _truncated_leaves(ledger: Ledger) -> None:
    """the last leaf is missing"""
    ledger.leaves.pop()


def _truncated_chain(ledger: Ledger) -> None:
    """the last entry of an agent's chain is missing"""
    del ledger.lines[ledger.at(2, ALICE)]


def _older(ledger: Ledger) -> None:
    """the last entry of the governance chain is missing, or the export was made before it"""
    ledger.lines.pop()


def _split_view(ledger: Ledger) -> None:
    """the last entry was written again with the key after the tree head was published"""
    ledger.rewrite(8, metadata={"policy": "none", "overrides": []})


_BROKEN: list[tuple[Callable[[Ledger], None], list[str], list[Expected]]] = [
    (_gap_removed, ["kept.txt"], [("gap", GOVERNANCE, 4)]),
    (_gap_repeated, [], [("gap", GOVERNANCE, 2)]),
    (_gap_leaf, ["kept.txt"], [("gap", "leaves", 1)]),
    (_gap_number, [], [("gap", GOVERNANCE, 8)]),
    (_gap_governance, [], [("gap", GOVERNANCE, 0)]),
    (_link_changed, ["kept.txt"], [("link", GOVERNANCE, 4)]),
    (_link_rehashed, [], [("link", GOVERNANCE, 5), ("signature", GOVERNANCE, 4)]),
    (_time, [], [("time", GOVERNANCE, 8)]),
    (_signature, [], [("signature", GOVERNANCE, 2)]),
    (_signature_last, [], [("signature", GOVERNANCE, 8)]),
    (_key_stranger, [], [("key", GOVERNANCE, 6), ("key", GOVERNANCE, 7), ("key", GOVERNANCE, 8)]),
    (_key_replaced, [], [("key", GOVERNANCE, 8)]),
    (_key_genesis, [], [("key", GOVERNANCE, 0)]),
    (_key_rotation, [], [("key", GOVERNANCE, 5)]),
    (
        _foreign,
        [],
        [("foreign", ALICE, number) for number in range(3)] + [("seal mismatch", ALICE, number) for number in (1, 2)],
    ),
    (_malformed_order, [], [("malformed", GOVERNANCE, 8)]),
    (_malformed_number, [], [("malformed", GOVERNANCE, 8)]),
    (_malformed_double, [], [("malformed", GOVERNANCE, 8)]),
    (_malformed_zero, [], [("malformed", GOVERNANCE, 8)]),
    (_malformed_name, [], [("malformed", GOVERNANCE, 8)]),
    (_malformed_surrogate, [], [("malformed", GOVERNANCE, 8)]),
    (_malformed_field, [], [("malformed", GOVERNANCE, 8)]),
    (_malformed_redaction, [], [("malformed", GOVERNANCE, 6)]),
    (_seal_root, ["kept.txt"], [
        ("seal mismatch", GOVERNANCE, 3), ("seal mismatch", GOVERNANCE, 7),
        ("split view", GOVERNANCE, 3), ("split view", GOVERNANCE, 8),
    ]),
    (_seal_kind, ["kept.txt"], [("seal mismatch", GOVERNANCE, 3)]),
    (_seal_order, [], [
        ("dangling reference", GOVERNANCE, 2), ("seal mismatch", GOVERNANCE, 3), ("seal mismatch", "leaves", 2),
    ]),
    (_seal_sizes, [], [("seal mismatch", GOVERNANCE, 7)]),
    (_seal_head, [], [("seal mismatch", ALICE, 2)]),
    (_seal_none, [], [("seal mismatch", GOVERNANCE, 7)]),
    (_truncated_leaves, ["kept.txt"], [("truncated", GOVERNANCE, 7), ("truncated", GOVERNANCE, 8)]),
    (_truncated_chain, [], [("truncated", ALICE, 2)]),
    (_older, ["kept.txt"], [("older than the tree head", GOVERNANCE, 8)]),
    (_split_view, ["kept.txt"], [("split view", GOVERNANCE, 8)]),
]  # fmt: skip


def _sign_last(ledger: Ledger, metadata: dict[str, object], change: Callable[[str], str]) -> None:
    """Sign a changed text of the last entry with the key of its chain."""
    text = rfc8785.dumps(ledger.fields(8) | {"metadata": metadata}).decode()
    ledger.lines[ledger.at(8)] = signed(GOVERNANCE, 8, change(text).encode(), ledger.keys[GOVERNANCE])


def _dangling() -> Ledger:
    ledger = Ledger()
    ledger.add("tenant.created", slug="acme")
    ledger.add("edit.proposed", edit=str(id_of("no edit")), reason="made up")
    ledger.add("memory.committed", ALICE, verdict=str(id_of("no verdict")))
    for _ in range(2):
        ledger.row("event", "message", None)
        ledger.seal()
    return ledger


def _no_exports(data: bytes) -> list[tuple[str, bytes, str]]:
    header, *lines = data.splitlines(keepends=True)
    entry, leaf = lines[0], lines[-1]
    return [
        ("cut", data[:-20], "the last line is cut"),
        ("empty", b"", "an empty file"),
        ("no-header", b"".join(lines), "the header is missing"),
        ("other-format", data.replace(b"suture-ledger/1", b"suture-ledger/2"), "another format"),
        ("two-headers", header + data, "the header comes twice"),
        ("late-entry", header + leaf + entry, "an entry after a leaf"),
        ("empty-line", data.replace(b"\n", b"\n\n", 1), "an empty line"),
        ("fraction", data.replace(b'"seq":0,', b'"seq":0.0,', 1), "a number with a fraction"),
        ("exponent", data.replace(b'"seq":0,', b'"seq":0e0,', 1), "a number with an exponent"),
        ("minus", data.replace(b'"seq":0,', b'"seq":-0,', 1), "a number with a sign"),
        ("large", data.replace(b'"seq":0,', b'"seq":9007199254740992,', 1), "a number beyond 2**53 - 1"),
        ("name-twice", data.replace(b'"seq":0,', b'"seq":0,"seq":0,', 1), "a name twice in a line"),
        ("name-more", data.replace(b'"seq":0,', b'"seq":0,"more":0,', 1), "a name more in a line"),
        ("upper-case", data.replace(lines[0][-20:], lines[0][-20:].upper(), 1), "hexadecimal in upper case"),
        ("surrogate", data.replace(b'"slug":"acme"', b'"slug":"\\ud800"'), "a lone surrogate"),
        ("no-utf-8", data.replace(b'"slug":"acme"', b'"slug":"\xff"'), "not UTF-8"),
        ("time", data.replace(b"+00:00", b"Z", 1), "exported_at in another form"),
    ]
