"""What an agent commits without a subject is about everything: it has the scope global."""

import pytest

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("about", "scope"),
    [
        ({}, "global"),
        ({"session_id": "s"}, "global"),
        ({"project_id": "suture"}, "project"),
        ({"subject_type": "user", "subject_id": "jack"}, "user"),
        ({"subject_type": "user", "subject_id": "jack", "project_id": "suture"}, "user"),
    ],
)
def test_the_scope_of_committed_memory(world, about, scope):
    made = world.alice.ok("post", "tools/memory_commit", {"content": "Tea at four", **about})

    listed = world.alice.ok("get", "chunks?limit=10")["results"]
    assert [one["scope"] for one in listed if one["text"] == "Tea at four"] == [scope]
    assert made["seq"] == 1
