"""Governance wins over promotion: hidden memory and memory that is not trusted stay where they are."""

from datetime import timedelta

import pytest

from memory.models import EffectiveChunk
from tests.curation.agent import Agent
from tests.owning import as_owner
from tests.tiers.usage import DAY, NOW

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("op", "failed"), [("retract", "retracted"), ("quarantine", "quarantined")])
@pytest.mark.parametrize("tier", ["task", "session", "longterm"])
def test_retracted_and_quarantined_memory_stays(world, usage, op, failed, tier):
    chunk = world.chunk()
    usage.put_in(chunk, tier, at=NOW - 200 * DAY)
    usage.worthy(chunk, at=NOW - (100 if tier == "longterm" else 0) * DAY)
    usage.used(chunk, "four", times=2, at=NOW - (100 if tier == "longterm" else 0) * DAY)
    edit = world.edit(chunk, op)
    usage.run()
    assert (usage.tier(chunk), usage.check(chunk).failed) == (tier, failed)

    world.bob.ok("post", f"edits/{edit['edit_id']}/revert", {"reason": "a mistake"})
    usage.run()  # the edit that brought it back made it due
    assert usage.tier(chunk) != tier


def test_an_edit_that_hides_makes_it_due(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "longterm", at=NOW - DAY)
    usage.run()
    assert usage.check(chunk).failed == "unused_days"
    world.edit(chunk, "retract")
    usage.run()
    assert usage.check(chunk).failed == "retracted"


def test_superseded_memory_stays(world, usage):
    agent = Agent(world.alice)
    made = agent.commit("Jack likes tea")
    usage.used(made["chunk_id"], "one", times=2)
    agent.rethink([made["seq"]], "Jack likes green tea")
    usage.run()
    assert (usage.tier(made["chunk_id"]), usage.check(made["chunk_id"]).failed) == ("task", "superseded")


def test_expired_memory_stays_by_the_clock_of_the_run(world, usage):
    made = Agent(world.alice).commit("Jack likes tea", tier="ephemeral")
    usage.used(made["chunk_id"], "one", times=2)
    usage.run(NOW + 30 * DAY)
    assert (usage.tier(made["chunk_id"]), usage.check(made["chunk_id"]).failed) == ("task", "expired")


def test_erased_memory_stays(world, usage):
    from governance.acting import gate
    from governance.erasure import erasures
    from governance.identity import identities

    made = world.event("to be erased")
    people = identities.provision(
        world.slug, people=[(f"{name}-{world.slug}", "admin") for name in ("carol", "dave")]
    ).users.values()
    (chunk,) = made["chunk_ids"]
    usage.used(chunk, "one", times=2)
    with world.inside():
        carol, dave = (gate.authenticate(person["key"]) for person in people)
        erasure = erasures.propose_erasure(erasures.Selection("event", made["event_id"]), actor=carol, reason="a test")
        erasures.approve_erasure(erasure.id, actor=dave)
    usage.run()
    assert (usage.tier(chunk), usage.check(chunk).failed) == ("task", "retracted")


@pytest.mark.parametrize(("confidence", "tier"), [("0.2999", "task"), ("0.3", "session")])
def test_what_is_hardly_trusted_moves_nowhere_up(world, usage, confidence, tier):
    chunk = world.chunk()
    usage.used(chunk, "one", times=2)
    usage.confident(chunk, confidence, NOW - DAY, is_failure=True)
    usage.run()
    assert usage.tier(chunk) == tier
    if tier == "task":
        assert usage.check(chunk).failed == "low_trust"


def test_what_is_hardly_trusted_is_archived_all_the_same(world, usage):
    chunk = world.chunk()
    usage.put_in(chunk, "longterm", at=NOW - 91 * DAY)
    usage.confident(chunk, "0.1", NOW - 91 * DAY, is_failure=True)
    usage.run()
    assert usage.tier(chunk) == "archive"


@pytest.fixture
def consolidation(world, usage):
    """(the consolidation of a consolidation, its oldest original)"""
    agent = Agent(world.alice)
    said = [agent.commit(f"Jack likes tea {number}") for number in range(2)]
    middle = agent.rethink([one["seq"] for one in said], "Jack likes all teas")
    top = agent.rethink([middle["consolidationSeq"]], "Jack lives on tea")
    for one in (*said, middle, top):
        usage.confident(one["chunk_id"], "0.9", NOW - 20 * DAY)
    return top["chunk_id"], said[0]["chunk_id"]


def test_a_consolidation_is_trusted_as_the_least_of_what_it_came_from(world, usage, consolidation):
    top, oldest = consolidation
    usage.put_in(top, "session", at=NOW - 30 * DAY)
    usage.used(top, "one", "two", "three", at=NOW - DAY)
    usage.confident(oldest, "0.79", NOW - 8 * DAY)
    usage.run()
    check = usage.check(top)
    assert (check.failed, check.evidence["confidence"], check.evidence["trust"]) == ("confidence", 0.9, 0.79)

    usage.confident(oldest, "0.85", NOW - 6 * DAY)
    usage.run()  # the consolidation is due with its original
    assert usage.check(top).failed == "confidence_days"
    usage.run(NOW + DAY)
    assert usage.tier(top) == "longterm"


def test_a_consolidation_of_what_is_hardly_trusted_stays(world, usage, consolidation):
    top, oldest = consolidation
    usage.used(top, "one", times=2)
    usage.confident(oldest, "0.2", NOW - DAY, is_failure=True)
    usage.run()
    assert (usage.tier(top), usage.check(top).failed) == ("task", "low_trust")


@pytest.mark.parametrize("is_core", [True, False])
def test_memory_blocks_are_never_archived(world, usage, is_core):
    made = Agent(world.alice).update("persona" if is_core else "knowledge", "I am Ada")
    chunk = made["chunk_id"]
    with world.inside(), as_owner():
        EffectiveChunk.objects.filter(tenant_id=world.tenant_id, id=chunk).update(is_core=is_core)
    usage.put_in(chunk, "longterm", at=NOW - 200 * DAY)
    usage.run()
    assert (usage.tier(chunk), usage.check(chunk).failed) == ("longterm", "core")


def test_memory_that_is_blocked_in_some_channels_moves(world, usage):
    chunk = world.chunk()
    world.edit(chunk, "block", channel="public")
    usage.used(chunk, "one", times=2)
    usage.run(NOW + timedelta(hours=1))
    assert usage.tier(chunk) == "session"
