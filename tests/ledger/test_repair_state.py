"""A state of an edit that does not follow from the ledger is found, and repaired from the signed entries."""

import pytest
from django.db import connections
from django.utils import timezone

from governance.ledger import published_tree_heads
from governance.models import EditState
from memory import maintenance
from suture_verify.findings import Row
from tests.curation.agent import Agent
from tests.ledger.states import (
    STATES,
    forge,
    quarantined,
    refold,
    set_state,
    unproven,
    verify_effective,
    waiting,
    write,
)
from tests.ledger.tampering import assert_intact, change_entry, entries, seal, unguarded
from tests.surgery.helpers import status_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_a_retract_that_somebody_calls_rejected(world):
    chunk, edit = quarantined(world)
    seal(world)
    set_state(world, edit, status="rejected", applied_at=None)
    refold(world, chunk)
    assert world.found("gin") == ["Jack drinks gin"]

    found = unproven(world)
    assert found[Row(STATES, edit, "status")] == ("rejected", "approved")
    assert found.keys() == {Row(STATES, edit, "status"), Row(STATES, edit, "applied_at")}
    code, lines = verify_effective(world)
    assert code == 1
    assert f"edit {edit}: status is rejected, but the ledger proves approved" in lines

    code, lines = verify_effective(world, "--repair")
    assert (code, lines[-1]) == (0, "1 tenant verified: no drift")
    assert world.found("gin") == []
    assert_intact(world)


@pytest.mark.slow
def test_an_edit_that_somebody_calls_approved(world):
    chunk, edit = waiting(world)
    set_state(world, edit, status="approved", applied_at=timezone.now(), approvals=1, approved_by="bob")
    refold(world, chunk)
    assert world.found("gin") == []

    assert unproven(world)[Row(STATES, edit, "status")] == ("approved", "pending")
    assert verify_effective(world, "--repair")[0] == 0
    assert world.found("gin") == ["Jack drinks gin"]
    assert status_of(world, edit) == "pending"


@pytest.mark.slow
def test_an_order_of_two_amends_that_somebody_turns_round(world):
    chunk = world.chunk("one")
    first = world.edit(chunk, "amend", text="two")["edit_id"]
    world.edit(chunk, "amend", text="three")
    with world.inside():
        before = EditState.objects.get(edit_id=first).applied_at
    set_state(world, first, applied_at=timezone.now())
    refold(world, chunk)
    assert world.found("two") == ["two"]

    (row,) = unproven(world)
    assert row == Row(STATES, first, "applied_at")
    assert verify_effective(world, "--repair")[0] == 0
    assert world.found("three") == ["three"]
    with world.inside():
        assert EditState.objects.get(edit_id=first).applied_at == before


@pytest.mark.slow
@pytest.mark.parametrize(("column", "value", "found"), [("approvals", 2, ("2", "1")), ("approved_by", "eve", None)])
def test_what_the_queue_shows_of_an_approval(world, column, value, found):
    _, edit = quarantined(world)
    set_state(world, edit, **{column: value})

    assert unproven(world) == {Row(STATES, edit, column): found or ("eve", world.bob_name)}
    assert verify_effective(world, "--repair")[0] == 0
    assert unproven(world) == {}


@pytest.mark.slow
def test_a_state_that_somebody_deletes(world):
    chunk, edit = quarantined(world)
    write(world, "DELETE FROM governance_editstate WHERE edit_id = %s AND tenant_id = %s", edit)
    refold(world, chunk)
    assert world.found("gin") == ["Jack drinks gin"]

    assert unproven(world) == {Row(STATES, edit): (None, "approved")}
    assert verify_effective(world, "--repair")[0] == 0
    assert world.found("gin") == []


@pytest.mark.slow
def test_an_edit_that_nobody_proposed_is_found_and_has_no_effect_after_the_repair(world):
    _, edit = quarantined(world)
    chunk = world.chunk("Jack drinks tea")
    forged = forge(world, edit, target_id=chunk)
    refold(world, chunk)
    assert world.found("tea") == []

    assert {row.table for row in unproven(world)} == {"governance_edit", "governance_verdict", STATES}
    code, lines = verify_effective(world, "--repair")
    assert code == 1
    assert f"edit {forged}: no entry of the ledger proposes it" in lines
    assert world.found("tea") == ["Jack drinks tea"]
    assert status_of(world, forged) == "expired"
    assert Row("governance_edit", forged) in unproven(world)


@pytest.mark.slow
def test_a_verdict_that_nobody_gave(world):
    _, approved = quarantined(world)
    chunk, edit = waiting(world, "Jack drinks tea")
    with unguarded("governance_verdict") as cursor:
        cursor.execute(
            "INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider,"
            " decided_at, reason, proposed_by, patch_sha256) SELECT e.tenant_id, gen_random_uuid(), e.id, v.decision,"
            " v.decider_kind, v.decided_by, v.decider, v.decided_at, '', e.proposed_by, e.patch_sha256"
            " FROM governance_verdict v, governance_edit e WHERE v.edit_id = %s AND e.id = %s RETURNING id",
            [approved, edit],
        )
        verdict = str(cursor.fetchone()[0])
    set_state(world, edit, status="approved", applied_at=timezone.now(), approvals=1, approved_by=world.bob_name)
    refold(world, chunk)

    found = unproven(world)
    assert Row("governance_verdict", verdict) in found
    assert found[Row(STATES, edit, "status")] == ("approved", "pending")
    verify_effective(world, "--repair")
    assert world.found("tea") == ["Jack drinks tea"]
    assert unproven(world).keys() == {Row("governance_verdict", verdict)}


@pytest.mark.slow
def test_fewer_approvals_than_the_policy_asked_for(strict):
    """The row says that one approval is enough, and the ledger that two are."""
    _, edit = waiting(strict)
    strict.bob.decide(edit)
    with unguarded("governance_edit") as cursor:
        cursor.execute("UPDATE governance_edit SET approvals_required = 1 WHERE id = %s", [edit])
    set_state(strict, edit, status="approved", applied_at=timezone.now(), approved_by=strict.bob_name)

    found = unproven(strict)

    assert found[Row("governance_edit", edit, "approvals_required")] == ("1", "2")
    assert found[Row(STATES, edit, "status")] == ("approved", "pending")


@pytest.mark.slow
@pytest.mark.parametrize("of_a_memory", [True, False])
def test_a_supersession_that_no_memory_explains(world, of_a_memory):
    agent = Agent(world.alice)
    one, two = agent.commit("Jack likes tea"), agent.commit("Jack likes rain")
    agent.rethink([one["seq"]], "Jack likes green tea")
    hidden = two["chunk_id"] if of_a_memory else world.chunk("Jack drinks gin")
    with unguarded("memory_supersession") as cursor:
        cursor.execute(
            "UPDATE memory_supersession SET superseded_id = %s WHERE tenant_id = %s RETURNING id",
            [hidden, world.tenant_id],
        )
        row = str(cursor.fetchone()[0])
    refold(world, hidden)
    assert world.found("rain" if of_a_memory else "gin") == []

    assert Row("memory_supersession", row) in unproven(world)
    code, lines = verify_effective(world, "--repair")
    assert code == 1
    assert any(line.startswith(f"supersession {row} cannot be repaired: {hidden} is not memory") for line in lines)


# -- a damaged ledger proves nothing


def entry_of(world, type, edit):
    """The number of the entry of this type that names an edit."""
    (seq,) = [one.seq for one in entries(world) if one.type == type and one.metadata["edit"] == edit]
    return seq


@pytest.mark.slow
def test_an_edit_whose_entry_is_damaged_is_not_repaired_and_somebody_is_told_why(world):
    _, edit = quarantined(world)
    _, other = quarantined(world, "Jack drinks beer")
    seal(world)
    change_entry(
        world, entry_of(world, "edit.approved", edit), "signature = set_bit(signature, 3, 1 - get_bit(signature, 3))"
    )
    for one in (edit, other):
        set_state(world, one, status="rejected", applied_at=None)

    code, lines = verify_effective(world, "--repair")

    assert code == 1
    (told,) = [line for line in lines if line.startswith(f"edit {edit} cannot be repaired: ")]
    assert "signature: governance: the current key did not sign it" in told
    assert status_of(world, edit) == "rejected"
    assert status_of(world, other) == "approved"
    # the fold would follow the state that nothing proves
    told = "memory was not repaired, because it depends on these rows: the ledger does not prove 1 edit"
    assert told in lines
    assert world.found("gin") == []


@pytest.mark.slow
def test_an_entry_that_names_another_edit_does_not_bring_words_back(world):
    """Without its approval, the retract of gin would be pending: the verdict on it says that there was one."""
    _, edit = quarantined(world)
    _, other = waiting(world, "Jack drinks beer")
    seal(world)
    seq = entry_of(world, "edit.approved", edit)
    canonical = bytes(entries(world)[seq].canonical).replace(edit.encode(), other.encode())
    change_entry(world, seq, "canonical = %s, hash = sha256(%s)", canonical, canonical)

    code, lines = verify_effective(world, "--repair")

    assert code == 1
    assert any(line.startswith(f"edit {edit} cannot be repaired: ") for line in lines)
    assert status_of(world, edit) == "approved"
    assert world.found("gin") == []


@pytest.mark.slow
def test_without_some_entries_nothing_is_repaired(world):
    _, edit = quarantined(world)
    seal(world)
    seq = entry_of(world, "edit.approved", edit)
    with unguarded("governance_entry") as cursor:
        cursor.execute("DELETE FROM governance_entry WHERE tenant_id = %s AND seq = %s", [world.tenant_id, seq])

    code, lines = verify_effective(world, "--repair")

    assert code == 1
    assert any(line.startswith(f"edit {edit} cannot be repaired: the ledger does not verify: gap") for line in lines)
    assert status_of(world, edit) == "approved"


@pytest.mark.slow
def test_a_repair_changes_no_tenant_but_its_own(world, new_world):
    elsewhere = new_world()
    _, edit = quarantined(elsewhere)
    set_state(elsewhere, edit, approvals=0)

    assert maintenance.repair(world.tenant_id) == 0

    with elsewhere.inside(), connections["default"].cursor() as cursor:
        cursor.execute("SELECT approvals FROM governance_editstate WHERE edit_id = %s", [edit])
        assert cursor.fetchone() == (0,)


@pytest.mark.slow
def test_without_the_published_tree_heads_nothing_is_repaired(world, settings):
    """The end of the ledger may be missing: nobody could tell."""
    settings.SEAL_LAG_SECONDS = 0
    _, edit = quarantined(world)
    seal(world)
    set_state(world, edit, approvals=0)
    published_tree_heads.path_of(world.tenant_id).unlink()

    code, lines = verify_effective(world, "--repair")

    assert code == 1
    told = f"edit {edit} cannot be repaired: the ledger does not verify: no tree heads"
    assert any(line.startswith(told) for line in lines)


@pytest.mark.slow
def test_an_approval_that_was_taken_out_of_the_ledger_and_of_the_tables_changes_nothing(world):
    """The entry says something else, and the verdict is gone: only the leaf of the verdict shows that there was one."""
    _, edit = quarantined(world)
    seal(world)
    seq = entry_of(world, "edit.approved", edit)
    canonical = bytes(entries(world)[seq].canonical).replace(b'"edit.approved"', b'"test"')
    change_entry(world, seq, "canonical = %s, hash = sha256(%s)", canonical, canonical)
    with unguarded("governance_verdict") as cursor:
        cursor.execute("DELETE FROM governance_verdict WHERE edit_id = %s", [edit])

    code, lines = verify_effective(world, "--repair")

    assert code == 1
    assert any(line.startswith(f"edit {edit} cannot be repaired: the ledger does not verify: ") for line in lines)
    assert status_of(world, edit) == "approved"
    assert world.found("gin") == []
