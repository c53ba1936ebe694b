"""What the database says about an erasure follows from the ledger, and nobody decides one that does not."""

import pytest

from governance.erasure import erasures, proving
from tests.ledger.tampering import assert_intact, unguarded, verify_chain

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

JACK = {"subject_type": "user", "subject_id": "jack"}


def let_propose(person, erasure):
    """Let the database say that `person` proposed the erasure."""
    with unguarded("governance_erasure") as cursor:
        cursor.execute(
            "WITH e AS (UPDATE governance_erasure SET proposed_by = %(person)s, proposer = %(name)s WHERE id = %(id)s)"
            " UPDATE governance_erasurestate SET proposed_by = %(person)s WHERE erasure_id = %(id)s",
            {"person": person.id, "name": person.name, "id": erasure},
        )


def test_what_the_services_do_follows(world, admins, handed, monkeypatch):
    """Erasures of every kind and state, with more texts and erasures than are compared at a time."""
    monkeypatch.setattr(proving, "CONTENTS", 3)
    monkeypatch.setattr(proving, "ERASURES", 2)
    monkeypatch.setattr(erasures, "REDACTION_BATCH", 2)
    for text in ("Jon likes tea", "Jon likes rain"):
        chunk = world.chunk(text, **JACK)
        world.edit(chunk, "amend", text=f"{text}, too")
        world.edit(chunk, "retract", by=world.alice)
    world.event(kind="decision", content={"decision": "Ship it", "rationale": ["late"]}, **JACK)
    world.event(kind="task_update", content={"title": "Ship it", "status": "open"}, **JACK)
    world.event(kind="artifact", content={"name": "notes", "media_type": "text/plain"}, **JACK)
    handed([world.chunk("the chunk")], note="Jon is angry", risks=["Jon may leave"])
    world.alice.ok("post", "tools/memory_commit", {"content": "Jack likes tea"})
    admins.erase(by="subject", **JACK)
    admins.erase(by="chunk", id=world.chunk("Ann likes tea"))
    admins.erase(by="event", id=world.event("Ann likes rain")["event_id"])
    event = world.event("Ann likes snow")["event_id"]
    rejected, withdrawn = admins.propose(by="event", id=event), admins.propose(by="event", id=event)
    admins.dave.ok("post", f"erasures/{rejected}/reject", {"reason": "no"})
    admins.carol.ok("post", f"erasures/{withdrawn}/withdraw", {})
    admins.erase(by="agent", agent="alice")
    admins.propose(by="event", id=world.event("Ann likes sun")["event_id"])
    assert_intact(world)


def test_nobody_decides_their_own_erasure_by_changing_who_proposed_it(world, admins):
    event = world.event("Jon likes tea")["event_id"]
    erasure = admins.propose(by="event", id=event)
    let_propose(admins.dave_principal, erasure)
    for caller, verb in ((admins.carol, "approve"), (admins.carol, "reject"), (admins.dave, "withdraw")):
        answer = caller.post(f"erasures/{erasure}/{verb}", {"reason": "no"})
        assert answer.status_code == 409
        assert "differ about this erasure (proposed_by, proposer)" in answer.json()["detail"]
    let_propose(admins.carol_principal, erasure)
    assert admins.dave.ok("post", f"erasures/{erasure}/approve", {})["status"] == "executed"


def test_nobody_decides_an_erasure_of_something_else(world, admins):
    erasure = admins.propose(by="event", id=world.event("Jon likes tea")["event_id"])
    other = world.event("Ann likes tea")["event_id"]
    with unguarded("governance_erasure") as cursor:
        cursor.execute("UPDATE governance_erasure SET target_id = %s WHERE id = %s", [other, erasure])
    answer = admins.dave.post(f"erasures/{erasure}/approve", {})
    assert answer.status_code == 409
    assert "(target_id)" in answer.json()["detail"]


def test_nobody_decides_an_erasure_without_a_signed_entry(world, admins):
    erasure = admins.propose(by="event", id=world.event("Jon likes tea")["event_id"])
    with unguarded("governance_entry") as cursor:
        cursor.execute(
            "UPDATE governance_entry SET signature = sha512('') WHERE tenant_id = %s AND type = 'erasure.proposed'",
            [world.tenant_id],
        )
    answer = admins.dave.post(f"erasures/{erasure}/approve", {})
    assert answer.status_code == 409
    assert "The ledger has no entry that proposes this erasure" in answer.json()["detail"]


def test_a_finding_says_since_when_the_ledger_says_otherwise(world, admins):
    erasure = admins.propose(by="event", id=world.event("Jon likes tea")["event_id"])
    with unguarded("governance_erasure") as cursor:
        cursor.execute("UPDATE governance_erasure SET reason = 'none' WHERE id = %s", [erasure])
    code, told = verify_chain(world)
    assert code == 1
    assert f"reason of the erasure {erasure} is none, but entry " in told
    assert "of the ledger says a request" in told
