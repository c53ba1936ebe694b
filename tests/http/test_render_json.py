"""What is answered means the same, whichever encoder wrote it."""

import json
import uuid
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rest_framework import renderers

from governance.http.rendering import JSONRenderer

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner) | st.dictionaries(TEXT, inner),
)


@pytest.mark.pure
@given(data=JSON)
def test_json_means_what_the_framework_makes_of_it(data):
    assert json.loads(JSONRenderer().render(data) or b"null") == data


@pytest.mark.pure
@pytest.mark.parametrize(
    "value",
    [
        datetime(2026, 1, 31, 12, 0, tzinfo=UTC),
        datetime(2026, 1, 31, 12, 0, 0, 123, tzinfo=UTC),
        datetime(2026, 1, 31, 12, 0, tzinfo=timezone(timedelta(hours=2))),
        uuid.UUID(int=1),
        Decimal("0.4000"),
        (1, 2),
        2**64,
        "\u2028",
    ],
)
def test_every_kind_of_value_is_written_as_the_framework_writes_it(value):
    ours, theirs = JSONRenderer(), renderers.JSONRenderer()
    assert json.loads(ours.render({"value": value})) == json.loads(theirs.render({"value": value}))


@pytest.mark.pure
def test_nothing_is_answered_with_nothing():
    assert JSONRenderer().render(None) == b""


def test_json_comes_indented_where_that_is_asked_for(world):
    plain = world.alice.get("policy")
    indented = world.alice.get("policy", Accept="application/json; indent=2")
    assert b"\n" not in plain.content
    assert indented.content.startswith(b'{\n  "preset"')
    assert indented.json() == plain.json()
