"""The parameters of a list: those that it declares are read, and any other is refused by its name."""

from typing import Any

import pytest
from rest_framework.request import Request
from rest_framework.test import APIRequestFactory

from governance import text
from governance.http.filters import Parameter, ParameterFilter
from governance.inputs import BooleanField, ChoiceField, IdField, InstantField, IntegerField, TextField
from governance.refusals import Invalid

pytestmark = pytest.mark.pure


class Things(ParameterFilter):
    colour = Parameter(ChoiceField([("red", "Red"), ("blue", "Blue")], required=False))
    subject = Parameter(TextField(text.IDENTIFIER, required=False))
    of = Parameter(IdField(required=False))
    since = Parameter(InstantField(required=False))
    is_new = Parameter(BooleanField(default=False))
    count = Parameter(IntegerField(min_value=1, max_value=10, default=5))


class Alone(Things):
    also_accepted = frozenset()


def read(query: str, parameters: type[ParameterFilter] = Things) -> dict[str, Any]:
    return parameters.read(Request(APIRequestFactory().get(f"/things?{query}"))).values


def faults(query: str, parameters: type[ParameterFilter] = Things) -> dict[str, str]:
    with pytest.raises(Invalid) as refused:
        read(query, parameters)
    return {fault["parameter"]: fault["detail"] for fault in refused.value.errors}


def test_what_is_given_is_read_and_what_is_not_has_its_default() -> None:
    asked = read("colour=red&is_new=TRUE&count=7")
    assert (asked["colour"], asked["is_new"], asked["count"]) == ("red", True, 7)
    assert read("") == {"colour": None, "subject": None, "of": None, "since": None, "is_new": False, "count": 5}


def test_every_fault_is_named() -> None:
    assert faults("color=red&colour=green&count=11&of=1&is_new=perhaps&since=2026-01-31T12:00:00") == {
        "color": "Unknown parameter.",
        "colour": '"green" is not a valid choice. Choose one of: red, blue.',
        "count": "Ensure this value is less than or equal to 10.",
        "of": "Must be a valid UUID.",
        "is_new": "Must be true or false.",
        "since": "A time zone offset is missing: write 2026-01-31T12:00:00Z or 2026-01-31T12:00:00+02:00.",
    }


@pytest.mark.parametrize("count", ["0", "-1", "1e1", "1.0", "%D9%A1", "", "9" * 5000])
def test_a_number_is_whole_and_within_its_bounds(count: str) -> None:
    assert list(faults(f"count={count}")) == ["count"]


@pytest.mark.parametrize("subject", ["", "%20", "%00", "%1B", "x" * 201])
def test_a_text_is_one_of_its_kind(subject: str) -> None:
    assert list(faults(f"subject={subject}")) == ["subject"]


def test_a_parameter_that_the_page_reads_is_known() -> None:
    assert read("subject=s&cursor=c&limit=1")["subject"] == "s"
    assert faults("subject=s&curser=c") == {"curser": "Unknown parameter."}
    assert faults("cursor=c", Alone) == {"cursor": "Unknown parameter."}
