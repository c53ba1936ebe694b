"""A run of sealing visits the tenants that have something new, however many others there are."""

from typing import Any

import pytest
from django.conf import settings
from django.db import DatabaseError, connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance import tasks
from governance.acting.credentials import PersonCredential
from governance.ledger import db, published_tree_heads, sealing, tenants_to_seal, unpublished_entries
from governance.models import MerkleTree
from tests.ledger.tampering import append

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

IDLE = 1000


@pytest.fixture
def visited(monkeypatch):
    """The tenants that a run has visited, in order."""
    seen = []
    seal_all = sealing.seal_all

    def noted(tenant_id):
        seen.append(tenant_id)
        return seal_all(tenant_id)

    monkeypatch.setattr(sealing, "seal_all", noted)
    return seen


@pytest.fixture
def idle(world):
    """A thousand tenants without a row, which are gone after the test."""
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "INSERT INTO governance_tenant SELECT (jsonb_populate_record(t, jsonb_build_object("
            "'id', gen_random_uuid(), 'slug', 'idle-' || n))).* FROM governance_tenant t, generate_series(1, %s) n"
            " WHERE t.id = %s",
            [IDLE, world.tenant_id],
        )
    yield
    with connections["owner"].cursor() as cursor:
        cursor.execute("DELETE FROM governance_tenant WHERE slug LIKE 'idle-%'")


def statements():
    """How many statements a run sends."""
    with CaptureQueriesContext(connection) as captured:
        tasks.seal()
    return len(captured)


def test_a_thousand_idle_tenants_cost_no_statement(world, elsewhere, visited, idle):
    world.chunk()
    elsewhere.chunk()
    tasks.seal()
    assert set(visited) >= {world.tenant_id, elsewhere.tenant_id}
    visited.clear()

    assert statements() < 12
    assert visited == []

    world.chunk()
    tasks.seal()
    assert visited == [world.tenant_id]
    note = published_tree_heads.last(world.tenant_id)
    with world.inside():
        assert note is not None
        assert MerkleTree.objects.get(tenant_id=world.tenant_id).size == note.tree_head.size


def test_after_a_restart_idle_tenants_are_verified_when_there_is_time(world, visited, monkeypatch):
    world.chunk()
    tasks.seal()
    visited.clear()
    # as in a new process
    monkeypatch.setattr(tenants_to_seal, "_seen", {})
    monkeypatch.setattr(unpublished_entries, "_verified", {})
    monkeypatch.setattr(tenants_to_seal, "NEW", 100_000)
    monkeypatch.setattr(tasks, "VERIFYING_SECONDS", 60.0)

    assert world.tenant_id not in tenants_to_seal.tenants(timezone.now())
    assert world.tenant_id in tenants_to_seal.unverified()
    tasks.seal()
    assert visited == [world.tenant_id]
    tasks.seal()
    assert visited == [world.tenant_id]

    append(world)
    assert world.tenant_id in tenants_to_seal.tenants(timezone.now())


def test_after_a_restart_a_tenant_with_something_new_does_not_wait(world, elsewhere, visited, monkeypatch):
    for one in (world, elsewhere):
        one.chunk()
    tasks.seal()
    visited.clear()
    monkeypatch.setattr(tenants_to_seal, "_seen", {})
    monkeypatch.setattr(unpublished_entries, "_verified", {})
    monkeypatch.setattr(tasks, "VERIFYING_SECONDS", -1.0)
    elsewhere.chunk()

    tasks.seal()

    assert visited == [elsewhere.tenant_id]


def test_an_entry_alone_is_published(world, visited):
    world.chunk()
    tasks.seal()
    visited.clear()
    append(world)

    tasks.seal()
    tasks.seal()

    assert visited == [world.tenant_id]


def test_a_note_that_is_gone_is_published_again(world, visited):
    world.chunk()
    tasks.seal()
    visited.clear()
    published_tree_heads.path_of(world.tenant_id).unlink()

    tasks.seal()

    assert visited == [world.tenant_id]
    assert published_tree_heads.last(world.tenant_id) is not None


def test_all_rows_are_swept_every_hour_some_tenants_a_run(world, elsewhere, monkeypatch):
    for one in (world, elsewhere):
        one.chunk()
    tasks.seal()
    later = timezone.now() + 2 * sealing.SWEEP_EVERY
    for one in (world, elsewhere):
        sealing.seal(one.tenant_id, at=later - sealing.SWEEP_EVERY / 2)
    with connections["owner"].cursor() as cursor:  # nothing but a sweep is due in any tenant
        cursor.execute("UPDATE governance_merkletree SET swept_at = %s", [later])
        cursor.execute(
            "UPDATE governance_merkletree SET swept_at = %s WHERE tenant_id = ANY (%s)",
            [later - 2 * sealing.SWEEP_EVERY, [world.tenant_id, elsewhere.tenant_id]],
        )
    ours = {world.tenant_id, elsewhere.tenant_id}

    monkeypatch.setattr(tenants_to_seal, "SWEEPS", 1)
    assert len(tenants_to_seal.tenants(later) & ours) == 1
    monkeypatch.setattr(tenants_to_seal, "SWEEPS", 2)
    assert tenants_to_seal.tenants(later) >= ours


def test_a_run_does_nothing_while_another_one_works(world, visited):
    world.chunk()
    with tenants_to_seal.run() as is_first:
        assert is_first
        tasks.seal()
        assert visited == []

    tasks.seal()
    assert visited == [world.tenant_id]


def test_a_run_that_is_late_is_dropped():
    seal = settings.CELERY_BEAT_SCHEDULE["seal"]

    assert seal["options"]["expires"] == seal["schedule"]


def test_nobody_but_the_operator_is_told(world):
    now = timezone.now()
    with world.inside():
        asked: dict[str, Any] = {
            "token": PersonCredential(world.bob_principal.id).token(),
            "swept": now,
            "sweeps": 1,
        }
        with pytest.raises(DatabaseError, match="only the operator"):
            db.tenants_to_seal(**asked)
