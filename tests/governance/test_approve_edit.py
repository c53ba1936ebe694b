"""Approving an edit: by whom, once, and with what effect. The service refuses first, the database last."""

import hashlib
import uuid
from dataclasses import replace

import pytest
from django.db import Error, connections, transaction

from governance import edits
from governance.acting import gate
from governance.acting.credentials import KeyCredential, system
from governance.edits import db
from governance.models import Edit, EditState, Entry, Membership, PolicyRule, Verdict, new_id
from tests.owning import as_owner


def waiting_edit(world, text="Original", **patch):
    """An agent's proposal that waits for a person; answers (chunk, edit)."""
    chunk = world.chunk(text)
    edit = world.edit(chunk, "quarantine", by=world.alice, **patch)
    assert edit["status"] == "pending"
    return chunk, edit["edit_id"]


def verdicts(world, edit):
    with world.inside():
        return list(Verdict.objects.filter(tenant_id=world.tenant_id, edit_id=edit).order_by("decided_at"))


def demand_two(world):
    with world.inside(), as_owner():
        rules = PolicyRule.objects.filter(tenant_id=world.tenant_id, op="quarantine", proposer_kind="agent")
        assert rules.update(approvals=2) == 1


def test_it_works(world):
    _, edit = waiting_edit(world)

    response = world.bob.post(f"edits/{edit}/approve", {"reason": "checked"})

    assert response.status_code == 200
    answer = response.json()
    assert (answer["edit_id"], answer["status"], answer["approvals"]) == (edit, "approved", 1)
    assert answer["applied_at"]
    assert world.found("original") == []
    shown = world.bob.ok("get", f"edits/{edit}")
    assert (shown["status"], shown["approved_by"]) == ("approved", world.bob_name)
    assert [(v["decider"], v["decision"], v["reason"]) for v in shown["verdicts"]] == [
        (world.bob_name, "approved", "checked")
    ]


def test_the_approval_is_in_the_ledger(world):
    _, edit = waiting_edit(world)
    world.bob.decide(edit, reason="checked")

    with world.inside():
        entry = Entry.objects.filter(tenant_id=world.tenant_id).latest("seq")
    assert entry.type == "edit.approved"
    assert entry.metadata["edit"] == edit
    assert entry.metadata["in_effect"] is True
    assert entry.metadata["reason"] == "checked"
    assert entry.metadata["actor"]["name"] == world.bob_name


def test_of_two_approvals_both_are_needed_from_two_people(world):
    demand_two(world)
    _, edit = waiting_edit(world)

    first = world.bob.decide(edit)
    assert (first["status"], first["approvals"], first["approvals_required"]) == ("pending", 1, 2)
    assert "applied_at" not in first
    assert world.found("original") == ["Original"]

    again = world.bob.post(f"edits/{edit}/approve", {})
    assert again.status_code == 409
    assert world.found("original") == ["Original"]

    second = world.ann.decide(edit)
    assert (second["status"], second["approvals"]) == ("approved", 2)
    assert world.found("original") == []
    assert len(verdicts(world, edit)) == 2


def test_one_of_two_may_still_reject(world):
    demand_two(world)
    _, edit = waiting_edit(world)
    world.bob.decide(edit)

    answer = world.ann.decide(edit, "reject", reason="no")

    assert answer["status"] == "rejected"
    assert world.found("original") == ["Original"]


def test_under_the_strict_policy_a_persons_edit_needs_a_second_person(strict_world):
    chunk = strict_world.chunk("Original")
    edit = strict_world.edit(chunk, "retract")["edit_id"]

    own = strict_world.bob.post(f"edits/{edit}/approve", {})
    assert own.status_code == 403
    assert "proposed" in own.json()["detail"]
    assert strict_world.found("original") == ["Original"]

    assert strict_world.ann.decide(edit)["status"] == "approved"
    assert strict_world.found("original") == []


def test_an_agent_approves_nothing(world, agent_in):
    _, edit = waiting_edit(world)

    for agent in (world.alice, agent_in()):
        response = agent.post(f"edits/{edit}/approve", {})
        assert response.status_code == 403
        assert "agent" in response.json()["detail"]
    assert verdicts(world, edit) == []


def test_an_auditor_approves_nothing(world):
    _, edit = waiting_edit(world)

    assert world.auditor.post(f"edits/{edit}/approve", {}).status_code == 403
    assert verdicts(world, edit) == []


def test_a_decided_edit_is_decided(world):
    _, edit = waiting_edit(world)
    world.bob.decide(edit)

    for verdict in ("approve", "reject"):
        response = world.ann.post(f"edits/{edit}/{verdict}", {"reason": "too late"})
        assert response.status_code == 409
    assert len(verdicts(world, edit)) == 1


def test_an_edit_that_the_policy_applied_needs_no_approval(world):
    edit = world.edit(world.chunk(), "retract")["edit_id"]

    assert world.ann.post(f"edits/{edit}/approve", {}).status_code == 409


def test_an_unknown_edit_is_404_and_so_is_another_tenants(world, elsewhere):
    _, theirs = waiting_edit(elsewhere)

    unknown = world.bob.post(f"edits/{uuid.uuid4()}/approve", {})
    response = world.bob.post(f"edits/{theirs}/approve", {})

    assert response.status_code == unknown.status_code == 404
    assert response.json()["detail"] == unknown.json()["detail"]
    assert verdicts(elsewhere, theirs) == []


def test_what_was_not_reviewed_is_not_approved(world):
    _, edit = waiting_edit(world)
    seen = world.bob.ok("get", f"edits/{edit}")["patch_sha256"]

    stale = world.bob.post(f"edits/{edit}/approve", {"patch_sha256": hashlib.sha256(b"another").hexdigest()})
    assert stale.status_code == 409
    assert world.bob.post(f"edits/{edit}/approve", {"patch_sha256": "abc"}).status_code == 400
    assert verdicts(world, edit) == []

    world.bob.ok("post", f"edits/{edit}/approve", {"patch_sha256": seen})
    assert bytes(verdicts(world, edit)[0].patch_sha256).hex() == seen


def test_a_reviewer_who_lost_the_role_approves_nothing(world):
    _, edit = waiting_edit(world)
    with world.inside(), as_owner():
        Membership.objects.filter(tenant_id=world.tenant_id, user_id=world.bob_principal.id).update(is_active=False)

    assert world.bob.post(f"edits/{edit}/approve", {}).status_code == 401
    # a principal that was made before is refused by the database
    with pytest.raises(gate.ContextRefused), world.inside():
        edits.approve_edit(uuid.UUID(edit), actor=world.bob_principal)
    assert verdicts(world, edit) == []


def record_verdict(world, edit, actor, digest=None):
    with gate.acting_as(actor):
        row = Edit.objects.get(tenant_id=world.tenant_id, id=edit)
        with transaction.atomic():
            return db.record_verdict(
                tenant=world.tenant_id,
                edit=row.id,
                decision="approved",
                reason="",
                patch_sha256=digest or bytes(row.patch_sha256),
                target_state=None,
            )


def test_the_database_refuses_an_own_edit_too(strict_world):
    edit = strict_world.edit(strict_world.chunk("Original"), "retract")["edit_id"]

    with pytest.raises(Error, match="you cannot decide an edit that you proposed"):
        record_verdict(strict_world, edit, strict_world.bob_principal)
    assert verdicts(strict_world, edit) == []


def test_the_database_refuses_an_agent_and_an_outsider(world, elsewhere):
    _, edit = waiting_edit(world)

    auditor = replace(world.bob_principal, credential=KeyCredential(gate.digest_of(world.keys["auditor"])))
    for somebody in (world.alice_principal, auditor, system(world.tenant_id, "a test")):
        with pytest.raises(Error, match="only a reviewer or admin"):
            record_verdict(world, edit, somebody)
    with pytest.raises(gate.ContextRefused):
        record_verdict(world, edit, replace(elsewhere.bob_principal, tenant_id=world.tenant_id))
    assert verdicts(world, edit) == []


def test_the_database_refuses_a_patch_that_was_not_reviewed(world):
    _, edit = waiting_edit(world)

    with pytest.raises(Error, match="different patch from the one"):
        record_verdict(world, edit, world.bob_principal, bytes(32))


INSERT = (
    "INSERT INTO governance_verdict (tenant_id, id, edit_id, decision, decider_kind, decided_by, decider, decided_at,"
    " reason, proposed_by, patch_sha256) SELECT tenant_id, %s, id, 'approved', 'human', %s, 'x', now(), '', {proposed},"
    " {patch} FROM governance_edit WHERE id = %s"
)


def insert_verdict(world, edit, decided_by, using, proposed="proposed_by", patch="patch_sha256"):
    with world.inside(using), connections[using].cursor() as cursor:
        statement = INSERT.format(proposed=proposed, patch=patch)
        cursor.execute(statement, [new_id(), decided_by, edit])
        return cursor.rowcount


def test_the_app_inserts_no_verdict(world):
    _, edit = waiting_edit(world)

    with pytest.raises(Error, match="permission denied"):
        insert_verdict(world, edit, world.bob_principal.id, "default")


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_not_even_the_owner_inserts_a_verdict_on_ones_own_edit(strict_world):
    edit = strict_world.edit(strict_world.chunk(), "retract")["edit_id"]
    bob, ann = strict_world.bob_principal.id, uuid.uuid4()

    with pytest.raises(Error, match="verdict_decider_is_not_proposer"):
        insert_verdict(strict_world, edit, bob, "owner")
    # nor by lying about who proposed, or what was reviewed
    with pytest.raises(Error, match="verdict_of_edit_as_reviewed"):
        insert_verdict(strict_world, edit, bob, "owner", proposed="gen_random_uuid()")
    with pytest.raises(Error, match="verdict_of_edit_as_reviewed"):
        insert_verdict(strict_world, edit, ann, "owner", patch="sha256('x')")
    assert verdicts(strict_world, edit) == []


def posting(world, who, address, body):
    """A request to send from another thread, with a client of its own."""
    return lambda: type(world.bob)(world.keys[who]).post(address, body)


@pytest.mark.django_db(transaction=True)
def test_of_two_reviewers_at_once_exactly_one_approves(world, at_once):
    for _ in range(5):
        _, edit = waiting_edit(world)
        answers = at_once(*[posting(world, who, f"edits/{edit}/approve", {}) for who in ("bob", "ann")])
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        assert len(verdicts(world, edit)) == 1
        with world.inside():
            assert EditState.objects.get(tenant_id=world.tenant_id, edit_id=edit).approvals == 1


@pytest.mark.django_db(transaction=True)
def test_approving_and_rejecting_at_once_leaves_one_verdict_and_its_effect(world, at_once):
    for number in range(5):
        # other words each time: what a retract removed is quarantined when it is recorded again
        chunk, edit = waiting_edit(world, f"Original {number}")
        answers = at_once(
            posting(world, "bob", f"edits/{edit}/approve", {}),
            posting(world, "ann", f"edits/{edit}/reject", {"reason": "no"}),
        )
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        (verdict,) = verdicts(world, edit)
        status = world.bob.ok("get", f"edits/{edit}")["status"]
        assert verdict.decision == status
        visible = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]
        assert len(visible) == (0 if status == "approved" else 1)


@pytest.mark.django_db(transaction=True)
def test_approving_and_withdrawing_at_once_leaves_one_verdict_and_its_effect(world, at_once):
    for number in range(5):
        # other words each time: what a retract removed is quarantined when it is recorded again
        chunk, edit = waiting_edit(world, f"Original {number}")
        answers = at_once(
            posting(world, "bob", f"edits/{edit}/approve", {}),
            posting(world, "alice", f"edits/{edit}/withdraw", {}),
        )
        assert sorted(answer.status_code for answer in answers) == [200, 409]
        (verdict,) = verdicts(world, edit)
        assert verdict.decision == world.bob.ok("get", f"edits/{edit}")["status"]
        visible = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]
        assert len(visible) == (0 if verdict.decision == "approved" else 1)


@pytest.mark.django_db(transaction=True)
def test_the_same_reviewer_twice_at_once_counts_once(world, at_once):
    demand_two(world)
    _, edit = waiting_edit(world)

    answers = at_once(*[posting(world, "bob", f"edits/{edit}/approve", {})] * 3)

    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]
    assert len(verdicts(world, edit)) == 1


@pytest.mark.django_db(transaction=True)
def test_two_edits_of_one_chunk_approved_at_once_both_take_effect(world, at_once):
    for _ in range(5):
        chunk = world.chunk("Original", channel="team")
        first = world.edit(chunk, "block", by=world.alice, channel="public")["edit_id"]
        second = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]

        answers = at_once(
            posting(world, "bob", f"edits/{first}/approve", {}), posting(world, "ann", f"edits/{second}/approve", {})
        )

        assert [answer.status_code for answer in answers] == [200, 200]
        asked = {"chunk_ids": [chunk], "include_quarantined": True, "channel": "team"}
        (shown,) = world.alice.ok("post", "chunks/get", asked)["chunks"]
        assert (shown["is_quarantined"], shown["edits_applied"]) == (True, 2)
        assert world.alice.ok("post", "chunks/get", {**asked, "channel": "public"})["chunks"] == []
