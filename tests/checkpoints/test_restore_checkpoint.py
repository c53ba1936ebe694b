"""Going on from a checkpoint."""

import json
import os
import shutil
import uuid
from pathlib import Path

import pytest

from governance.models import Entry
from memory.checkpoints import format
from tests.checkpoints.sessions import STATE, Session, refused

pytestmark = pytest.mark.django_db

WHOLE = {**STATE, "depth": 0, "format_version": "1.0"}


def test_it_works(session):
    made = session.checkpoint(turn=40)
    restored = session.restore(made["id"])
    assert restored == {
        **made,
        "state": WHOLE,
        "pending_operations": [
            {"id": "fetch-1", "operation": STATE["pending_operations"][0], "is_done": False, "done_at": None},
            {"id": "1", "operation": STATE["pending_operations"][1], "is_done": False, "done_at": None},
        ],
        "corrections": [],
    }


def test_the_session_goes_on_from_the_checkpoints_turn(session):
    for number in range(1, 8):
        session.turn(number)
    (five,) = session.listed()
    session.restore(five["id"])
    resumed = session.ok("get")
    assert (resumed["turn"], resumed["status"], resumed["resumed_from"]) == (5, "resumed", five["id"])
    assert resumed["resumed_at"]
    refused(session.ask("put", "/turn", {"turn": 5, **STATE}), 409, "turn-repeated")
    assert session.turn(6)["next_checkpoint_turn"] == 10
    assert session.turn(10)["checkpoint"]["turn"] == 10


def test_the_turn_of_a_manual_checkpoint_can_be_reported(session):
    session.turn(7)
    made = session.checkpoint(turn=8)
    session.turn(8)
    session.restore(made["id"])
    session.turn(8, metadata={"another": "way"})


def test_what_ran_below_begins_anew(session):
    made = session.checkpoint(turn=3)
    session.turn(9, depth=1)
    session.restore(made["id"])
    assert session.turn(1, depth=1)["turn"] == 1


def test_a_sub_agents_checkpoint_leaves_the_main_agents_turn(session):
    session.turn(6)
    made = session.checkpoint(turn=2, depth=1)
    session.turn(7)
    session.restore(made["id"])
    assert session.ok("get")["turn"] == 7


def test_by_its_path(session, world):
    made = session.checkpoint(turn=2)
    restored = world.alice.ok("post", "checkpoints/restore", {"path": made["path"]})
    assert (restored["id"], restored["state"]) == (made["id"], WHOLE)
    assert session.ok("get")["status"] == "resumed"


def test_reading_a_state_resumes_nothing(session, world):
    made = session.checkpoint(turn=2)
    assert "state" not in world.alice.ok("get", f"checkpoints/{made['id']}")
    read = world.alice.ok("get", f"checkpoints/{made['id']}?include_state=true")
    assert read == {**made, "state": WHOLE}
    assert session.ok("get")["status"] == "running"


def test_the_ledger_says_who_restored_what(session, world):
    made = session.checkpoint(turn=2)
    session.restore(made["id"])
    with world.inside():
        entry = Entry.objects.filter(tenant_id=world.tenant_id, type="checkpoint.restored").get()
    assert entry.metadata["checkpoint"] == made["id"]
    assert (entry.metadata["turn"], entry.metadata["is_resumed"]) == (2, True)


@pytest.mark.parametrize(
    "path",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "a/../b",
        "./a",
        "a//b",
        "a\\b",
        "{path}/..",
        "../checkpoints/{path}",
        "/{path}",
    ],
)
def test_a_path_outside_the_root_is_refused(session, world, path):
    made = session.checkpoint()
    asked = {"path": path.format(path=made["path"])}
    problem = refused(world.alice.post("checkpoints/restore", asked), 400, "path-outside-root")
    assert problem["errors"][0]["pointer"] == "#/path"
    assert session.ok("get")["status"] == "running"


@pytest.mark.parametrize("path", ["", "\x00", "x" * 501, None, 7])
def test_a_path_is_a_text(session, world, path):
    problem = refused(world.alice.post("checkpoints/restore", {"path": path}), 400)
    assert problem["errors"][0]["pointer"] == "#/path"


def test_another_tenants_path_is_unknown(session, charlie, world):
    made = session.checkpoint()
    refused(charlie.post("checkpoints/restore", {"path": made["path"]}), 404, "no-such-checkpoint")
    refused(charlie.post(f"checkpoints/{made['id']}/restore"), 404, "no-such-checkpoint")
    refused(charlie.get(f"checkpoints/{made['id']}"), 404, "no-such-checkpoint")
    theirs = session.by(charlie).checkpoint()
    refused(world.alice.post("checkpoints/restore", {"path": theirs["path"]}), 404, "no-such-checkpoint")


def test_a_file_that_no_row_names_is_not_read(session, world, root):
    made = session.checkpoint()
    other = root / Path(made["path"]).parent / f"{uuid.uuid4()}.json.zst"
    shutil.copy(root / made["path"], other)
    asked = {"path": str(other.relative_to(root))}
    refused(world.alice.post("checkpoints/restore", asked), 404, "no-such-checkpoint")


def corrupt(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def truncate(path):
    os.truncate(path, path.stat().st_size - 1)


def lengthen(path):
    with path.open("ab") as file:
        file.write(b"x")


def empty(path):
    os.truncate(path, 0)


def remove(path):
    path.unlink()


def replace_by_a_link(path):
    elsewhere = path.with_name("elsewhere")
    path.rename(elsewhere)
    path.symlink_to(elsewhere)


def replace_the_directory_by_a_link(path):
    elsewhere = path.parent.with_name("elsewhere")
    path.parent.rename(elsewhere)
    path.parent.symlink_to(elsewhere)


def replace_by_a_directory(path):
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    "damage",
    [
        corrupt,
        truncate,
        lengthen,
        empty,
        remove,
        replace_by_a_link,
        replace_the_directory_by_a_link,
        replace_by_a_directory,
    ],
)
def test_a_file_that_is_not_what_was_stored_is_refused(session, world, root, damage):
    made = session.checkpoint(turn=3)
    session.turn(4)
    damage(root / made["path"])
    for response in (
        world.alice.post(f"checkpoints/{made['id']}/restore"),
        world.alice.post("checkpoints/restore", {"path": made["path"]}),
        world.alice.get(f"checkpoints/{made['id']}?include_state=true"),
    ):
        problem = refused(response, 409, "checkpoint-damaged")
        assert "state" not in problem
    still = session.ok("get")
    assert (still["status"], still["turn"]) == ("running", 4)


def test_a_file_of_another_checkpoint_is_refused(session, world, root):
    made, other = session.checkpoint(), session.checkpoint()
    shutil.copy(root / other["path"], root / made["path"])
    refused(world.alice.post(f"checkpoints/{made['id']}/restore"), 409, "checkpoint-damaged")


def test_a_state_of_a_version_to_come_is_refused_and_both_versions_are_named(session, world, monkeypatch):
    monkeypatch.setattr(format, "VERSION", "2.0")
    made = session.checkpoint(format_version="2.0")
    monkeypatch.undo()
    problem = refused(world.alice.post(f"checkpoints/{made['id']}/restore"), 409, "incompatible-format")
    assert "2.0" in problem["detail"]
    assert "1.0" in problem["detail"]


def test_another_agents_checkpoint_is_refused_without_content(session, agent_in):
    made = session.checkpoint(label="a secret")
    other = agent_in("private")
    for response in (
        other.get(f"checkpoints/{made['id']}"),
        other.get(f"checkpoints/{made['id']}?include_state=true"),
        other.post(f"checkpoints/{made['id']}/restore"),
        other.post("checkpoints/restore", {"path": made["path"]}),
        other.request("put", f"checkpoints/{made['id']}/pin", {"is_pinned": True}),
        other.post(f"checkpoints/{made['id']}/operations/fetch-1/done"),
        other.request("delete", f"checkpoints/{made['id']}"),
    ):
        assert "secret" not in json.dumps(refused(response, 403, "session-of-another"))


def test_nobody_but_agents_reads_a_state(session, world):
    made = session.checkpoint()
    for person in (world.bob, world.auditor):
        refused(person.get(f"checkpoints/{made['id']}?include_state=true"), 403)
        refused(person.post(f"checkpoints/{made['id']}/restore"), 403)


def test_a_restored_answer_is_stored_nowhere(session, world):
    made = session.checkpoint()
    again = [
        world.alice.request("post", f"checkpoints/{made['id']}/restore", {}, **{"Idempotency-Key": "r"})
        for _ in range(2)
    ]
    assert [one.status_code for one in again] == [200, 200]
    assert all(one.json()["state"] == WHOLE for one in again)
    assert all("Idempotent-Replay" not in one.headers for one in again)


def test_an_operation_is_done_once(session, world):
    made = session.checkpoint()
    address = f"checkpoints/{made['id']}/operations/fetch-1/done"
    done = world.alice.ok("post", address, {"note": "fetched"})
    assert (done["id"], done["is_done"]) == ("fetch-1", True)
    assert world.alice.ok("post", address, {}) == done
    pending = session.restore(made["id"])["pending_operations"]
    assert [(one["id"], one["is_done"], one["done_at"]) for one in pending] == [
        ("fetch-1", True, done["done_at"]),
        ("1", False, None),
    ]
    world.alice.ok("post", f"checkpoints/{made['id']}/operations/1/done", {})
    refused(world.alice.post(f"checkpoints/{made['id']}/operations/9/done"), 404, "operation-unknown")


def test_the_whole_way_of_a_session_that_died_in_turn_40(world):
    session = Session(world.alice, "long")
    for number in range(1, 41):
        session.turn(number, cost_so_far=number / 10)
    session.ok("post", "/checkpoints", {**STATE, "kind": "exception", "turn": 40})
    latest = session.ok("get", "/checkpoints/latest")
    assert (latest["turn"], latest["kind"]) == (40, "exception")
    automatic = session.listed("?kind=automatic")[0]
    restored = session.restore(automatic["id"])
    assert (restored["turn"], restored["state"]["cost_so_far"]) == (40, 4.0)
    assert session.turn(41)["turn"] == 41
