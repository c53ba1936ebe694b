"""An edit of an id that exists nowhere: refused by the service, and by the database whoever calls it."""

import json
import uuid
from typing import Any

import pytest
from django.db import DatabaseError

from governance.acting import gate
from governance.edits import db
from governance.edits.targets import NoSuchTarget
from governance.models import Content, Edit
from governance.refusals import batch_index_in, from_database

pytestmark = pytest.mark.django_db(transaction=True)

TYPES = ["chunk", "decision", "capsule"]


def proposal(target_type: str, target_id: Any, op: str = "retract", text: str | None = None) -> dict[str, Any]:
    return {"id": uuid.uuid4(), "target_type": target_type, "target_id": target_id, "sensitivity": "none", "op": op,
            "reason": "a test", "text": text, "salt": None if text is None else b"a" * 16, "importance": None,
            "importance_delta": None, "channel": None, "reverts": None, "patch_sha256": b"a" * 32}  # fmt: skip


def assert_nothing_was_recorded(world: Any) -> None:
    with world.inside("owner"):
        assert not Edit.objects.using("owner").filter(tenant_id=world.tenant_id).exists()
        assert not Content.objects.using("owner").filter(tenant_id=world.tenant_id, body="other words").exists()


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize("target_type", TYPES)
def test_one_is_refused(world: Any, target_type: str) -> None:
    missing = uuid.uuid4()
    wrong = proposal(target_type, missing, "amend", "other words")
    with pytest.raises(DatabaseError) as raised, gate.acting_as(world.bob_principal):
        db.record_edit(tenant=world.tenant_id, **wrong)
    refusal = from_database(raised.value)
    assert type(refusal) is NoSuchTarget
    assert refusal.detail == f"There is no {target_type} {missing}."
    assert_nothing_was_recorded(world)


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
def test_so_is_one_of_another_tenant_and_one_of_another_kind(world: Any, elsewhere: Any) -> None:
    for target_type, target_id in (("chunk", elsewhere.chunk()), ("decision", world.chunk())):
        with pytest.raises(DatabaseError) as raised, gate.acting_as(world.bob_principal):
            db.record_edit(tenant=world.tenant_id, **proposal(target_type, target_id))
        assert type(from_database(raised.value)) is NoSuchTarget
    assert_nothing_was_recorded(world)


def test_in_a_batch_it_is_refused_by_its_place(world: Any) -> None:
    batch = [proposal("chunk", world.chunk("fox")), proposal("chunk", uuid.uuid4())]
    given = json.dumps([{**one, "patch_sha256": one["patch_sha256"].hex()} for one in batch], default=str)
    with pytest.raises(DatabaseError) as raised, gate.acting_as(world.bob_principal):
        db.record_edits(tenant=world.tenant_id, batch=uuid.uuid4(), edits=given, each=False)
    assert (type(from_database(raised.value)), batch_index_in(raised.value)) == (NoSuchTarget, 1)
    with gate.acting_as(world.bob_principal):
        first, second = db.record_edits(tenant=world.tenant_id, batch=uuid.uuid4(), edits=given, each=True)
    assert (first.status, first.refusal) == ("approved", None)
    assert (second.refusal_state, second.refusal_name) == ("SU404", "no_such_target")
