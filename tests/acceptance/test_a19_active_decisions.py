"""A19: the decisions in force for a subject, by precedence."""


def decide(world, statement, ts, **fields):
    content = {"decision": statement, **fields}
    return world.event(statement, kind="decision", ts=ts, session_id=content.pop("session", "main"), content=content)


def test_decisions_come_by_precedence_with_what_the_subject_is_associated_with(world):
    user = {"subject_type": "user", "subject_id": "user-1"}
    decide(world, "All agents must log actions", "2025-01-01T00:00:00Z", scope="policy")
    decide(world, "Project uses TypeScript", "2025-02-01T00:00:00Z", scope="project", project_id="proj-1")
    decide(world, "User prefers email", "2025-02-05T00:00:00Z", scope="user", **user)
    decide(
        world,
        "Session context",
        "2025-02-10T00:00:00Z",
        scope="session",
        subject_type="session",
        subject_id="sess-1",
        session="sess-1",
    )
    # what associates the subject with project and session: memory about it there
    world.chunk("user-1 asked for types", session_id="sess-1", content={**user, "project_id": "proj-1"})

    answer = world.alice.ok("get", "decisions/active?subject_id=user-1")

    assert [(one["decision"], one["precedence"]) for one in answer["decisions"]] == [
        ("All agents must log actions", 4),
        ("Project uses TypeScript", 3),
        ("User prefers email", 2),
        ("Session context", 1),
    ]


def test_without_that_memory_neither_project_nor_session_is_its_own(world):
    decide(world, "All agents must log actions", "2025-01-01T00:00:00Z", scope="policy")
    decide(world, "Project uses TypeScript", "2025-02-01T00:00:00Z", scope="project", project_id="proj-1")
    decide(world, "User prefers email", "2025-02-05T00:00:00Z", scope="user", subject_type="user", subject_id="user-1")
    decide(world, "Session context", "2025-02-10T00:00:00Z", scope="session", session="sess-1")

    answer = world.alice.ok("get", "decisions/active?subject_id=user-1")

    assert [one["decision"] for one in answer["decisions"]] == ["All agents must log actions", "User prefers email"]


def test_within_a_precedence_the_newest_comes_first(world):
    for day in ("02", "01", "03"):
        decide(world, f"Policy of the {day}", f"2025-01-{day}T00:00:00Z", scope="policy")

    answer = world.alice.ok("get", "decisions/active?subject_id=user-1")

    assert [one["decision"] for one in answer["decisions"]] == [
        "Policy of the 03",
        "Policy of the 02",
        "Policy of the 01",
    ]


def test_a_corrected_decision_is_told_as_corrected_and_a_retracted_one_not_at_all(world):
    wrong = decide(world, "Use Oracle", "2025-01-01T00:00:00Z", scope="policy")
    gone = decide(world, "Share all keys", "2025-01-02T00:00:00Z", scope="policy")
    world.edit(wrong["decision_id"], "amend", target_type="decision", text="Use PostgreSQL")
    world.edit(gone["decision_id"], "retract", target_type="decision")

    answer = world.alice.get("decisions/active?subject_id=user-1")

    assert [one["decision"] for one in answer.json()["decisions"]] == ["Use PostgreSQL"]
    assert b"Oracle" not in answer.content
    assert b"Share" not in answer.content
