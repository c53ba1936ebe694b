"""What a store of LangGraph asks the server, and what it checks itself."""

from typing import Any

import pytest

from suture_client.storing.filters import fulfils, labels_of, where_of
from suture_client.storing.names import decoded, encoded, namespace_of, subject_of

pytestmark = pytest.mark.pure


@pytest.mark.parametrize(
    ("filter", "where"),
    [
        ({"topic": "food"}, {"topic": {"eq": "food"}}),
        ({"n": {"$gt": 1, "$lte": 3, "$ne": 2}}, {"n": {"gt": 1, "lte": 3}}),
        ({"ok": True, "none": None, "tags": ["a"], "by": {"name": "ada"}}, {"ok": {"eq": True}}),
        ({"a.b": 1, "long": "x" * 101}, {}),
        ({f"n{number}": number for number in range(30)}, {f"n{number}": {"eq": number} for number in range(20)}),
    ],
)
def test_the_server_is_asked_what_it_can_look_up(filter: dict[str, Any], where: dict[str, Any]) -> None:
    assert where_of(filter) == where


@pytest.mark.parametrize(
    ("value", "wanted", "expected"),
    [
        (1, {"$gte": 1, "$lt": 2}, True),
        ("1", {"$gt": 0}, False),
        ("b", {"$gt": "a"}, True),
        (None, {"$ne": 1}, True),
        (None, {"$lt": 1}, False),
        ({"name": "ada", "n": 1}, {"name": "ada"}, True),
        ("ada", {"name": "ada"}, False),
        ([1, {"a": 2}], [1, {"a": 2}], True),
        ([1, 2], [1], False),
    ],
)
def test_a_filter_means_what_langgraph_says(value: Any, wanted: Any, expected: bool) -> None:
    assert fulfils(value, wanted) is expected


def test_labels_are_the_short_members() -> None:
    value = {"a": 1, "b": True, "c": "short", "d": "x" * 101, "e": None, "f": [1], "g": {"h": 1}}
    assert labels_of(value) == {"a": 1, "b": True, "c": "short"}
    many = labels_of({f"n{number}": "x" * 100 for number in range(1_000)})
    assert 100 < len(many) < 150


def test_a_namespace_is_a_subject_and_back() -> None:
    for label in ("a", "a/b", "a%2Fb", "%", "\n", "\u00e9 \U0001f375", "\ud800"):
        assert decoded(encoded(label)) == label
        assert namespace_of(subject_of((label, "x"))) == (label, "x")
    assert subject_of(("user/1", "a%")) == "user%2F1/a%25/"
    assert subject_of(()) == ""
