"""What the ledger says of one memory: its edits with their verdicts, the capsules that hold it, and its erasures."""

import pytest

from tests.erasure.conftest import admins_of
from tests.factories import CapsuleFactory

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

ENTRIES = "/admin/governance/entry/"


def types(client, mentions):
    answer = client.get(ENTRIES, {"mentions": str(mentions)})
    assert answer.status_code == 200
    return [entry.type for entry in answer.context["cl"].result_list]


@pytest.fixture
def client(world, desk):
    return desk(world.bob_name).client


def test_the_approval_and_the_capsule_of_a_memory_are_found_by_its_id(world, client):
    chunk, other = world.chunk("fox"), world.chunk("hen")
    capsule = world.alice.ok("post", "capsules", CapsuleFactory(items={"chunks": [chunk]}))["capsule_id"]
    world.alice.ok("post", "capsules", CapsuleFactory(items={"chunks": [other]}))
    edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    world.bob.ok("post", f"edits/{edit}/approve", {})
    world.edit(other, "quarantine")
    assert types(client, chunk) == ["edit.approved", "edit.proposed", "capsule.created"]
    assert types(client, chunk.upper()) == types(client, chunk)
    assert types(client, capsule) == ["capsule.created"]
    assert types(client, edit) == ["edit.approved", "edit.proposed"]


def test_a_rejection_and_a_withdrawal_are_found_too(world, client):
    chunk = world.chunk("fox")
    rejected, withdrawn = (world.edit(chunk, "quarantine", by=world.alice)["edit_id"] for _ in range(2))
    world.bob.ok("post", f"edits/{rejected}/reject", {"reason": "it is true"})
    world.alice.ok("post", f"edits/{withdrawn}/withdraw", {})
    assert set(types(client, chunk)) == {"edit.proposed", "edit.rejected", "edit.withdrawn"}


def test_a_decision_and_its_chunk_and_its_event_are_one_memory(world, client):
    made = world.event("Use zebras", kind="decision", content={"decision": "Use zebras", "scope": "global"})
    world.alice.ok("post", "capsules", CapsuleFactory(items={"decisions": [made["decision_id"]]}))
    world.edit(made["chunk_ids"][0], "quarantine")
    found = types(client, made["decision_id"])
    assert set(found) == {"decision", "edit.proposed", "edit.approved", "capsule.created"}
    assert types(client, made["chunk_ids"][0]) == types(client, made["event_id"]) == found


def test_the_erasure_of_a_memory_is_found(world, client):
    admins = admins_of(world)
    event = world.event("fox")
    erasure = admins.carol.ok(
        "post", "erasures", {"by": "event", "id": event["event_id"], "reason": "GDPR request 12"}
    )["erasure_id"]
    proposed = types(client, erasure)
    assert proposed
    assert types(client, event["event_id"]) == proposed
    admins.dave.ok("post", f"erasures/{erasure}/approve", {})
    assert len(types(client, event["chunk_ids"][0])) > len(proposed), "it is among what was erased"


def test_another_tenants_ids_find_nothing(world, elsewhere, client):
    chunk = elsewhere.chunk("fox")
    elsewhere.edit(chunk, "quarantine")
    assert types(client, chunk) == []


def test_the_story_of_a_memory_has_the_capsule_that_holds_it(world, client):
    chunk = world.chunk("fox")
    world.alice.ok("post", "capsules", CapsuleFactory(items={"chunks": [chunk]}))
    page = client.get(f"/admin/governance/entry/story/{chunk}/").content.decode()
    assert "Capsule created" in page
