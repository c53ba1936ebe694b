"""Saving several states of a session in one request."""

import json

import pytest

from governance.ledger.verification import verify
from memory.checkpoints import db
from tests.checkpoints.sessions import DEFAULTS, STATE, files_in, refused
from tests.checkpoints.test_corrections import corrected

pytestmark = pytest.mark.django_db


def create(session, *states, **headers):
    return session.ask("post", "/checkpoints/batch", {"checkpoints": [*states]}, **headers)


def test_it_works(session, root):
    states = [
        {**STATE, "turn": 3, "label": "first", "is_pinned": True},
        {**STATE, "depth": 2, "kind": "exception"},
        {"working_memory": "later"},
        {**STATE, "turn": 5},
    ]
    response = create(session, *states)
    assert response.status_code == 201
    made = response.json()["checkpoints"]
    assert [(one["turn"], one["depth"], one["kind"]) for one in made] == [
        (3, 0, "manual"),
        (0, 2, "exception"),
        (3, 0, "manual"),
        (5, 0, "manual"),
    ]
    assert (made[0]["label"], made[0]["is_pinned"]) == ("first", True)
    assert session.listed() == made[::-1]
    assert files_in(root) == sorted(one["path"] for one in made)
    assert session.restore(made[2]["id"])["state"] == {**DEFAULTS, "working_memory": "later"}
    assert session.restore(made[1]["id"])["state"] == {**STATE, "depth": 2, "format_version": "1.0"}
    assert session.ok("get")["turn"] == 3


WRONG = [
    ({**STATE, "turn": 2}, 409, "turn-goes-back", "#/checkpoints/1/turn"),
    ({**STATE, "turn": -1}, 400, "invalid", "#/checkpoints/1/turn"),
    ({**STATE, "messages": 1}, 400, "invalid", "#/checkpoints/1/messages"),
    ({**STATE, "pending_operations": [{"id": "a"}, {"id": "a"}]}, 400, None, "#/checkpoints/1/pending_operations/1"),
    ({**STATE, "format_version": "2.0"}, 409, "incompatible-format", "#/checkpoints/1"),
    ({**STATE, "unknown": 1}, 400, None, "#/checkpoints/1/unknown"),
]


def test_all_or_none_are_saved_and_the_faulty_one_is_named(session, root):
    session.turn(3, checkpoint_every=100)
    for wrong, status, code, pointer in WRONG:
        problem = refused(create(session, STATE, wrong, STATE), status, code)
        assert [(one["pointer"], one["index"]) for one in problem["errors"]] == [(pointer, 1)], wrong
        assert session.listed() == files_in(root) == [], wrong


def test_all_faults_are_named(session):
    problem = refused(create(session, {"turn": "x"}, STATE, {"metadata": 1}), 400)
    assert [one["pointer"] for one in problem["errors"]] == ["#/checkpoints/0/turn", "#/checkpoints/2/metadata"]


def test_what_json_cannot_hold_is_refused_with_its_place(session):
    body = b'{"checkpoints": [{}, {"repl_state": {"a": 1, "a": 2}}]}'
    problem = refused(session.ask("post", "/checkpoints/batch", body), 400, "malformed-body")
    assert problem["errors"][0]["pointer"] == "#/checkpoints/1/repl_state/a"


def test_there_are_1_to_100(session):
    assert len(create(session, *[{}] * 100).json()["checkpoints"]) == 100
    refused(create(session, *[{}] * 101), 400)
    refused(create(session), 400)
    refused(session.ask("post", "/checkpoints/batch", {}), 400)


def test_the_quota_is_of_all_of_them(session, root, settings):
    import secrets

    settings.CHECKPOINT_QUOTA_MIB = 1
    big = {"working_memory": "".join(secrets.token_hex(32) for _ in range(20_000))}  # 625 KiB, compressed
    problem = refused(create(session, {}, big, big), 413, "checkpoint-quota-reached")
    assert problem["errors"][0]["pointer"] == "#/checkpoints/2"
    assert files_in(root) == []
    assert create(session, {}, big).status_code == 201


def test_nothing_is_left_when_the_rows_are_refused(session, root, monkeypatch):
    def fail(**_):
        raise RuntimeError("as if the database were gone")

    session.checkpoint()
    monkeypatch.setattr(db, "record_checkpoints", fail)
    assert create(session, STATE, STATE).status_code == 500
    monkeypatch.undo()
    assert len(session.listed()) == len(files_in(root)) == 1


def test_the_same_idempotency_key_makes_them_once(session, root):
    first = create(session, STATE, STATE, **{"Idempotency-Key": "once"})
    again = create(session, STATE, STATE, **{"Idempotency-Key": "once"})
    assert again.headers["Idempotent-Replay"] == "true"
    assert first.json() == again.json()
    assert len(files_in(root)) == 2


def test_each_has_its_own_memories(session, world):
    chunks = [world.chunk(f"Jack likes {what}") for what in ("tea", "milk")]
    made = create(session, *({"messages": [chunk]} for chunk in chunks), {}).json()["checkpoints"]
    for chunk in chunks:
        world.edit(chunk, "retract")
    assert [corrected(session, one) for one in made] == [{chunks[0]: "retracted"}, {chunks[1]: "retracted"}, {}]


def test_who_may_not_save_one_may_not_save_several(session, world, agent_in, given):
    dora = given("agent-dora")
    session.checkpoint()
    session.ok("put", "/shares", {"agents": ["agent-dora"]})
    refused(create(session.by(dora, owner="alice"), STATE), 403, "session-of-another")
    refused(create(session.by(agent_in("private"), owner="alice"), STATE), 403, "session-of-another")
    refused(create(session.by(world.bob), STATE), 403)
    session.ok("put", "/shares", {"agents": ["agent-dora"], "may_continue": True})
    (made,) = create(session.by(dora, owner="alice"), STATE).json()["checkpoints"]
    assert made["agent"] == "agent-dora"
    session.ok("delete")
    refused(create(session, STATE), 404, "session-deleted")


def test_a_large_batch_is_accepted(session):
    text = "0123456789abcdef" * (1024 * 1024)
    body = json.dumps({"checkpoints": [{"working_memory": text}, {"working_memory": text}]}).encode()
    made = session.ok("post", "/checkpoints/batch", body)["checkpoints"]
    assert session.restore(made[1]["id"])["state"]["working_memory"] == text


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_the_ledger_verifies_after_it(session, world):
    create(session, STATE, {**STATE, "turn": 1}, STATE)
    report = verify(world.tenant_id)
    assert report.ok, report.findings
