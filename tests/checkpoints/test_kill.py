"""Processes that are killed between the file and the row, both ways."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from memory.checkpoints import db, removing, sweeping
from tests.checkpoints.sessions import STATE, files_in

pytestmark = pytest.mark.django_db(transaction=True)


def kill(*_: Any, **__: Any) -> None:
    os.kill(os.getpid(), 9)


def killed(work: Callable[[], Any]) -> None:
    """Do the work in a process of its own, which must be killed by it."""
    connections.close_all()  # no connection is shared with it
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 9


def and_die(function: Any) -> Callable[..., None]:
    def called(**values: Any) -> None:
        function(**values)
        kill()

    return called


def before_the_rename() -> None:
    Path.rename = kill  # type: ignore[method-assign, assignment]


def before_the_row() -> None:
    db.record_checkpoints = kill  # type: ignore[assignment] # in place of it


def before_the_commit() -> None:
    db.record_checkpoints = and_die(db.record_checkpoints)  # type: ignore[assignment] # around it


@pytest.mark.parametrize("die", [before_the_rename, before_the_row, before_the_commit])
def test_what_a_killed_server_leaves_is_deleted_by_the_sweeper(session, world, root, die, settings):
    kept = session.checkpoint(turn=1)

    def save() -> None:
        die()
        session.ask("post", "/checkpoints", {**STATE, "turn": 2})

    killed(save)
    assert [one["id"] for one in session.listed()] == [kept["id"]]
    assert session.ok("get")["turn"] == 1
    assert len(files_in(root)) == 2
    assert sweeping.sweep(world.tenant_id).deleted == []  # it may get its row yet
    settings.CHECKPOINT_GRACE_SECONDS = -1
    found = sweeping.sweep(world.tenant_id)
    assert (len(found.deleted), found.missing) == (1, [])
    assert files_in(root) == [kept["path"]]
    assert session.checkpoint(turn=2)["turn"] == 2


def test_a_killed_job_goes_on(session, root, world):
    session.checkpoint()
    session.ok("delete", "/checkpoints")

    def delete() -> None:
        db.note_deleted_files = kill  # type: ignore[assignment]
        removing.delete_files()

    killed(delete)
    assert files_in(root) == []  # deleted, and not noted
    assert sweeping.sweep(world.tenant_id).missing == []
    assert removing.delete_files() == 1
    assert removing.delete_files() == 0


def test_a_checkpoint_is_on_the_disk_before_the_answer(session, root, monkeypatch):
    """Its file and the directory of it are synced, before the row names it."""
    done: list[str] = []
    record, sync = db.record_checkpoints, os.fsync

    def recorded(**values: Any) -> Any:
        done.append("row")
        return record(**values)

    def synced(descriptor: int) -> None:
        done.append("directory" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")
        sync(descriptor)

    session.checkpoint()
    monkeypatch.setattr(db, "record_checkpoints", recorded)
    monkeypatch.setattr(os, "fsync", synced)
    session.checkpoint()
    assert done == ["file", "directory", "row"]
