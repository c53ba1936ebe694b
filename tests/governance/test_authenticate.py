"""The key says who acts, and in which tenant. What is not a valid key says nothing more than that."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.acting.credentials import system
from governance.identity import identities
from governance.models import Agent, ApiKey, Membership, User
from tests.owning import as_owner

ADDRESSES = ["events", "chunks", "edits"]


def key_row(world, key):
    with world.inside():
        return ApiKey.objects.get(tenant_id=world.tenant_id, prefix=key.split("_")[1])


def change_key(world, key, **values):
    with world.inside(), as_owner():
        changed = ApiKey.objects.filter(tenant_id=world.tenant_id, prefix=key.split("_")[1]).update(**values)
    assert changed == 1


def refused(response):
    assert response.status_code == 401
    assert response.headers["WWW-Authenticate"] == "Bearer"
    assert response.headers["Content-Type"] == "application/problem+json"
    return response.json()["detail"]


def test_it_works(world):
    assert world.alice.get("events").status_code == 200


@pytest.mark.parametrize("address", ADDRESSES)
def test_without_a_key_nothing_is_answered(nobody, db, address):
    refused(nobody("get", address))


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic YWxpY2U6cHc=", "sut_00000000_x", "Bearer ключ", "Token x", "Bearer\tx"],
)
def test_a_malformed_header_is_401(nobody, db, header):
    refused(nobody("get", "events", Authorization=header))


@pytest.mark.parametrize("key", ["x", "sut_00000000_" + "A" * 43, "a b", "' OR 1=1 --", "A" * 10_000])
def test_an_unknown_key_is_401(nobody, db, key):
    assert refused(nobody("get", "events", Authorization=f"Bearer {key}")) == "This API key is not known."


def test_the_scheme_is_case_insensitive(world, nobody):
    assert nobody("get", "events", Authorization=f"bearer {world.keys['alice']}").status_code == 200


def test_a_key_with_a_letter_changed_is_unknown(world, nobody):
    key = world.keys["alice"]
    changed = key[:-1] + ("A" if key[-1] != "A" else "B")
    refused(nobody("get", "events", Authorization=f"Bearer {changed}"))


def test_a_revoked_key_is_401_at_once(world):
    with world.inside():
        identities.revoke_key(world.keys["alice"].split("_")[1], actor=system(world.tenant_id, "a test"))

    assert "revoked" in refused(world.alice.get("events"))


def test_an_expired_key_is_401_to_the_second(world):
    change_key(world, world.keys["alice"], expires_at=timezone.now() + timedelta(days=1))
    assert world.alice.get("events").status_code == 200

    change_key(world, world.keys["alice"], expires_at=timezone.now() - timedelta(seconds=1))
    assert "expired" in refused(world.alice.get("events"))


def test_the_key_of_an_agent_that_was_deactivated_is_401(world):
    with world.inside(), as_owner():
        Agent.objects.filter(tenant_id=world.tenant_id, slug="alice").update(is_active=False)
    assert "not active" in refused(world.alice.get("events"))


def test_the_key_of_a_person_without_a_role_is_401(world):
    with world.inside(), as_owner():
        Membership.objects.filter(tenant_id=world.tenant_id, user_id=world.bob_principal.id).update(is_active=False)
    assert "not active" in refused(world.bob.get("events"))


def test_the_key_of_a_person_who_left_is_401(world):
    with as_owner():
        User.objects.filter(id=world.bob_principal.id).update(is_active=False)
    assert "not active" in refused(world.bob.get("events"))


def test_last_used_is_kept_to_the_minute(world):
    key = world.keys["alice"]
    change_key(world, key, last_used_at=None)
    world.alice.get("events")
    first = key_row(world, key).last_used_at
    assert first is not None

    world.alice.get("events")
    assert key_row(world, key).last_used_at == first

    change_key(world, key, last_used_at=first - timedelta(minutes=2))
    world.alice.get("events")
    assert key_row(world, key).last_used_at >= first


def test_a_refused_key_is_not_used(world):
    key = world.keys["alice"]
    change_key(world, key, revoked_at=timezone.now(), last_used_at=None)
    refused(world.alice.get("events"))
    assert key_row(world, key).last_used_at is None


def test_what_is_stored_of_a_key_is_its_hash(world):
    row = key_row(world, world.keys["alice"])
    assert len(bytes(row.digest)) == 32
    assert world.keys["alice"] not in repr(vars(row))


def test_the_tenant_comes_from_the_key_and_nowhere_else(world, elsewhere):
    chunk = elsewhere.chunk("theirs")
    for headers in ({"X-Tenant": elsewhere.slug}, {"Tenant-Id": str(elsewhere.tenant_id)}):
        answer = world.alice.ok("post", "chunks/get", {"chunk_ids": [chunk]}, **headers)
        assert answer["chunks"] == []
    body = {"chunk_ids": [chunk], "tenant_id": str(elsewhere.tenant_id)}
    assert world.alice.post("chunks/get", body).status_code == 400


def test_ids_of_another_tenant_are_404(world, elsewhere):
    recorded = elsewhere.event("theirs")
    edit = elsewhere.edit(recorded["chunk_ids"][0], "quarantine")["edit_id"]

    for address in (f"events/{recorded['event_id']}", f"chunks/{recorded['chunk_ids'][0]}/timeline", f"edits/{edit}"):
        assert elsewhere.bob.get(address + "?include_quarantined=true" * ("edits" not in address)).status_code == 200
        assert world.bob.get(address).status_code == 404, address
