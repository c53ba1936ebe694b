"""Keeping the newest checkpoints of a session, and deleting the others."""

import pytest

from governance.ledger.verification import verify
from memory.checkpoints import removing, storage
from memory.checkpoints.refusals import CheckpointStoreFailed
from memory.models import CheckpointRemoval
from memory.tasks import remove_checkpoints
from tests.checkpoints.sessions import Session, files_in

pytestmark = pytest.mark.django_db


def test_it_works(session, root):
    made = [session.checkpoint(turn=number) for number in range(13)]
    remove_checkpoints()
    assert [one["id"] for one in session.listed()] == [one["id"] for one in made[:2:-1]]
    assert len(files_in(root)) == 10
    assert removing.prune() == 0


@pytest.mark.parametrize("number", [9, 10])
def test_as_many_as_are_kept_stay(session, number):
    for _ in range(number):
        session.checkpoint()
    assert removing.prune() == 0
    assert len(session.listed()) == number


def test_pinned_ones_stay_and_do_not_count(session, world):
    made = [session.checkpoint(is_pinned=number == 0) for number in range(4)]
    assert made[0]["is_pinned"]
    world.alice.ok("put", f"checkpoints/{made[1]['id']}/pin", {"is_pinned": True})
    session.ok("put", "", {"keep": 1})
    assert removing.prune() == 1
    assert [one["id"] for one in session.listed()] == [made[number]["id"] for number in (3, 1, 0)]
    released = world.alice.ok("put", f"checkpoints/{made[0]['id']}/pin", {"is_pinned": False})
    assert released["is_pinned"] is False
    assert removing.prune() == 1
    assert [one["id"] for one in session.listed()] == [made[3]["id"], made[1]["id"]]


def test_each_session_and_each_depth_keeps_its_own(session, world):
    session.turn(0)
    session.ok("put", "", {"keep": 2})
    other = Session(world.alice, "other")
    for _ in range(3):
        session.checkpoint()
        session.checkpoint(depth=1)
        other.checkpoint()
    assert removing.prune() == 2
    assert [len(session.listed(f"?depth={depth}")) for depth in (0, 1)] == [2, 2]
    assert len(other.listed()) == 3


def test_the_settings_say_how_many_by_default(session, settings):
    settings.CHECKPOINT_KEEP = 1
    for _ in range(2):
        session.checkpoint()
    assert removing.prune() == 1


def test_pruning_is_recorded(session, world):
    session.turn(0)
    session.ok("put", "", {"keep": 1})
    first = session.checkpoint(label="first")
    session.checkpoint()
    removing.prune()
    with world.inside():
        removal = CheckpointRemoval.objects.get(tenant_id=world.tenant_id)
    assert (str(removal.checkpoint_id), removal.reason, removal.remover_kind) == (first["id"], "pruned", "job")


def test_what_cannot_be_deleted_is_tried_again(session, root, monkeypatch):
    made = [session.checkpoint() for _ in range(2)]
    session.ok("delete", "/checkpoints")
    delete = storage.delete

    def fail_once(path):
        if path == made[0]["path"]:
            raise CheckpointStoreFailed
        delete(path)

    monkeypatch.setattr(storage, "delete", fail_once)
    assert removing.delete_files() == 1
    assert files_in(root) == [made[0]["path"]]
    monkeypatch.undo()
    assert removing.delete_files() == 1
    assert files_in(root) == []


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_two_runs_at_once_prune_each_once(session, at_once, world):
    session.turn(0)
    session.ok("put", "", {"keep": 1})
    for _ in range(5):
        session.checkpoint()
    pruned = at_once(removing.prune, removing.prune)
    assert sum(pruned) == 4
    assert sum(at_once(removing.delete_files, removing.delete_files)) == 4
    assert len(session.listed()) == 1
    report = verify(world.tenant_id)
    assert report.ok, report.findings
