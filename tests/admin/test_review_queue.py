"""A reviewer sees what waits, looks at it, and decides: by POST, once, on what they saw, and never their own."""

import html
import uuid
from typing import Any

import pytest
from django.db import DatabaseError, transaction

from governance import refusals
from governance.acting import gate
from governance.edits import db
from governance.models import Entry

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


def quarantine(world, text: str = "The quick brown fox", **fields) -> str:
    """A quarantine by an agent: under `standard` it waits for a person."""
    return str(world.edit(world.chunk(text), "quarantine", by=world.alice, **fields)["edit_id"])


def test_the_queue_shows_what_waits_here_oldest_first(world, elsewhere, desk):
    first, second = quarantine(world, "one"), quarantine(world, "two")
    decided = quarantine(world, "three")
    world.bob.decide(decided)
    foreign = quarantine(elsewhere)

    page = desk(world.bob_name).queue()
    assert [str(edit.id) for edit in page.context["cl"].result_list] == [first, second]
    assert foreign not in page.content.decode()
    everything = desk(world.bob_name).queue("?status=all").context["cl"].result_list
    assert [str(edit.id) for edit in everything] == [decided, second, first]


@pytest.mark.parametrize("query", ["?q=zebra", "?op=quarantine", "?op__exact=quarantine&proposer_kind__exact=agent"])
def test_the_queue_can_be_searched_and_filtered(world, desk, query):
    found = quarantine(world, reason="about the zebra")
    world.edit(world.chunk(), "block", by=world.alice, reason="other", channel="team")
    page = desk(world.bob_name).queue(query)
    assert [str(edit.id) for edit in page.context["cl"].result_list] == [found]


def test_the_queue_takes_the_same_queries_however_long_it_is(world, desk, django_assert_max_num_queries):
    for number in range(5):
        quarantine(world, f"memory {number}")
    bob = desk(world.bob_name)
    with django_assert_max_num_queries(16):
        bob.queue()


def test_the_home_page_says_what_waits(world, desk):
    assert "No edit waits for you" in desk(world.bob_name).client.get("/admin/").content.decode()
    quarantine(world)
    home = " ".join(desk(world.bob_name).client.get("/admin/").content.decode().split())
    assert "Waiting for you: 1 edit " in home


def test_the_page_shows_before_and_after(strict_world, desk):
    chunk = strict_world.chunk("My name is Jon Doe")
    edit = strict_world.edit(
        chunk, "amend", by=strict_world.alice, text="My name is John Doe", importance=0.8, reason="misheard"
    )["edit_id"]
    page = desk(strict_world.bob_name).open(edit).content.decode()
    assert "My name is <del>Jon</del> Doe" in page
    assert "My name is <ins>John</ins> Doe" in page
    for shown in ("misheard", "agent <strong>alice</strong>", "Importance 0.5000", "Importance 0.8000", "strict"):
        assert shown in page


def test_markup_and_hidden_characters_are_shown_not_run(strict_world, desk):
    attack = "<script>alert(1)</script> pay\u202eeve\u200b"
    edit = strict_world.edit(
        strict_world.chunk("plain"), "amend", by=strict_world.alice, text=attack, reason="<b>\u202ereason"
    )["edit_id"]
    bob = desk(strict_world.bob_name)
    for page in (bob.open(edit).content.decode(), bob.queue().content.decode()):
        assert "<script>alert" not in page
        assert "<b>" not in page
        assert "\u202e" not in page
        assert 'title="RIGHT-TO-LEFT OVERRIDE">U+202E</span>' in page
    assert "U+200B" in bob.open(edit).content.decode()
    assert html.escape("<script>") in bob.open(edit).content.decode()


def test_approving_takes_the_memory_out_of_search(world, desk, status_of):
    edit = quarantine(world, "The quick brown fox")
    assert world.found("fox") == ["The quick brown fox"]
    answer = desk(world.bob_name).decide("approve", edit)
    assert (answer.status_code, answer.headers["Location"]) == (302, "/admin/governance/edit/")
    assert world.found("fox") == []
    assert status_of(world, edit) == "approved"
    assert "Approved by" in desk(world.bob_name).open(edit).content.decode()
    with world.inside():
        act = Entry.objects.get(type="edit.approved", metadata__edit=edit)
    assert act.metadata["actor"]["name"] == world.bob_name


def test_a_rejection_needs_a_reason(world, desk, status_of):
    edit = quarantine(world)
    bob = desk(world.bob_name)
    for reason, why in ((None, "needs a reason"), ("  ", "needs a reason"), ("x" * 2001, "no more than 2000")):
        answer = bob.decide("reject", edit, **({} if reason is None else {"reason": reason}))
        assert answer.status_code == 400
        assert why in answer.content.decode()
        assert status_of(world, edit) == "pending"
    assert bob.decide("reject", edit, reason="it is true").status_code == 302
    assert status_of(world, edit) == "rejected"
    assert "it is true" in bob.open(edit).content.decode()
    assert world.found("fox") != []


def test_nobody_decides_their_own(strict_world, desk, status_of):
    edit = str(strict_world.edit(strict_world.chunk(), "retract")["edit_id"])
    bob = desk(strict_world.bob_name)
    assert "You proposed this" in bob.open(edit).content.decode()
    assert "Approve</button>" not in bob.open(edit).content.decode()
    answer = bob.decide("approve", edit)
    assert answer.status_code == 403
    assert "You cannot decide an edit that you proposed" in answer.content.decode()
    assert status_of(strict_world, edit) == "pending"
    assert desk(strict_world.ann_name).decide("approve", edit).status_code == 302


def test_the_database_refuses_it_too(strict_world, desk):
    edit = str(strict_world.edit(strict_world.chunk(), "retract")["edit_id"])
    patch = bytes.fromhex(desk(strict_world.bob_name).seen(edit)["patch_sha256"])
    bob = strict_world.bob_principal
    with pytest.raises(DatabaseError) as raised, gate.acting_as(bob):
        db.record_verdict(
            tenant=bob.tenant_id,
            edit=uuid.UUID(edit),
            decision="approved",
            reason="",
            patch_sha256=patch,
            target_state=None,
        )
    refusal = refusals.from_database(raised.value)
    assert isinstance(refusal, refusals.Forbidden)


def test_what_the_database_refuses_is_told_on_the_page(world, desk, monkeypatch, status_of):
    """The role is taken away between the page's check and the database's."""
    edit = quarantine(world)
    bob = desk(world.bob_name)

    def without_a_role(*args, **kwargs):
        gate.act_as(world.alice_principal)
        gate.rows("SELECT record_verdict(%s, %s, 'approved', '', '', NULL)", [world.tenant_id, edit])

    monkeypatch.setattr("governance.edits.approve_edit", without_a_role)
    answer = bob.decide("approve", edit)
    assert answer.status_code == 403
    assert "Only a reviewer or admin" in answer.content.decode()
    assert status_of(world, edit) == "pending"


def test_a_target_that_changed_is_looked_at_again(world, desk, status_of, agent_in):
    chunk = world.chunk("Jon")
    edit = world.edit(chunk, "retract", by=agent_in("private"))["edit_id"]
    bob = desk(world.bob_name)
    seen = bob.seen(edit)
    world.edit(chunk, "amend", by=world.ann, text="John")
    answer = bob.decide("approve", edit, **seen)
    assert answer.status_code == 409
    assert "has changed since you loaded this page" in answer.content.decode()
    assert "<del>John</del>" in answer.content.decode()
    assert status_of(world, edit) == "pending"
    assert bob.decide("approve", edit).status_code == 302


@pytest.mark.parametrize("patch", ["0" * 64, "", "zz"])
def test_another_patch_is_not_what_was_seen(world, desk, status_of, patch):
    edit = quarantine(world)
    for verb in ("approve", "reject"):
        answer = desk(world.bob_name).decide(verb, edit, patch_sha256=patch, reason="seen")
        assert answer.status_code == 409
    assert status_of(world, edit) == "pending"


def test_an_edit_is_decided_once(world, desk, status_of):
    edit = quarantine(world)
    ann = desk(world.ann_name)
    seen = ann.seen(edit)
    desk(world.bob_name).decide("approve", edit)
    answer = ann.decide("reject", edit, **seen, reason="too late")
    assert answer.status_code == 409
    assert "already" in answer.content.decode()
    assert status_of(world, edit) == "approved"


def test_looking_decides_nothing(world, desk, status_of):
    edit = quarantine(world)
    bob = desk(world.bob_name)
    for verb in ("approve", "reject"):
        assert bob.client.get(f"/admin/governance/edit/{edit}/{verb}/").status_code == 302
    assert bob.client.post(f"/admin/governance/edit/{edit}/change/").status_code == 405
    assert status_of(world, edit) == "pending"


def test_a_post_from_elsewhere_is_refused(world, desk, status_of):
    edit = quarantine(world)
    bob = desk(world.bob_name, enforce_csrf_checks=True)
    assert bob.decide("approve", edit).status_code == 403
    assert bob.client.post("/admin/tenant/", {"tenant": str(world.tenant_id)}).status_code == 403
    assert status_of(world, edit) == "pending"


def test_an_auditor_looks_and_changes_nothing(world, desk, status_of, agent_in):
    edit = world.edit(world.chunk("The quick brown fox"), "retract", by=agent_in("private"))["edit_id"]
    auditor = desk(world.bob_name.replace("bob", "auditor"))
    assert len(auditor.queue().context["cl"].result_list) == 1
    page = auditor.open(edit).content.decode()
    assert "<del>The quick brown fox</del>" in page
    assert "Approve</button>" not in page
    for verb in ("approve", "reject"):
        assert auditor.decide(verb, edit, reason="I may not").status_code == 403
        # whatever was posted: what they may not do is the answer, not what is wrong with it
        assert auditor.client.post(f"/admin/governance/edit/{edit}/{verb}/", {}).status_code == 403
    assert status_of(world, edit) == "pending"


def test_another_tenants_edit_is_not_there(world, elsewhere, desk, status_of):
    edit = quarantine(elsewhere)
    seen = desk(elsewhere.bob_name).seen(edit)
    bob = desk(world.bob_name)
    assert bob.open(edit).status_code == 404
    assert bob.open("no-uuid").status_code == 404
    for verb in ("approve", "reject"):
        answer = bob.client.post(f"/admin/governance/edit/{edit}/{verb}/", {**seen, "reason": "mine?"})
        assert answer.status_code == 404
    assert status_of(elsewhere, edit) == "pending"


def test_each_operation_says_what_it_would_do(strict_world, desk):
    chunk = strict_world.chunk("The quick brown fox")
    ann = strict_world.ann
    bob = desk(strict_world.bob_name)
    expected: dict[str, tuple[dict[str, Any], str]] = {
        "quarantine": ({}, "Removed from all answers except those that include quarantined memory."),
        "block": ({"channel": "public"}, "Removed from all answers in the channel public."),
        "attenuate": ({"importance_delta": -0.2}, "Importance 0.3000"),
        "audience": ({"audience": {"principals": ["agent:alice"]}}, "Answers contain it only for its new audience."),
    }
    for op, (patch, told) in expected.items():
        edit = strict_world.edit(chunk, op, by=ann, **patch)["edit_id"]
        assert told in bob.open(edit).content.decode()
    edit = strict_world.edit(chunk, "amend", by=ann, text="The slow brown fox")["edit_id"]
    assert bob.decide("approve", edit).status_code == 302
    undo = strict_world.edit(chunk, "revert", by=ann, edit_id=edit)["edit_id"]
    page = bob.open(undo).content.decode()
    assert "The <del>slow</del> brown fox" in page
    assert "The <ins>quick</ins> brown fox" in page
    assert "Answers are as if the amend had not been applied." in page
    assert f"/admin/governance/edit/{edit}/change/" in page


def test_a_pending_revert_shows_the_words_it_returns_to(strict_world, desk):
    """Also where readers have none of them now, and where later edits stay."""
    world, bob = strict_world, desk(strict_world.bob_name)
    chunk = world.chunk("My name is Jon Doe")

    def applied(op, **patch):
        edit = world.edit(chunk, op, by=world.ann, **patch)["edit_id"]
        assert bob.decide("approve", edit).status_code == 302
        return edit

    def page_of_the_revert_of(edit):
        undo = world.edit(chunk, "revert", by=world.ann, edit_id=edit)["edit_id"]
        return " ".join(bob.open(undo).content.decode().split())

    amend = applied("amend", text="My name is John Doe", importance=0.75)
    applied("attenuate", importance_delta=-0.25)
    applied("block", channel="public")
    page = page_of_the_revert_of(amend)
    for shown in (
        "My name is <del>John</del> Doe",
        "My name is <ins>Jon</ins> Doe",
        "Importance 0.5000",
        "Importance 0.2500 <strong>(changed)</strong>",
        "Answers are as if the amend had not been applied. Blocked in public.",
    ):
        assert shown in page
    page = page_of_the_revert_of(applied("retract"))
    assert "Retracted: no answer returns it. Blocked in public." in page
    assert "<ins>My name is John Doe</ins>" in page
    assert "<del>" not in page


def test_what_stays_retracted_without_the_reverted_edit_is_shown_to_the_reviewer(strict_world, desk):
    world, bob = strict_world, desk(strict_world.bob_name)
    chunk = world.chunk("The quick brown fox")
    first, second = (world.edit(chunk, "retract", by=world.ann)["edit_id"] for _ in range(2))
    for edit in (first, second):
        assert bob.decide("approve", edit).status_code == 302
    undo = world.edit(chunk, "revert", by=world.ann, edit_id=first)["edit_id"]

    page = bob.open(undo).content.decode()

    assert "No visible change: other edits have the same effect." in page
    assert "Retracted: no answer returns it." in page
    assert page.count('<div class="words" dir="auto">The quick brown fox</div>') == 2


def test_erroneous_transactions_do_not_leak_into_the_next_request(world, desk):
    """A refusal from the database is rolled back to its savepoint; the page after it is whole."""
    with pytest.raises(DatabaseError), transaction.atomic():
        gate.rows("SELECT nothing()", [])
    assert desk(world.bob_name).queue().status_code == 200
