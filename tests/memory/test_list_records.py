"""Lists of decisions, tasks and artifacts: what a reader may see, newest first."""

import pytest

from tests.factories import ArtifactFactory, DecisionFactory, TaskFactory

ABOUT = {"subject_type": "user", "subject_id": "jack", "project_id": "alpha", "scope": "user"}
KINDS = {
    "decisions": ("decision_id", "decision", DecisionFactory),
    "tasks": ("task_id", "title", TaskFactory),
    "artifacts": ("artifact_id", "name", ArtifactFactory),
}


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


def record(world, kind, words, **fields):
    _, named, factory = KINDS[kind]
    body = factory(**fields)
    body["content"] = {**body["content"], named: words, **({"text": "words"} if kind == "artifacts" else {})}
    return world.alice.ok("post", "events", body)


def listed(api, kind, query=""):
    return [one[KINDS[kind][1]] for one in api.ok("get", f"{kind}?{query}")["results"]]


def test_it_works(world, kind):
    recorded = record(world, kind, "zebra", session_id="session-9", **ABOUT)

    (found,) = world.alice.ok("get", kind)["results"]

    record_id, named, _ = KINDS[kind]
    assert (found[record_id], found[named], found["event_id"]) == (recorded[record_id], "zebra", recorded["event_id"])
    assert {name: found[name] for name in ABOUT} == ABOUT
    assert (found["session_id"], found["channel"], found["edits_applied"]) == ("session-9", "private", 0)


def test_pages_are_newest_first(world, kind):
    for day in (2, 3, 1):
        record(world, kind, f"day {day}", ts=f"2025-01-0{day}T00:00:00Z")

    first = world.alice.ok("get", f"{kind}?limit=2")
    rest = world.alice.ok("get", f"{kind}?limit=2&cursor={first['next']}")

    named = KINDS[kind][1]
    assert [one[named] for one in first["results"]] == ["day 3", "day 2"]
    assert ([one[named] for one in rest["results"]], rest["next"]) == (["day 1"], None)
    assert world.alice.get(f"{kind}?limit=2&scope=global&cursor={first['next']}").status_code == 400


def test_filters_narrow(world, kind):
    record(world, kind, "about Jack", ts="2025-01-01T00:00:00Z", **ABOUT)
    record(world, kind, "of the team", channel="team", session_id="session-9", scope="global")

    for query in ("scope=user", "subject_id=jack", "subject_type=user&subject_id=jack", "project_id=alpha"):
        assert listed(world.alice, kind, query) == ["about Jack"], query
    for query in ("channel=team", "session_id=session-9", "since=2025-02-01T00:00:00Z", "scope=global"):
        assert listed(world.alice, kind, query) == ["of the team"], query
    assert listed(world.alice, kind, "until=2025-02-01T00:00:00Z") == ["about Jack"]
    assert world.alice.get(f"{kind}?colour=red").status_code == 400


@pytest.mark.parametrize(
    ("op", "patch"),
    [("retract", {}), ("quarantine", {}), ("block", {"channel": "private"})],
    ids=lambda value: str(value),
)
def test_what_a_reader_may_not_see_is_not_listed(world, kind, op, patch):
    recorded = record(world, kind, "zebra")
    record(world, kind, "lion")

    world.edit(recorded["chunk_ids"][0], op, **patch)

    assert listed(world.alice, kind) == ["lion"]
    asked = listed(world.alice, kind, "include_quarantined=true")
    assert asked == (["lion", "zebra"] if op == "quarantine" else ["lion"])


def test_channels_and_sensitivity_hide_records(world, kind, agent_in):
    record(world, kind, "private")
    record(world, kind, "public", channel="public")
    record(world, kind, "secret", channel="public", sensitivity="secret")
    record(world, kind, "high", channel="public", sensitivity="high")

    assert listed(agent_in("public"), kind) == ["public"]
    assert agent_in("public").get(f"{kind}?channel=private").status_code == 403
    assert listed(world.alice, kind, "channel=private") == ["private"]


def test_another_tenants_records_are_not_listed(world, elsewhere, kind):
    record(elsewhere, kind, "theirs")

    assert listed(world.alice, kind) == []


def test_an_amended_record_shows_the_new_words_only(world, kind):
    recorded = record(world, kind, "Jon called")

    world.edit(recorded["chunk_ids"][0], "amend", text="John called")

    (found,) = world.alice.ok("get", kind)["results"]
    assert found[KINDS[kind][1]] == (None if kind == "artifacts" else "John called")
    assert found["edits_applied"] == 1


def test_decisions_are_listed_whether_in_force_or_not(world):
    old = world.event(kind="decision", content={"decision": "Use tea", "rationale": ["warm"]})["decision_id"]
    world.event(kind="decision", content={"decision": "Use coffee", "supersedes": old})

    assert listed(world.alice, "decisions") == ["Use coffee", "Use tea"]
    assert listed(world.alice, "decisions", "status=active") == ["Use coffee"]
    (found,) = world.alice.ok("get", "decisions?status=superseded")["results"]
    assert (found["decision"], found["rationale"], found["status"]) == ("Use tea", ["warm"], "superseded")


def test_tasks_have_the_status_of_their_newest_update(world):
    opened = world.event(kind="task_update", content={"title": "Ship", "details": "soon", "status": "open"})
    world.event(kind="task_update", content={"title": "Ship", "status": "done", "task_id": opened["task_id"]})
    world.event(kind="task_update", content={"title": "Rest", "details": "later", "status": "open"})

    assert listed(world.alice, "tasks", "status=done") == ["Ship"]
    (found,) = world.alice.ok("get", "tasks?status=open")["results"]
    assert (found["title"], found["details"]) == ("Rest", "later")
    assert world.alice.get("tasks?status=late").status_code == 400


def test_artifacts_are_filtered_by_media_type(world):
    record(world, "artifacts", "plan.md", content={"name": "x", "media_type": "text/markdown"})
    record(world, "artifacts", "notes")

    assert listed(world.alice, "artifacts", "media_type=text/markdown") == ["plan.md"]
