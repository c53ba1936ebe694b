"""The lists of subjects and projects, and who a key belongs to."""

import pytest

from tests.memories.remembering import remember

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def names(api, path):
    return [tuple(one.values())[:-1] for one in api.ok("get", path)["results"]]


def test_subjects_and_projects_are_listed_in_order(world):
    for number, (kind, one) in enumerate([("user", "bo"), ("team", "red/a"), ("user", "ada"), ("team", "red/b")]):
        remember(world.alice, f"Number {number}", subject_type=kind, subject_id=one, project_id=f"p{number % 2}")
    remember(world.alice, "Newer", subject_type="user", subject_id="ada")
    assert names(world.alice, "subjects") == [
        ("team", "red/a"), ("team", "red/b"), ("user", "ada"), ("user", "bo"),
    ]  # fmt: skip
    assert names(world.alice, "subjects?subject_type=team&prefix=red/b") == [("team", "red/b")]
    assert names(world.alice, "subjects?prefix=a") == [("user", "ada")]
    page = world.alice.ok("get", "subjects?limit=3")
    assert names(world.alice, f"subjects?limit=3&cursor={page['next']}") == [("user", "bo")]
    assert names(world.alice, "projects") == [("p0",), ("p1",)]
    assert names(world.alice, "projects?prefix=p1") == [("p1",)]
    newest = world.alice.ok("get", "memories?limit=1")["results"][0]["created_at"]
    (ada,) = world.alice.ok("get", "subjects?prefix=ada")["results"]
    assert ada["updated_at"] == newest


def test_a_subject_of_which_nothing_is_left_is_not_listed(world):
    made = remember(world.alice)
    world.alice.ok("delete", f"memories/{made['id']}", None)
    assert names(world.alice, "subjects") == names(world.alice, "projects") == []


def test_a_key_says_whose_it_is(world):
    me = world.alice.ok("get", "whoami")
    assert (me["tenant"], me["kind"], me["name"], me["default_channel"]) == (world.slug, "agent", "alice", "private")
    assert world.bob.ok("get", "whoami")["roles"] == ["reviewer"]
