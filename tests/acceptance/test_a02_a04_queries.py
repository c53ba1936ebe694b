"""A2 to A4: memory can be asked for by scope, by subject and by project. (How fast is for the benchmark to say.)"""

import pytest

from tests.factories import EventFactory


def record(world, number, text, **fields):
    """`number` chunks of one kind, recorded in one call."""
    events = [EventFactory(content={"text": f"{text} {count}", **fields}) for count in range(number)]
    world.alice.ok("post", "events/batch", {"events": events})


def listed(world, query):
    """Every chunk of a list, through all its pages."""
    found, cursor = [], ""
    while cursor is not None:
        page = world.alice.ok("get", f"chunks?limit=60&{query}" + (f"&cursor={cursor}" if cursor else ""))
        found += page["results"]
        cursor = page["next"]
    return found


def test_a_query_by_scope_returns_exactly_the_chunks_of_that_scope(world):
    record(world, 100, "memory of a user", scope="user", subject_type="user", subject_id="jack-doe-123")
    record(world, 50, "memory of a project", scope="project", project_id="project-alpha")
    record(world, 25, "memory of all", scope="global")

    found = listed(world, "scope=user")

    assert len(found) == len({chunk["chunk_id"] for chunk in found}) == 100
    assert {chunk["scope"] for chunk in found} == {"user"}
    answer = world.alice.ok("post", "chunks/search", {"query": "memory", "scope": "user", "limit": 200})
    assert answer["total_count"] == len(answer["chunks"]) == 100
    assert {chunk["scope"] for chunk in answer["chunks"]} == {"user"}


def test_a_query_by_subject_returns_exactly_the_chunks_about_it(world):
    record(world, 50, "a call", scope="user", subject_type="user", subject_id="jack-doe-123")
    record(world, 30, "a call", scope="user", subject_type="user", subject_id="jane-smith-456")

    found = listed(world, "subject_type=user&subject_id=jack-doe-123")

    assert len(found) == 50
    assert {chunk["subject_id"] for chunk in found} == {"jack-doe-123"}
    filters = {"subject_type": "user", "subject_id": "jack-doe-123"}
    answer = world.alice.ok("post", "chunks/search", {"query": "call", "limit": 200, **filters})
    assert answer["total_count"] == len(answer["chunks"]) == 50
    assert {chunk["subject_id"] for chunk in answer["chunks"]} == {"jack-doe-123"}


def test_a_query_by_project_returns_exactly_its_chunks(world):
    record(world, 75, "a commit", scope="project", project_id="project-alpha")
    record(world, 40, "a commit", scope="project", project_id="project-beta")

    found = listed(world, "project_id=project-alpha")

    assert len(found) == 75
    assert {chunk["project_id"] for chunk in found} == {"project-alpha"}
    answer = world.alice.ok("post", "chunks/search", {"query": "commit", "project_id": "project-alpha", "limit": 200})
    assert answer["total_count"] == len(answer["chunks"]) == 75


@pytest.mark.parametrize("scope", ["session", "user", "project", "policy", "global"])
def test_every_scope_can_be_asked_for(world, scope):
    for each in ("session", "user", "project", "policy", "global"):
        world.chunk(f"about {each}", content={"scope": each})

    assert [chunk["text"] for chunk in listed(world, f"scope={scope}")] == [f"about {scope}"]
    assert world.found("about OR " + scope, scope=scope) == [f"about {scope}"]
