"""A server that goes away leaves a capsule, a bundle and the note of a reading whole, or not there."""

from datetime import timedelta

import pytest

from capsules.models import EffectiveCapsule
from capsules.services import expiry
from tests.ledger.breaking import assert_whole_or_not_there, succeeded

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])]

A_CAPSULE = {"capsules_capsule": 1, "capsules_effectivecapsule": 1, "governance_entry": 1}
JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}


@pytest.fixture
def capsule(world, handed):
    """A capsule of two chunks for agent-bob, who may pass it on."""
    return handed([world.chunk(), world.chunk()], note="Take care", may_forward=True)


def states(world):
    """What the capsules are, and whether their authors were warned."""
    with world.inside():
        return {(one.status, bool(one.warned_at)) for one in EffectiveCapsule.objects.filter(tenant_id=world.tenant_id)}


def test_a_new_capsule(world, given):
    given("agent-bob")
    given("agent-charlie")
    decision = world.event(kind="decision", content={"decision": "Ship it"})["decision_id"]
    body = {
        **JACK,
        "scope": "user",
        "audience_agent_ids": ["agent-bob", "agent-charlie"],
        "items": {"chunks": [world.chunk(), world.chunk()], "decisions": [decision]},
        "note": "Take care",
        "risks": ["angry"],
    }

    assert_whole_or_not_there(
        world,
        lambda: succeeded(world.alice.post("capsules", body)),
        {**A_CAPSULE, "capsules_capsuleitem": 3, "capsules_capsuleaudience": 2, "governance_content": 2},
    )


def test_a_forwarded_capsule(world, given, capsule):
    given("agent-charlie")
    body = {"audience_agent_ids": ["agent-charlie"]}

    assert_whole_or_not_there(
        world,
        lambda: succeeded(given("agent-bob").post(f"capsules/{capsule}/forward", body)),
        {**A_CAPSULE, "capsules_capsuleitem": 2, "capsules_capsuleaudience": 1},
    )


def test_a_revocation_with_what_was_forwarded(world, given, capsule):
    given("agent-charlie")
    given("agent-bob").ok("post", f"capsules/{capsule}/forward", {"audience_agent_ids": ["agent-charlie"]})

    assert_whole_or_not_there(
        world,
        lambda: succeeded(world.alice.request("delete", f"capsules/{capsule}")),
        {"governance_entry": 2},
        lambda: states(world) == {("revoked", False)},
    )


def test_a_batch_of_expiries(alone, handed, expiring):
    chunk = alone.chunk()
    for _ in range(3):
        expiring(handed([chunk]), timedelta(minutes=-1))

    assert_whole_or_not_there(
        alone, expiry.expire_capsules, {"governance_entry": 3}, lambda: states(alone) == {("expired", False)}
    )


def test_a_batch_of_warnings(alone, handed, expiring):
    chunk = alone.chunk()
    for _ in range(3):
        # long enough that it does not expire while it is broken everywhere
        expiring(handed([chunk]), timedelta(hours=1))

    assert_whole_or_not_there(
        alone, expiry.warn_capsules, {"governance_entry": 3}, lambda: states(alone) == {("active", True)}
    )


def test_the_note_of_a_reading(world, given, capsule):
    assert_whole_or_not_there(
        world,
        lambda: succeeded(given("agent-bob").get(f"capsules/{capsule}")),
        {"governance_accessrecord": 1},
    )


def test_a_context_bundle_with_what_it_injected(world, given, capsule):
    body = {"session_id": "session-1", "channel": "private", "query": "fox", **JACK}

    assert_whole_or_not_there(
        world,
        lambda: succeeded(given("agent-bob").post("acb/build", body)),
        # one for the bundle, one for the capsule in it
        {"memory_contextbundle": 1, "memory_contextbundleitem": 3, "governance_accessrecord": 2},
    )
