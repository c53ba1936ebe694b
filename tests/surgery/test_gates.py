"""The gates of the specification, each by its name, held to what a caller can observe.

SG1 authentication, SG3 append-only audit, SG4 tenant isolation, SG5 approval; DG1 inherited scope, DG3 edits stay,
DG4 approved edits apply, DG5 retracted memory is nowhere. (SG2 and DG2 are of capsules.)
"""

import uuid
from typing import Any

import pytest
from django.db import Error, connections, transaction

from .helpers import counts, proposal, words

SSN = "123-45-6789"


def everything_that_reads(api, chunk, event, other, word):
    """Every answer in which a chunk of memory could show, as bytes, by its request; with quarantined and without."""
    answers = {}
    for channel in (None, "private", "team", "public"):
        for flag in (False, True):
            asked = {"include_quarantined": flag, **({"channel": channel} if channel else {})}
            query = f"include_quarantined={str(flag).lower()}" + (f"&channel={channel}" if channel else "")
            posts = {
                "chunks/search": {"query": word, "limit": 200, **asked},
                "chunks/get": {"chunk_ids": [chunk, other], **asked},
            }
            gets = [
                f"chunks?limit=200&{query}",
                f"chunks/{other}/timeline?{query}",
                f"chunks/{chunk}/timeline?{query}",
                f"events/{event}?{query}",
                f"events?limit=200&{query}",
                f"decisions/active?{query}",
            ]
            for path, body in posts.items():
                answers[f"{path} {asked}"] = api.post(path, body).content
            for path in gets:
                answers[path] = api.get(path).content
    preview = {"target_type": "chunk", "target_id": chunk, "op": "amend", "patch": {"text": "x"}}
    answers["preview"] = api.post("edits/preview", preview).content
    by_filter = {"filter": {"scope": "policy"}, "op": "quarantine", "reason": "x"}
    answers["by filter"] = api.post("edits/by-filter", by_filter).content
    return answers


# -- SG1: all memory edits require authentication


REQUESTS = [
    ("post", "edits"),
    ("post", "edits/preview"),
    ("post", "edits/bulk"),
    ("post", "edits/by-filter"),
    ("post", "edits/{edit}/approve"),
    ("post", "edits/{edit}/reject"),
    ("post", "edits/{edit}/withdraw"),
    ("post", "edits/{edit}/revert"),
    ("post", "policy/changes"),
    ("get", "edits"),
    ("get", "edits/{edit}"),
    ("get", "policy"),
    ("get", "chunks/{chunk}/history"),
    ("get", "decisions/active"),
]


def test_sg1_without_a_key_of_the_tenants_there_is_no_edit(world):
    chunk = world.chunk(f"SSN {SSN}")
    edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    before, nobody = counts(world), type(world.alice)(None)

    for method, path in REQUESTS:
        body = proposal(chunk, "retract") if method == "post" else None
        for key in (None, "", "sut_00000000_" + "x" * 43):
            headers = {} if key is None else {"Authorization": f"Bearer {key}"}
            response = nobody.request(method, path.format(edit=edit, chunk=chunk), body, **headers)
            assert response.status_code == 401, (method, path, key)
            assert SSN.encode() not in response.content, (method, path, key)
            assert counts(world) == before, (method, path, key)


def test_sg1_who_proposes_and_who_decides_is_the_key_and_not_the_body(world):
    chunk = world.chunk("Original")

    for claimed in ("proposed_by", "proposer", "approved_by", "status", "tenant_id", "applied_at"):
        assert world.alice.post("edits", {**proposal(chunk, "quarantine"), claimed: world.bob_name}).status_code == 400

    edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    assert world.bob.post(f"edits/{edit}/approve", {"decided_by": world.ann_name}).status_code == 400
    world.bob.decide(edit)
    shown = world.auditor.ok("get", f"edits/{edit}")
    assert (shown["proposer"], shown["approved_by"]) == ("alice", world.bob_name)


# -- SG3: the audit trail is append-only; DG3: edits cannot be deleted


def test_sg3_dg3_no_method_of_the_api_changes_or_deletes_an_edit(world):
    edit = world.edit(world.chunk("Original"), "retract")["edit_id"]
    before = world.auditor.ok("get", f"edits/{edit}")

    for method in ("put", "patch", "delete"):
        for path in (f"edits/{edit}", "edits", f"edits/{edit}/approve"):
            assert world.bob.request(method, path, {}).status_code == 405

    assert world.auditor.ok("get", f"edits/{edit}") == before


@pytest.mark.parametrize("role", ["default", "owner"])
@pytest.mark.parametrize("table", ["governance_edit", "governance_verdict", "governance_entry", "governance_content"])
@pytest.mark.parametrize("statement", ["DELETE FROM {}", "UPDATE {} SET tenant_id = tenant_id", "TRUNCATE {} CASCADE"])
@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_sg3_dg3_neither_the_web_nor_the_owner_deletes_what_was_recorded(world, role, table, statement):
    edit = world.edit(world.chunk("Original"), "amend", text="Corrected")["edit_id"]

    with pytest.raises(Error), world.inside(role), transaction.atomic(role), connections[role].cursor() as cursor:
        cursor.execute(statement.format(table))

    shown = world.auditor.ok("get", f"edits/{edit}")
    assert (shown["status"], shown["patch"]) == ("approved", {"text": "Corrected"})


def test_dg3_a_revert_a_rejection_and_a_withdrawal_leave_the_edit_where_it_was(world):
    chunk = world.chunk("Original")
    reverted = world.edit(chunk, "amend", text="Corrected")["edit_id"]
    rejected = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    withdrawn = world.edit(chunk, "block", by=world.alice, channel="public")["edit_id"]
    world.bob.ok("post", f"edits/{reverted}/revert", {"reason": "x"})
    world.bob.decide(rejected, "reject", reason="x")
    world.alice.ok("post", f"edits/{withdrawn}/withdraw", {})

    listed = {edit["edit_id"]: edit["status"] for edit in world.auditor.ok("get", "edits")["results"]}

    assert (listed[reverted], listed[rejected], listed[withdrawn]) == ("approved", "rejected", "withdrawn")
    assert world.auditor.ok("get", f"edits/{reverted}")["patch"] == {"text": "Corrected"}


# -- SG4: tenant isolation


def test_sg4_another_tenants_edits_chunks_and_decisions_are_not_there(world, elsewhere):
    recorded = elsewhere.event(f"SSN {SSN}", kind="decision", content={"decision": f"Keep {SSN}"})
    (chunk,), decision = recorded["chunk_ids"], recorded["decision_id"]
    edit = elsewhere.edit(chunk, "quarantine", by=elsewhere.alice)["edit_id"]
    before, mine = counts(elsewhere), world.chunk("Original")

    for api in (world.alice, world.bob):
        for target_type, target in (("chunk", chunk), ("decision", decision)):
            assert api.post("edits", proposal(target, "retract", target_type)).status_code == 404
            preview = {"target_type": target_type, "target_id": target, "op": "retract"}
            assert api.post("edits/preview", preview).status_code == 404
            assert api.post("edits/bulk", {"edits": [proposal(target, "retract", target_type)]}).status_code == 404
        for verb in ("revert", "withdraw"):
            assert api.post(f"edits/{edit}/{verb}", {"reason": "x"}).status_code == 404
        assert api.get(f"edits/{edit}").status_code == 404
        assert api.get(f"edits?target_id={chunk}").json()["results"] == []
        for path, answer in everything_that_reads(api, chunk, recorded["event_id"], mine, "SSN").items():
            assert SSN.encode() not in answer, path
    for verdict in ("approve", "reject"):
        assert world.bob.post(f"edits/{edit}/{verdict}", {"reason": "x"}).status_code == 404
    assert world.bob.get(f"chunks/{chunk}/history").status_code == 404
    # nor can their edit be reverted on a chunk of ours
    assert world.bob.post("edits", proposal(mine, "revert", edit_id=edit)).status_code == 409

    assert counts(elsewhere) == before
    assert elsewhere.found("SSN") == [f"SSN {SSN}\n\ndecision: Keep {SSN}"]


# -- SG5: no edit goes around the approval that the policy asks for


def test_sg5_what_waits_changes_nothing_until_another_person_approves(strict_world):
    world = strict_world
    chunk = world.chunk("Original", channel="team")
    applied = world.edit(chunk, "attenuate", importance=0.4)["edit_id"]
    world.ann.decide(applied)

    def shown():
        asked = {"chunk_ids": [chunk], "include_quarantined": True, "channel": "team"}
        return world.alice.ok("post", "chunks/get", asked)["chunks"]

    before = shown()
    changes: list[tuple[str, dict[str, Any]]] = [
        ("retract", {}),
        ("amend", {"text": "Corrected"}),
        ("quarantine", {}),
        ("attenuate", {"importance": 0}),
        ("block", {"channel": "team"}),
        ("revert", {"edit_id": applied}),
    ]
    for api in (world.alice, world.bob):
        edits = [proposal(chunk, op, **patch) for op, patch in changes]
        made = [api.ok("post", "edits", edit) for edit in edits]
        made += api.ok("post", "edits/bulk", {"edits": edits})["edits"]
        made.append(api.ok("post", f"edits/{applied}/revert", {"reason": "x"}))
        by_filter = {"filter": {"phrase": "original", "channel": "team"}, "op": "retract", "reason": "x"}
        token = api.ok("post", "edits/by-filter", by_filter)["token"]
        made += api.ok("post", "edits/by-filter", {"token": token})["edits"]
        assert len(made) == 2 * len(changes) + 2
        assert {edit["status"] for edit in made} == {"pending"}
        for edit in made:
            # nobody approves their own, and no agent approves anything
            assert api.post(f"edits/{edit['edit_id']}/approve", {}).status_code == 403
            assert world.alice.post(f"edits/{edit['edit_id']}/approve", {}).status_code == 403
            assert world.auditor.post(f"edits/{edit['edit_id']}/approve", {}).status_code == 403
        assert shown() == before
        assert world.found("original", channel="team") == ["Original"]


def test_sg5_one_of_two_approvals_is_none(world, with_role):
    overrides = [{"op": "quarantine", "proposer_kind": "agent", "approvals": 2}]
    with_role(world, "admin").ok(
        "post", "policy/changes", {"preset": "standard", "overrides": overrides, "reason": "x"}
    )
    chunk = world.chunk("Original")
    edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]

    world.bob.decide(edit)
    assert world.found("original") == ["Original"]
    world.ann.decide(edit)
    assert world.found("original") == []


# -- DG1: scope and subject are inherited


@pytest.mark.parametrize("kind", ["message", "decision", "task_update", "artifact"])
def test_dg1_what_is_made_of_an_event_has_its_scope_subject_and_project(world, kind):
    about = {"scope": "user", "subject_type": "user", "subject_id": "jack", "project_id": "alpha"}
    special = {
        "decision": {"decision": "Use PostgreSQL"},
        "task_update": {"title": "Ship it", "status": "open"},
        "artifact": {"name": "notes", "media_type": "text/plain"},
    }
    recorded = world.event(words(380), kind=kind, content={**special.get(kind, {}), **about})

    got = world.alice.ok("post", "chunks/get", {"chunk_ids": recorded["chunk_ids"]})["chunks"]
    assert len(got) == 3
    for chunk in got:
        assert {name: chunk[name] for name in about} == about
    if kind == "decision":
        (decision,) = world.alice.ok("get", "decisions/active?subject_id=jack")["decisions"]
        assert {name: decision[name] for name in about} == about


def test_dg1_no_edit_changes_scope_or_subject(world):
    chunk = world.chunk("Original", content={"subject_type": "user", "subject_id": "jack"})

    for name in ("scope", "subject_type", "subject_id", "project_id", "session_id"):
        assert world.bob.post("edits", proposal(chunk, "amend", **{name: "global"})).status_code == 400
    world.edit(chunk, "amend", text="Corrected")

    (shown,) = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]
    assert (shown["scope"], shown["subject_type"], shown["subject_id"]) == ("user", "user", "jack")


# -- DG4: effective queries always apply approved edits


def test_dg4_from_the_answer_to_an_approval_on_every_reader_sees_it(world):
    # of a length that no token in an answer contains by chance
    recorded = world.event("outdated words", kind="decision", content={"decision": "outdated words"})
    (chunk,) = recorded["chunk_ids"]
    other = world.chunk("Another")
    edit = world.edit(chunk, "amend", by=world.alice, text="new words")

    assert edit["status"] == "approved"
    answers = everything_that_reads(world.alice, chunk, recorded["event_id"], other, "words")
    shown = {path for path, answer in answers.items() if b"new words" in answer}
    assert not [path for path, answer in answers.items() if b"outdated" in answer]
    for path in ("chunks/search", "chunks/get", "chunks?", f"chunks/{other}", f"chunks/{chunk}", "events", "decisions"):
        assert any(each.startswith(path) for each in shown), path


# -- DG5: what is retracted is in no answer


@pytest.mark.parametrize("shape", ["short", "long", "decision", "decision without text", "summary"])
def test_dg5_what_is_retracted_is_nowhere_not_its_words_nor_its_count(world, noted, shape):
    other = world.chunk("Another note")
    event = None
    if shape == "summary":
        chunk = noted(f"SSN {SSN}")
    elif shape == "long":
        recorded = world.event(f"{words(100)} SSN {SSN} {words(300, 100)}")
        chunk, event = recorded["chunk_ids"][0], recorded["event_id"]
    elif shape == "short":
        recorded = world.event(f"SSN {SSN}", content={"data": f"the number is {SSN}"})
        chunk, event = recorded["chunk_ids"][0], recorded["event_id"]
    else:
        content = {"decision": f"Keep {SSN}", "rationale": [f"{SSN} is known"]}
        text = "" if shape == "decision without text" else f"We keep {SSN}"
        recorded = world.event(text, kind="decision", content=content)
        (chunk,), event = recorded["chunk_ids"], recorded["event_id"]
        world.edit(recorded["decision_id"], "retract", target_type="decision")
    if not shape.startswith("decision"):
        world.edit(chunk, "retract")

    for api in (world.alice, world.bob, world.auditor):
        answers = everything_that_reads(api, chunk, event or uuid.uuid4(), other, f'"{SSN}" OR note')
        for path, answer in answers.items():
            assert SSN.encode() not in answer, path
    found = world.alice.ok("post", "chunks/search", {"query": f'"{SSN}"', "include_quarantined": True})
    assert (found["chunks"], found["total_count"]) == ([], 0)
