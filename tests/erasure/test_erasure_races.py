"""What happens at once with an erasure: it is executed once, and nothing slips past it."""

import threading

import pytest

from governance.models import Entry
from tests.factories import EditFactory

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

ROUNDS = 4


def test_of_two_approvals_at_once_one_executes(world, admins, at_once, drift):
    from .conftest import admins_of

    third = admins_of(world)
    for _ in range(ROUNDS):
        erasure = admins.propose(by="chunk", id=world.chunk("Jon likes tea"))

        answers = at_once(
            lambda erasure=erasure: admins.dave.post(f"erasures/{erasure}/approve", {}),
            lambda erasure=erasure: third.dave.post(f"erasures/{erasure}/approve", {}),
        )

        assert sorted(answer.status_code for answer in answers) == [200, 409]
    with world.inside():
        assert Entry.objects.filter(tenant_id=world.tenant_id, type="erasure.executed").count() == ROUNDS
        assert Entry.objects.filter(tenant_id=world.tenant_id, type="redaction").count() == ROUNDS
    assert drift(world) == []


def test_of_an_approval_and_a_rejection_at_once_one_counts(world, admins, at_once):
    from .conftest import admins_of

    third = admins_of(world)
    for _ in range(ROUNDS):
        chunk = world.chunk("Jon likes tea")
        erasure = admins.propose(by="chunk", id=chunk)
        approved, rejected = at_once(
            lambda erasure=erasure: admins.dave.post(f"erasures/{erasure}/approve", {}),
            lambda erasure=erasure: third.dave.post(f"erasures/{erasure}/reject", {"reason": "no"}),
        )
        assert sorted([approved.status_code, rejected.status_code]) == [200, 409]
        left = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]})["chunks"]
        assert (left == []) is (approved.status_code == 200)


def test_an_edit_at_the_same_time_leaves_no_text_behind(world, admins, at_once, found_in, drift):
    for n in range(ROUNDS):
        chunk = world.chunk("Jon likes tea")
        erasure = admins.propose(by="chunk", id=chunk)
        body = EditFactory(target_id=chunk, op="amend")
        approved, edited, proposed = at_once(
            lambda erasure=erasure: admins.dave.post(f"erasures/{erasure}/approve", {}),
            lambda body=body, n=n: world.bob.post("edits", {**body, "patch": {"text": f"zanzibar {n}"}}),
            lambda body=body, n=n: world.alice.post("edits", {**body, "patch": {"text": f"zanzibar too {n}"}}),
        )
        assert approved.status_code == 200, approved.content
        assert {edited.status_code, proposed.status_code} <= {201, 409, 404}
    assert found_in(world, b"zanzibar") == []
    assert drift(world) == []


def test_a_verdict_at_the_same_time_leaves_memory_and_edit_in_agreement(world, admins, at_once, drift):
    for _ in range(ROUNDS):
        chunk = world.chunk("Jon likes tea")
        edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
        erasure = admins.propose(by="chunk", id=chunk)
        approved, decided = at_once(
            lambda erasure=erasure: admins.dave.post(f"erasures/{erasure}/approve", {}),
            lambda edit=edit: world.bob.post(f"edits/{edit}/approve", {}),
        )
        assert approved.status_code == 200, approved.content
        status = world.bob.ok("get", f"edits/{edit}")["status"]
        assert status == ("approved" if decided.status_code == 200 else "expired")
    assert drift(world) == []


def test_who_reads_meanwhile_sees_all_the_words_or_none(world, admins, at_once):
    text = " ".join(f"tea{n}" for n in range(450))
    recorded = world.event(text)
    erasure = admins.propose(by="event", id=recorded["event_id"])
    done = threading.Event()
    seen = []

    def read():
        while True:
            last = done.is_set()
            event = world.alice.ok("get", f"events/{recorded['event_id']}")
            chunks = world.alice.ok("post", "chunks/get", {"chunk_ids": recorded["chunk_ids"]})["chunks"]
            found = world.alice.ok("post", "chunks/search", {"query": "tea7", "limit": 10})["chunks"]
            seen.append((event["withheld"], event["content"], len(chunks), len(found)))
            if last:
                return

    def approve():
        try:
            return admins.dave.post(f"erasures/{erasure}/approve", {}).status_code
        finally:
            done.set()

    answers = at_once(read, approve)

    assert answers == [None, 200]
    for withheld, content, chunks, _ in seen:
        assert (withheld, content and content["text"]) in {(None, text), ("erased", None)}
        assert chunks in {0, len(recorded["chunk_ids"])}
    assert seen[-1] == ("erased", None, 0, 0)
