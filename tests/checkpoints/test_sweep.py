"""Files without a row, and rows without a file."""

import os
import time
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory.checkpoints import sweeping
from memory.tasks import sweep_checkpoints
from tests.checkpoints.sessions import Session, files_in

pytestmark = pytest.mark.django_db


def orphan(root, made, *, age=7200, name="0f0e0d0c-0000-7000-8000-000000000000.json.zst"):
    """A file that no row names, so many seconds old."""
    path = root / Path(made["path"]).with_name(name)
    path.write_bytes(b"left over")
    then = time.time() - age
    os.utime(path, (then, then))
    return str(path.relative_to(root))


def test_it_finds_nothing_wrong(session, world):
    session.checkpoint()
    found = sweeping.sweep(world.tenant_id)
    assert (found.files, found.checkpoints) == (1, 1)
    assert found.orphans == found.missing == found.deleted == []


def test_an_old_file_without_a_row_is_deleted(session, world, root, caplog):
    made = session.checkpoint()
    left = orphan(root, made)
    unfinished = orphan(root, made, name=".x.json.zst.0123.tmp")
    found = sweeping.sweep(world.tenant_id)
    assert sorted(found.orphans) == sorted(found.deleted) == sorted([left, unfinished])
    assert files_in(root) == [made["path"]]
    assert left in caplog.text


def test_a_young_file_may_get_its_row_yet(session, world, root):
    made = session.checkpoint()
    left = orphan(root, made, age=10)
    found = sweeping.sweep(world.tenant_id)
    assert (found.orphans, found.deleted) == ([left], [])
    assert len(files_in(root)) == 2


def test_a_row_without_a_file_is_reported(session, world, root, caplog):
    made = session.checkpoint()
    (root / made["path"]).unlink()
    assert sweeping.sweep(world.tenant_id).missing == [made["path"]]
    assert "ALARM" in caplog.text
    assert made["path"] in caplog.text


def test_what_is_removed_is_not_missing(session, world, root):
    made = session.checkpoint()
    session.ok("delete", "/checkpoints")
    (root / made["path"]).unlink()
    assert sweeping.sweep(world.tenant_id).missing == []


def test_a_removed_file_belongs_to_its_job(session, world, root):
    session.checkpoint()
    session.ok("delete", "/checkpoints")
    assert sweeping.sweep(world.tenant_id).orphans == []


def test_a_tenants_files_are_its_own(session, elsewhere, charlie, root, world):
    made = Session(charlie, "theirs").checkpoint()
    orphan(root, made)
    assert sweeping.sweep(world.tenant_id).orphans == []
    assert len(sweeping.sweep(elsewhere.tenant_id).deleted) == 1


def test_the_job_does_it_for_all(session, charlie, root):
    orphan(root, session.checkpoint())
    orphan(root, Session(charlie, "theirs").checkpoint())
    sweep_checkpoints()
    assert len(files_in(root)) == 2


def test_the_command_reports_and_deletes_nothing_unless_asked(session, world, root):
    made = session.checkpoint()
    left = orphan(root, made)
    said = StringIO()
    call_command("check_checkpoints", "--tenant", world.slug, stdout=said)
    assert said.getvalue().splitlines() == [
        f"{world.slug}: 1 checkpoints, 2 files",
        f"  without a checkpoint: {left}",
    ]
    call_command("check_checkpoints", "--tenant", world.slug, "--delete", stdout=said)
    assert files_in(root) == [made["path"]]


def test_the_command_fails_for_what_cannot_be_restored(session, world, root):
    made = session.checkpoint()
    (root / made["path"]).write_bytes(b"x" * made["stored_size"])
    said = StringIO()
    call_command("check_checkpoints", "--tenant", world.slug, stdout=said)
    with pytest.raises(CommandError, match="1 checkpoints cannot be restored"):
        call_command("check_checkpoints", "--tenant", world.slug, "--verify", stdout=said)
    assert f"changed or damaged: {made['path']}" in said.getvalue()
    (root / made["path"]).unlink()
    with pytest.raises(CommandError, match="1 checkpoints cannot be restored"):
        call_command("check_checkpoints", "--tenant", world.slug, stdout=said)
    with pytest.raises(CommandError, match="The tenant 'nobody' does not exist"):
        call_command("check_checkpoints", "--tenant", "nobody")
