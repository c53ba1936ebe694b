"""A summary is at least as sensitive as what its author was given in the session."""

import pytest

from tests.erasure.conftest import admins_of
from tests.factories import SummaryFactory

JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}


def saved(world, by=None, **fields):
    body = SummaryFactory(session_id="session-1", **fields)
    return (by or world.alice).ok("post", "chunks/summary", body)


def built(world, by=None, **fields):
    body = {"session_id": "session-1", "channel": "private", **fields}
    return (by or world.alice).ok("post", "acb/build", body)["acb"]


def test_it_works(world):
    assert saved(world)["sensitivity"] == "none"
    assert saved(world, sensitivity="low")["sensitivity"] == "low"
    high = saved(world, sensitivity="high")
    assert high["sensitivity"] == "high"
    ids = {"chunk_ids": [high["chunk_id"]]}
    assert world.alice.ok("post", "chunks/get", {**ids, "channel": "public"})["chunks"] == []
    assert len(world.alice.ok("post", "chunks/get", {**ids, "channel": "private"})["chunks"]) == 1


def test_a_sensitivity_that_is_none_is_refused(world):
    response = world.alice.post("chunks/summary", SummaryFactory(sensitivity="shouted"))
    assert (response.status_code, response.json()["errors"][0]["pointer"]) == (400, "#/sensitivity")


@pytest.mark.parametrize("asked", [{}, {"sensitivity": "none"}, {"sensitivity": "low"}])
def test_what_a_bundle_gave_for_the_session_makes_it_as_sensitive(world, asked):
    world.chunk("Jack owes a million", session_id="session-0", sensitivity="high", content=JACK)
    assert len(built(world, **JACK)["evidence"]) == 1

    assert saved(world, **asked)["sensitivity"] == "high"


@pytest.mark.parametrize("kind", ["decision", "task_update"])
def test_a_decision_and_a_task_count_too(world, kind):
    content = {"decision": {"decision": "Sue Jack"}, "task_update": {"title": "Sue Jack", "status": "open"}}[kind]
    world.event("so", kind=kind, session_id="session-0", sensitivity="high", content={**content, "scope": "policy"})
    built(world)

    assert saved(world)["sensitivity"] == "high"


def test_an_item_of_a_capsule_counts_too(world, handed):
    chunk = world.chunk("Jack owes a million", session_id="session-0", sensitivity="high")
    handed([chunk], to=["alice"], channel="private")
    built(world)

    assert saved(world)["sensitivity"] == "high"


def test_what_the_channel_of_the_bundle_withheld_does_not_count(world):
    world.chunk("Jack owes a million", session_id="session-0", sensitivity="high", content=JACK)
    built(world, channel="public", **JACK)

    assert saved(world)["sensitivity"] == "none"


def test_what_was_said_in_the_session_counts(world):
    world.chunk("Jack owes a million", sensitivity="high")

    assert saved(world)["sensitivity"] == "high"


def test_a_session_elsewhere_and_somebody_elses_bundle_do_not_count(world, agent_in):
    world.chunk("Jack owes a million", session_id="session-0", sensitivity="high", content=JACK)
    built(world, session_id="session-2", **JACK)
    built(world, by=agent_in("private"), **JACK)

    assert saved(world)["sensitivity"] == "none"


def test_what_the_key_may_not_read_does_not_count(world, agent_in):
    """Or the sensitivity of a summary would reveal what is in another channel."""
    world.chunk("Jack owes a million", sensitivity="high")

    assert saved(world, by=agent_in("public"), channel="public")["sensitivity"] == "none"


def test_without_a_sensitivity_it_gets_the_channels(world):
    admins_of(world).carol.ok("post", "settings", {"default_sensitivities": {"private": "low"}})

    assert saved(world, channel="team")["sensitivity"] == "none"
    assert saved(world, channel="private", sensitivity="none")["sensitivity"] == "none"
    assert saved(world, channel="private")["sensitivity"] == "low"
