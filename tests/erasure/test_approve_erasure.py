"""A second admin approves, and the words are gone at once: from every answer, with a receipt and an entry."""

import hashlib

import pytest

from governance.acting import gate
from governance.acting.credentials import system
from governance.erasure import db
from governance.identity import identities
from governance.ledger import appending
from governance.models import Content, Entry, ErasedContent
from memory.db import repair_effective
from tests.factories import EditFactory, EventFactory, ToolResultFactory

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

JACK = {"subject_type": "user", "subject_id": "jack"}
LONG = " ".join(f"word{n}" for n in range(450))


def event_of(world, event_id):
    return world.alice.ok("get", f"events/{event_id}")


def got(world, *chunks):
    body = {"chunk_ids": list(chunks), "include_quarantined": True}
    return [chunk["text"] for chunk in world.alice.ok("post", "chunks/get", body)["chunks"]]


def test_it_works(world, admins, owner, drift):
    recorded = world.event("Jon likes tea", kind="decision", content={"decision": "Serve tea", "rationale": ["warm"]})
    (chunk,) = recorded["chunk_ids"]
    beside = world.chunk("Ann likes tea")
    with world.inside("owner"):
        hashes = {
            str(row["id"]): bytes(row["sha256"]).hex()
            for row in owner(
                "SELECT id, sha256 FROM governance_content WHERE tenant_id = %s AND body NOT LIKE 'Ann%%'",
                [world.tenant_id],
            )
        }

    receipt = admins.erase(by="chunk", id=chunk)

    # out of every answer
    assert world.found("tea") == ["Ann likes tea"]
    assert got(world, chunk, beside) == ["Ann likes tea"]
    assert [row["chunk_id"] for row in world.alice.ok("get", "chunks")["results"]] == [beside]
    assert world.alice.get(f"chunks/{chunk}/timeline").status_code == 404
    around = world.alice.ok("get", f"chunks/{beside}/timeline?window_seconds=86400")["chunks"]
    assert [row["chunk_id"] for row in around] == [beside]
    assert world.alice.ok("get", "decisions/active")["decisions"] == []
    event = event_of(world, recorded["event_id"])
    assert (event["withheld"], event["content"]) == ("erased", None)
    # the receipt: what, when, who, ids and hashes
    assert receipt["status"] == "executed"
    assert receipt["decider"].startswith("dave")
    assert receipt["decided_at"] >= receipt["created_at"]
    told = {one["content_id"]: one["sha256"] for record in receipt["scope"]["records"] for one in record["contents"]}
    assert told == hashes
    # a tombstone each, and nothing of salt and words
    with world.inside("owner"):
        left = owner(
            "SELECT id, sha256, erasure_id FROM governance_erasedcontent WHERE tenant_id = %s", [world.tenant_id]
        )
        assert {str(row["id"]): bytes(row["sha256"]).hex() for row in left} == hashes
        assert {str(row["erasure_id"]) for row in left} == {receipt["erasure_id"]}
        bodies = owner("SELECT body FROM governance_content WHERE tenant_id = %s", [world.tenant_id])
        assert bodies == [{"body": "Ann likes tea"}]
    assert drift(world) == []


def test_the_ledger_names_every_content_row_and_no_word(world, admins):
    recorded = [world.event(f"tea number {n}", **JACK) for n in range(3)]
    receipt = admins.erase(by="subject", **JACK)
    with world.inside():
        entries = list(Entry.objects.filter(tenant_id=world.tenant_id).order_by("seq"))
    mine = [entry for entry in entries if entry.metadata.get("erasure") == receipt["erasure_id"]]
    assert [entry.type for entry in mine] == ["erasure.proposed", "erasure.approved", "redaction", "erasure.executed"]
    told = {one["content_id"]: one["sha256"] for record in receipt["scope"]["records"] for one in record["contents"]}
    assert dict(mine[2].metadata["contents"]) == told
    assert len(told) == len(recorded)
    assert mine[3].metadata["counts"] == {"chunk": 3, "event": 3, "content": 3}
    assert all(b"tea number" not in bytes(entry.canonical) for entry in entries)


def test_redactions_name_at_most_five_hundred_contents_each(world, admins):
    events = [EventFactory(content={"text": f"tea {n}", **JACK}) for n in range(501)]
    world.alice.ok("post", "events/batch", {"events": events})
    admins.erase(by="subject", **JACK)
    with world.inside():
        redactions = Entry.objects.filter(tenant_id=world.tenant_id, type="redaction").order_by("seq")
        assert [len(entry.metadata["contents"]) for entry in redactions] == [500, 1]


def test_by_subject_takes_all_about_it_and_nothing_of_its_neighbours(world, admins, noted, elsewhere, drift):
    mine = [world.event(LONG, **JACK), world.event("Jon likes tea", content=JACK)]
    summary = noted("He drinks tea", subject_id="jack")
    beside = [
        world.chunk("Jill likes tea", subject_type="user", subject_id="jill"),
        world.chunk("A jack likes tea", subject_type="tool", subject_id="jack"),
        world.chunk("Nobody likes tea"),
        noted("She drinks tea", subject_id="jill"),
    ]
    elsewhere.chunk("Jon likes tea", **JACK)

    admins.erase(by="subject", **JACK)

    assert got(world, *mine[0]["chunk_ids"], *mine[1]["chunk_ids"], summary) == []
    texts = ["Jill likes tea", "A jack likes tea", "Nobody likes tea", "She drinks tea"]
    assert got(world, *beside) == texts
    assert sorted(world.found("tea")) == sorted(texts)
    assert elsewhere.found("tea") == ["Jon likes tea"]
    assert drift(world) == drift(elsewhere) == []


def test_the_texts_of_edits_go_with_what_they_amended_whether_they_applied_or_not(world, admins, drift, found_in):
    chunk = world.chunk("Jon likes tea")
    applied = world.edit(chunk, "amend", text="Jon likes zanzibar")["edit_id"]
    reverted = world.edit(chunk, "amend", text="Jon likes zanzibar coffee")["edit_id"]
    world.edit(chunk, "revert", edit_id=reverted)

    receipt = admins.erase(by="chunk", id=chunk)

    edits = {record["id"] for record in receipt["scope"]["records"] if record["kind"] == "edit"}
    assert edits == {applied, reverted}
    assert found_in(world, b"zanzibar") == []
    assert world.found("zanzibar") == []
    shown = world.bob.ok("get", f"edits/{applied}")
    assert shown["status"] == "approved"
    assert shown["patch"].get("text") is None
    assert drift(world) == []


def test_pending_edits_of_what_is_erased_end_with_a_verdict_and_an_entry(world, strict_world, admins):
    chunk = world.chunk("Jon likes tea")
    waiting = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    elsewhere = world.edit(world.chunk("Ann likes tea"), "quarantine", by=world.alice)["edit_id"]

    receipt = admins.erase(by="chunk", id=chunk)

    edit = world.bob.ok("get", f"edits/{waiting}")
    assert edit["status"] == "expired"
    (verdict,) = edit["verdicts"]
    assert receipt["erasure_id"] in verdict["reason"]
    assert world.bob.post(f"edits/{waiting}/approve", {}).status_code == 409
    assert world.bob.ok("get", f"edits/{elsewhere}")["status"] == "pending"
    with world.inside():
        entry = Entry.objects.get(tenant_id=world.tenant_id, type="edit.expired")
    assert entry.metadata["edit"] == waiting


def test_what_was_erased_takes_no_edit_any_more(world, admins, drift):
    recorded = world.event("Jon likes tea", kind="decision", content={"decision": "Serve tea"})
    (chunk,) = recorded["chunk_ids"]
    amended = world.edit(chunk, "amend", text="Jon likes coffee")["edit_id"]
    admins.erase(by="chunk", id=chunk)
    for target_type, target, op, patch in (
        ("chunk", chunk, "amend", {"text": "Jon likes tea"}),
        ("decision", recorded["decision_id"], "retract", {}),
        ("chunk", chunk, "revert", {"edit_id": amended}),
    ):
        body = EditFactory(target_type=target_type, target_id=target, op=op, patch=patch)
        assert world.bob.post("edits", body).status_code == 409
    assert drift(world) == []


def test_by_agent_takes_what_it_recorded_and_the_texts_that_it_proposed(world, admins, found_in, drift):
    key = identities.provision(world.slug, agents=[("mallory", [])]).agents["mallory"]["key"]
    mallory = type(world.bob)(key)
    said = mallory.ok("post", "events", EventFactory(actor_id="m", content__text="Mallory says zanzibar"))
    amended, blocked, overtaken = (
        world.chunk("Jon likes tea"),
        world.chunk("Ann likes tea"),
        world.chunk("Jim likes tea"),
    )
    edit = world.edit(amended, "amend", by=mallory, text="Jon likes zanzibar")["edit_id"]
    world.edit(blocked, "attenuate", by=mallory, importance=0.1)
    world.edit(overtaken, "amend", by=mallory, text="Jim likes zanzibar")
    world.edit(overtaken, "amend", text="Jim likes cocoa")

    receipt = admins.erase(by="agent", agent="mallory")

    assert receipt["scope"]["counts"] == {"chunk": 1, "edit": 2, "event": 1, "content": 3}
    assert found_in(world, b"zanzibar") == []
    assert got(world, *said["chunk_ids"]) == []
    # the fact that was corrected does not come back, nor does the correction; what others said stays
    assert got(world, amended, blocked, overtaken) == ["Ann likes tea", "Jim likes cocoa"]
    assert drift(world) == []
    # until a person says what holds
    world.edit(amended, "revert", edit_id=edit)
    assert got(world, amended) == ["Jon likes tea"]
    assert drift(world) == []


def test_the_digests_of_removed_values_go_with_the_words(world, admins, found_in, drift):
    chunk = world.chunk("Jon likes tea", **JACK)
    world.edit(chunk, "retract")
    digest = hashlib.sha256(b"jon likes tea").digest()
    assert found_in(world, digest) == ["memory_removedvalue"]
    admins.erase(by="chunk", id=chunk)
    assert found_in(world, digest) == []
    assert drift(world) == []


def test_an_erased_successor_does_not_bring_back_the_decision_that_it_replaced(world, admins, drift):
    first = world.event(kind="decision", content={"decision": "Serve tea"})
    second = world.event(kind="decision", content={"decision": "Serve coffee", "supersedes": first["decision_id"]})
    admins.erase(by="event", id=second["event_id"])
    assert world.alice.ok("get", "decisions/active")["decisions"] == []
    assert drift(world) == []


def test_a_retracted_successor_that_is_erased_leaves_its_predecessor_in_force(world, admins, drift):
    first = world.event(kind="decision", content={"decision": "Serve tea"})
    second = world.event(kind="decision", content={"decision": "Serve coffee", "supersedes": first["decision_id"]})
    world.edit(second["decision_id"], "retract", target_type="decision")
    admins.erase(by="event", id=second["event_id"])
    (decision,) = world.alice.ok("get", "decisions/active")["decisions"]
    assert decision["decision"] == "Serve tea"
    # an edit of the predecessor folds it anew
    world.edit(first["decision_id"], "amend", target_type="decision", text="Serve green tea")
    assert drift(world) == []


def test_an_erased_update_takes_its_task_out_until_it_is_updated_again(world, admins, drift, owner):
    def task():
        with world.inside("owner"):
            (row,) = owner(
                "SELECT status, is_retracted FROM memory_effectivetask WHERE tenant_id = %s", [world.tenant_id]
            )
        return row["status"], row["is_retracted"]

    opened = world.event(kind="task_update", content={"title": "Brew tea", "status": "open"})
    update = {"title": "Brew tea", "status": "done", "task_id": opened["task_id"]}
    done = world.event(kind="task_update", content=update)
    admins.erase(by="event", id=done["event_id"])
    assert task() == ("done", True)
    assert drift(world) == []
    world.event(kind="task_update", content={**update, "status": "doing"})
    assert task() == ("doing", False)
    assert drift(world) == []


def test_an_event_without_text_is_erased_too(world, admins):
    event = world.alice.ok("post", "events", ToolResultFactory(content={"data": {"output": "tea"}}))["event_id"]
    receipt = admins.erase(by="event", id=event)
    assert receipt["scope"]["counts"] == {"chunk": 1, "event": 1, "content": 2}
    assert event_of(world, event)["withheld"] == "erased"


def test_the_history_shows_the_states_without_words(world, admins):
    chunk = world.chunk("Jon likes tea")
    edit = world.edit(chunk, "amend", text="Jon likes coffee", importance=0.9)["edit_id"]
    admins.erase(by="chunk", id=chunk)
    states = world.bob.ok("get", f"chunks/{chunk}/history")["states"]
    assert [(state["edit_id"], state["text"], state["importance"]) for state in states] == [
        (None, None, 0.5),
        (edit, None, 0.9),
    ]


def test_nobody_decides_their_own_proposal_and_only_admins_decide(world, admins):
    event = world.event("Jon likes tea")["event_id"]
    erasure = admins.propose(by="event", id=event)
    for verb in ("approve", "reject"):
        answer = admins.carol.post(f"erasures/{erasure}/{verb}", {"reason": "no"})
        assert answer.status_code == 403
        assert answer.json()["type"].endswith("own-erasure")
        for caller in (world.alice, world.bob, world.auditor):
            assert caller.post(f"erasures/{erasure}/{verb}", {"reason": "no"}).status_code == 403
    assert admins.dave.post(f"erasures/{erasure}/withdraw", {}).status_code == 403
    assert admins.receipt(erasure)["status"] == "pending"
    assert event_of(world, event)["withheld"] is None


def test_the_database_separates_duties_too(world, admins):
    erasure = admins.propose(by="event", id=world.event("Jon likes tea")["event_id"])
    carol, dave = admins.carol_principal, admins.dave_principal
    for decision, actor in (
        ("approved", carol),
        ("rejected", carol),
        ("withdrawn", dave),
        ("approved", world.bob_principal),
        ("approved", world.alice_principal),
        ("approved", system(world.tenant_id, "nobody")),
        ("executed", dave),
    ):
        with pytest.raises(Exception, match=r"you cannot decide|only|must be approved"), gate.acting_as(actor):
            db.decide_erasure(tenant=world.tenant_id, erasure=erasure, decision=decision, reason="")
    assert admins.receipt(erasure)["status"] == "pending"


def test_what_is_decided_is_decided(world, admins):
    event = world.event("Jon likes tea")["event_id"]
    rejected, withdrawn = (admins.propose(by="event", id=event) for _ in range(2))
    assert admins.dave.ok("post", f"erasures/{rejected}/reject", {"reason": "not lawful"})["status"] == "rejected"
    assert admins.carol.ok("post", f"erasures/{withdrawn}/withdraw", {})["status"] == "withdrawn"
    executed = admins.propose(by="event", id=event)
    admins.dave.ok("post", f"erasures/{executed}/approve", {})
    for erasure in (rejected, withdrawn, executed):
        for caller, verb in ((admins.dave, "approve"), (admins.dave, "reject"), (admins.carol, "withdraw")):
            assert caller.post(f"erasures/{erasure}/{verb}", {"reason": "no"}).status_code == 409
    assert admins.receipt(rejected)["decision_reason"] == "not lawful"
    assert admins.receipt(rejected)["scope"] is None


def test_what_became_committed_meanwhile_is_not_erased(world, admins):
    event = world.event("Jon likes tea", **JACK)["event_id"]
    erasure = admins.propose(by="subject", **JACK)
    world.event("The contract", retention="committed", **JACK)
    answer = admins.dave.post(f"erasures/{erasure}/approve", {})
    assert answer.status_code == 409
    assert answer.json()["type"].endswith("committed-is-kept")
    assert event_of(world, event)["withheld"] is None
    with world.inside():
        assert not ErasedContent.objects.filter(tenant_id=world.tenant_id).exists()
    assert admins.receipt(erasure)["status"] == "pending"


def test_the_database_itself_keeps_what_was_committed(world, admins):
    world.event("Jon likes tea", **JACK)
    erasure = admins.propose(by="subject", **JACK)
    kept = world.event("The contract", retention="committed", **JACK)["event_id"]
    with pytest.raises(Exception, match=f"cannot be erased.*{kept}"), gate.acting_as(admins.dave_principal):
        db.decide_erasure(
            tenant=world.tenant_id,
            erasure=erasure,
            decision="approved",
            reason="",
        )


def test_nothing_of_it_is_done_where_the_ledger_takes_no_entry(world, admins, monkeypatch):
    event = world.event("Jon likes tea")["event_id"]
    erasure = admins.propose(by="event", id=event)

    def refuse(*_, **__):
        raise RuntimeError("no entry, no change")

    monkeypatch.setattr(appending, "record_all", refuse)
    assert admins.dave.post(f"erasures/{erasure}/approve", {}).status_code == 500
    monkeypatch.undo()
    assert event_of(world, event)["content"]["text"] == "Jon likes tea"
    assert admins.receipt(erasure)["status"] == "pending"


def test_repair_brings_a_lost_projection_back_without_words(world, admins, owner, drift):
    chunk = world.chunk("Jon likes tea")
    admins.erase(by="chunk", id=chunk)
    with world.inside("owner"):
        assert owner("DELETE FROM memory_effectivechunk WHERE id = %s RETURNING id", [chunk])
    assert [row.problem for row in drift(world)] == ["missing"]
    with world.inside("owner"):
        repair_effective.on("owner")(tenant=world.tenant_id)
    assert drift(world) == []
    assert got(world, chunk) == []


def test_the_review_role_reads_no_erased_words(world, admins, found_in, word):
    chunk = world.chunk(f"Jon likes {word}")
    world.edit(chunk, "amend", text=f"Jon likes {word} tea")
    admins.erase(by="chunk", id=chunk)
    with world.inside("review"):
        assert not Content.objects.using("review").filter(body__contains=word).exists()
    assert found_in(world, word.encode()) == []
