"""The job moves memory by its rules: each at its threshold, below and above it."""

import uuid
from datetime import timedelta

import pytest

from memory.models import ChunkAccess, ChunkSession
from tests.owning import as_owner
from tests.tiers.usage import DAY, NOW

pytestmark = pytest.mark.django_db

INSTANT = timedelta(microseconds=1)


@pytest.mark.parametrize(("uses", "tier"), [(1, "task"), (2, "session"), (3, "session")])
def test_task_to_session_takes_two_uses_within_one_session(world, usage, uses, tier):
    chunk = world.chunk()
    usage.used(chunk, "one", times=uses)
    usage.run()
    assert usage.tier(chunk) == tier
    if tier == "task":
        check = usage.check(chunk)
        assert (check.tier, check.wanted_tier, check.failed) == ("task", "session", "uses_in_session")


def test_uses_in_several_sessions_do_not_add_up(world, usage):
    chunk = world.chunk()
    usage.used(chunk, "one", "two", "three", "four")
    usage.run()
    assert usage.tier(chunk) == "task"


@pytest.mark.parametrize(("sessions", "tier"), [(2, "session"), (3, "longterm"), (4, "longterm")])
def test_session_to_longterm_takes_three_sessions(world, usage, sessions, tier):
    chunk = world.chunk()
    usage.put_in(chunk, "session", at=NOW - 30 * DAY)
    usage.confident(chunk, "0.9", NOW - 10 * DAY)
    usage.used(chunk, *(f"session {number}" for number in range(sessions)), at=NOW - DAY)
    usage.run()
    assert usage.tier(chunk) == tier
    assert usage.check(chunk).failed == ("unused_days" if tier == "longterm" else "sessions")


def test_session_to_longterm_takes_a_success(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "session", at=NOW - 30 * DAY)
    usage.worthy(chunk)
    with world.inside(), as_owner():
        ChunkAccess.objects.filter(tenant_id=world.tenant_id, id=chunk).update(successes=0)
    usage.run()
    assert (usage.tier(chunk), usage.check(chunk).failed) == ("session", "successes")


@pytest.mark.parametrize(
    ("confidence", "tier"), [("0.7999", "session"), ("0.8", "longterm"), ("0.8001", "longterm"), ("1", "longterm")]
)
def test_session_to_longterm_takes_confidence(world, usage, confidence, tier):
    chunk = world.chunk()
    usage.put_in(chunk, "session", at=NOW - 30 * DAY)
    usage.used(chunk, "one", "two", "three", at=NOW - DAY)
    usage.confident(chunk, confidence, NOW - 7 * DAY)
    usage.run()
    assert usage.tier(chunk) == tier
    if tier == "session":
        assert usage.check(chunk).failed == "confidence"
        assert usage.due_at(chunk) is None


@pytest.mark.parametrize(
    ("age", "tier"), [(7 * DAY - INSTANT, "session"), (7 * DAY, "longterm"), (7 * DAY + INSTANT, "longterm")]
)
def test_session_to_longterm_takes_seven_days_of_confidence(world, usage, age, tier):
    chunk = world.chunk()
    usage.put_in(chunk, "session", at=NOW - 30 * DAY)
    usage.used(chunk, "one", "two", "three", at=NOW - DAY)
    usage.confident(chunk, "0.8", NOW - age)
    usage.run()
    assert usage.tier(chunk) == tier


def test_time_alone_ends_the_seven_days(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "session", at=NOW - 30 * DAY)
    usage.used(chunk, "one", "two", "three", at=NOW - DAY)
    usage.confident(chunk, "0.8", NOW - 6 * DAY)
    assert usage.run().stayed == {"confidence_days": 1}
    assert usage.run(NOW + DAY - INSTANT).evaluated == 0
    assert usage.run(NOW + DAY).moved == {("session", "longterm"): 1}
    assert usage.tier(chunk) == "longterm"


def test_a_failure_restarts_the_seven_days_though_it_leaves_confidence(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "session", at=NOW - 30 * DAY)
    usage.used(chunk, "one", "two", "three", at=NOW - DAY)
    usage.confident(chunk, "0.95", NOW - 20 * DAY)
    usage.confident(chunk, "0.85", NOW - 6 * DAY, is_failure=True)
    usage.confident(chunk, "0.9", NOW - 5 * DAY)
    usage.run()
    assert usage.check(chunk).failed == "confidence_days"
    usage.run(NOW + DAY)
    assert usage.tier(chunk) == "longterm"


def test_confidence_that_was_lost_in_between_counts_from_its_return(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "session", at=NOW - 60 * DAY)
    usage.used(chunk, "one", "two", "three", at=NOW - DAY)
    for after, days, is_failure in [("0.9", 30, False), ("0.7", 20, True), ("0.75", 15, False), ("0.8", 6, False)]:
        usage.confident(chunk, after, NOW - days * DAY, is_failure=is_failure)
    usage.run()
    assert usage.check(chunk).evidence["confident_since"].startswith((NOW - 6 * DAY).isoformat()[:19])
    usage.run(NOW + DAY - INSTANT)
    assert usage.tier(chunk) == "session"
    usage.run(NOW + DAY)
    assert usage.tier(chunk) == "longterm"


@pytest.mark.parametrize(
    ("age", "tier"), [(90 * DAY - INSTANT, "longterm"), (90 * DAY, "longterm"), (90 * DAY + INSTANT, "archive")]
)
def test_longterm_to_archive_takes_more_than_ninety_days_without_use(world, usage, age, tier):
    chunk = world.chunk()
    usage.put_in(chunk, "longterm", at=NOW - 200 * DAY)
    usage.used(chunk, "one", at=NOW - age)
    usage.run()
    assert usage.tier(chunk) == tier


def test_the_ninety_days_begin_when_it_comes_into_longterm(world, usage):
    chunk = world.chunk()
    usage.used(chunk, "one", at=NOW - 400 * DAY)
    usage.put_in(chunk, "longterm", at=NOW - 90 * DAY)
    usage.run()
    assert usage.check(chunk).failed == "unused_days"
    usage.run(NOW + INSTANT)
    assert usage.tier(chunk) == "archive"


def test_memory_that_was_never_used_is_archived_too(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "longterm", at=NOW - 91 * DAY)
    usage.run()
    assert usage.tier(chunk) == "archive"


def test_archived_memory_stays_until_somebody_restores_it(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "archive", at=NOW - DAY)
    usage.worthy(chunk)
    usage.run()
    assert (usage.tier(chunk), usage.check(chunk).failed) == ("archive", "by_hand")


def test_each_step_is_an_evaluation_of_its_own_and_one_run_takes_them_all(world, usage):
    chunk = world.chunk()
    usage.worthy(chunk)
    usage.used(chunk, "four", times=2, at=NOW - DAY)
    summary = usage.run()
    assert summary.moved == {("task", "session"): 1, ("session", "longterm"): 1}
    assert (summary.evaluated, usage.tier(chunk)) == (3, "longterm")
    first, second = usage.moves(chunk)
    assert [(one.number, one.from_tier, one.to_tier) for one in (first, second)] == [
        (1, "task", "session"),
        (2, "session", "longterm"),
    ]


def test_a_second_run_moves_and_evaluates_nothing(world, usage):
    chunk = world.chunk()
    usage.used(chunk, "one", times=2)
    usage.run()
    assert usage.run().evaluated == 0
    assert len(usage.moves(chunk)) == 1


def test_only_what_is_due_is_evaluated(world, usage):
    changed, other = world.chunk(), world.chunk("Another")
    for chunk in (changed, other):
        usage.used(chunk, "one", times=2)
    usage.due(other, NOW + INSTANT)
    assert usage.run().evaluated == 2  # its move, and the tier after it
    assert (usage.tier(changed), usage.tier(other)) == ("session", "task")


def test_the_evidence_says_what_the_decision_rests_on(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "session", at=NOW - 30 * DAY)
    usage.worthy(chunk)
    usage.run()
    move = usage.moves(chunk)[-1]
    assert (move.kind, move.promoter_kind) == ("automatic", "system")
    evidence = move.evidence
    assert {name: evidence[name] for name in ("sessions", "uses", "uses_in_session", "successes", "failures")} == {
        "sessions": 3,
        "uses": 3,
        "uses_in_session": 1,
        "successes": 1,
        "failures": 0,
    }
    assert (evidence["confidence"], evidence["trust"]) == (0.8, 0.8)
    assert evidence["thresholds"] == {
        "uses_in_session": 2,
        "sessions": 3,
        "successes": 1,
        "confidence": 0.8,
        "confidence_days": 7,
        "unused_days": 90,
        "low_trust": 0.3,
    }
    assert evidence["last_accessed"]
    assert evidence["confident_since"]


def test_content_and_metadata_stay_as_they_were(world, usage):
    chunk = world.chunk(session_id="of jack", content={"subject_type": "user", "subject_id": "jack"})
    (before,) = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]
    usage.used(chunk, "one", times=2)
    usage.run()
    (after,) = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]
    assert {name: (before[name], after[name]) for name in before if before[name] != after[name]} == {
        "tier": ("task", "session")
    }


def test_what_the_projection_has_lost_is_due_no_longer(world, usage):
    nowhere = str(uuid.uuid4())
    usage.due(nowhere)
    assert usage.run().evaluated == 0
    assert usage.due_at(nowhere) is None


def test_uses_in_a_session_of_another_chunk_do_not_count(world, usage):
    mine, other = world.chunk(), world.chunk("Another")
    usage.used(other, "one", times=5)
    usage.used(mine, "one")
    usage.run()
    assert (usage.tier(mine), usage.tier(other)) == ("task", "session")
    with world.inside():
        assert ChunkSession.objects.filter(tenant_id=world.tenant_id).count() == 2
