"""Sharing a session with other agents."""

import pytest

from governance.identity import identities
from governance.models import Entry
from tests.checkpoints.sessions import STATE, refused
from tests.world import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(world):
    return Api(identities.provision(world.slug, agents=[("dora", [])]).agents["dora"]["key"])


def test_it_works(session, dora):
    made = session.checkpoint(turn=3)
    shared = session.ok("put", "/shares", {"agents": ["dora"]})
    assert shared["shared_with"] == ["dora"]
    hers = session.by(dora)
    assert hers.ok("get")["agent"] == "alice"
    assert [one["id"] for one in hers.listed()] == [made["id"]]
    assert hers.ok("get", "/checkpoints/latest")["id"] == made["id"]
    read = dora.ok("get", f"checkpoints/{made['id']}?include_state=true")
    assert read["state"] == hers.restore(made["id"])["state"]


def test_who_may_only_read_changes_nothing(session, dora):
    made = session.checkpoint(turn=3)
    session.turn(4)
    session.ok("put", "/shares", {"agents": ["dora"], "may_continue": False})
    hers = session.by(dora)
    hers.restore(made["id"])
    still = session.ok("get")
    assert (still["turn"], still["status"]) == (4, "running")
    for response in (
        hers.ask("put", "/turn", {"turn": 9, **STATE}),
        hers.ask("post", "/checkpoints", STATE),
        hers.ask("put", "", {"keep": 1}),
        hers.ask("put", "/shares", {"agents": []}),
        hers.ask("delete", "/checkpoints"),
        dora.request("delete", f"checkpoints/{made['id']}"),
        dora.request("put", f"checkpoints/{made['id']}/pin", {"is_pinned": True}),
        dora.post(f"checkpoints/{made['id']}/operations/fetch-1/done", {}),
    ):
        refused(response, 403, "session-of-another")


def test_who_may_continue_reports_turns(session, dora):
    made = session.checkpoint(turn=3)
    session.turn(4)
    session.ok("put", "/shares", {"agents": ["dora"], "may_continue": True})
    hers = session.by(dora)
    hers.restore(made["id"])
    assert session.ok("get")["turn"] == 3
    assert hers.turn(5)["checkpoint"]["agent"] == "dora"
    refused(hers.ask("put", "/shares", {"agents": []}), 403, "session-of-another")
    refused(hers.ask("delete", "/checkpoints"), 403, "session-of-another")
    assert session.ok("get")["agent"] == "alice"


def test_sharing_ends(session, dora):
    made = session.checkpoint()
    session.ok("put", "/shares", {"agents": ["dora"]})
    assert session.ok("put", "/shares", {"agents": []})["shared_with"] == []
    refused(session.by(dora).ask("get"), 403, "session-of-another")
    refused(dora.get(f"checkpoints/{made['id']}?include_state=true"), 403, "session-of-another")


def test_an_unknown_agent_is_named(session, dora, elsewhere):
    session.checkpoint()
    problem = refused(session.ask("put", "/shares", {"agents": ["dora", "nobody"]}), 400, "unknown-agent")
    assert problem["errors"][0]["pointer"] == "#/agents/1"
    assert session.ok("get")["shared_with"] == []


def test_every_change_is_in_the_ledger_once(session, dora, world):
    session.checkpoint()
    for may_continue in (False, False, True):
        session.ok("put", "/shares", {"agents": ["dora"], "may_continue": may_continue})
    with world.inside():
        entries = Entry.objects.filter(tenant_id=world.tenant_id, type="session.shared").order_by("seq")
        said = [(one.metadata["agents"], one.metadata["may_continue"]) for one in entries]
    assert said == [(["dora"], False), (["dora"], True)]


def test_a_session_that_nobody_named_is_not_found(session):
    for response in (
        session.ask("put", "/shares", {"agents": []}),
        session.ask("put", "", {"keep": 1}),
        session.ask("delete", "/checkpoints"),
        session.ask("get", "/checkpoints"),
    ):
        refused(response, 404, "no-such-session")
