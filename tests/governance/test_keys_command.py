"""`manage.py keys`: list, revoke and rotate the keys of a tenant."""

from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from governance.models import ApiKey, Entry
from tests.owning import as_owner


@pytest.fixture
def keys(capsys, world):
    def run(action, *arguments, tenant=world.slug):
        call_command("keys", action, "--tenant", tenant, *arguments)
        return capsys.readouterr().out.strip()

    return run


def prefix(key):
    return key.split("_")[1]


def types(world):
    with world.inside():
        return list(Entry.objects.filter(tenant_id=world.tenant_id).order_by("seq").values_list("type", flat=True))


def test_list_names_every_key_of_the_tenant_and_no_secret(keys, world, elsewhere):
    said = keys("list")

    assert len(said.splitlines()) == 4
    for name, owner in (("alice", "agent alice"), ("bob", f"user {world.bob_name}")):
        (line,) = [line for line in said.splitlines() if line.startswith(prefix(world.keys[name]))]
        assert owner in line
        assert "active" in line
    for key in world.keys.values():
        assert key not in said
    assert prefix(elsewhere.keys["alice"]) not in said


def test_a_revoked_key_ends_now_and_is_listed_as_such(keys, world):
    assert world.alice.get("events").status_code == 200

    assert keys("revoke", prefix(world.keys["alice"])) == f"revoked {prefix(world.keys['alice'])}"

    assert world.alice.get("events").status_code == 401
    (line,) = [line for line in keys("list").splitlines() if line.startswith(prefix(world.keys["alice"]))]
    assert "revoked" in line
    assert types(world)[-1] == "key.revoked"


def test_a_rotated_key_is_replaced_by_the_one_printed(keys, world):
    fresh = keys("rotate", prefix(world.keys["alice"]))

    assert world.alice.get("events").status_code == 401
    renewed = type(world.alice)(fresh)
    assert renewed.get("events").status_code == 200
    assert types(world)[-2:] == ["key.revoked", "key.issued"]


def test_a_rotated_key_keeps_its_owner_and_expiry(keys, world):
    until = timezone.now() + timedelta(days=3)
    with world.inside(), as_owner():
        ApiKey.objects.filter(tenant_id=world.tenant_id, prefix=prefix(world.keys["bob"])).update(expires_at=until)

    fresh = keys("rotate", prefix(world.keys["bob"]))

    with world.inside():
        row = ApiKey.objects.get(tenant_id=world.tenant_id, prefix=prefix(fresh))
    assert (row.user_id, row.expires_at) == (world.bob_principal.id, until)


def test_a_key_is_revoked_once(keys, world):
    keys("revoke", prefix(world.keys["alice"]))
    for action in ("revoke", "rotate"):
        with pytest.raises(CommandError, match="already revoked"):
            keys(action, prefix(world.keys["alice"]))


def test_another_tenants_key_is_unknown_here(keys, elsewhere):
    with pytest.raises(CommandError, match="no key with this prefix"):
        keys("revoke", prefix(elsewhere.keys["alice"]))
    assert elsewhere.alice.get("events").status_code == 200


def test_an_unknown_tenant_is_named(keys):
    with pytest.raises(CommandError, match="no tenant 'nowhere'"):
        keys("list", tenant="nowhere")


def expiry_of(world, key):
    with world.inside():
        return ApiKey.objects.get(tenant_id=world.tenant_id, prefix=prefix(key)).expires_at


def test_a_rotated_key_keeps_its_expiry_or_gets_another(keys, world):
    later = timezone.now() + timedelta(days=90)

    dated = keys("rotate", prefix(world.keys["alice"]), "--expires", later.isoformat())
    assert expiry_of(world, dated) == later
    kept = keys("rotate", prefix(dated))
    assert expiry_of(world, kept) == later
    in_days = keys("rotate", prefix(kept), "--expires", "30d")
    assert abs(expiry_of(world, in_days) - timezone.now() - timedelta(days=30)) < timedelta(minutes=1)


@pytest.mark.parametrize("when", ["2020-01-01T00:00:00Z", "tomorrow", "0d", "-3d", "2999-01-01T00:00:00", "30"])
def test_an_expiry_that_is_none_is_refused(keys, world, when):
    with pytest.raises((CommandError, SystemExit)):
        keys("rotate", prefix(world.keys["alice"]), f"--expires={when}")

    assert world.alice.get("events").status_code == 200
