"""Pending edits that nobody decides in time end, as a verdict of the policy's that says so."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone

from governance import edits
from governance.acting import gate
from governance.edits import db
from governance.models import PolicyRule, Tenant
from governance.tasks import expire_edits
from tests.owning import as_owner

from .helpers import entries, read, status_of

DAYS = 3


@pytest.fixture
def soon(world):
    """The test's tenant lets pending edits live for three days."""
    with world.inside(), as_owner():
        assert Tenant.objects.filter(id=world.tenant_id).update(pending_edit_days=DAYS) == 1
    return world


def waiting(world, text="Original"):
    chunk = world.chunk(text)
    return chunk, world.edit(chunk, "quarantine", by=world.alice)["edit_id"]


def after(days):
    return timezone.now() + timedelta(days=days)


def test_it_works(soon):
    chunk, edit = waiting(soon)

    assert edits.expire_edits(at=after(DAYS)) == 1

    shown = soon.bob.ok("get", f"edits/{edit}")
    assert (shown["status"], shown["applied_at"]) == ("expired", None)
    (verdict,) = shown["verdicts"]
    assert (verdict["decision"], verdict["decider_kind"]) == ("expired", "policy")
    assert verdict["decider"] == "policy:standard"
    assert verdict["reason"] == "No decision within 3 days."
    assert read(soon, chunk)["text"] == "Original"


def test_each_has_its_ledger_entry(soon):
    _, first = waiting(soon)
    _, second = waiting(soon)

    edits.expire_edits(at=after(DAYS))

    made = entries(soon, "edit.expired")
    assert {entry.metadata["edit"] for entry in made} == {first, second}
    assert {entry.metadata["actor"]["name"] for entry in made} == {"expiry"}


def test_what_is_younger_stays(soon):
    _, edit = waiting(soon)

    assert edits.expire_edits(at=after(DAYS) - timedelta(minutes=5)) == 0
    expire_edits()  # the beat's task, which looks at the clock

    assert status_of(soon, edit) == "pending"


def test_each_tenant_has_its_own_age(soon, elsewhere):
    _, ours = waiting(soon)
    _, theirs = waiting(elsewhere)
    with elsewhere.inside():
        days = Tenant.objects.get(id=elsewhere.tenant_id).pending_edit_days
    assert days > DAYS

    edits.expire_edits(at=after(DAYS))
    assert (status_of(soon, ours), status_of(elsewhere, theirs)) == ("expired", "pending")

    edits.expire_edits(at=after(days))
    assert status_of(elsewhere, theirs) == "expired"


def test_what_is_decided_is_left_alone(soon):
    _, approved = waiting(soon)
    _, rejected = waiting(soon)
    _, withdrawn = waiting(soon)
    applied = soon.edit(soon.chunk("Another"), "amend", text="Corrected")["edit_id"]
    soon.bob.decide(approved)
    soon.bob.decide(rejected, "reject", reason="no")
    soon.alice.ok("post", f"edits/{withdrawn}/withdraw", {})

    assert edits.expire_edits(at=after(DAYS)) == 0

    assert [status_of(soon, edit) for edit in (approved, rejected, withdrawn, applied)] == [
        "approved",
        "rejected",
        "withdrawn",
        "approved",
    ]


def test_what_expired_can_neither_be_approved_nor_withdrawn_and_may_be_proposed_again(soon):
    chunk, edit = waiting(soon)
    edits.expire_edits(at=after(DAYS))

    assert soon.bob.post(f"edits/{edit}/approve", {}).status_code == 409
    assert soon.bob.post(f"edits/{edit}/reject", {"reason": "no"}).status_code == 409
    assert soon.alice.post(f"edits/{edit}/withdraw", {}).status_code == 409
    assert soon.edit(chunk, "quarantine", by=soon.alice)["status"] == "pending"


def test_an_edit_with_one_of_two_approvals_expires_too(soon):
    with soon.inside(), as_owner():
        PolicyRule.objects.filter(tenant_id=soon.tenant_id, op="quarantine", proposer_kind="agent").update(approvals=2)
    chunk, edit = waiting(soon)
    assert soon.bob.decide(edit)["approvals"] == 1

    assert edits.expire_edits(at=after(DAYS)) == 1

    assert [verdict["decision"] for verdict in soon.bob.ok("get", f"edits/{edit}")["verdicts"]] == [
        "approved",
        "expired",
    ]
    assert read(soon, chunk)["text"] == "Original"


def test_more_than_one_batch_is_done(soon, monkeypatch):
    monkeypatch.setattr(edits.verdicts, "EXPIRY_BATCH", 2)
    made = [waiting(soon)[1] for _ in range(5)]

    assert edits.expire_edits(at=after(DAYS)) == 5

    assert {status_of(soon, edit) for edit in made} == {"expired"}


@pytest.mark.django_db(transaction=True)
def test_run_twice_at_once_each_edit_expires_once(soon, at_once):
    made = [waiting(soon)[1] for _ in range(12)]
    moment = after(DAYS)

    counted = at_once(*[lambda: edits.expire_edits(at=moment)] * 2)

    assert sum(counted) == 12
    for edit in made:
        assert [verdict["decision"] for verdict in soon.bob.ok("get", f"edits/{edit}")["verdicts"]] == ["expired"]
    assert sorted(entry.metadata["edit"] for entry in entries(soon, "edit.expired")) == sorted(made)


@pytest.mark.django_db(transaction=True)
def test_an_edit_that_a_reviewer_holds_is_passed_over(soon, at_once):
    _, held = waiting(soon)
    _, free = waiting(soon)
    is_held, has_run = threading.Event(), threading.Event()

    def hold():
        with gate.acting_as(soon.alice_principal):
            # what a verdict takes first
            db.withdraw_edit(tenant=soon.tenant_id, edit=held, reason="held")
            is_held.set()
            assert has_run.wait(60)

    def expire():
        assert is_held.wait(60)
        try:
            return edits.expire_edits(at=after(DAYS))
        finally:
            has_run.set()

    _, expired = at_once(hold, expire)

    assert expired == 1
    assert (status_of(soon, held), status_of(soon, free)) == ("withdrawn", "expired")
