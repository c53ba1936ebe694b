"""Offering a session to other agents, which take it by naming its owner."""

import pytest

from governance.identity import identities
from governance.models import Entry
from tests.checkpoints.sessions import STATE, refused
from tests.world import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora(world):
    return Api(identities.provision(world.slug, agents=[("dora", [])]).agents["dora"]["key"])


def entries(world, type):
    with world.inside():
        return list(Entry.objects.filter(tenant_id=world.tenant_id, type=type).order_by("seq"))


def test_who_names_the_owner_takes_what_is_offered(session, dora, world):
    made = session.checkpoint(turn=3)
    assert session.ok("put", "/shares", {"agents": ["dora"]})["shared_with"] == ["dora"]
    hers = session.by(dora, owner="alice")
    assert hers.ok("get")["agent"] == "alice"
    assert [one["id"] for one in hers.listed()] == [made["id"]]
    assert hers.ok("get", "/checkpoints/latest")["id"] == made["id"]
    (offered,) = session.ok("get", "/shares")["results"]
    assert (offered["agent"], offered["may_continue"], offered["taken_at"]) == ("dora", False, None)
    read = dora.ok("get", f"checkpoints/{made['id']}?include_state=true&owner=alice")
    assert read["state"] == hers.restore(made["id"])["state"]
    (taken,) = session.ok("get", "/shares")["results"]
    assert taken["taken_at"] > taken["offered_at"]
    (entry,) = entries(world, "session.taken")
    assert (entry.metadata["session_id"], entry.metadata["owner"]) == (session.id, "alice")
    assert entry.metadata["actor"]["name"] == "dora"


def test_an_offer_that_nobody_takes_by_the_owners_name_is_never_met(session, dora):
    made = session.checkpoint(turn=3)
    session.ok("put", "/shares", {"agents": ["dora"], "may_continue": True})
    hers = session.by(dora)
    for below in ("", "/checkpoints", "/checkpoints/latest"):
        problem = refused(hers.ask("get", below), 404, "no-such-session")
        assert "offered=true" in problem["detail"]
        assert "owner" in problem["detail"]
    for response in (
        dora.get(f"checkpoints/{made['id']}"),
        dora.get(f"checkpoints/{made['id']}?include_state=true"),
        dora.post(f"checkpoints/{made['id']}/restore", {}),
        dora.post("checkpoints/restore", {"path": made["path"]}),
        dora.request("put", f"checkpoints/{made['id']}/pin", {"is_pinned": True}),
        dora.post(f"checkpoints/{made['id']}/operations/fetch-1/done", {}),
    ):
        assert "?owner=alice" in refused(response, 403, "owner-not-named")["detail"]
    own = hers.turn(5)
    assert (own["turn"], own["checkpoint"]["agent"]) == (5, "dora")
    assert session.ok("get")["turn"] == 3
    assert [one["agent"] for one in hers.listed()] == ["dora"]
    assert [one["agent"] for one in session.listed()] == ["alice"]


def test_the_owner_named_must_be_the_checkpoints(session, dora):
    made = session.checkpoint()
    session.ok("put", "/shares", {"agents": ["dora"]})
    hers = session.by(dora).checkpoint()
    refused(dora.post(f"checkpoints/{made['id']}/restore?owner=bob", {}), 404, "no-such-checkpoint")
    refused(dora.post(f"checkpoints/{hers['id']}/restore?owner=alice", {}), 404, "no-such-checkpoint")
    assert dora.ok("post", f"checkpoints/{hers['id']}/restore?owner=dora", {})["id"] == hers["id"]


def test_offers_are_listed_apart_from_ones_own_sessions(session, dora, world):
    session.checkpoint()
    session.by(dora).checkpoint()
    session.ok("put", "/shares", {"agents": ["dora"]})

    def listed(query):
        return [(one["agent"], one["shared_with"]) for one in dora.ok("get", f"sessions{query}")["results"]]

    assert listed("") == [("dora", [])]
    assert listed("?offered=true") == listed("?owner=alice") == [("alice", ["dora"])]
    assert listed("?owner=nobody") == []
    assert [one["agent"] for one in world.alice.ok("get", "sessions?offered=true")["results"]] == []


def test_who_may_only_read_changes_nothing(session, dora):
    made = session.checkpoint(turn=3)
    session.turn(4)
    session.ok("put", "/shares", {"agents": ["dora"], "may_continue": False})
    hers = session.by(dora, owner="alice")
    hers.restore(made["id"])
    still = session.ok("get")
    assert (still["turn"], still["status"]) == (4, "running")
    for response in (
        hers.ask("put", "/turn", {"turn": 9, **STATE}),
        hers.ask("post", "/checkpoints", STATE),
        hers.ask("put", "", {"keep": 1}),
        hers.ask("put", "/shares", {"agents": []}),
        hers.ask("delete", "/checkpoints"),
        hers.ask("delete"),
        dora.request("delete", f"checkpoints/{made['id']}?owner=alice"),
        dora.request("put", f"checkpoints/{made['id']}/pin?owner=alice", {"is_pinned": True}),
        dora.post(f"checkpoints/{made['id']}/operations/fetch-1/done?owner=alice", {}),
    ):
        refused(response, 403, "session-of-another")


def test_who_may_continue_reports_turns(session, dora):
    made = session.checkpoint(turn=3)
    session.turn(4)
    session.ok("put", "/shares", {"agents": ["dora"], "may_continue": True})
    hers = session.by(dora, owner="alice")
    hers.restore(made["id"])
    assert session.ok("get")["turn"] == 3
    assert hers.turn(5)["checkpoint"]["agent"] == "dora"
    assert dora.ok("post", f"checkpoints/{made['id']}/operations/fetch-1/done?owner=alice", {})["is_done"]
    for response in (
        hers.ask("put", "/shares", {"agents": []}),
        hers.ask("delete", "/checkpoints"),
        hers.ask("delete"),
    ):
        refused(response, 403, "session-of-another")
    assert session.ok("get")["agent"] == "alice"


def test_a_session_that_is_taken_is_taken_back(session, dora):
    made = session.checkpoint()
    session.ok("put", "/shares", {"agents": ["dora"], "may_continue": True})
    hers = session.by(dora, owner="alice")
    hers.restore(made["id"])
    assert session.ok("put", "/shares", {"agents": []})["shared_with"] == []
    for response in (
        hers.ask("get"),
        hers.ask("put", "/turn", {"turn": 9, **STATE}),
        dora.get(f"checkpoints/{made['id']}?include_state=true&owner=alice"),
        dora.post(f"checkpoints/{made['id']}/restore?owner=alice", {}),
    ):
        refused(response, 403, "session-of-another")


def test_a_stranger_and_oneself_are_refused_by_their_place(session, dora, elsewhere):
    session.checkpoint()
    problem = refused(session.ask("put", "/shares", {"agents": ["dora", "nobody"]}), 400, "unknown-agent")
    assert problem["errors"][0]["pointer"] == "#/agents/1"
    problem = refused(session.ask("put", "/shares", {"agents": ["dora", "alice"]}), 400, "shared-with-itself")
    assert problem["errors"][0]["pointer"] == "#/agents/1"
    assert session.ok("get")["shared_with"] == []


def test_what_is_not_offered_is_not_there_whether_or_not_it_exists(session, dora):
    session.checkpoint()
    for address in (f"{session.address}?owner=alice", "sessions/never-named?owner=alice", "sessions/x?owner=nobody"):
        refused(dora.get(address), 403, "session-of-another")


def test_every_change_is_in_the_ledger_once(session, dora, world):
    session.checkpoint()
    for may_continue in (False, False, True):
        session.ok("put", "/shares", {"agents": ["dora"], "may_continue": may_continue})
    session.ok("put", "/shares", {"agents": []})
    said = [(one.metadata["agents"], one.metadata["may_continue"]) for one in entries(world, "session.shared")]
    assert said == [(["dora"], False), (["dora"], True), ([], False)]


def test_a_session_that_nobody_named_is_not_found(session):
    for response in (
        session.ask("put", "/shares", {"agents": []}),
        session.ask("put", "", {"keep": 1}),
        session.ask("delete", "/checkpoints"),
        session.ask("delete"),
        session.ask("get", "/checkpoints"),
    ):
        refused(response, 404, "no-such-session")
