"""What may be erased is said when it is recorded, and never changes."""

import pytest
from django.db import Error, transaction

from governance.acting import gate
from memory.models import Chunk, Event
from tests.factories import EventFactory

pytestmark = pytest.mark.django_db


def test_an_event_and_its_chunks_keep_the_retention_that_they_were_recorded_with(world):
    recorded = world.event(" ".join(f"word{n}" for n in range(300)), retention="committed")

    assert world.alice.ok("get", f"events/{recorded['event_id']}")["retention"] == "committed"
    told = [world.bob.ok("get", f"chunks/{chunk}/history")["retention"] for chunk in recorded["chunk_ids"]]
    assert len(told) > 1
    assert set(told) == {"committed"}


def test_it_is_relationship_unless_said(world):
    event = world.event("Jon likes tea")["event_id"]
    assert world.alice.ok("get", f"events/{event}")["retention"] == "relationship"


def test_a_summary_has_one_too(world, noted):
    chunk = noted("Jon likes tea", retention="ephemeral")
    assert world.bob.ok("get", f"chunks/{chunk}/history")["retention"] == "ephemeral"


@pytest.mark.parametrize("retention", ["forever", "", 1, None])
def test_an_unknown_retention_is_a_400_that_points_to_it(world, retention):
    answer = world.alice.post("events", EventFactory(retention=retention))
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["pointer"] == "#/retention"


def test_the_database_knows_no_other(world):
    world.event("Jon likes tea")
    for model, constraint in ((Event, "event_retention_known"), (Chunk, "chunk_retention_known")):
        with world.inside():
            (definition,) = gate.rows(
                "SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = %s", [constraint]
            )
        for name in ("committed", "relationship", "ephemeral"):
            assert name in definition["definition"]
        with pytest.raises(Error), transaction.atomic(), world.inside():
            model.objects.filter(tenant_id=world.tenant_id).update(retention="ephemeral")
