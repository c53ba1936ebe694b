"""Bodies hold what is known and writable, texts stay as they came, times say where they are."""

from datetime import UTC, datetime
from typing import Any

import pytest
from rest_framework import serializers

from governance.body import MAX_FAULTS
from governance.http.serializers import Instant, StrictSerializer, TextField
from governance.text import TextRule

pytestmark = pytest.mark.pure


class Content(StrictSerializer):
    text = TextField(TextRule(10, may_be_blank=True))


class Event(StrictSerializer):
    id = serializers.UUIDField(read_only=True)
    content = Content()
    parts = Content(many=True, required=False)
    ts = Instant(required=False)


def errors_of(data: Any) -> Any:
    event = Event(data=data)
    assert not event.is_valid()
    return event.errors


def text_of(text: Any) -> Any:
    content = Content(data={"text": text})
    content.is_valid(raise_exception=True)
    return content.validated_data["text"]


def instant_of(text: Any) -> Any:
    return Instant().run_validation(text)


def test_it_works() -> None:
    event = Event(data={"content": {"text": "a"}, "ts": "2026-01-31T12:00:00+02:00"})
    assert event.is_valid(), event.errors
    assert event.validated_data == {
        "content": {"text": "a"},
        "ts": datetime(2026, 1, 31, 10, tzinfo=UTC),
    }


def test_unknown_and_read_only_fields_are_refused_together_with_all_else() -> None:
    assert errors_of({"id": "x", "tenant": "mine", "content": {"text": ""}}) == {
        "id": ["Read-only field."],
        "tenant": ["Unknown field."],
        "content": {"text": ["This field may not be blank."]},
    }


def test_unknown_fields_are_refused_at_every_depth() -> None:
    bad = {"content": {"text": "a", "x": 1}, "parts": [{"text": "a"}, {"text": "b", "y": 1}]}
    assert errors_of(bad) == {
        "content": {"x": ["Unknown field."]},
        "parts": {1: {"y": ["Unknown field."]}},
    }


@pytest.mark.parametrize("body", [[], "text", 3])
def test_what_is_no_object_is_one_error(body: Any) -> None:
    assert list(errors_of(body)) == ["non_field_errors"]


@pytest.mark.parametrize("text", ["  a  ", "a\n\tb\r\n", " ", "é 東 😀", "\u200b"])
def test_a_text_stays_exactly_as_it_came(text: str) -> None:
    assert text_of(text) == text


@pytest.mark.parametrize("control", ["\x00", "\x07", "\x1b", "\x7f", "\x85"])
def test_control_characters_are_refused_with_their_place(control: str) -> None:
    with pytest.raises(serializers.ValidationError, match=f"Character 3 is .*U\\+{ord(control):04X}"):
        text_of("ab" + control)


@pytest.mark.parametrize("text", [5, 5.0, True, None, [], {}, "", "x" * 11, "\ud800"])
def test_what_is_no_text_of_the_right_length_is_refused(text: Any) -> None:
    with pytest.raises(serializers.ValidationError):
        text_of(text)


@pytest.mark.parametrize(
    "text", ["2026-01-31T12:00:00Z", "2026-01-31T14:00:00.000+02:00", "20260131T120000Z", "2026-01-31 12:00Z"]
)
def test_iso_8601_with_an_offset_is_a_moment_in_utc(text: str) -> None:
    assert instant_of(text) == datetime(2026, 1, 31, 12, tzinfo=UTC)
    assert instant_of(text).tzinfo is UTC


@pytest.mark.parametrize("text", ["2026-01-31T12:00:00", "2026-01-31"])
def test_a_time_without_offset_is_refused_with_advice(text: str) -> None:
    with pytest.raises(serializers.ValidationError, match="offset is missing: write 2026-01-31T12:00:00Z"):
        instant_of(text)


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
    with pytest.raises(serializers.ValidationError):
        instant_of(text)


def test_of_many_unknown_fields_the_first_are_named():
    """Each named one costs time: 200,000 of them took seconds."""

    class Body(StrictSerializer):
        pass

    body = Body(data=dict.fromkeys(map(str, range(1_000)), 1))

    assert not body.is_valid()
    assert len(body.errors) == MAX_FAULTS
    assert body.errors["99"] == ["Unknown field, as are 900 others."]
