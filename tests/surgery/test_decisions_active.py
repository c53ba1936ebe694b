"""GET /decisions/active: the decisions in force for a subject, a project, a session, by precedence and then newest."""

import pytest

USER = {"subject_type": "user", "subject_id": "user-1"}


def decide(world, statement, *, ts=None, **fields):
    body = {"session_id": fields.pop("session_id", "session-1"), "channel": fields.pop("channel", "private")}
    if ts:
        body["ts"] = ts
    for name in ("sensitivity",):
        if name in fields:
            body[name] = fields.pop(name)
    return world.event(statement, kind="decision", content={"decision": statement, **fields}, **body)


def active(world, query="", by=None):
    return (by or world.alice).ok("get", f"decisions/active?{query}")["decisions"]


def statements(world, query="", by=None):
    return [decision["decision"] for decision in active(world, query, by)]


def test_it_works(world):
    recorded = decide(
        world, "Use PostgreSQL", rationale=["fast"], constraints=["one node"], alternatives=["SQLite"], scope="policy"
    )

    (decision,) = active(world)

    assert decision == {
        "decision_id": recorded["decision_id"],
        "decision": "Use PostgreSQL",
        "rationale": ["fast"],
        "constraints": ["one node"],
        "alternatives": ["SQLite"],
        "precedence": 4,
        "importance": 1.0,
        "ts": recorded["ts"],
        "is_quarantined": False,
        "edits_applied": 0,
        "event_id": recorded["event_id"],
        "scope": "policy",
        "subject_type": None,
        "subject_id": None,
        "project_id": None,
        "session_id": "session-1",
        "channel": "private",
    }


@pytest.fixture
def decided(world):
    """A decision of every scope, of this subject and of others."""
    decide(world, "global", scope="global", ts="2025-03-01T00:00:00Z")
    decide(world, "policy old", scope="policy", ts="2025-01-01T00:00:00Z")
    decide(world, "policy new", scope="policy", ts="2025-01-02T00:00:00Z")
    decide(world, "project one", scope="project", project_id="one", ts="2025-02-01T00:00:00Z")
    decide(world, "project two", scope="project", project_id="two", ts="2025-02-01T00:00:00Z")
    decide(world, "user-1", scope="user", ts="2025-02-05T00:00:00Z", **USER)
    decide(world, "user-2", scope="user", subject_type="user", subject_id="user-2", ts="2025-02-05T00:00:00Z")
    decide(world, "session A", scope="session", session_id="A", ts="2025-02-10T00:00:00Z")
    decide(world, "session B", scope="session", session_id="B", ts="2025-02-10T00:00:00Z")
    return world


def test_for_a_subject_policy_and_global_hold_always_and_its_own(decided):
    assert statements(decided, "subject_type=user&subject_id=user-1") == [
        "policy new",
        "policy old",
        "user-1",
        "global",
    ]


def test_projects_and_sessions_with_memory_about_the_subject_hold_too(decided):
    decided.chunk("a note", session_id="A", content={**USER, "project_id": "one"})

    assert statements(decided, "subject_type=user&subject_id=user-1") == [
        "policy new",
        "policy old",
        "project one",
        "user-1",
        "session A",
        "global",
    ]
    assert [one["precedence"] for one in active(decided, "subject_id=user-1")] == [4, 4, 3, 2, 1, 0]


def test_memory_that_was_retracted_associates_nothing(decided):
    chunk = decided.chunk("a note", session_id="A", content={**USER, "project_id": "one"})
    decided.edit(chunk, "retract")

    assert "project one" not in statements(decided, "subject_id=user-1")
    assert "session A" not in statements(decided, "subject_id=user-1")


def test_memory_that_is_quarantined_associates_only_for_those_who_ask_for_it(decided):
    chunk = decided.chunk("a note", session_id="A", content={**USER, "project_id": "one"})
    decided.edit(chunk, "quarantine")

    for query, associated in (("", False), ("&include_quarantined=true", True)):
        told = statements(decided, f"subject_type=user&subject_id=user-1{query}")
        assert ("project one" in told, "session A" in told) == (associated, associated)


def test_memory_that_may_not_be_heard_associates_nothing(decided):
    decided.chunk("a note", session_id="A", sensitivity="high", content={**USER, "project_id": "one"})
    blocked = decided.chunk("another", session_id="B", content={**USER, "project_id": "two"})
    decided.edit(blocked, "block", channel="private")

    about = "subject_type=user&subject_id=user-1"
    named = ("project one", "session A", "project two", "session B")
    assert [one in statements(decided, f"{about}&channel=private") for one in named] == [True, True, False, False]
    assert [one in statements(decided, f"{about}&channel=public") for one in named] == [False, False, True, True]


def test_a_bundle_tells_no_decision_for_memory_that_may_not_be_heard(decided):
    decided.chunk("a note", session_id="A", sensitivity="high", content={**USER, "project_id": "one"})

    def told(channel):
        body = {"session_id": "C", "channel": channel, **USER}
        return str(decided.alice.ok("post", "acb/build", body))

    assert "project one" in told("private")
    assert "project one" not in told("public")


def test_a_project_that_is_asked_for_holds_without_any_memory(decided):
    assert statements(decided, "subject_id=user-1&project_id=two") == [
        "policy new",
        "policy old",
        "project two",
        "user-1",
        "global",
    ]
    assert statements(decided, "project_id=two") == ["policy new", "policy old", "project two", "global"]


def test_a_session_that_is_asked_for_holds(decided):
    assert statements(decided, "session_id=B") == ["policy new", "policy old", "session B", "global"]


def test_a_subject_is_its_type_and_its_id(decided):
    decide(decided, "account user-1", scope="user", subject_type="account", subject_id="user-1")

    assert "account user-1" not in statements(decided, "subject_type=user&subject_id=user-1")
    assert "user-1" not in statements(decided, "subject_type=account&subject_id=user-1")
    assert {"account user-1", "user-1"} <= set(statements(decided, "subject_id=user-1"))


def test_without_a_question_all_are_told_and_a_scope_narrows(decided):
    assert len(statements(decided)) == 9
    assert statements(decided, "scope=policy") == ["policy new", "policy old"]
    assert statements(decided, "scope=user&subject_id=user-1") == ["user-1"]


def test_a_limit_keeps_the_first(decided):
    assert statements(decided, "limit=3") == ["policy new", "policy old", "project two"]


def test_a_superseded_decision_is_not_in_force_until_its_successor_is_retracted(world):
    old = decide(world, "Use SQLite")
    new = decide(world, "Use PostgreSQL", supersedes=old["decision_id"])
    assert statements(world) == ["Use PostgreSQL"]

    edit = world.edit(new["decision_id"], "retract", target_type="decision")["edit_id"]
    assert statements(world) == ["Use SQLite"]

    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "it was right"})
    assert statements(world) == ["Use PostgreSQL"]


@pytest.mark.parametrize("target", ["chunk", "decision"])
def test_edits_of_decision_or_chunk_hold(world, target):
    amended, retracted, hidden = (decide(world, f"decision {name}", rationale=["why"]) for name in "abc")

    def edit(recorded, op, **patch):
        target_id = recorded["decision_id"] if target == "decision" else recorded["chunk_ids"][0]
        world.edit(target_id, op, target_type=target, **patch)

    edit(amended, "amend", text="decision corrected")
    edit(retracted, "retract")
    edit(hidden, "quarantine")

    assert [(one["decision"], one["rationale"], one["edits_applied"]) for one in active(world)] == [
        ("decision corrected", [], 1)
    ]
    marked = {one["decision"]: one["is_quarantined"] for one in active(world, "include_quarantined=true")}
    assert marked == {"decision corrected": False, "decision c": True}


def test_importance_is_attenuated(world):
    recorded = decide(world, "Use PostgreSQL")

    world.edit(recorded["decision_id"], "attenuate", target_type="decision", importance_delta=-0.9)

    assert active(world)[0]["importance"] == 0.1


def test_a_block_and_a_sensitivity_hold_in_their_channels(world, agent_in):
    blocked = decide(world, "blocked for public")
    world.edit(blocked["decision_id"], "block", target_type="decision", channel="public")
    decide(world, "confidential", sensitivity="high")
    decide(world, "secret", sensitivity="secret")

    assert statements(world, "channel=private") == ["confidential", "blocked for public"]
    assert statements(world, "channel=public") == []
    assert statements(world) == ["confidential"]
    assert statements(world, by=agent_in("private")) == ["confidential", "blocked for public"]
    assert statements(world, by=agent_in("team")) == []
    assert agent_in("team").get("decisions/active?channel=public").status_code == 403


def test_another_tenants_are_never_told(world, elsewhere):
    decide(elsewhere, "Use Oracle")

    assert statements(world) == []


@pytest.mark.parametrize(
    "query", ["scope=planet", "limit=0", "limit=1001", "include_quarantined=perhaps", "colour=red", "channel=radio"]
)
def test_a_malformed_question_is_refused(world, query):
    assert world.alice.get(f"decisions/active?{query}").status_code == 400
