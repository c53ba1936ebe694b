"""Appending: writers at once make no fork, and a server that goes away leaves a change with its entry, or neither."""

import uuid
from contextlib import suppress

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from governance import edits
from governance.acting import gate
from governance.acting.credentials import system
from governance.edits import policies
from governance.identity import agents
from governance.ledger import appending, keyring, verification
from governance.models import Agent, Edit, EditState, Entry, IdempotencyKey, PolicyChange, Verdict
from memory.models import Chunk, EffectiveChunk, Event
from tests.erasure.conftest import admins_of
from tests.factories import EditFactory, EventFactory
from tests.ledger.breaking import broken_everywhere, succeeded
from tests.ledger.tampering import assert_intact, entries, seal

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]

WRITERS, EACH = 8, 200


def test_eight_writers_of_two_hundred_entries_make_one_chain(world, at_once):
    def write(writer):
        for number in range(EACH):
            with world.inside():
                appending.record("test", actor=world.bob_principal, metadata={"writer": writer, "number": number})

    before = len(entries(world))
    answers = at_once(*[lambda writer=writer: write(writer) for writer in range(WRITERS)])
    assert answers == [None] * WRITERS

    chain = entries(world)[before:]
    assert [entry.seq for entry in chain] == list(range(before, before + WRITERS * EACH))
    for writer in range(WRITERS):
        own = [entry.metadata["number"] for entry in chain if entry.metadata["writer"] == writer]
        assert own == list(range(EACH))
    report = verification.verify(world.tenant_id)
    of_agents = 1  # the chain of alice has begun
    assert (report.ok, report.signatures) == (True, before + WRITERS * EACH + of_agents)


def test_writers_of_everything_at_once_leave_a_ledger_that_verifies(world, at_once):
    def write(number):
        for one in range(5):
            chunk = world.chunk(f"Text {number} {one}")
            world.edit(chunk, "amend", text="Corrected")
            waiting = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
            world.bob.decide(waiting)
            seal(world)

    assert at_once(*[lambda number=number: write(number) for number in range(8)]) == [None] * 8

    seal(world)
    assert_intact(world)


# -- Under the lock of the chain there is nothing but the append.


def test_the_entries_of_a_request_are_its_last_statements(world):
    chunk = world.chunk("The quick brown fox")
    body = EditFactory(target_id=chunk, op="amend", patch={"text": "Corrected"})
    with CaptureQueriesContext(connection) as captured:
        succeeded(world.bob.post("edits", body, **{"Idempotency-Key": "once"}))

    statements = [one["sql"] for one in captured.captured_queries]
    answered = next(place for place, sql in enumerate(statements) if "SET status" in sql)
    locked = next(place for place, sql in enumerate(statements) if "lock_chain(" in sql)
    assert answered < locked
    assert [sql for sql in statements[locked:] if "lock_chain(" not in sql and "append_entries(" not in sql] == [
        "COMMIT"
    ]
    assert len(statements[locked:]) == 3


def test_the_entries_of_what_is_rolled_back_to_a_savepoint_are_not_appended(world):
    before = len(entries(world))
    with gate.acting_as(world.bob_principal), appending.held_back():
        appending.hold_back(world.bob_principal)
        with suppress(KeyError), transaction.atomic():
            appending.record("test", actor=world.bob_principal, metadata={"number": 1})
            raise KeyError
        appending.record("test", actor=world.bob_principal, metadata={"number": 2})
        assert len(entries(world)) == before
        appending.append_held()

    assert [entry.metadata["number"] for entry in entries(world)[before:]] == [2]


def test_a_transaction_whose_entries_were_held_back_and_not_appended_cannot_commit(world):
    chunk = uuid.UUID(world.chunk("The quick brown fox"))
    before = counts(world, Entry, Edit)

    def propose():
        with gate.acting_as(world.bob_principal):
            appending.hold_back(world.bob_principal)
            edits.propose_edit(
                actor=world.bob_principal,
                target_type="chunk",
                target_id=chunk,
                op="retract",
                reason="a test",
                patch=edits.Patch(),
            )

    with pytest.raises(RuntimeError, match="ledger entries that were not appended"):
        propose()

    assert counts(world, Entry, Edit) == before


def test_an_entry_that_cannot_be_signed_at_the_end_of_a_request_leaves_nothing(world, monkeypatch):
    chunk = world.chunk("The quick brown fox")
    before = counts(world, Entry, Edit, IdempotencyKey)

    def missing(public):
        raise keyring.SigningKeyMissing

    monkeypatch.setattr(keyring, "signer_of", missing)
    body = EditFactory(target_id=chunk, op="amend", patch={"text": "Corrected"})
    answer = world.bob.post("edits", body, **{"Idempotency-Key": "once"})

    assert answer.status_code == 503
    assert answer["Content-Type"] == "application/problem+json"
    assert counts(world, Entry, Edit, IdempotencyKey) == before
    assert world.found("fox") == ["The quick brown fox"]


# -- A server that goes away.


def counts(world, *models):
    with world.inside():
        return [model.objects.filter(tenant_id=world.tenant_id).count() for model in models]


def number_of(world, *types):
    return sum(entry.type in types for entry in entries(world))


def test_a_proposed_edit_is_there_with_its_entries_or_not_at_all(world):
    chunk = world.chunk("The quick brown fox")

    def check():
        (made,), states = counts(world, Edit), counts(world, EditState)
        assert states == [made] == [number_of(world, "edit.proposed")] == [number_of(world, "edit.approved")]

    body = EditFactory(target_id=chunk, op="amend", patch={"text": "Corrected"})
    assert broken_everywhere(lambda: succeeded(world.bob.post("edits", body)), check) == 7
    assert counts(world, Edit) == [1]
    assert world.found("corrected") == ["Corrected"]
    assert_intact(world)


def test_an_approval_is_there_with_its_entry_and_its_effect_or_not_at_all(world):
    chunk = world.chunk("The quick brown fox")
    edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]

    def check():
        (verdicts,) = counts(world, Verdict)
        assert verdicts == number_of(world, "edit.approved")
        assert (world.found("fox") == []) is (verdicts == 1)

    assert broken_everywhere(lambda: succeeded(world.bob.post(f"edits/{edit}/approve", {})), check) > 5
    assert counts(world, Verdict) == [1]
    assert_intact(world)


def test_many_events_are_there_together_or_not_at_all(world):
    retracted = world.chunk("What was removed")
    world.edit(retracted, "retract")
    models = (Event, Chunk, EffectiveChunk, Edit, Entry)
    before = counts(world, *models)
    # the second one is quarantined on arrival, with an entry of its own
    texts = ["A new text", "What was removed", "Another text"]

    def record():
        for text in texts:
            succeeded(world.alice.post("events", EventFactory(content__text=text)))

    def check():
        events, chunks, effective, edited, written = (
            now - then for now, then in zip(counts(world, *models), before, strict=True)
        )
        assert events == chunks == effective
        assert edited == written == number_of(world, "edit.approved") - 1

    assert broken_everywhere(record, check) > 5
    assert world.found("removed") == []
    assert_intact(world)


def test_a_batch_of_edits_is_there_with_its_entry_or_not_at_all(world):
    chunks = [world.chunk(f"Text {number}") for number in range(3)]

    def propose():
        with world.inside():
            edits.propose_edits(
                [edits.Proposal("chunk", uuid.UUID(chunk), "quarantine", "a test", edits.Patch()) for chunk in chunks],
                actor=world.bob_principal,
            )

    def check():
        assert counts(world, Edit) == [3 * number_of(world, "edits.proposed")]

    assert broken_everywhere(propose, check) > 3
    assert_intact(world)


def test_a_new_agent_is_there_with_its_entry_or_not_at_all(world):
    (before,) = counts(world, Agent)

    def make():
        with world.inside():
            agents.create_agent("carol", [], actor=system(world.tenant_id, "a test"))

    def check():
        assert counts(world, Agent) == [before + number_of(world, "agent.created") - 1]

    assert broken_everywhere(make, check) > 2
    assert counts(world, Agent) == [before + 1]
    assert_intact(world)


def test_a_policy_is_changed_with_its_entries_or_not_at_all(world):
    admin = admins_of(world).carol_principal

    def change():
        with world.inside():
            policies.propose_change(actor=admin, preset="strict", reason="a test")

    def check():
        made = counts(world, PolicyChange)[0]
        assert made == number_of(world, "policy.proposed") == number_of(world, "policy.changed") - 1
        with world.inside():
            rules = {rule.approvals for rule in policies.rules_of(world.tenant_id)}
        assert (rules == {1}) is (made == 1)

    assert broken_everywhere(change, check) > 5
    assert_intact(world)
