"""Listing memories, and filtering by metadata."""

import json

import pytest

from tests.memories.remembering import ADA, found, listed, remember

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

PEOPLE = {
    "Ada is a doctor": {"age": 36, "city": "Rome", "tags": ["a", "b"], "address": {"zip": "00100"}},
    "Bo is a doctor": {"age": 9, "city": "Oslo", "member": True},
    "Cem is a doctor": {"age": 40.5, "city": "Rome", "member": False, "note": None},
    "Di is a doctor": {},
}


@pytest.mark.parametrize(
    ("where", "names"),
    [
        ({"city": "Rome"}, "Ada Cem"),
        ({"city": {"eq": "Oslo"}}, "Bo"),
        ({"city": {"ne": "Rome"}}, "Bo"),
        ({"age": 36}, "Ada"),
        ({"age": 36.0}, "Ada"),
        ({"age": "36"}, ""),
        ({"age": {"gt": 36}}, "Cem"),
        ({"age": {"gte": 36, "lt": 40.5}}, "Ada"),
        ({"age": {"lte": 36}}, "Ada Bo"),
        ({"city": {"in": ["Oslo", "Paris"]}}, "Bo"),
        ({"member": True}, "Bo"),
        ({"member": {"exists": True}}, "Bo Cem"),
        ({"member": {"exists": False}}, "Ada Di"),
        ({"note": None}, "Cem"),
        ({"tags": "b"}, "Ada"),
        ({"address.zip": "00100"}, "Ada"),
        ({"city": "Rome", "age": {"lt": 40}}, "Ada"),
        ({'ci"ty': "Ro\"me' || true"}, ""),
        ({}, "Ada Bo Cem Di"),
    ],
)
def test_metadata_filter_lists_and_searches(world, where, names):
    for text, metadata in PEOPLE.items():
        remember(world.alice, text, metadata=metadata, subject_id=text.split()[0])
    wanted = {text for text in PEOPLE if text.split()[0] in names.split()}
    assert set(listed(world.alice, where=json.dumps(where))) == wanted
    assert set(found(world.alice, "doctor", where=where)) == wanted


@pytest.mark.parametrize(
    ("where", "place", "says"),
    [
        ({"age": {"above": 3}}, "/where/age/above", "The operators are eq, ne, gt"),
        ({"age": {"in": []}}, "/where/age/in", "a list of 1 to 100"),
        ({"age": [1, 2]}, "/where/age", "a number"),
        ({"age": {}}, "/where/age", "at least one operator"),
        ({"age": {"exists": 1}}, "/where/age/exists", "true or false"),
        ({f"a{n}": 1 for n in range(21)}, "/where", "At most 20"),
    ],
)
def test_a_condition_that_does_not_exist_is_refused(world, where, place, says):
    refused = world.alice.post("memories/search", {"query": "doctor", "where": where})
    assert refused.status_code == 400
    (error,) = refused.json()["errors"]
    assert error["pointer"] == f"#{place}"
    assert says in error["detail"]
    assert world.alice.get(f"memories?where={json.dumps(where)}").status_code == 400
    assert world.alice.get("memories?where=x").json()["errors"][0]["parameter"] == "where"


def test_lists_filter_by_everything_that_names_a_memory(world, charlie):
    remember(world.alice, "One", key="a-1", tags=["x"], session_id="s", project_id="p", ts="2026-01-01T00:00:00Z")
    remember(world.alice, "Two", key="a-2", ts="2026-01-02T00:00:00Z")
    remember(charlie, "Three", key="b%_1", ts="2026-01-03T00:00:00Z")
    world.event("Four", kind="decision", content={"decision": "Four"}, ts="2026-01-04T00:00:00Z")
    for parameters, texts in (
        ({"key_prefix": "a-"}, ["Two", "One"]),
        ({"key_prefix": "b%"}, ["Three"]),
        ({"key_prefix": "%"}, []),
        ({"tag": "x"}, ["One"]),
        ({"session_id": "s"}, ["One"]),
        ({"project_id": "p"}, ["One"]),
        ({"recorder": "charlie"}, ["Three"]),
        ({"kind": "decision"}, ["Four"]),
        ({"since": "2026-01-02", "until": "2026-01-04"}, ["Three", "Two"]),
        ({"subject_type": "user", "subject_id": "ada", "key": "a-2"}, ["Two"]),
    ):
        got = listed(world.alice, **{name: value.replace("%", "%25") for name, value in parameters.items()})
        assert got == texts, parameters
        if not {"key", "key_prefix"} & parameters.keys():
            assert set(found(world.alice, "One Two Three Four", **parameters)) == set(texts), parameters


def test_a_prefix_finds_the_subjects_below_it(world):
    for one in ("users/ada/", "users/ada/food/", "users/adam/"):
        remember(world.alice, f"A doctor of {one}", subject_type="store", subject_id=one)
    below = {"A doctor of users/ada/", "A doctor of users/ada/food/"}
    asked = {"subject_type": "store", "subject_prefix": "users/ada/"}
    assert set(listed(world.alice, **asked)) == set(found(world.alice, "doctor", **asked)) == below


def test_pages_list_every_memory_once(world):
    for number in range(7):
        remember(
            world.alice,
            f"Number {number}",
            metadata={"n": number % 2},
            subject_type="store",
            subject_id=f"a/{number % 3}",
        )
    for more in ("", '&where={"n":1}', "&subject_type=store&subject_prefix=a/", "&subject_prefix=a/"):
        seen, cursor = [], ""
        while True:
            page = world.alice.ok("get", f"memories?limit=2{more}{cursor}")
            seen += [one["text"] for one in page["results"]]
            if page["next"] is None:
                break
            cursor = f"&cursor={page['next']}"
        assert seen == [f"Number {n}" for n in (range(5, 0, -2) if "where" in more else range(6, -1, -1))]


def test_another_tenant_finds_nothing(world, elsewhere):
    made = remember(world.alice, key="drink", metadata={"topic": "food"})
    assert listed(elsewhere.alice, key="drink") == listed(elsewhere.alice, where='{"topic":"food"}') == []
    assert elsewhere.alice.get(f"memories/{made['id']}").status_code == 404


def test_a_summary_and_a_commit_are_memories_too(world):
    world.alice.ok("post", "tools/memory_commit", {"content": "I like rain", **ADA})
    (one,) = world.alice.ok("get", "memories")["results"]
    assert (one["text"], one["kind"], one["source"], one["value"]) == ("I like rain", None, "commit", None)
    assert world.alice.ok("get", f"memories/{one['id']}") == one
