"""What readers see follows from what the ledger proves: every way in which an edit ends fits the signed entries."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance import edits
from governance.edits import state_checks as unproven_edits
from governance.models import EditState
from memory.models import Chunk
from suture_verify.findings import Row
from tests.capture.capturing import store, words
from tests.curation.agent import Agent
from tests.erasure.conftest import admins_of
from tests.ledger.states import STATES, quarantined, set_state, unproven, verify_effective, waiting
from tests.ledger.tampering import assert_intact, lived_in, seal
from tests.surgery.helpers import status_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def approved_by_the_policy(world):
    world.edit(world.chunk("Jon"), "amend", by=world.alice, text="John")


def approved_by_a_person(world):
    quarantined(world)


def rejected(world):
    _, edit = waiting(world)
    world.bob.decide(edit, "reject", reason="no")


def withdrawn(world):
    _, edit = waiting(world)
    world.alice.ok("post", f"edits/{edit}/withdraw", {})


def expired(world):
    _, edit = waiting(world)
    edits.expire_edits(at=timezone.now() + timedelta(days=365))
    assert status_of(world, edit) == "expired"


def expired_by_an_erasure(world):
    chunk, edit = waiting(world)
    admins_of(world).erase(by="chunk", id=chunk)
    assert status_of(world, edit) == "expired"


def reverted_and_reverted_again(world):
    chunk, edit = quarantined(world)
    revert = world.edit(chunk, "revert", edit_id=edit)["edit_id"]
    world.edit(chunk, "revert", edit_id=revert)
    assert world.found("gin") == []


def a_consolidation_that_is_held_and_released(world):
    agent = Agent(world.alice)
    one, two = agent.commit("Jack likes tea"), agent.commit("Jack likes rain")
    above = agent.rethink([one["seq"], two["seq"]], "Jack likes both")
    world.edit(one["chunk_id"], "retract")
    (release,) = world.bob.ok("get", f"edits?status=pending&target_id={above['chunk_id']}")["results"]
    world.bob.decide(release["edit_id"])


def a_consolidation_that_an_approval_holds(world):
    agent = Agent(world.alice)
    one, two = agent.commit("Jack likes tea"), agent.commit("Jack likes rain")
    agent.rethink([one["seq"], two["seq"]], "Jack likes both")
    edit = world.edit(one["chunk_id"], "quarantine", by=world.alice)["edit_id"]
    world.bob.decide(edit)


def a_file_that_changes_where_it_was_corrected(world):
    text = words(345)
    store(world.alice, "notes.md", text)
    with world.inside():
        last = Chunk.objects.filter(tenant_id=world.tenant_id).latest("chunk_index")
    world.edit(str(last.id), "retract")
    assert len(store(world.alice, "notes.md", text + " and more")["quarantined_chunk_ids"]) == 1


def a_batch_that_applies_and_is_reverted(world):
    body = [
        {"target_type": "chunk", "target_id": world.chunk(f"fox {n}"), "op": "retract", "reason": "a test"}
        for n in range(3)
    ]
    batch = world.bob.ok("post", "edits/bulk", {"edits": body})["batch_id"]
    preview = world.bob.ok("post", f"edits/batches/{batch}/revert", {"reason": "It was true"})
    world.bob.ok("post", f"edits/batches/{batch}/revert", {"token": preview["token"]})


def a_batch_that_waits_in_part(world):
    ops = {"quarantine": {}, "amend": {"text": "another"}}
    body = [
        {"target_type": "chunk", "target_id": world.chunk(), "op": op, "reason": "a test", "patch": patch}
        for op, patch in ops.items()
    ]
    made = world.alice.ok("post", "edits/bulk", {"edits": body})["edits"]
    (pending,) = [one["edit_id"] for one in made if one["status"] == "pending"]
    world.bob.decide(pending)


def what_was_removed_and_is_said_again(world):
    world.edit(world.chunk("The card is 1234"), "retract")
    assert world.event("The card is 1234")["quarantined_chunk_ids"]


def a_containment(world):
    world.chunk("Jack is bankrupt")
    since = (timezone.now() - timedelta(hours=1)).isoformat()
    preview = world.bob.ok("post", "edits/contain", {"recorder": "alice", "since": since, "reason": "poison"})
    world.bob.ok("post", "edits/contain", {"token": preview["token"]})


def a_bit_of_everything(world):
    lived_in(world)


WAYS = [
    approved_by_the_policy,
    approved_by_a_person,
    rejected,
    withdrawn,
    expired,
    expired_by_an_erasure,
    reverted_and_reverted_again,
    a_consolidation_that_is_held_and_released,
    a_consolidation_that_an_approval_holds,
    a_file_that_changes_where_it_was_corrected,
    a_batch_that_applies_and_is_reverted,
    a_batch_that_waits_in_part,
    what_was_removed_and_is_said_again,
    a_containment,
    a_bit_of_everything,
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_happens_by_the_rules_is_proven(world, way):
    way(world)
    with world.inside():
        assert EditState.objects.filter(tenant_id=world.tenant_id).exists()

    assert verify_effective(world) == (0, ["1 tenant verified: no drift"])
    seal(world)
    assert_intact(world)


def test_two_approvals_and_a_held_decision_are_proven(strict):
    _, edit = waiting(strict)
    strict.bob.decide(edit)
    assert status_of(strict, edit) == "pending"
    assert_intact(strict)
    strict.ann.decide(edit)
    assert status_of(strict, edit) == "approved"
    strict.event(kind="decision", content={"decision": "Use tabs", "scope": "policy"})
    assert strict.bob.ok("get", "edits?status=pending")["results"]

    assert verify_effective(strict) == (0, ["1 tenant verified: no drift"])
    assert_intact(strict)


def test_more_edits_than_are_kept_at_a_time_are_compared(world, monkeypatch):
    made = [quarantined(world, f"Jack drinks gin {number}")[1] for number in range(4)]
    a_consolidation_that_is_held_and_released(world)
    monkeypatch.setattr(unproven_edits, "SPAN", 2)
    monkeypatch.setattr(unproven_edits, "PAGE", 1)
    assert unproven(world) == {}

    for edit in made:
        set_state(world, edit, approvals=0)

    assert unproven(world) == {Row(STATES, edit, "approvals"): ("0", "1") for edit in made}


def test_entries_of_an_older_server_prove_the_time_of_an_application_within_bounds(world, monkeypatch):
    monkeypatch.setattr("governance.edits.statements._moment_in", lambda text: None)
    _, edit = quarantined(world)
    assert_intact(world)
    with world.inside():
        applied = EditState.objects.get(edit_id=edit).applied_at
    assert applied

    set_state(world, edit, applied_at=applied - timedelta(seconds=1))

    found, expected = unproven(world)[Row(STATES, edit, "applied_at")]
    assert found
    assert expected
    assert expected.startswith("a time from ")
    assert found < expected.removeprefix("a time from ")
    assert verify_effective(world, "--repair")[0] == 0
