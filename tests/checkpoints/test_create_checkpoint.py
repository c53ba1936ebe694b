"""Saving the state of a running agent by hand."""

import hashlib
import json
import os
import uuid
from typing import Any

import pytest
import zstandard

from memory.checkpoints import format, json_members
from tests.checkpoints.sessions import DEFAULTS, STATE, Session, files_in, refused

pytestmark = pytest.mark.django_db


def test_it_works(session, root):
    made = session.checkpoint(turn=3, label="before the leap", depth=2)
    assert {name: made[name] for name in ("session_id", "turn", "depth", "kind", "label", "is_pinned", "agent")} == {
        "session_id": session.id,
        "turn": 3,
        "depth": 2,
        "kind": "manual",
        "label": "before the leap",
        "is_pinned": False,
        "agent": "alice",
    }
    assert made["format_version"] == "1.0"
    assert session.restore(made["id"])["state"] == {**STATE, "depth": 2, "format_version": "1.0"}


def test_the_file_is_compressed_json_named_by_the_server_alone(session, root, world):
    made = session.checkpoint()
    assert files_in(root) == [made["path"]]
    tenant, hashed, name = made["path"].split("/")
    assert (tenant, name) == (str(world.tenant_id), f"{made['id']}.json.zst")
    assert len(hashed) == 32
    content = (root / made["path"]).read_bytes()
    assert hashlib.sha256(content).hexdigest() == made["sha256"]
    assert len(content) == made["stored_size"]
    written = zstandard.ZstdDecompressor().decompress(content)
    assert len(written) == made["size"]
    stored = json.loads(written)
    assert stored == {
        **STATE,
        "depth": 0,
        "format_version": "1.0",
        "id": made["id"],
        "tenant_id": str(world.tenant_id),
        "session_id": session.id,
        "turn": 0,
    }


def test_only_the_server_reads_the_file(session, root):
    made = session.checkpoint()
    path = root / made["path"]
    assert path.stat().st_mode & 0o777 == 0o600
    assert {above.stat().st_mode & 0o777 for above in (path.parent, path.parent.parent, root)} == {0o700}
    root.chmod(0o2770)  # a worker of another user, of the root's group, deletes files
    other = Session(session.api, "another").checkpoint()
    assert (root / other["path"]).parent.stat().st_mode & 0o7777 == 0o2770
    assert os.stat(root / other["path"]).st_mode & 0o777 == 0o600


def test_every_field_has_a_default(session):
    made = session.ok("post", "/checkpoints", {})
    assert session.restore(made["id"])["state"] == DEFAULTS


def test_several_are_allowed_in_one_turn(session):
    ids = [session.checkpoint(turn=2, repl_state={"n": number})["id"] for number in range(3)]
    assert [one["id"] for one in session.listed()] == ids[::-1]


def test_the_turn_is_the_sessions_by_default(session):
    session.turn(4)
    assert session.checkpoint()["turn"] == 4
    assert Session(session.api, "new").checkpoint()["turn"] == 0


def test_a_turn_below_the_sessions_is_refused(session):
    session.turn(4)
    problem = refused(session.ask("post", "/checkpoints", {**STATE, "turn": 3}), 409, "turn-goes-back")
    assert "Turn 3 is lower than the session's current turn 4" in problem["detail"]
    assert problem["errors"][0]["pointer"] == "#/turn"


def test_an_exception_is_a_kind_of_its_own(session):
    assert session.checkpoint(kind="exception")["kind"] == "exception"
    problem = refused(session.ask("post", "/checkpoints", {**STATE, "kind": "automatic"}), 400)
    assert problem["errors"][0]["pointer"] == "#/kind"


WRONG_FIELDS: list[tuple[dict[str, Any], str]] = [
    ({"repl_state": []}, "#/repl_state"),
    ({"repl_state": None}, "#/repl_state"),
    ({"pending_operations": {}}, "#/pending_operations"),
    ({"pending_operations": [{"id": "a"}, 7]}, "#/pending_operations/1"),
    ({"pending_operations": [{"id": "a"}, {"id": "a"}]}, "#/pending_operations/1"),
    ({"pending_operations": [{"id": "1"}, {}]}, "#/pending_operations/1"),
    ({"pending_operations": [{"id": ["a"]}]}, "#/pending_operations/0/id"),
    ({"trajectory_events": "x"}, "#/trajectory_events"),
    ({"messages": 1}, "#/messages"),
    ({"metadata": "x"}, "#/metadata"),
    ({"cost_so_far": -0.5}, "#/cost_so_far"),
    ({"cost_so_far": True}, "#/cost_so_far"),
    ({"cost_so_far": "1"}, "#/cost_so_far"),
    ({"depth": 65}, "#/depth"),
    ({"depth": -1}, "#/depth"),
    ({"depth": 1.5}, "#/depth"),
    ({"turn": -1}, "#/turn"),
    ({"turn": "1"}, "#/turn"),
    ({"label": "x" * 201}, "#/label"),
    ({"is_pinned": 1}, "#/is_pinned"),
    ({"format_version": 1}, "#/format_version"),
    ({"format_version": "one"}, "#/format_version"),
    ({"repl": {}}, "#/repl"),
]


def test_a_wrong_field_is_refused_with_its_place(session, root):
    for fields, pointer in WRONG_FIELDS:
        problem = refused(session.ask("post", "/checkpoints", {**STATE, **fields}), 400)
        assert [fault["pointer"] for fault in problem["errors"]] == [pointer], fields
        assert not root.exists(), fields
        refused(session.ask("get"), 404)


@pytest.mark.parametrize("version", ["2.0", "0.9", "10.0"])
def test_an_incompatible_version_is_refused_and_both_versions_are_named(session, root, version):
    problem = refused(
        session.ask("post", "/checkpoints", {**STATE, "format_version": version}), 409, "incompatible-format"
    )
    assert version in problem["detail"]
    assert "1.0" in problem["detail"]
    assert not root.exists()


def test_a_later_version_of_the_same_format_is_kept(session):
    made = session.checkpoint(format_version="1.7")
    assert made["format_version"] == "1.7"
    assert session.restore(made["id"])["state"]["format_version"] == "1.7"


NO_JSON = [
    ('{"repl_state": {"a": NaN}}', "#/repl_state/a"),
    ('{"repl_state": {"a": [1, 1e400]}}', "#/repl_state/a/1"),
    ('{"repl_state": {"a": "b\\u0000c"}}', "#/repl_state/a"),
    ('{"repl_state": {"a": "\\ud800"}}', "#/repl_state/a"),
    ('{"repl_state": {"a": 1, "a": 2}}', "#/repl_state/a"),
    ('{"repl_state": {}, "repl_state": {"a": 1}}', "#/repl_state"),
    ('{"repl_state": {"a": {"b": 1, "c\\u003a": 2, "b": 3}}}', "#/repl_state/a/b"),
    ('{"repl_state": {"a": 18446744073709551616}}', "#/repl_state/a"),
    ('{"repl_state": [1}', None),
    ('{"repl_state": ' + '{"a":' * 64 + "1" + "}" * 65, None),
    ('{"repl_state": ' + '{"a":' * 500 + "1" + "}" * 501, None),
    ('{"repl_state": ' + "[" * 100_000, None),
    ("[]", "#"),
    ('{"repl_state": {}', None),
]


def test_what_json_cannot_hold_is_refused_with_its_place(session, root):
    for json_text, pointer in NO_JSON:
        problem = refused(session.ask("post", "/checkpoints", json_text), 400, "malformed-body")
        assert [fault["pointer"] for fault in problem.get("errors", ())] == ([] if pointer is None else [pointer]), (
            json_text
        )
        assert not root.exists(), json_text


def test_text_that_looks_like_what_is_refused_is_kept(session):
    state = {"repl_state": {"code": "\\u0000 \\u003a", "n": "7, 12345678901234567890123, 8", "a:b": ": :"}}
    made = session.ok("post", "/checkpoints", state)
    assert session.restore(made["id"])["state"]["repl_state"] == state["repl_state"]


def test_64_mib_are_kept(session):
    text = "0123456789abcdef" * (4 * json_members.MIB - 64)
    made = session.ok("post", "/checkpoints", json.dumps({"working_memory": text}).encode())
    assert made["size"] > 64 * json_members.MIB - 1024
    assert session.restore(made["id"])["state"]["working_memory"] == text


def test_a_state_of_more_than_64_mib_is_refused(session, root, monkeypatch):
    monkeypatch.setattr(format, "MAX_BYTES", 1024)
    refused(session.ask("post", "/checkpoints", {"working_memory": "x" * 1100}), 413, "checkpoint-too-large")
    assert not root.exists()


def test_a_body_of_65_mib_is_refused_before_it_is_read(session, root):
    body = b'{"working_memory": "' + b"x" * (65 * json_members.MIB) + b'"}'
    problem = refused(session.ask("post", "/checkpoints", body), 413, "checkpoint-too-large")
    assert "64 MiB" in problem["detail"]
    assert not root.exists()


def test_two_agents_have_sessions_of_one_name_and_never_meet(session, agent_in, root):
    session.checkpoint(turn=7)
    other = session.by(agent_in("private"))
    refused(other.ask("get"), 404, "no-such-session")
    mine = other.checkpoint(turn=1, working_memory="of the other")
    assert other.ok("get")["turn"] == 1
    assert session.ok("get")["turn"] == 7
    assert [one["id"] for one in other.listed()] == [mine["id"]]
    assert len(files_in(root)) == 2
    assert other.ok("delete", "/checkpoints") == {"deleted": 1}
    assert len(session.listed()) == 1


def test_another_agent_is_refused_without_content(session, agent_in, root):
    session.checkpoint()
    other = session.by(agent_in("private"), owner="alice")
    for response in (
        other.ask("post", "/checkpoints", STATE),
        other.ask("put", "/turn", {"turn": 9, **STATE}),
        other.ask("get"),
        other.ask("get", "/checkpoints"),
        other.ask("get", "/checkpoints/latest"),
        other.ask("put", "", {"keep": 1}),
        other.ask("get", "/shares"),
        other.ask("put", "/shares", {"agents": []}),
        other.ask("delete", "/checkpoints"),
        other.ask("delete"),
    ):
        problem = refused(response, 403, "session-of-another")
        assert "errors" not in problem
    assert len(files_in(root)) == 1


@pytest.mark.django_db(transaction=True)
def test_two_agents_report_turns_of_one_name_at_once(world, agent_in, at_once):
    agents = [Session(world.alice, "support"), Session(agent_in("private"), "support")]
    turns = [(one, number) for number in range(1, 7) for one in agents]

    def report(one):
        return lambda: [one.turn(number)["turn"] for reporter, number in turns if reporter is one]

    assert at_once(*map(report, agents)) == [[1, 2, 3, 4, 5, 6]] * 2
    for one in agents:
        (made,) = one.listed()
        assert (made["turn"], made["session_id"]) == (5, "support")
        assert one.restore(made["id"])["state"]["repl_state"] == {"turn": 5}
    assert len({one.listed()[0]["id"] for one in agents}) == 2


def test_a_session_of_another_tenant_is_ones_own_under_the_same_name(session, charlie):
    session.checkpoint()
    other = session.by(charlie)
    refused(other.ask("get"), 404)
    refused(other.ask("get", "/checkpoints"), 404)
    assert other.checkpoint()["agent"] == "alice"  # charlie is called so in the other tenant
    assert len(session.listed()) == 1


def test_people_have_no_sessions(session, world):
    refused(session.by(world.bob).ask("post", "/checkpoints", STATE), 403)
    refused(session.by(world.auditor).ask("post", "/checkpoints", STATE), 403)


def test_the_same_idempotency_key_makes_one_checkpoint_and_stores_no_state(session, root, world):
    headers = {"Idempotency-Key": "once"}
    first = session.ask("post", "/checkpoints", STATE, **headers)
    again = session.ask("post", "/checkpoints", STATE, **headers)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.headers["Idempotent-Replay"] == "true"
    assert first.json()["id"] == again.json()["id"]
    assert len(files_in(root)) == 1
    from governance.models import IdempotencyKey

    with world.inside():
        (kept,) = IdempotencyKey.objects.filter(tenant_id=world.tenant_id, key="once")
    assert "repl_state" not in json.dumps(kept.answer)


def test_the_tenants_quota_is_kept(session, root, settings):
    settings.CHECKPOINT_QUOTA_MIB = 0
    problem = refused(session.ask("post", "/checkpoints", STATE), 413, "checkpoint-quota-reached")
    assert "0 of 0 bytes" in problem["detail"]
    assert not files_in(root)
    settings.CHECKPOINT_QUOTA_MIB = 1
    session.checkpoint()


def test_nothing_is_left_when_the_row_is_refused(session, root, monkeypatch):
    from memory.checkpoints import db

    def fail(**_):
        raise RuntimeError("as if the database were gone")

    session.checkpoint()
    monkeypatch.setattr(db, "record_checkpoints", fail)
    assert session.ask("post", "/checkpoints", STATE).status_code == 500
    monkeypatch.undo()
    assert len(session.listed()) == len(files_in(root)) == 1


@pytest.mark.parametrize("session_id", ["x" * 201, " ", "a\x07b"])
def test_a_session_has_an_identifier(world, session_id):
    problem = refused(Session(world.alice, session_id).ask("post", "/checkpoints", STATE), 400)
    assert problem["errors"][0]["parameter"] == "session_id"


def test_ids_are_uuids(world):
    assert world.alice.get("checkpoints/nonsense").status_code == 404
    refused(world.alice.get(f"checkpoints/{uuid.uuid4()}"), 404, "no-such-checkpoint")


def test_secrets_are_kept_in_the_state_alone(world, session):
    key = "AKIA" + "IOSFODNN7EXAMPLQ"
    made = session.checkpoint(label=f"with {key}", repl_state={"key": key})
    assert key not in made["label"]
    assert session.restore(made["id"])["state"]["repl_state"] == {"key": key}
    refused(Session(world.alice, f"run-{key}").ask("post", "/checkpoints", STATE), 400, "secret-in-identifier")


def test_what_would_cost_too_much_memory_is_refused_before_it_is_read(session, root):
    many = b'{"working_memory": [' + b"{}," * (json_members.MAX_CONTAINERS + 1) + b"{}]}"
    problem = refused(session.ask("post", "/checkpoints", many), 413, "too-many-values")
    assert "1,000,000" in problem["detail"]
    text = b'{"working_memory": "' + b"{}," * (json_members.MAX_CONTAINERS + 1) + b'"}'
    assert session.ask("post", "/checkpoints", text).status_code == 201
