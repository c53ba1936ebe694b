"""Reading a JSON body: everything that could break further in is refused at the door, with its place."""

import contextlib
import io
import json
import math
from typing import Any

import pytest
from django.test import override_settings
from hypothesis import given
from hypothesis import strategies as st
from rest_framework.test import APIRequestFactory

from governance import strict_json
from governance.http.parsing import StrictJSONParser
from governance.strict_json import MAX_VALUES, BodyTooLarge, MalformedBody, TooManyValues, parse_object

pytestmark = pytest.mark.pure

_texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))
_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _texts,
    lambda below: st.lists(below) | st.dictionaries(_texts, below),
    max_leaves=25,
)


def place_of(body: bytes) -> tuple[str | None, str]:
    """Where and why `body` is refused."""
    with pytest.raises(MalformedBody) as refused:
        parse_object(body)
    return refused.value.pointer, refused.value.detail


def nested(depth: int) -> bytes:
    return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def test_it_works() -> None:
    assert parse_object(b'{"content": {"text": "caf\xc3\xa9 \\ud83d\\ude00"}, "turn": 3}') == {
        "content": {"text": "café 😀"},
        "turn": 3,
    }


@given(st.dictionaries(_texts, _values), st.booleans())
def test_what_json_can_say_comes_through_unchanged(document: dict[str, Any], ascii_only: bool) -> None:
    assert parse_object(json.dumps(document, ensure_ascii=ascii_only).encode()) == document


@given(st.binary(max_size=200))
def test_any_bytes_are_an_object_or_a_refusal(body: bytes) -> None:
    with contextlib.suppress(MalformedBody):
        assert isinstance(parse_object(body), dict)


@pytest.mark.parametrize("body", [b"", b" \n"])
def test_an_empty_body_is_an_empty_object(body: bytes) -> None:
    assert parse_object(body) == {}


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"3", b"null", b"NaN"])
def test_the_top_level_must_be_an_object(body: bytes) -> None:
    assert place_of(body) == ("", "The body must be a JSON object.")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b'{"a": 1,}', "line 1, column"),
        (b'{\n "a": x}', "line 2, column 7"),
        (b'{"a": "\x01"}', "line 1, column"),
        (b'{"a": 1} {}', "line 1, column 10"),
        (b'{"a": "', "line 1, column 7"),
    ],
)
def test_a_syntax_error_names_line_and_column(body: bytes, place: str) -> None:
    pointer, detail = place_of(body)
    assert pointer is None
    assert place in detail


def test_what_is_not_utf_8_is_refused_with_its_line_and_byte() -> None:
    assert "line 2, byte 8" in place_of(b'{\n"a": "\xff"}')[1]
    assert "not UTF-8" in place_of('{"a": "é"}'.encode("latin-1"))[1]
    assert "not UTF-8" in place_of(b'{"a": "\xed\xa0\x80"}')[1], "a surrogate encoded as if it were UTF-8"


def test_a_byte_order_mark_is_refused() -> None:
    assert "byte order mark" in place_of(b'\xef\xbb\xbf{"a": 1}')[1]


def test_a_nul_is_refused_wherever_it_hides() -> None:
    assert place_of(rb'{"content": {"parts": ["a", "b\u0000c"]}}')[0] == "/content/parts/1"
    assert place_of(rb'{"content": {"a\u0000": 1}}') == (
        "/content",
        "A key contains the NUL character, which cannot be stored.",
    )


@pytest.mark.parametrize("text", [rb"\ud83d", rb"\ude00", rb"\ude00\ud83d", rb"\uD83D\n\uDE00"])
def test_half_of_a_surrogate_pair_is_refused(text: bytes) -> None:
    pointer, detail = place_of(b'{"a": {"b": "' + text + b'"}}')
    assert pointer == "/a/b"
    assert "surrogate" in detail


def test_an_escaped_backslash_before_u0000_is_only_text() -> None:
    assert parse_object(rb'{"a": "\\u0000"}') == {"a": "\\u0000"}


def test_a_key_that_comes_twice_is_refused() -> None:
    assert place_of(b'{"events": [{}, {"x": 1, "y/z": 2, "y/z": 2}]}')[0] == "/events/1/y~1z"
    assert place_of(b'{"a": 1, "a": 1}')[0] == "/a"


@pytest.mark.parametrize("number", [b"NaN", b"Infinity", b"-Infinity", b"1e999", b"-1E+400"])
def test_a_number_that_is_none_is_refused(number: bytes) -> None:
    assert place_of(b'{"importance": [0.5, ' + number + b"]}")[0] == "/importance/1"


@pytest.mark.parametrize("number", [2**63, -(2**63) - 1, 10**100])
def test_an_integer_beyond_64_bits_is_refused(number: int) -> None:
    assert place_of(b'{"turn": %d}' % number) == ("/turn", "An integer beyond 64 bits.")


def test_a_million_digits_are_refused_without_reading_them() -> None:
    assert place_of(b'{"turn": ' + b"9" * 1_000_000 + b"}")[0] == "/turn"


def test_the_smallest_floats_pass() -> None:
    assert parse_object(b'{"a": 1e-400, "b": -0.0}') == {"a": 0.0, "b": 0.0}
    assert math.copysign(1, parse_object(b'{"b": -0.0}')["b"]) == -1


def test_64_levels_pass_and_65_do_not() -> None:
    assert parse_object(nested(64))
    assert "deeper than 64 levels (line 1, column 69)" in place_of(nested(65))[1]


@pytest.mark.parametrize("unit", [b"[", b'{"a":'])
def test_a_hundred_thousand_levels_are_a_plain_refusal(unit: bytes) -> None:
    assert "deeper than 64 levels" in place_of(b'{"a":' + unit * 100_000)[1]


def test_brackets_in_a_text_are_not_depth() -> None:
    assert parse_object(b'{"a": "' + b"[" * 1000 + b'"}') == {"a": "[" * 1000}


class Unread(io.BytesIO):
    """A body that must not be read."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise AssertionError("read")


@override_settings(MAX_BODY_BYTES=10)
def test_a_body_announced_too_large_is_refused_unread() -> None:
    request = APIRequestFactory().generic("POST", "/", "x" * 11, content_type="application/json")
    with pytest.raises(BodyTooLarge, match="larger than 10 bytes"):
        StrictJSONParser().parse(Unread(), "application/json", {"request": request})


@override_settings(MAX_BODY_BYTES=10)
def test_a_body_that_turns_out_too_large_is_refused() -> None:
    assert StrictJSONParser().parse(io.BytesIO(b'{"a":"bc"}')) == {"a": "bc"}
    with pytest.raises(BodyTooLarge):
        StrictJSONParser().parse(io.BytesIO(b'{"a":"bcd"}'))


@pytest.mark.parametrize("value", [b"1,", b"[],", b'{"b":1},', b'"a",', b"NaN,", b"1.5,", b"[[[1]]],"])
def test_a_body_has_a_bounded_number_of_values(value):
    """Each value costs time, whatever the size of the body."""
    with pytest.raises(TooManyValues):
        parse_object(b'{"a":[' + value * MAX_VALUES + b"1]}")


def test_names_count_too():
    with pytest.raises(TooManyValues):
        parse_object(b"{" + b",".join(b'"%d":1' % number for number in range(MAX_VALUES // 2 + 1)) + b"}")


def test_marks_within_texts_do_not_count():
    text = ',:[{\\"' * MAX_VALUES

    assert parse_object(json.dumps({"a": text}).encode()) == {"a": text}


def test_the_count_itself_is_bounded(monkeypatch):
    """Strings without marks between them are no JSON; they are not counted to their end."""
    seen = 0

    class Counting:
        def finditer(self, body):
            nonlocal seen
            for found in pattern.finditer(body):
                seen += 1
                yield found

    pattern = strict_json._STRING
    monkeypatch.setattr(strict_json, "_STRING", Counting())
    with pytest.raises(MalformedBody):
        parse_object(b'{"a":1} ' + b'",,"' * MAX_VALUES * 4)
    assert seen <= 2 * MAX_VALUES + 10
