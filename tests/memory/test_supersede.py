"""A decision that supersedes another: only while it counts itself, and only where its author might change the other."""

import pytest

from governance.edits import policies
from tests.erasure.conftest import admins_of
from tests.factories import DecisionFactory, EventFactory

JACK = {"subject_type": "user", "subject_id": "jack"}


def decide(world, statement, *, by=None, channel="private", sensitivity="none", **content):
    """Record a decision that must be accepted."""
    return record(world, statement, by=by, channel=channel, sensitivity=sensitivity, **content).json()


def record(world, statement, *, by=None, expect=201, channel="private", sensitivity="none", **content):
    body = DecisionFactory(channel=channel, sensitivity=sensitivity, content={"decision": statement, **content})
    response = (by or world.alice).post("events", body)
    assert response.status_code == expect, response.content
    return response


def in_force(world, query="channel=private"):
    return [one["decision"] for one in world.alice.ok("get", f"decisions/active?{query}")["decisions"]]


def test_it_works(world):
    old = decide(world, "Use SQLite")

    decide(world, "Use PostgreSQL", supersedes=old["decision_id"])

    assert in_force(world) == ["Use PostgreSQL"]


def test_a_successor_that_is_quarantined_on_arrival_leaves_the_old_decision_in_force(world):
    removed = decide(world, "Use no database", **JACK)
    world.edit(removed["decision_id"], "retract", target_type="decision")
    old = decide(world, "Use PostgreSQL", **JACK)

    again = decide(world, "Use no database", supersedes=old["decision_id"], **JACK)

    assert again["quarantined_chunk_ids"] == again["chunk_ids"]
    assert in_force(world) == ["Use PostgreSQL"]


@pytest.mark.parametrize("target_type", ["chunk", "decision"])
def test_a_successor_counts_again_once_its_quarantine_is_reverted(world, target_type):
    old = decide(world, "Use SQLite")
    new = decide(world, "Use PostgreSQL", supersedes=old["decision_id"])
    target = new["decision_id"] if target_type == "decision" else new["chunk_ids"][0]

    edit = world.edit(target, "quarantine", target_type=target_type)["edit_id"]
    assert in_force(world) == ["Use SQLite"]
    assert in_force(world, "channel=private&include_quarantined=true") == ["Use PostgreSQL", "Use SQLite"]

    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "it was right"})
    assert in_force(world) == ["Use PostgreSQL"]


def test_of_two_successors_one_that_counts_is_enough(world):
    old = decide(world, "Use SQLite")
    first = decide(world, "Use MySQL", supersedes=old["decision_id"])
    second = decide(world, "Use PostgreSQL", supersedes=old["decision_id"])

    world.edit(first["decision_id"], "quarantine", target_type="decision")
    assert in_force(world) == ["Use PostgreSQL"]

    world.edit(second["decision_id"], "quarantine", target_type="decision")
    assert in_force(world) == ["Use SQLite"]


@pytest.mark.parametrize("sensitivity", ["high", "secret"])
def test_an_agent_supersedes_nothing_that_it_may_not_hear(world, agent_in, sensitivity):
    old = decide(world, "Pay Jack double", sensitivity=sensitivity)["decision_id"]
    public, nowhere = agent_in("public"), "00000000-0000-7000-8000-000000000000"
    asked = {"by": public, "channel": "public", "expect": 400}

    hidden = record(world, "Pay Jack half", supersedes=old, **asked).json()
    unknown = record(world, "Pay Jack half", supersedes=nowhere, **asked).json()

    assert hidden["errors"] == unknown["errors"]
    assert hidden["errors"][0]["pointer"] == "#/content/supersedes"


def test_an_agent_supersedes_nothing_that_is_blocked_wherever_it_speaks(world, agent_in):
    old = decide(world, "Pay Jack double", channel="public")["decision_id"]
    world.edit(old, "block", target_type="decision", channel="public")

    record(world, "Pay Jack half", by=agent_in("public"), channel="public", supersedes=old, expect=400)
    # this one may read it elsewhere, but a person has edited it
    record(world, "Pay Jack half", by=agent_in("public", "team"), channel="public", supersedes=old, expect=403)


def test_a_reviewer_supersedes_whatever_there_is(world):
    old = decide(world, "Pay Jack double", sensitivity="secret")["decision_id"]

    record(world, "Pay Jack half", by=world.bob, supersedes=old)


@pytest.mark.parametrize("who", ["alice", "bob"])
def test_where_an_amend_waits_superseding_is_refused(strict_world, who):
    decided = decide(strict_world, "Use SQLite")
    strict_world.bob.decide(decided["approval_edit_id"])
    old = decided["decision_id"]

    refused = record(strict_world, "Use MySQL", by=getattr(strict_world, who), supersedes=old, expect=403).json()

    assert refused["type"] == "urn:suture:problem:superseding-needs-approval"
    assert refused["errors"][0]["pointer"] == "#/content/supersedes"
    assert in_force(strict_world) == ["Use SQLite"]
    # the way that it names
    record(strict_world, "Use MySQL", by=getattr(strict_world, who))


def test_where_an_amend_of_what_is_sensitive_waits_only_that_is_not_superseded(world):
    rule = {"op": "amend", "proposer_kind": "agent", "sensitivity": "high", "approvals": 1}
    admin = admins_of(world).carol_principal
    with world.inside():
        policies.propose_change(actor=admin, preset="standard", overrides=[rule], reason="a test")
    plain = decide(world, "Use SQLite")["decision_id"]
    sensitive = decide(world, "Pay Jack double", sensitivity="high")["decision_id"]

    record(world, "Use PostgreSQL", supersedes=plain)
    record(world, "Pay Jack half", supersedes=sensitive, expect=403)


def test_under_the_open_policy_an_agent_supersedes(new_world):
    world = new_world("open")
    old = decide(world, "Use SQLite")["decision_id"]

    record(world, "Use PostgreSQL", supersedes=old)

    assert in_force(world) == ["Use PostgreSQL"]


def test_a_refused_event_undoes_its_batch_and_names_its_place(strict_world):
    old = decide(strict_world, "Use SQLite")["decision_id"]
    superseding = {"decision": "Use MySQL", "supersedes": old}
    events = [
        EventFactory(content__text="we talked"),
        DecisionFactory(content=superseding),
    ]

    response = strict_world.alice.post("events/batch", {"events": events})

    assert response.status_code == 403
    assert response.json()["errors"][0]["pointer"] == "#/events/1/content/supersedes"
    assert strict_world.found("talked") == []
