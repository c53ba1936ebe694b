"""Confidence follows the formula of docs/promotion.md exactly, with a history that nobody changes."""

from datetime import UTC, datetime, timedelta
from decimal import ROUND_DOWN, ROUND_HALF_UP, Decimal

import pytest
from django.db import connections

from governance.models import Entry
from memory.db import effective_drift
from memory.maintenance import repair
from memory.models import ChunkAccess, ConfidenceChange
from memory.usage import confidence
from tests.owning import sign
from tests.tools.calls import faults
from tests.world import Api

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

HALF, STEP = Decimal("0.5"), Decimal("0.0001")


def report(api: Api, chunk: str, outcome: str, session_id: str) -> Decimal:
    body = {"outcome": outcome, "session_id": session_id}
    return Decimal(str(api.ok("post", f"chunks/{chunk}/outcome", body)["confidence"]))


def put(api: Api, chunk: str, value: str, reason: str = "a test"):
    return api.post(f"chunks/{chunk}/confidence", {"confidence": float(value), "reason": reason})


def use(api: Api, chunk: str):
    return api.ok("get", f"chunks/{chunk}/confidence")


def after(value: Decimal, outcome: str) -> Decimal:
    """The formula in the words of the page."""
    changed = value + Decimal("0.3") * (1 - value) if outcome == "success" else value - Decimal("0.4") * value
    return changed.quantize(STEP, ROUND_HALF_UP)


def decayed(value: Decimal) -> Decimal:
    return HALF + (Decimal("0.9") * (value - HALF)).quantize(STEP, ROUND_DOWN)


def test_a_chunk_that_nobody_used_has_the_confidence_of_one_half(world):
    chunk = world.chunk()
    assert use(world.alice, chunk) == {
        "chunk_id": chunk,
        "confidence": 0.5,
        "trust": 0.5,
        "successes": 0,
        "failures": 0,
        "access_count": 0,
        "last_accessed": None,
        "sessions": 0,
        "history": [],
        "next": None,
    }


def test_three_successes_in_different_sessions_and_no_fewer_make_four_fifths(world):
    chunk = world.chunk()
    found = [report(world.alice, chunk, "success", f"s{number}") for number in range(3)]
    assert found == [Decimal("0.65"), Decimal("0.755"), Decimal("0.8285")]


def test_successes_in_one_session_raise_it_once_and_count_each(world, given):
    chunk = world.chunk()
    reporters = [world.alice, given("agent-bob"), given("agent-carol"), world.bob]
    assert {report(one, chunk, "success", "s") for one in reporters} == {Decimal("0.65")}
    found = use(world.alice, chunk)
    assert (found["successes"], len(found["history"])) == (4, 1)


def test_every_failure_lowers_it(world, given):
    chunk = world.chunk()
    found = [report(one, chunk, "failure", "s") for one in (world.alice, given("agent-bob"))]
    assert found == [Decimal("0.3"), Decimal("0.18")]


@pytest.mark.parametrize("before", ["0.8", "0.8285", "0.9999", "1"])
def test_one_failure_brings_any_confidence_below_four_fifths_and_two_successes_are_needed_after_it(world, before):
    chunk = world.chunk()
    put(world.bob, chunk, before)
    assert report(world.alice, chunk, "failure", "s") <= Decimal("0.6")
    assert report(world.alice, chunk, "success", "t") < Decimal("0.8")


def test_the_formula_holds_to_the_fourth_decimal(world, rows_of):
    chunk = world.chunk()
    expected = HALF
    outcomes = ["success", "success", "failure", "success", "failure", "failure", *["success"] * 14]
    for number, outcome in enumerate(outcomes):
        before, expected = expected, after(expected, outcome)
        assert report(world.alice, chunk, outcome, f"s{number}") == expected
        (row,) = rows_of(ConfidenceChange, number=number + 1)
        assert (row.before, row.after, row.kind, row.is_failure) == (before, expected, "outcome", outcome == "failure")
    assert Decimal("0.99") < expected <= 1


def test_nothing_leaves_zero_to_one(world):
    chunk = world.chunk()
    put(world.bob, chunk, "0")
    assert report(world.alice, chunk, "failure", "s") == 0
    put(world.bob, chunk, "1")
    assert report(world.alice, chunk, "success", "t") == 1


@pytest.fixture
def later():
    """`later(30)` is that many days from now."""
    now = datetime.now(UTC)
    return lambda days, **more: now + timedelta(days=days, seconds=5, **more)


def test_confidence_decays_a_step_for_each_full_30_days_without_an_outcome(world, rows_of, later):
    chunk = world.chunk()
    value = [report(world.alice, chunk, "success", f"s{number}") for number in range(3)][-1]

    assert confidence.decay_confidence(later(30, hours=-1)) == 0
    assert confidence.decay_confidence(later(30)) == 1
    assert confidence.decay_confidence(later(30)) == 0  # once
    assert confidence.decay_confidence(later(59)) == 0
    assert confidence.decay_confidence(later(120)) == 3  # those of missed days too

    steps = sorted(rows_of(ConfidenceChange, kind="decay"), key=lambda row: row.number)
    for row in steps:
        before, value = value, decayed(value)
        assert (row.before, row.after, row.changer_kind, row.changer) == (before, value, "job", "confidence")
    assert [row.at.date() for row in steps] == [later(30).date(), *[later(120).date()] * 3]
    assert use(world.alice, chunk)["confidence"] == float(value)


def set_before(world, chunk, days):
    """Let a person have set the confidence to 0.9 that many days ago."""
    of_chunk = {"tenant_id": world.tenant_id, "chunk_id": chunk, "number": 1, "kind": "manual"}
    by = {"changer_kind": "human", "changed_by": world.bob_principal.id, "changer": world.bob_name}
    with world.inside("owner"):
        ChunkAccess.objects.using("owner").create(tenant_id=world.tenant_id, id=chunk, confidence=Decimal("0.9"))
        change = ConfidenceChange.objects.using("owner").create(
            **of_chunk, **by, before=HALF, after=Decimal("0.9"), at=datetime.now(UTC) - timedelta(days=days)
        )
    sign(world, change)


def test_an_outcome_begins_the_time_again(world, later):
    used, unused = world.chunk(), world.chunk()
    for chunk in (used, unused):
        set_before(world, chunk, days=29)
    report(world.alice, used, "success", "s")
    assert confidence.decay_confidence(later(2)) == 1
    assert [use(world.alice, one)["confidence"] for one in (used, unused)] == [0.93, 0.86]


def test_a_success_that_raises_nothing_begins_the_time_again_too(world, later, given):
    chunk = world.chunk()
    report(world.alice, chunk, "success", "s")
    report(given("agent-bob"), chunk, "success", "s")
    assert confidence.decay_confidence(later(30)) == 1


def test_a_low_confidence_rises_and_both_arrive_at_one_half(world, later):
    low, high = world.chunk(), world.chunk()
    put(world.bob, low, "0.4995")
    put(world.bob, high, "0.5005")
    assert confidence.decay_confidence(later(30)) == 2
    assert [use(world.alice, one)["confidence"] for one in (low, high)] == [0.4996, 0.5004]
    assert confidence.decay_confidence(later(30 * 20)) == 8
    assert confidence.decay_confidence(later(30 * 40)) == 0
    assert [use(world.alice, one)["confidence"] for one in (low, high)] == [0.5, 0.5]


def test_confidence_of_one_half_does_not_decay(world, later):
    chunk = world.chunk()
    put(world.bob, chunk, "0.5")
    assert confidence.decay_confidence(later(300)) == 0


def test_decay_goes_through_every_batch(world, later, monkeypatch):
    monkeypatch.setattr(confidence, "BATCH", 2)
    for _ in range(5):
        put(world.bob, world.chunk(), "0.9")
    assert confidence.decay_confidence(later(31)) == 5


def test_two_decays_at_once_record_each_step_once(world, later, at_once, rows_of):
    for _ in range(4):
        put(world.bob, world.chunk(), "0.9")
    moment = later(61)
    found = at_once(*[lambda: confidence.decay_confidence(moment)] * 3)
    assert sum(found) == 8, found
    assert len(rows_of(ConfidenceChange, kind="decay")) == 8


@pytest.mark.parametrize(
    ("originals", "expected"),
    [(["0.9", "0.7"], 0.7), (["0.9", "0.2"], 0.2), (["0.9", None], 0.5), ([None, None], 0.5), (["0.3", None], 0.3)],
)
def test_a_consolidation_begins_with_the_least_confidence_of_its_originals(world, agent, rows_of, originals, expected):
    made = [agent.commit(f"Jack likes tea {number}") for number in range(2)]
    for one, value in zip(made, originals, strict=True):
        if value is not None:
            assert put(world.bob, one["chunk_id"], value).status_code == 200
    chunk = agent.rethink([one["seq"] for one in made], "Jack likes every tea")["chunk_id"]

    assert use(world.alice, chunk)["confidence"] == expected
    changes = rows_of(ConfidenceChange, chunk_id=chunk)
    assert [(row.kind, float(row.after)) for row in changes] == (
        [] if expected == 0.5 else [("consolidation", expected)]
    )


def test_a_reviewer_sets_it_with_a_reason_and_a_ledger_entry(world, due):
    chunk = world.chunk()
    answer = put(world.bob, chunk, "0.8125", "Checked").json()
    assert answer.pop("at")
    assert answer == {"chunk_id": chunk, "before": 0.5, "confidence": 0.8125}
    with world.inside():
        entry = Entry.objects.filter(tenant_id=world.tenant_id, type="confidence.changed").get()
    assert entry.metadata.pop("actor")["name"] == world.bob_name
    assert entry.metadata == {"chunk": chunk, "before": "0.5000", "after": "0.8125", "reason": "Checked"}
    (change,) = use(world.bob, chunk)["history"]
    assert (change["kind"], change["reason"], change["changed_by"]) == ("manual", "Checked", world.bob_name)
    assert due() == {chunk}


def test_agents_and_auditors_set_nothing(world, rows_of):
    chunk = world.chunk()
    for api in (world.alice, world.auditor):
        assert put(api, chunk, "0.9").status_code == 403
    assert rows_of(ConfidenceChange) == []


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"confidence": 1.0001, "reason": "x"}, "#/confidence"),
        ({"confidence": -0.1, "reason": "x"}, "#/confidence"),
        ({"confidence": 0.12345, "reason": "x"}, "#/confidence"),
        ({"confidence": True, "reason": "x"}, "#/confidence"),
        ({"confidence": 0.5}, "#/reason"),
        ({"confidence": 0.5, "reason": " "}, "#/reason"),
        ({"reason": "x"}, "#/confidence"),
    ],
)
def test_bad_input_is_refused_with_its_place(world, rows_of, body, place):
    assert list(faults(world.bob.post(f"chunks/{world.chunk()}/confidence", body))) == [place]
    assert rows_of(ConfidenceChange) == []


def test_what_one_does_not_get_has_no_confidence(world, charlie, elsewhere):
    chunk = world.chunk()
    assert charlie.get(f"chunks/{chunk}/confidence").status_code == 404
    assert put(elsewhere.bob, chunk, "0.9").status_code == 404
    world.edit(chunk, "retract")
    assert world.alice.get(f"chunks/{chunk}/confidence").status_code == 404
    assert put(world.bob, chunk, "0.9").status_code == 404


def test_the_history_is_read_page_by_page(world):
    chunk = world.chunk()
    for number in range(5):
        report(world.alice, chunk, "success", f"s{number}")
    numbers, cursor = [], ""
    while cursor is not None:
        page = world.alice.ok("get", f"chunks/{chunk}/confidence?limit=2{cursor and '&cursor=' + cursor}")
        numbers += [one["number"] for one in page["history"]]
        cursor = page["next"]
    assert numbers == [5, 4, 3, 2, 1]
    refused = world.alice.get(f"chunks/{chunk}/confidence?bogus=1")
    assert refused.status_code == 400


def test_notes_and_reasons_are_for_who_gave_them_and_for_people(world, given):
    chunk = world.chunk()
    body = {"outcome": "success", "session_id": "s", "note": "Of alice"}
    world.alice.ok("post", f"chunks/{chunk}/outcome", body)
    put(world.bob, chunk, "0.9", "Of bob")

    def shown(api):
        return [(one["reason"], one["session_id"]) for one in use(api, chunk)["history"]]

    assert shown(world.auditor) == [("Of bob", None), ("Of alice", "s")]
    assert shown(world.alice) == [(None, None), ("Of alice", "s")]
    assert shown(given("agent-bob")) == [(None, None), (None, None)]


def test_recall_and_captures_say_it(world, agent):
    made = agent.commit("Jack likes tea")
    put(world.bob, made["chunk_id"], "0.9")
    (found,) = world.alice.ok("post", "tools/memory_recall", {"query": "tea"})["memories"]
    assert found["confidence"] == 0.9


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ("access_count = access_count + 1", "accesses"),
        ("last_accessed = now()", "accesses"),
        ("confidence = 0.99", "confidence"),
        ("successes = 7", "outcomes"),
        ("failures = 7", "outcomes"),
        ("last_outcome_at = NULL", "outcomes"),
    ],
)
def test_counts_that_differ_from_the_record_are_drift_which_repair_mends(world, counted, rows_of, change, problem):
    chunk = world.chunk()
    world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})
    counted()
    report(world.alice, chunk, "success", "s")
    (before,) = rows_of(ChunkAccess)
    with world.inside("owner"), connections["owner"].cursor() as cursor:
        cursor.execute(f"UPDATE memory_chunkaccess SET {change} WHERE tenant_id = %s", [world.tenant_id])

    with world.inside("owner"):
        (found,) = effective_drift.on("owner")(tenant=world.tenant_id)
    assert (found.kind, str(found.id), found.problem) == ("usage", chunk, problem)
    assert repair(world.tenant_id) == 1
    (after_it,) = rows_of(ChunkAccess)
    assert vars(after_it) | {"_state": None} == vars(before) | {"_state": None}
