"""Reading the canonical form."""

import json
from typing import Any

import pytest
import rfc8785

from suture_verify.entries import (
    MalformedEntry,
    bytes_of,
    opening_type,
    parse_entry,
    parse_seal,
    redacted_contents,
)
from tests.proof.ledgers import digest

pytestmark = pytest.mark.pure

FIELDS: dict[str, Any] = {
    "tenant": "t",
    "chain": "governance",
    "seq": 3,
    "ts": "2026-05-01T00:00:00.000001+00:00",
    "type": "policy.changed",
    "retention": "committed",
    "content_hash": None,
    "prev_hash": "ab" * 32,
    "metadata": {"a": 1},
}


def test_an_entry_is_read():
    entry = parse_entry(rfc8785.dumps(FIELDS | {"content_hash": "cd" * 32}))
    assert (entry.tenant, entry.chain, entry.seq, entry.type) == ("t", "governance", 3, "policy.changed")
    assert (entry.prev_hash, entry.content_hash) == (b"\xab" * 32, b"\xcd" * 32)
    assert entry.ts.isoformat() == FIELDS["ts"]


@pytest.mark.parametrize(
    "metadata",
    [
        {"\ue000": 1, "\U0001f600": 2},  # in the order of UTF-16, which is not that of code points
        {"small": 1e-7, "large": 1e21, "whole": 5.0, "part": 0.5},
        {"text": '\u2028 \x7f \x01 \b\t\n\f\r "\\/ é 日本'},
        {"nested": [{"b": [], "a": {}}, None, True, -1]},
    ],
)
def test_every_canonical_form_is_accepted(metadata):
    assert parse_entry(rfc8785.dumps(FIELDS | {"metadata": metadata})).metadata == metadata


@pytest.mark.parametrize(
    "canonical",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b"[" * 200_000,
        json.dumps(FIELDS).encode(),
        rfc8785.dumps(FIELDS)[:-1] + b',"more":1}',
        rfc8785.dumps(FIELDS).replace(b'"a":1', b'"a":1,"a":1'),
        rfc8785.dumps(FIELDS).replace(b'"a":1', b'"a":1.0'),
        rfc8785.dumps(FIELDS).replace(b'"a":1', b'"a":NaN'),
        rfc8785.dumps(FIELDS).replace(b'"a":1', b'"a":1e999'),
        rfc8785.dumps(FIELDS).replace(b'"a":1', b'"a":"\\ud800"'),
        rfc8785.dumps(FIELDS).replace(b'"a":1', b'"a":"\\u00e9"'),
        rfc8785.dumps(FIELDS) + b"\n",
    ],
)
def test_anything_but_the_canonical_form_is_refused(canonical):
    with pytest.raises(MalformedEntry):
        parse_entry(canonical)


@pytest.mark.parametrize(
    "changes",
    [
        {"tenant": None},
        {"chain": 1},
        {"seq": "1"},
        {"seq": True},
        {"seq": -1},
        {"ts": 5},
        {"ts": "yesterday"},
        {"ts": "2026-05-01T00:00:00"},
        {"ts": "2026-05-01T00:00:00.000001Z"},
        {"ts": "2026-05-01T00:00:00+00:00"},
        {"ts": "2026-05-01T02:00:00.000001+02:00"},
        {"ts": "2026-02-30T00:00:00.000001+00:00"},
        {"type": None},
        {"retention": []},
        {"content_hash": "cd"},
        {"content_hash": 0},
        {"prev_hash": None},
        {"prev_hash": "AB" * 32},
        {"metadata": None},
        {"metadata": []},
    ],
)
def test_a_field_of_a_wrong_type_is_refused(changes):
    with pytest.raises(MalformedEntry):
        parse_entry(rfc8785.dumps(FIELDS | changes))


def test_each_chain_has_its_opening():
    assert (opening_type("governance"), opening_type("agent:alice")) == ("genesis", "identity")


def test_a_digest_has_one_text():
    assert bytes_of("ab" * 32) == b"\xab" * 32
    for text in ("AB" * 32, "ab" * 31, "ab" * 32 + " ", None, 5):
        with pytest.raises(ValueError, match="lower-case hexadecimal"):
            bytes_of(text)


SEAL = {"size": 2, "root": "ab" * 32, "previous_size": 1, "counts": {"event": 1}}


def test_a_seal_is_read():
    seal = parse_seal({**SEAL, "chains": {"agent:alice": [4, "cd" * 32]}})
    assert tuple(seal) == (2, b"\xab" * 32, 1, {"agent:alice": (4, b"\xcd" * 32)}, {"event": 1}, True)


def test_a_seal_that_left_rows_for_the_next_says_so():
    assert not parse_seal({**SEAL, "complete": False}).is_complete


@pytest.mark.parametrize(
    "changes",
    [{"counts": None}, {"counts": ""}, {"counts": [["event", 1]]}, {"counts": {"event": 0}},
     {"counts": {"event": True}},
     {"chains": None}, {"chains": []}, {"chains": {"agent:a": ["1", "cd" * 32]}}, {"chains": {"agent:a": "12"}},
     {"size": 0}, {"size": True}, {"previous_size": -1}, {"root": "AB" * 32}],
)  # fmt: skip
def test_an_invalid_seal_is_refused(changes):
    with pytest.raises(MalformedEntry):
        parse_seal(SEAL | changes)


def test_a_redaction_is_read():
    assert redacted_contents({"erasure": "e", "contents": [["one", digest("x").hex()]]}) == ["one"]
    with pytest.raises(MalformedEntry):
        redacted_contents({})
    damaged: list[object] = [{}, "", 5, [[1, "ab" * 32]], [["one"]], [["one", "two"]]]
    for contents in damaged:
        with pytest.raises(MalformedEntry):
            redacted_contents({"contents": contents})
