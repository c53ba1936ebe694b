"""A server that goes away leaves an erasure proposed, decided and executed whole, or not at all."""

import pytest

from tests.erasure.conftest import admins_of
from tests.ledger.breaking import assert_whole_or_not_there, succeeded

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]

WORD = "zanzibar"
JACK = {"subject_type": "user", "subject_id": "jack"}


@pytest.fixture
def admins(world):
    return admins_of(world)


def test_a_proposed_erasure(world, admins):
    world.event("Jon likes tea", **JACK)
    body = {"by": "subject", **JACK, "reason": "a request"}

    assert_whole_or_not_there(
        world,
        lambda: succeeded(admins.carol.post("erasures", body)),
        {"governance_erasure": 1, "governance_erasurestate": 1, "governance_entry": 1},
    )


def test_an_executed_erasure(world, admins):
    """Of a decision with its chunk, an applied amend, a pending one, and a removed value."""
    said = f"Jon likes {WORD}"
    event = world.event(said, kind="decision", content={"decision": f"Serve {WORD}"}, **JACK)
    (chunk,) = event["chunk_ids"]
    world.edit(chunk, "amend", text=f"Jon likes {WORD} tea")
    world.edit(chunk, "retract", by=world.alice)
    removed = world.chunk(f"Jon hates {WORD}", **JACK)
    world.edit(removed, "retract")
    erasure = admins.propose(by="subject", **JACK)

    assert_whole_or_not_there(
        world,
        lambda: succeeded(admins.dave.post(f"erasures/{erasure}/approve", {})),
        {
            # two texts, the fields and the statement of the decision, the words of both, the amended text
            "governance_content": -6,
            "governance_erasedcontent": 6,
            # of two events, two chunks, a decision, an edit
            "governance_erasureitem": 8,
            "memory_removedvalue": -1,
            # nothing is left to embed, and the statistics of words begin again
            "memory_embeddingitem": -1,
            "memory_termcount": 1,
            "governance_verdict": 1,
            # approved, the pending edit expired, the redaction, also in the agent's chain, executed
            "governance_entry": 5,
        },
        lambda: (admins.receipt(erasure)["status"], world.found(WORD)) == ("executed", []),
    )


@pytest.mark.parametrize(("verb", "by"), [("reject", "dave"), ("withdraw", "carol")])
def test_a_refused_or_withdrawn_erasure(world, admins, verb, by):
    world.event("Jon likes tea", **JACK)
    erasure = admins.propose(by="subject", **JACK)
    admin = getattr(admins, by)

    assert_whole_or_not_there(
        world,
        lambda: succeeded(admin.post(f"erasures/{erasure}/{verb}", {"reason": "no"})),
        {"governance_entry": 1},
        lambda: admins.receipt(erasure)["status"] != "pending",
    )
