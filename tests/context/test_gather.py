"""What each section gathers: rules, decisions, tasks, handoff and evidence."""

import pytest

from memory.context.standard_sections import words_of
from tests.context.conftest import JACK

SAID = {"channel": "private", "actor_type": "agent", "actor_id": "mallory", "kind": "message"}
JANE = {"subject_type": "user", "subject_id": "jane-smith-456"}


def decide(world, statement, **content):
    return world.event(kind="decision", session_id="session-0", content={"decision": statement, **content})


def task(world, title, status="open", session_id="session-0", **content):
    return world.event(
        kind="task_update", session_id=session_id, content={"title": title, "status": status, **content}
    )  # fmt: skip


def of(acb, *names):
    """(section, what it says) of everything in the bundle's list, in order."""
    (name,) = names
    said = {"active_decisions": "decision", "active_tasks": "title"}.get(name, "text")
    return [(one["provenance"]["section"], one[said]) for one in acb[name]]


# -- Rules and decisions.


def test_policy_and_global_decisions_are_rules_whatever_the_session_is_about(world, built):
    decide(world, "Everywhere", scope="global")
    decide(world, "By policy", scope="policy")
    decide(world, "Jack prefers email", **JACK)
    decide(world, "Jane prefers calls", **JANE)
    assert of(built(), "active_decisions") == [("rules", "By policy"), ("rules", "Everywhere")]
    assert of(built(**JACK), "active_decisions") == [
        ("rules", "By policy"),
        ("rules", "Everywhere"),
        ("decisions", "Jack prefers email"),
    ]


def test_a_superseded_decision_is_not_told(world, built):
    old = decide(world, "Use Oracle", scope="policy")
    decide(world, "Use PostgreSQL", scope="policy", supersedes=old["decision_id"])
    assert of(built(), "active_decisions") == [("rules", "Use PostgreSQL")]


def test_a_decision_comes_with_its_reasons_and_an_amended_one_without(world, built):
    made = decide(world, "Use tabs", scope="policy", rationale=["fewer bytes"])
    assert built()["active_decisions"][0]["rationale"] == ["fewer bytes"]
    assert "> Rationale: fewer bytes" in built(format="text")["text"]
    world.edit(made["decision_id"], "amend", target_type="decision", text="Use spaces")
    acb = built()
    assert (acb["active_decisions"][0]["decision"], acb["active_decisions"][0]["rationale"]) == ("Use spaces", [])
    assert acb["edits_applied"] == 1
    assert "bytes" not in str(acb)


def test_a_decision_of_the_session_is_told_once_and_not_again_as_its_chunk(world, built):
    world.event(kind="decision", content={"decision": "Ship on Friday", "scope": "session"})
    acb = built()
    assert of(acb, "active_decisions") == [("decisions", "Ship on Friday")]
    assert acb["session"]["chunks"] == []
    assert ("recent_window", "duplicate") in {(one["section"], one["reason"]) for one in acb["omissions"]}


def test_a_hidden_decision_is_told_by_id_alone(world, built):
    made = decide(world, "Fire Jack", scope="policy", **JACK)
    world.edit(made["decision_id"], "block", target_type="decision", channel="public")
    acb = built(channel="public", **JACK)
    assert acb["active_decisions"] == []
    (hidden,) = [one for one in acb["omissions"] if one["section"] == "rules"]
    assert (hidden["reason"], hidden["ids"]) == ("blocked", [made["decision_id"]])
    assert "Fire" not in str(acb)


# -- Tasks.


def test_tasks_are_those_of_the_session_of_the_subject_and_of_nobody(world, built):
    task(world, "of nobody")
    task(world, "of Jack", **JACK)
    task(world, "of Jane", **JANE)
    task(world, "of alpha", project_id="alpha")
    task(world, "of Jane, in this session", session_id="session-1", **JANE)
    assert {title for _, title in of(built(), "active_tasks")} == {"of nobody", "of Jane, in this session"}
    assert {title for _, title in of(built(**JACK, project_id="alpha"), "active_tasks")} == {
        "of nobody",
        "of Jack",
        "of alpha",
        "of Jane, in this session",
    }


def test_started_tasks_come_first_and_done_ones_not_at_all(world, built):
    task(world, "open")
    task(world, "doing", "doing")
    task(world, "newest")
    done = task(world, "done")
    task(world, "done", "done", task_id=done["task_id"])
    assert of(built(), "active_tasks") == [("tasks", "doing"), ("tasks", "newest"), ("tasks", "open")]


def test_a_task_comes_with_its_details(world, built):
    task(world, "Call Jack", details="about the invoice")
    (shown,) = built()["active_tasks"]
    assert (shown["title"], shown["details"], shown["status"]) == ("Call Jack", "about the invoice", "open")


def test_a_hidden_task_is_told_by_id_alone(world, built):
    made = task(world, "Audit Jack")
    world.edit(made["chunk_ids"][0], "quarantine")
    acb = built()
    assert acb["active_tasks"] == []
    (hidden,) = [one for one in acb["omissions"] if one["section"] == "tasks"]
    assert (hidden["reason"], hidden["ids"]) == ("quarantined", [made["task_id"]])


# -- Handoff.


def test_summaries_of_earlier_sessions_are_the_handoff(world, built, noted):
    noted("Jack is a new customer", session_id="session-0")
    noted("Jack wants a refund", session_id="session-9")
    noted("Of this session", session_id="session-1")
    noted("Jane is angry", session_id="session-0", subject_id="jane-smith-456")
    acb = built(**JACK)
    assert of(acb, "handoff") == [("handoff", "Jack wants a refund"), ("handoff", "Jack is a new customer")]
    assert of(built(), "handoff") == []


def test_a_projects_handoff_is_not_about_others(world, built, noted):
    noted("Jane's part of alpha", session_id="session-0", project_id="alpha", subject_id="jane-smith-456")
    noted("Jack's part of alpha", session_id="session-0", project_id="alpha")
    assert of(built(**JACK, project_id="alpha"), "handoff") == [("handoff", "Jack's part of alpha")]
    assert len(of(built(project_id="alpha"), "handoff")) == 2


# -- Evidence.


def test_evidence_is_about_the_subject_and_nobody_else(world, built):
    world.chunk("Jack's invoice", session_id="session-0", content=JACK)
    world.chunk("Jane's invoice", session_id="session-0", content=JANE)
    world.chunk("An invoice of alpha", session_id="session-0", content={"project_id": "alpha"})
    world.chunk("Jane's invoice of alpha", session_id="session-0", content={**JANE, "project_id": "alpha"})
    found = {text for _, text in of(built(query="invoice", **JACK), "evidence")}
    assert found == {"Jack's invoice"}
    found = {text for _, text in of(built(query="invoice", project_id="alpha", **JACK), "evidence")}
    assert found == {"Jack's invoice", "An invoice of alpha"}
    assert len(of(built(query="invoice", project_id="alpha"), "evidence")) == 2


def test_evidence_about_nobody_is_of_the_session_of_policy_and_of_the_world(world, built):
    """Without subject and project, other customers' memory stays out."""
    world.chunk("Jack's invoice", session_id="session-0", content=JACK)
    world.chunk("Jack's invoice of a session", session_id="session-0", content={**JACK, "scope": "session"})
    world.chunk("A policy about Jack's invoice", session_id="session-0", content={**JACK, "scope": "policy"})
    world.chunk("An invoice of alpha", session_id="session-0", content={"project_id": "alpha"})
    world.chunk("A session's invoice of alpha", session_id="s", content={"project_id": "alpha", "scope": "session"})
    world.chunk("Nobody's invoice", session_id="session-0")
    world.chunk("The policy of invoices", session_id="session-0", content={"scope": "policy"})
    world.chunk("Every invoice", session_id="session-0", content={"scope": "global"})
    expected = {"Nobody's invoice", "The policy of invoices", "Every invoice"}

    for fields in ({"query": "invoice"}, {"query": "weather"}, {}):
        assert {text for _, text in of(built(**fields), "evidence")} == expected


def test_older_turns_of_the_session_are_evidence_whatever_they_are_about(world, built):
    world.chunk("The invoice that Jack meant", content=JACK, ts="2025-01-01T00:00:00Z")
    for number in range(60):
        world.chunk(f"Small talk {number} " + "word " * 40, content=JACK)

    acb = built(query="invoice", max_tokens=1_000)

    assert [text for _, text in of(acb, "evidence")][:1] == ["The invoice that Jack meant"]


def test_any_word_of_the_query_is_enough_and_more_are_better(world, built):
    for number, text in enumerate(("The printer of the third floor", "The lift of the third floor is broken", "A cat")):
        world.chunk(text, session_id=f"session-of-{number}", ts="2025-01-01T00:00:00Z")
    found = of(built(query="Is the lift broken on this floor?"), "evidence")
    assert [text for _, text in found] == [
        "The lift of the third floor is broken",
        "The printer of the third floor",
        "A cat",
    ]


def test_without_a_query_the_last_words_of_a_person_are_asked(world, built):
    world.chunk("lift", session_id="session-0", ts="2025-01-01T00:00:00Z")
    world.chunk("printer", session_id="session-0", ts="2025-01-01T00:00:00Z")
    world.chunk("How is the printer?", actor_type="human", actor_id="jack")
    world.chunk("I looked at the lift")
    assert [text for _, text in of(built(), "evidence")] == ["printer", "lift"]
    assert [text for _, text in of(built(query="lift"), "evidence")] == ["lift", "printer"]


def test_corrected_words_are_found_and_the_old_ones_are_not(world, built):
    chunk = world.chunk("Jon Doe called", session_id="session-0")
    world.edit(chunk, "amend", text="John Doe called")
    (one,) = built(query="john")["evidence"]
    assert (one["text"], one["provenance"]["similarity"], one["edits_applied"]) == ("John Doe called", 1, 1)
    (one,) = built(query="jon")["evidence"]
    assert one["provenance"]["similarity"] == 0


def test_newer_evidence_comes_first_and_recency_halves_in_a_week(world, built):
    for day in (1, 8, 15):
        world.chunk(f"Invoice {day}", session_id="session-0", ts=f"2025-01-{day:02}T00:00:00Z")
    shown = built(query="invoice")["evidence"]
    assert [one["text"] for one in shown] == ["Invoice 15", "Invoice 8", "Invoice 1"]
    assert [one["provenance"]["recency"] for one in shown] == [1, 0.5, 0.25]


def test_a_memory_of_the_window_is_not_told_again_as_evidence(world, built):
    world.chunk("An invoice")
    acb = built(query="invoice")
    assert len(acb["session"]["chunks"]) == 1
    assert acb["evidence"] == []
    assert [(one["section"], one["reason"]) for one in acb["omissions"]] == [("evidence", "duplicate")]


def test_one_noisy_session_does_not_fill_the_evidence(world, built):
    for number in range(30):
        world.chunk(f"Invoice {number} invoice {number} invoice", session_id="noisy")
    world.chunk("The invoice that matters, among many other words", session_id="quiet")
    shown = built(query="invoice", max_tokens=500, origin_share=0.3)
    taken = [one["session_id"] for one in shown["evidence"]]
    assert "quiet" in taken
    assert ("evidence", "origin_share") in {(one["section"], one["reason"]) for one in shown["omissions"]}


def test_one_noisy_agent_does_not_crowd_out_the_others(world, built, agent_in):
    mallory = agent_in("private")
    for number in range(30):
        mallory.ok("post", "events", {**SAID, "session_id": f"m-{number}", "content": {"text": f"invoice {number} !"}})
    world.chunk("The invoice that matters, among many other words", session_id="quiet")
    shown = built(query="invoice", max_tokens=500, origin_share=0.3)["evidence"]
    assert "alice" in {one["recorder"] for one in shown}


def test_who_is_alone_may_fill_it(world, built):
    for number in range(30):
        world.chunk(f"Invoice {number} of March", session_id="session-0")
    acb = built(query="invoice", max_tokens=2_000, origin_share=0.3)
    assert ("evidence", "origin_share") not in {(one["section"], one["reason"]) for one in acb["omissions"]}


@pytest.mark.pure
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, None),
        ("", None),
        ("or AND", "and or"),
        ("The cat or the kitten", "kitten the cat or"),
        ('x-ray "y" -z \'q', "ray x y z q"),
    ],
)
def test_a_query_becomes_a_search_in_plain_words(text, expected):
    assert words_of(text) == expected
