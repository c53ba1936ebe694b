"""Input holds what is known and nothing else, texts stay as they came, and one answer names every fault."""

from datetime import UTC, datetime
from typing import Any

import pytest

from governance.faults import MAX_FAULTS, Faults
from governance.inputs import (
    BooleanField,
    DecimalField,
    InstantField,
    IntegerField,
    ListField,
    StrictSerializer,
    TextField,
    read_value,
)
from governance.refusals import Invalid
from governance.text import TextRule

pytestmark = pytest.mark.pure


class Content(StrictSerializer):
    text = TextField(TextRule(10, may_be_blank=True))


class Event(StrictSerializer):
    content = Content()
    parts = ListField(child=Content(), required=False, max_length=200)
    ts = InstantField(required=False)
    count = IntegerField(min_value=1, max_value=5, default=2)
    weight = DecimalField(5, 4, min_value=0, max_value=1, required=False)
    is_new = BooleanField(required=False, allow_null=True)

    def check(self, values: dict[str, Any], pointer: str, faults: Faults) -> None:
        if values["count"] == 5 and "ts" not in values:
            faults.add(f"{pointer}/ts", "Five need a time.")


def faults_of(data: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(Invalid) as refused:
        Event.of(data)
    return [(fault["pointer"], fault["detail"], fault["code"]) for fault in refused.value.errors]


def read(field: Any, value: Any) -> Any:
    """What the field reads; the detail of the fault if there is one."""
    faults = Faults()
    meant = read_value(field, value, "", faults)
    return faults.found[0]["detail"] if faults.found else meant


def test_values_are_read_and_absent_fields_have_their_defaults() -> None:
    found = Event.of({"content": {"text": "a"}, "ts": "2026-01-31T12:00:00+02:00", "is_new": None})

    assert found == {
        "content": {"text": "a"},
        "ts": datetime(2026, 1, 31, 10, tzinfo=UTC),
        "count": 2,
        "is_new": None,
    }


def test_one_answer_names_every_fault_at_every_depth() -> None:
    bad = {
        "zone": "mine",
        "content": {"text": "", "x": 1},
        "parts": [{"text": "a"}, {"texts": "b"}, None],
        "count": "2",
        "weight": 1.5,
        "is_new": "true",
    }
    allowed = "Allowed: content, parts, ts, count, weight, is_new."

    assert sorted(faults_of(bad)) == [
        ("/content/text", "This field may not be blank.", "invalid"),
        ("/content/x", "Unknown field. Allowed: text.", "unknown-field"),
        ("/count", "A valid integer is required.", "invalid"),
        ("/is_new", "Must be true or false.", "invalid"),
        ("/parts/1/text", "This field is required.", "required"),
        ("/parts/1/texts", "Unknown field. Did you mean text? Allowed: text.", "unknown-field"),
        ("/parts/2", "This field may not be null.", "null"),
        ("/weight", "Ensure this value is less than or equal to 1.", "max-value"),
        ("/zone", f"Unknown field. {allowed}", "unknown-field"),
    ]


def test_what_no_single_field_shows_is_checked_last() -> None:
    assert faults_of({"content": {"text": "a"}, "count": 5}) == [("/ts", "Five need a time.", "invalid")]
    assert [pointer for pointer, _, _ in faults_of({"content": {"text": ""}, "count": 5})] == ["/content/text"]


def test_a_thousand_faults_are_counted_and_a_hundred_listed() -> None:
    with pytest.raises(Invalid, match=r"The request has 200 errors; the first 100 are listed\."):
        Event.of({"content": {"text": "a"}, "parts": [{"text": ""}] * 200})


@pytest.mark.parametrize("body", [[], "text", 3, None])
def test_what_is_no_object_is_one_fault(body: Any) -> None:
    assert [pointer for pointer, _, _ in faults_of(body)] == [""]


@pytest.mark.parametrize("text", ["  a  ", "a\n\tb\r\n", " ", "é 東 😀", "\u200b"])
def test_a_text_stays_exactly_as_it_came(text: str) -> None:
    assert read(Content(), {"text": text}) == {"text": text}


@pytest.mark.parametrize("control", ["\x00", "\x07", "\x1b", "\x7f", "\x85"])
def test_control_characters_are_refused_with_their_place(control: str) -> None:
    assert read(Content(), {"text": "ab" + control}).startswith(
        f"Character 3 is the control character U+{ord(control):04X}"
    )


@pytest.mark.parametrize("text", [5, 5.0, True, None, [], {}, "", "x" * 11, "\ud800"])
def test_what_is_no_text_of_the_right_length_is_refused(text: Any) -> None:
    assert isinstance(read(Content(), {"text": text}), str)


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00Z", "2026-01-31T14:00:00.000+02:00", "20260131T120000Z", "2026-01-31 12:00Z"]
)
def test_iso_8601_with_an_offset_is_a_moment_in_utc(text: str) -> None:
    found = read(InstantField(), text)
    assert found == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert found.tzinfo is UTC


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00", "2026-01-31"])
def test_a_time_without_offset_is_refused_with_advice(text: str) -> None:
    assert read(InstantField(), text).startswith("A time zone offset is missing: write 2026-01-31T12:00:00Z")


@pytest.mark.parametrize(
    "text",
    [
        "yesterday",
        "",
        "2026-02-30T12:00:00Z",
        "2026-01-31T12:00:60Z",
        "0001-01-01T00:00:00+02:00",
        1767225600,
        None,
        "2026-01-31T12:00:00 02:00",
    ],
)
def test_what_is_no_time_is_refused(text: Any) -> None:
    assert isinstance(read(InstantField(), text), str)


def test_of_many_unknown_fields_the_first_are_named() -> None:
    """Each named one costs time: 200,000 of them took seconds."""
    faults = Faults()
    StrictSerializer().read(dict.fromkeys(map(str, range(100_000)), 1), "", faults)

    assert len(faults.found) == MAX_FAULTS
    assert faults.found[-1]["pointer"] == "/99"
    assert faults.found[-1]["detail"].startswith("Unknown field, as are 99,900 others.")


def test_as_many_unknown_fields_as_are_listed_are_named_each() -> None:
    faults = Faults()
    StrictSerializer().read(dict.fromkeys(map(str, range(MAX_FAULTS)), 1), "", faults)

    assert all(fault["detail"].startswith("Unknown field.") for fault in faults.found)
    assert len(faults.found) == MAX_FAULTS
