"""Every service that changes something appends the entries that this table says, and a new one must be in it."""

import dataclasses
import uuid
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice

from capsules.services import handover
from capture.services import files, removing
from capture.services import recording as capturing
from capture.services.recording import CaptureDraft, Origin
from governance import edits
from governance.acting import gate
from governance.acting.credentials import system
from governance.edits import batches, policies
from governance.erasure import erasures
from governance.identity import agents, identities, invitations, people, superusers
from governance.identity.proving.authority import compare_authority
from governance.ledger import appending, sealing, verification
from governance.ledger.comparisons import Comparison
from governance.models import Agent, Edit, Entry, Invitation, User, new_id
from governance.relations import adding, implying, importing, revoking, rules
from governance.relations.drafts import RelationDraft
from memory.checkpoints import format, restoring, saving, sessions
from memory.checkpoints.db import Described
from memory.curation import writing
from memory.drafts import EventDraft, PreparedEvent
from memory.models import RunningSession
from memory.services import containing, memories, recording, surgery
from memory.tiers import manual
from memory.usage import confidence, outcomes
from memory.values import proposing
from suture_verify.findings import Findings
from tests.erasure.conftest import admins_of
from tests.factories import SuperuserFactory
from tests.ledger.services import ENTRIES, OF_ITSELF, WITHOUT_ENTRY, services
from tests.owning import as_owner


@pytest.mark.pure
def test_every_service_is_in_a_table():
    assert set(services(for_somebody=True)) == set(ENTRIES)
    assert set(services(for_somebody=False)) == {*OF_ITSELF, *WITHOUT_ENTRY}


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_what_happens_of_itself_appends_its_entries(world, monkeypatch):
    # other tests' tenants have ledgers of other keys
    monkeypatch.setattr(gate, "tenants", lambda: {world.slug: world.tenant_id})
    world.edit(world.chunk(), "quarantine", by=world.alice)
    later = timezone.now() + timedelta(days=31)
    calls = {
        "verdicts.expire_edits": lambda: edits.expire_edits(at=later),
        "identities.provision": lambda: identities.provision(world.slug, agents=[("dora", [])]),
        "sealing.seal": lambda: sealing.seal(world.tenant_id),
        "sealing.seal_all": lambda: world.chunk() and sealing.seal_all(world.tenant_id),
        "verification.verify": lambda: verification.verify(world.tenant_id),
    }
    for name, call in calls.items():
        before = types_of(world)
        call()
        assert types_of(world)[len(before) :] == OF_ITSELF[name], name


CSV_OF_TWO = b"""principal,relation,object,reason
user:charlie,clinician_of,patient:bo,a test
user:charlie,clinician_of,patient:cy,a test
"""


def types_of(world):
    with world.inside():
        entries = Entry.objects.filter(tenant_id=world.tenant_id).order_by("id")
        return list(entries.values_list("type", flat=True))


def test_every_change_of_state_appends_exactly_its_entries(new_world):
    world, strict = new_world(), new_world("strict")
    chunk = world.chunk()
    world.chunk("The code is orchid-7")
    alice, bob = world.alice_principal, world.bob_principal
    admin, of_strict = admins_of(world).carol_principal, admins_of(strict)
    superuser = dataclasses.replace(system(world.tenant_id, "a test"), is_superuser=True)
    superusers.record_made(SuperuserFactory(username=f"boss-{world.slug}").id)
    ann = User.objects.get(username=world.ann_name)
    with as_owner():
        TOTPDevice.objects.create(user=ann, name="a test")

    def waiting(of=world):
        return of.edit(of.chunk(), "quarantine", by=of.alice)["edit_id"]

    def edit(**fields):
        values = {"target_type": "chunk", "target_id": uuid.UUID(chunk), "op": "quarantine", "reason": "a test"}
        return {**values, "patch": edits.Patch(), **fields}

    def waiting_change():
        made = policies.propose_change(actor=of_strict.carol_principal, preset="open", reason="a test")
        return made.id

    applied = world.edit(chunk, "quarantine")["edit_id"]
    a_key, other_key = (world.keys[name].split("_")[1] for name in ("alice", "ann"))
    prepared = {
        "decide_edit": waiting(),
        "approve_edit": waiting(),
        "reject_edit": waiting(),
        "withdraw_edit": waiting(),
    }
    with strict.inside():
        prepared["decide_change"] = waiting_change()
    dora_key = identities.provision(world.slug, agents=[("dora", [])]).agents["dora"]["key"]
    made = identities.provision(world.slug, people=[(f"{name}-{world.slug}", "admin") for name in ("carol", "dave")])
    with world.inside():
        dora = gate.authenticate(dora_key)
        carol, dave = (gate.authenticate(person["key"]) for person in made.users.values())
    to_erase = erasures.Selection("event", uuid.UUID(world.event("to be erased")["event_id"]))
    with world.inside():
        waiting_erasures = [erasures.propose_erasure(to_erase, actor=carol, reason="a test").id for _ in range(3)]

    handed: dict[str, Any] = {"scope": "user", "subject_type": "user", "subject_id": "jack", "audience": ["alice"]}
    handed |= {"actor": alice, "items": {"chunks": [uuid.UUID(world.chunk())]}}
    with world.inside():
        capsule = handover.create_capsule(**handed, may_forward=True).capsule_id

    said: dict[str, Any] = {"session_id": "s", "channel": "private", "ts": timezone.now()}
    draft = EventDraft(
        **said, compute_embedding=False, actor_type="agent", actor_id="alice", kind="message", content={"text": "fox"}
    )
    with world.inside():
        recording.record_events([dataclasses.replace(draft, id=new_id())], actor=dora)
    one_more = PreparedEvent.of(dataclasses.replace(draft, id=new_id()))
    of_a_hook = CaptureDraft(Origin("HookDescription", "PreToolUse"), dataclasses.replace(draft, id=new_id()))
    with world.inside():
        from_a_hook = capturing.prepare_captures([of_a_hook], actor=alice)
    about: dict[str, Any] = {"scope": "user", "subject_type": "user", "subject_id": "jack"}
    useful, unused = world.chunk(), uuid.UUID(world.chunk("Nobody uses this"))
    committed: list[int] = []
    captured: list[uuid.UUID] = []
    of_the_file: dict[str, Any] = {"session_id": "watch:docs", "file_path": "notes.md", "file_hash": "0" * 64}
    of_the_file |= {"channel": "private", "ts": timezone.now(), "version_id": uuid.uuid4(), "compute_embedding": False}
    words = [files.FileChunk("Take care.", 0, 0, 10)]
    a_file = files.FilePart(**of_the_file, total_chunks=1, first_index=0, chunks=words, is_last=True)
    state = format.State(0, format.VERSION, {**format.DEFAULTS, "pending_operations": b"[{}]"})
    saved: list[Described] = []

    def save() -> uuid.UUID:
        saved.extend(saving.create_checkpoints("run", {"": saving.Wanted(state)}, actor=alice))
        return saved[-1].id

    since = timezone.now() - timedelta(hours=1)

    def contain():
        preview = containing.preview_containment(actor=bob, recorder="dora", since=since, reason="a test")
        return containing.contain(preview.token, actor=bob).batch_id

    def revert_containment():
        batch_id = Edit.objects.filter(proposer=world.bob_name, batch_id__isnull=False).latest("id").batch_id
        assert batch_id is not None
        preview = batches.preview_revert(batch_id, actor=bob, reason="a test")
        return batches.revert_batch(batch_id, preview.token, actor=bob)

    clinician = RelationDraft("user:charlie", "clinician_of", "patient:ada", "a test")
    related: list[uuid.UUID] = []
    found = {"actor": bob, "op": "quarantine", "reason": "a test", "patch": edits.Patch()}

    calls = {
        "record_events": lambda: recording.record_events([draft], actor=alice),
        "record_summary": lambda: recording.record_summary(actor=alice, text="fox", **about, **said),
        "record_prepared": lambda: recording.record_prepared([one_more], actor=alice),
        "record_captures": lambda: captured.extend(capturing.record_captures(from_a_hook, actor=alice)[0].chunk_ids),
        "store_part": lambda: files.store_part(a_file, actor=alice),
        "rename_file": lambda: files.rename_file("watch:docs", "notes.md", "other.md", actor=alice),
        "mark_file_deleted": lambda: files.mark_file_deleted("watch:docs", "other.md", actor=alice),
        "delete_captures": lambda: removing.delete_captures(captured, actor=alice),
        "delete_by_file_path": lambda: removing.delete_by_file_path("other.md", actor=alice),
        "create_checkpoints": save,
        "report_turn": lambda: saving.report_turn("run", 5, state, actor=alice),
        "finish_operation": lambda: restoring.finish_operation(saved[0].id, "0", "", actor=alice),
        "change_session": lambda: sessions.change_session("run", actor=alice, keep=3),
        "share_session": lambda: sessions.share_session("run", ["dora"], actor=alice),
        "accept_offer": lambda: sessions.accept_offer(RunningSession.objects.get(session_id="run"), dora),
        "pin_checkpoint": lambda: sessions.pin_checkpoint(saved[0].id, actor=alice, is_pinned=True),
        "restore_checkpoint": lambda: restoring.restore_checkpoint(saved[0].id, actor=alice),
        "restore_by_path": lambda: restoring.restore_by_path(saved[0].path, actor=alice),
        "read_states": lambda: restoring.read_states(RunningSession.objects.get(session_id="run"), saved, actor=alice),
        "delete_checkpoints": lambda: sessions.delete_checkpoints("run", [save()], actor=alice),
        "delete_checkpoint": lambda: sessions.delete_checkpoint(saved[0].id, actor=alice),
        "delete_all": lambda: sessions.delete_all("run", actor=alice),
        "delete_session": lambda: sessions.delete_session("run", actor=alice),
        "commit": lambda: committed.append(writing.commit("Jack likes tea", actor=alice).seq),
        "rethink": lambda: writing.rethink(committed, "Jack likes green tea", actor=alice),
        "update_block": lambda: writing.update_block("persona", "I am Ada", actor=alice),
        "record_outcome": lambda: outcomes.record_outcome(uuid.UUID(useful), "success", actor=alice, session_id="s"),
        "set_confidence": lambda: confidence.set_confidence(
            uuid.UUID(useful), Decimal("0.9"), actor=bob, reason="a test"
        ),
        "promote": lambda: manual.promote(uuid.UUID(world.chunk()), "session", actor=bob, reason="a test"),
        "open_chain": lambda: appending.open_chain("agent:nobody", actor=admin),
        "commit_value": lambda: proposing.commit_value(
            proposing.preview_value(actor=bob, op="forget", value="orchid-7", reason="a test").token, actor=bob
        ),
        "commit_by_filter": lambda: surgery.commit_by_filter(
            surgery.preview_by_filter(filter={"session_id": "s"}, **found).token, actor=bob
        ),
        "create_capsule": lambda: handover.create_capsule(**handed),
        "forward_capsule": lambda: handover.forward_capsule(capsule, actor=alice, audience=["dora"]),
        "revoke_capsule": lambda: handover.revoke_capsule(capsule, actor=alice),
        "propose_edit": lambda: edits.propose_edit(actor=bob, **edit()),
        "update_memory": lambda: memories.update_memory(
            uuid.UUID(useful), actor=alice, changes={"text": "Jack likes rain"}, reason="a test"
        ),
        "forget_memory": lambda: memories.forget_memory(unused, actor=alice, reason="a test"),
        "propose_edits": lambda: edits.propose_edits([edits.Proposal(**edit())] * 2, actor=bob),
        "revert_edit": lambda: edits.revert_edit(uuid.UUID(applied), actor=bob, reason="a test"),
        "decide_edit": lambda: edits.decide_edit(uuid.UUID(prepared["decide_edit"]), actor=bob, decision="approved"),
        "approve_edit": lambda: edits.approve_edit(uuid.UUID(prepared["approve_edit"]), actor=bob),
        "reject_edit": lambda: edits.reject_edit(uuid.UUID(prepared["reject_edit"]), actor=bob, reason="no"),
        "withdraw_edit": lambda: edits.withdraw_edit(uuid.UUID(prepared["withdraw_edit"]), actor=alice),
        "issue_key": lambda: identities.issue_key(actor=admin, agent=Agent.objects.get(slug="alice")),
        "revoke_key": lambda: identities.revoke_key(a_key, actor=admin),
        "rotate_key": lambda: identities.rotate_key(other_key, actor=superuser),
        "add_relation": lambda: related.append(adding.add_relation(clinician, actor=bob).id),
        "import_relations": lambda: importing.import_relations(CSV_OF_TWO, actor=bob),
        "revoke_relation": lambda: revoking.revoke_relation(related[0], actor=bob, reason="a test"),
        "add_implied_relation": lambda: related.append(
            implying.add_implied_relation("patient", "clinician_of", "covering", actor=admin)
        ),
        "remove_implied_relation": lambda: implying.remove_implied_relation(related[1], actor=admin),
        "set_audience_rule": lambda: related.append(
            rules.set_audience_rule(rules.Conditions("patient"), ["#"], actor=admin, reason="a test")
        ),
        "remove_audience_rule": lambda: rules.remove_audience_rule(related[2], actor=admin),
        "create_agent": lambda: agents.create_agent("carol", [], actor=admin),
        "deactivate_agent": lambda: agents.deactivate_agent(Agent.objects.get(slug="carol"), actor=admin),
        "activate_agent": lambda: agents.activate_agent(Agent.objects.get(slug="carol"), actor=admin),
        "set_quarantine_reader": lambda: agents.set_quarantine_reader(
            Agent.objects.get(slug="carol"), is_allowed=True, actor=admin
        ),
        "add_person": lambda: people.add_person("dora", ["auditor"], actor=admin),
        "grant_role": lambda: people.grant_role(ann, "admin", actor=admin),
        "invite": lambda: invitations.invite("emma", ["auditor"], actor=admin),
        "withdraw_invitation": lambda: invitations.withdraw_invitation(Invitation.objects.get(), actor=admin),
        "withdraw_role": lambda: people.withdraw_role(ann, "reviewer", actor=admin),
        "remove_person": lambda: identities.remove_person(
            User.objects.get(username=world.bob_name.replace("bob", "auditor")), actor=admin
        ),
        "give_one_time_password": lambda: people.give_one_time_password(ann, actor=admin),
        "turn_off_second_factor": lambda: people.turn_off_second_factor(ann, actor=admin),
        "deactivate_person": lambda: people.deactivate_person(ann, actor=superuser),
        "activate_person": lambda: people.activate_person(ann, actor=superuser),
        "change_tenant": lambda: identities.change_tenant(pending_edit_days=7, actor=admin),
        "record_entered": lambda: identities.record_entered(actor=bob),
        "use_preset": lambda: policies.use_preset(world.tenant_id, "open", actor=superuser),
        "propose_change": lambda: policies.propose_change(actor=admin, preset="standard", reason="a test"),
        "propose_erasure": lambda: erasures.propose_erasure(to_erase, actor=carol, reason="a test"),
        "reject_erasure": lambda: erasures.reject_erasure(waiting_erasures[0], actor=dave, reason="no"),
        "withdraw_erasure": lambda: erasures.withdraw_erasure(waiting_erasures[1], actor=carol),
        "approve_erasure": lambda: erasures.approve_erasure(waiting_erasures[2], actor=dave),
        "decide_change": lambda: policies.decide_change(
            prepared["decide_change"], actor=of_strict.dave_principal, apply=True
        ),
        "contain": contain,
        "revert_batch": revert_containment,
    }
    assert set(calls) == {name for name, expected in ENTRIES.items() if expected is not None}
    for name, call in calls.items():
        of = strict if name == "decide_change" else world
        with of.inside():
            before = Entry.objects.filter(tenant_id=of.tenant_id).count()
            call()
            entries = Entry.objects.filter(tenant_id=of.tenant_id).order_by("id")[before:]
            assert [entry.type for entry in entries] == ENTRIES[name], name
    for of in (world, strict):
        findings = Findings()
        with of.inside():
            compare_authority(Comparison(of.tenant_id, "default", findings))
        assert findings.sorted() == ()
