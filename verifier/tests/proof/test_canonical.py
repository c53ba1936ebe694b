"""Canonical JSON (RFC 8785): parse_canonical accepts exactly the output of the package rfc8785."""

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from suture_verify.canonical import LARGEST_NUMBER, MAX_DEPTH, NotCanonical, fault_in, parse_canonical

pytestmark = pytest.mark.pure

# Names that UTF-8 and UTF-16 sort differently come often.
NAMES = st.text(st.sampled_from('aé日\ue000\uffff\U0001f600\U0010ffff\x00\x7f"\\'), max_size=3)
NUMBERS = st.integers(-LARGEST_NUMBER, LARGEST_NUMBER) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5) | NAMES,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(NAMES, children, max_size=4),
    max_leaves=12,
)


@given(VALUES)
def test_output_of_rfc8785_is_parsed(value):
    written = rfc8785.dumps(value)
    try:
        read = parse_canonical(written)
    except NotCanonical:
        # doubles that are written as too large whole numbers
        assert "beyond 2**53 - 1" in str(fault_in(value, "it"))
    else:
        assert read == value
        assert rfc8785.dumps(read) == written


@given(VALUES)
def test_output_of_other_encoders_is_parsed_only_if_it_is_canonical(value):
    for written in (
        json.dumps(value).encode(),
        json.dumps(value, separators=(",", ":"), ensure_ascii=False, sort_keys=True).encode(),
    ):
        try:
            canonical = rfc8785.dumps(json.loads(written))
        except rfc8785.CanonicalizationError:
            canonical = None
        if written == canonical:
            assert rfc8785.dumps(parse_canonical(written)) == written
        else:
            with pytest.raises(NotCanonical):
                parse_canonical(written)


@pytest.mark.parametrize(
    "written",
    [
        '{"\ue000":1,"\U0001f600":2}',  # in the order of UTF-8
        '{"a":1,"a":1}',
        '{"a":1,"a":2}',
        '{"b":1,"a":2}',
        '{"a": 1}',
        " 1",
        "-0",
        "-0.0",
        "1.0",
        "1e2",
        "1E+2",
        "0.10",
        "9007199254740992",
        "-9007199254740992",
        "9007199254740993",
        "100000000000000000000",  # the double 1e20, which RFC 8785 writes thus
        "1" * 5000,
        "1e999",
        "NaN",
        "Infinity",
        '"\\ud83d"',
        '"\\udc00\\ud800"',
        '{"\\ud800":1}',
        '"\\u0041"',
        '"\\/"',
        '"\\u000A"',
        "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1),
        "[" * 100_000,
        "",
        "[1",
    ],
)
def test_other_text_is_refused(written):
    with pytest.raises(NotCanonical):
        parse_canonical(written.encode())


@pytest.mark.parametrize("written", [b"\xff", b'"\xed\xa0\x80"', b'\xef\xbb\xbf"a"'])
def test_other_encodings_are_refused(written):
    with pytest.raises(NotCanonical):
        parse_canonical(written)


@pytest.mark.parametrize(
    "written",
    [
        '{"\U0001f600":2,"\ue000":1}',  # in the order of UTF-16
        "9007199254740991",
        "-9007199254740991",
        "1e+21",
        "0.5",
        "1e-7",
        '"\\u001f\\b\\t\\n\\f\\r\\"\\\\/\x7f\u2028"',
        "[" * MAX_DEPTH + "]" * MAX_DEPTH,
        '"' + "[" * 100 + '"',
    ],
)
def test_canonical_text_is_parsed(written):
    assert parse_canonical(written.encode()) == json.loads(written)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ({"a": [1, {"b": 2**53}]}, "it.a[1].b is a number beyond 2**53 - 1"),
        ({"a": -(2**53)}, "it.a is a number beyond"),
        ([1e20], "it[0] is a number beyond"),
        (float("nan"), "it is a number beyond"),
        ({"a": "\ud800"}, "it.a has a lone surrogate"),
        ({"\udfff": 1}, "has a lone surrogate"),
        ({"a": b"bytes"}, "it.a is not a JSON value"),
        ({5: 1}, "it.5 is a name that is not a string"),
    ],
)
def test_invalid_values_are_reported_with_their_path(value, fault):
    assert fault in str(fault_in(value, "it"))


def test_the_deepest_allowed_nesting_is_accepted():
    value: list[Any] = []
    for _ in range(MAX_DEPTH - 1):
        value = [value]
    assert fault_in(value, "it") is None
    assert parse_canonical(rfc8785.dumps(value)) == value
    assert "nested too deeply" in str(fault_in([value], "it"))
    assert "nested too deeply" in str(fault_in(value, "it", depth=2))


def test_valid_values_have_no_fault():
    assert fault_in({"a": [1, -1, 0.5, 2**53 - 1, None, True, "日\U0001f600", {}], "b": {}}, "it") is None
