"""Correcting, updating, forgetting and expiring memories."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.models import IdempotencyKey
from memory.curation.expiry import expire_memories
from tests.memories.remembering import found, listed, remember

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def patch(api, made, **changes):
    return api.ok("patch", f"memories/{made['id']}", changes)


def forget(api, made, **expected):
    return api.ok("delete", f"memories/{made['id']}?reason=asked", None)


def test_a_new_text_amends_the_memory(world):
    made = remember(world.alice, value={"drink": "oolong"}, metadata={"topic": "food"}, key="drink")
    changed = patch(world.alice, made, text="Ada drinks coffee", reason="she said so")
    assert (changed["status"], len(changed["edit_ids"])) == ("applied", 1)
    now = changed["memory"]
    assert (now["id"], now["text"], now["edits_applied"]) == (made["id"], "Ada drinks coffee", 1)
    # the value might contradict the correction
    assert (now["value"], now["metadata"], now["key"]) == (None, {"topic": "food"}, "drink")
    assert now["updated_at"] > now["created_at"]
    assert world.alice.ok("get", f"edits/{changed['edit_ids'][0]}")["reason"] == "she said so"
    assert listed(world.alice, where='{"topic":"food"}') == ["Ada drinks coffee"]


def test_a_new_value_is_a_new_version(world):
    made = remember(world.alice, value={"cups": 1}, metadata={"topic": "food"}, key="drink", tags=["tea"])
    changed = patch(world.alice, made, value={"cups": 2})
    now = changed["memory"]
    assert (changed["status"], changed["edit_ids"]) == ("applied", [])
    assert (now["text"], now["value"], now["metadata"]) == ("Ada drinks oolong", {"cups": 2}, {"topic": "food"})
    assert (now["key"], now["tags"], now["created_at"]) == ("drink", ["tea"], made["ts"])
    assert now["id"] != made["id"]
    assert world.alice.ok("get", f"memories/{made['id']}")["id"] == now["id"]
    again = patch(world.alice, made, metadata={"topic": "drink"}, text="Ada drinks tea")["memory"]
    assert (again["text"], again["value"], again["metadata"]) == ("Ada drinks tea", {"cups": 2}, {"topic": "drink"})
    assert listed(world.alice) == ["Ada drinks tea"]


def test_without_a_key_a_new_version_replaces_the_memory_too(world):
    made = remember(world.alice)
    now = patch(world.alice, made, metadata={"topic": "food"})["memory"]
    assert (now["key"], now["created_at"]) == (None, made["ts"])
    assert len(listed(world.alice)) == 1
    assert world.alice.ok("get", f"memories/{made['id']}")["id"] == now["id"]


def test_a_change_that_is_sent_again_is_made_once(world):
    made = remember(world.alice)
    one = f"memories/{made['id']}"
    for changes in ({"text": "Ada drinks coffee"}, {"metadata": {"topic": "food"}}):
        keyed = {"Idempotency-Key": f"change-{next(iter(changes))}"}
        first = world.alice.ok("patch", one, changes, **keyed)
        assert world.alice.ok("patch", one, changes, **keyed) == first
    forgotten = world.alice.ok("delete", one, None, **{"Idempotency-Key": "forget"})
    assert world.alice.ok("delete", one, None, **{"Idempotency-Key": "forget"}) == forgotten
    assert world.alice.request("delete", one, None).status_code == 404
    assert len(world.alice.ok("get", "edits")["results"]) == 1 + len(forgotten["edit_ids"])
    with world.inside():
        kept = IdempotencyKey.objects.filter(tenant_id=world.tenant_id).values_list("answer", flat=True)
        assert "coffee" not in str(list(kept))


def test_what_another_agent_recorded_changes_under_the_policy(world, charlie):
    made = remember(world.bob, key="drink")
    assert charlie.ok("patch", f"memories/{made['id']}", {"text": "Ada drinks ink"})["status"] == "pending"
    refused = charlie.request("patch", f"memories/{made['id']}", {"metadata": {"x": 1}})
    assert (refused.status_code, refused.json()["code"]) == (403, "updating-needs-approval")
    assert forget(charlie, made)["status"] == "pending"
    assert listed(world.alice) == ["Ada drinks oolong"]


def test_a_forgotten_memory_is_gone_with_all_its_versions(world):
    made = remember(world.alice, key="drink", metadata={"topic": "food"})
    remember(world.alice, "Ada drinks coffee", key="drink")
    last = remember(world.alice, "Ada drinks water", key="drink")
    assert len(forget(world.alice, made)["edit_ids"]) == 3
    assert listed(world.alice) == found(world.alice, "drinks") == []
    for id in (made["id"], last["id"], *made["chunk_ids"]):
        assert world.alice.get(f"memories/{id}").status_code == 404
        assert world.alice.request("delete", f"memories/{id}").json()["code"] == "no-such-memory"


def test_a_key_can_be_used_again_after_it_was_forgotten(world):
    made = remember(world.alice, key="drink")
    forget(world.alice, made)
    again = remember(world.alice, key="drink")
    assert again["quarantined_chunk_ids"] == []
    now = world.alice.ok("get", f"memories/{again['id']}")
    assert (now["text"], now["created_at"]) == ("Ada drinks oolong", again["ts"])


def test_what_a_person_retracted_does_not_return_by_its_key(world):
    made = remember(world.alice, key="drink")
    world.edit(made["chunk_ids"][0], "retract")
    assert remember(world.alice, key="drink")["quarantined_chunk_ids"]
    assert listed(world.alice) == []


def test_readers_get_the_version_before_one_that_is_quarantined(world):
    first = remember(world.alice, key="drink")
    second = remember(world.alice, "Ada drinks ink", key="drink")
    world.edit(second["chunk_ids"][0], "quarantine")
    assert listed(world.alice) == ["Ada drinks oolong"]
    assert world.alice.ok("get", f"memories/{first['id']}")["text"] == "Ada drinks oolong"
    assert world.alice.get(f"memories/{second['id']}").status_code == 404
    assert world.bob.ok("get", f"memories/{second['id']}?include_quarantined=true")["text"] == "Ada drinks ink"


def test_a_memory_ends_with_its_time_to_live(world):
    begun = timezone.now() - timedelta(hours=1)
    made = remember(world.alice, ttl=3600 + 0.3, metadata={"topic": "food"}, ts=begun.isoformat())
    lasting = remember(world.alice, "Ada eats rice")
    while timezone.now() <= begun + timedelta(seconds=3600.3):
        pass
    for _ in range(2):  # before the job and after it
        assert world.alice.get(f"memories/{made['id']}").status_code == 404
        assert listed(world.alice) == found(world.alice, "Ada") == ["Ada eats rice"]
        assert world.alice.ok("get", f"events/{made['id']}")["content"] is None
        expire_memories()
    assert world.alice.ok("get", f"memories/{lasting['id']}")["expires_at"] is None


def test_a_forgotten_value_is_in_no_metadata_and_no_filter_finds_it(world):
    phone = {"phone": "555-0199"}
    made = remember(world.alice, "Ada called from 555-0199", metadata=phone, value=phone)
    preview = world.bob.ok("post", "values/preview", {"op": "forget", "value": "555-0199", "reason": "asked to"})
    world.bob.ok("post", "values", {"token": preview["token"], "confirm": bool(preview["confirm_because"])})
    got = world.alice.ok("get", f"memories/{made['id']}")
    assert "555" not in str(got)
    assert listed(world.alice, where='{"phone":"555-0199"}') == []
