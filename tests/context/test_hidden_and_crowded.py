"""What may not be seen, and what is about others, takes no place of what a bundle should hold."""

import pytest
from django.db import connection, connections

from memory.context import sections
from tests.context.conftest import JACK
from tests.factories import EditFactory, EventFactory

#: So few tokens that 20 candidates are fetched at first.
FEW = {"max_tokens": 3_200}


def record(world, texts, **fields):
    """One event a text, in one call; answers what the API said of each."""
    events = [EventFactory(content=content, **fields) for content in texts]
    return [
        one for start in range(0, len(events), 1000)
        for one in world.alice.ok("post", "events/batch", {"events": events[start : start + 1000]})["events"]
    ]  # fmt: skip


def quarantine(world, targets, target_type="chunk"):
    edits = [EditFactory(target_type=target_type, target_id=target, op="quarantine") for target in targets]
    world.bob.ok("post", "edits/bulk", {"edits": edits})


def left_out(acb):
    return {(one["section"], one["reason"]): one["count"] for one in acb["omissions"]}


def test_quarantined_messages_do_not_empty_the_window(world, built):
    record(world, [{"text": f"good {number}"} for number in range(5)])
    poison = record(world, [{"text": f"poison {number}"} for number in range(30)])
    quarantine(world, [one["chunk_ids"][0] for one in poison])

    acb = built(**FEW)

    assert [chunk["text"] for chunk in acb["session"]["chunks"]] == [f"good {number}" for number in range(5)]
    assert left_out(acb) == {("recent_window", "quarantined"): 30, ("evidence", "duplicate"): 5}


def test_hidden_ones_are_counted_up_to_a_bound(world, built, monkeypatch):
    monkeypatch.setattr(sections, "COUNTED_BEYOND", 7)
    record(world, [{"text": "good"}])
    poison = record(world, [{"text": f"poison {number}"} for number in range(30)])
    quarantine(world, [one["chunk_ids"][0] for one in poison])

    acb = built(**FEW)

    assert [chunk["text"] for chunk in acb["session"]["chunks"]] == ["good"]
    assert left_out(acb)["recent_window", "quarantined"] == 7


@pytest.mark.parametrize("counted", [500, 5])
def test_quarantined_policies_do_not_hide_the_good_one(world, built, monkeypatch, counted):
    monkeypatch.setattr(sections, "COUNTED_BEYOND", counted)
    (good,) = record(world, [{"decision": "Be kind", "scope": "policy"}], kind="decision")
    poison = record(
        world, [{"decision": f"Be evil {number}", "scope": "policy"} for number in range(30)], kind="decision"
    )
    quarantine(world, [one["decision_id"] for one in poison], "decision")

    acb = built(session_id="session-9", **FEW)

    assert [one["decision_id"] for one in acb["active_decisions"]] == [good["decision_id"]]
    assert left_out(acb)["rules", "quarantined"] == min(30, counted)


def test_rules_do_not_crowd_out_the_decisions_about_the_subject(world, built):
    record(world, [{"decision": "Jack prefers email", **JACK}], kind="decision")
    record(world, [{"decision": f"Rule {number}", "scope": "policy"} for number in range(30)], kind="decision")

    acb = built(session_id="session-9", **FEW, **JACK)

    assert "Jack prefers email" in [one["decision"] for one in acb["active_decisions"]]


@pytest.mark.parametrize("counted", [500, 5])
def test_quarantined_summaries_do_not_hide_the_good_one(world, built, noted, monkeypatch, counted):
    monkeypatch.setattr(sections, "COUNTED_BEYOND", counted)
    noted("Jack wants a refund", session_id="session-0")
    quarantine(world, [noted(f"poison {number}", session_id="session-0") for number in range(25)])

    acb = built(**FEW, **JACK)

    assert [one["text"] for one in acb["handoff"]] == ["Jack wants a refund"]
    assert left_out(acb)["handoff", "quarantined"] == min(25, counted)


@pytest.mark.parametrize("counted", [500, 5])
def test_quarantined_tasks_do_not_hide_the_good_one(world, built, monkeypatch, counted):
    monkeypatch.setattr(sections, "COUNTED_BEYOND", counted)
    (good,) = record(world, [{"title": "Call Jack", "status": "open"}], kind="task_update")
    poison = record(world, [{"title": f"poison {n}", "status": "doing"} for n in range(30)], kind="task_update")
    quarantine(world, [one["chunk_ids"][0] for one in poison])

    acb = built(session_id="session-9", **FEW)

    assert [one["task_id"] for one in acb["active_tasks"]] == [good["task_id"]]
    assert left_out(acb)["tasks", "quarantined"] == min(30, counted)


def test_tasks_about_nobody_come_after_those_of_the_session_and_the_subject(world, built):
    record(world, [{"title": "of the session", "status": "open"}], kind="task_update")
    record(world, [{"title": "of Jack", "status": "open", **JACK}], kind="task_update", session_id="session-0")
    record(
        world, [{"title": f"of nobody {n}", "status": "doing"} for n in range(30)], kind="task_update",
        session_id="session-0",
    )  # fmt: skip

    shown = [one["title"] for one in built(**FEW, **JACK)["active_tasks"]]

    assert shown[:3] == ["of Jack", "of the session", "of nobody 29"]


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_tasks_of_the_session_are_found_by_index_whatever_else_there_is(world, built):
    (mine,) = record(world, [{"title": "mine", "status": "doing"}], kind="task_update")
    (ours,) = record(
        world, [{"title": "of alpha", "status": "open", "project_id": "alpha"}], kind="task_update", session_id="s"
    )
    others = [{"title": f"{n}", "status": "open", "subject_type": "user", "subject_id": f"u{n}"} for n in range(2_001)]
    for number in range(23):
        record(world, others[number::23], kind="task_update", session_id=f"elsewhere-{number}")
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE memory_effectivetask")

    with world.inside():
        acb = built(project_id="alpha")
        used = index_scans("memory_effectivetask")

    assert [one["task_id"] for one in acb["active_tasks"]] == [mine["task_id"], ours["task_id"]]
    assert {"effective_task_of_session", "effective_task_about"} <= used


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_the_walks_are_of_indexes(world, built, noted):
    record(world, [{"text": f"note {n}"} for n in range(2_500)], session_id="elsewhere")
    record(world, [{"text": f"note {n}", **JACK} for n in range(60)], session_id="long")
    noted("Jack wants a refund", session_id="session-0")
    with connections["owner"].cursor() as cursor:
        cursor.execute("ANALYZE memory_effectivechunk")

    with world.inside():
        acb = built(session_id="long", **JACK)
        used = index_scans("memory_effectivechunk")

    assert acb["session"]["chunks"]
    assert {"effective_chunk_session", "idx_chunks_tenant_subject_ts"} <= used


def index_scans(table):
    """The indexes of a table that this transaction used."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT i.indexrelid::regclass::text FROM pg_index i WHERE i.indrelid = %s::regclass"
            " AND pg_stat_get_xact_numscans(i.indexrelid) > 0",
            [table],
        )
        return {name for (name,) in cursor.fetchall()}
