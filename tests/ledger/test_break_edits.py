"""A server that goes away leaves an edit, its end and its effect whole, with the entry, or not there."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance import edits
from tests.ledger.breaking import assert_whole_or_not_there, succeeded
from tests.surgery.helpers import status_of

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]

#: What an edit that applies at once adds; a proposal and an approval are in the ledger.
APPLIED = {"governance_edit": 1, "governance_editstate": 1, "governance_verdict": 1, "governance_entry": 2}
JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}
ENDED = {"governance_verdict": 1, "governance_entry": 1}


@pytest.fixture
def waiting(world):
    """A retract that waits for a person."""
    return world.edit(world.chunk("The quick brown fox"), "quarantine", by=world.alice)["edit_id"]


def test_a_rejection(world, waiting):
    assert_whole_or_not_there(
        world,
        lambda: succeeded(world.bob.post(f"edits/{waiting}/reject", {"reason": "no"})),
        ENDED,
        lambda: status_of(world, waiting) == "rejected",
    )


def test_a_withdrawal(world, waiting):
    assert_whole_or_not_there(
        world,
        lambda: succeeded(world.alice.post(f"edits/{waiting}/withdraw", {})),
        ENDED,
        lambda: status_of(world, waiting) == "withdrawn",
    )


def test_a_batch_of_expiries(alone):
    waiting = [alone.edit(alone.chunk(), "quarantine", by=alone.alice)["edit_id"] for _ in range(2)]

    assert_whole_or_not_there(
        alone,
        lambda: edits.expire_edits(at=timezone.now() + timedelta(days=365)),
        {"governance_verdict": 2, "governance_entry": 2},
        lambda: {status_of(alone, edit) for edit in waiting} == {"expired"},
    )


def test_a_revert(world):
    chunk = world.chunk("The quick brown fox")
    retract = world.edit(chunk, "retract")["edit_id"]

    assert_whole_or_not_there(
        world,
        lambda: succeeded(world.bob.post(f"edits/{retract}/revert", {"reason": "it was true"})),
        # what the retract removed may be said again, and is embedded again
        {**APPLIED, "memory_removedvalue": -1, "memory_embeddingitem": 1},
        lambda: world.found("fox") != [],
    )


def test_edits_by_filter(world):
    for number in range(3):
        world.chunk(f"The moon is cheese {number}")
    body = {"filter": {"phrase": "moon is cheese"}, "op": "amend", "reason": "a test", "patch": {"text": "It is rock"}}
    token = world.bob.ok("post", "edits/by-filter", body)["token"]

    assert_whole_or_not_there(
        world,
        lambda: succeeded(world.bob.post("edits/by-filter", {"token": token})),
        {
            "governance_content": 3,
            "governance_edit": 3,
            "governance_editstate": 3,
            "governance_verdict": 3,
            "governance_entry": 1,
            "governance_idempotencykey": 1,
        },
        lambda: (len(world.found("rock")), world.found("cheese")) == (3, []),
    )


def test_a_summary_that_says_again_what_was_removed(world, noted):
    world.edit(noted("The card is 1234"), "retract")
    body = {**JACK, "text": "The card is 1234", "scope": "user", "session_id": "session-1", "channel": "private"}

    assert_whole_or_not_there(
        world,
        lambda: succeeded(world.alice.post("chunks/summary", body)),
        {
            "governance_content": 1,
            "memory_chunk": 1,
            "memory_effectivechunk": 1,
            "memory_pendingcontext": 1,
            "memory_embeddingitem": 1,
            "memory_promotiondue": 1,
            "governance_edit": 1,
            "governance_editstate": 1,
            "governance_verdict": 1,
            "governance_entry": 1,
        },
    )
