"""The lists of keys, roles and policy changes, narrowed to an actor, a state and a time."""

from datetime import UTC, datetime, timedelta

import pytest

from governance.acting import gate
from governance.edits import policies
from governance.identity import identities
from governance.models import Agent
from tests.admin.managing import AT, entries
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


@pytest.fixture
def client(world, desk):
    return desk(world.bob_name).client


def listed(client, model, **filters):
    answer = client.get(f"{AT}{model}/", filters)
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


def around_now():
    now = datetime.now(UTC)
    return [(now + shift).strftime("%Y-%m-%dT%H:%M") for shift in (-timedelta(hours=1), timedelta(hours=1))]


def test_keys_are_found_by_owner_and_state(world, client):
    admin = admins_of(world).carol_principal
    with world.inside():
        alice = Agent.objects.get(slug="alice")
        identities.issue_key(actor=admin, agent=alice, expires_at=datetime.now(UTC) - timedelta(days=1))
        identities.issue_key(actor=admin, agent=alice, expires_at=datetime.now(UTC) + timedelta(days=1))
        identities.revoke_key(world.keys["bob"].split("_")[1], actor=admin)
    issued = [one["prefix"] for one in entries(world, "key.issued") if one["owner"] == "alice"]
    first, expired, lasting = issued

    def prefixes(**filters):
        return [key.prefix for key in listed(client, "apikey", **filters)]

    assert prefixes(owner="alice") == [lasting, expired, first]
    assert prefixes(owner="alice", state="live") == [lasting, first]
    assert prefixes(owner="alice", state="expired") == [expired]
    assert prefixes(state="revoked") == prefixes(owner=world.bob_name) == [world.keys["bob"].split("_")[1]]
    assert prefixes(owner="nobody") == []


def test_policy_changes_are_found_by_who_proposed_or_decided_them(strict_world, desk):
    world, client = strict_world, desk(strict_world.bob_name).client
    identities.provision(world.slug, people=[(name, "admin") for name in (world.bob_name, world.ann_name)])
    with world.inside():
        bob, ann = (gate.authenticate(world.keys[name]) for name in ("bob", "ann"))
        decided = policies.propose_change(actor=bob, preset="strict", reason="a test")
        policies.decide_change(decided.id, actor=ann, apply=False, reason="no")
        waiting = policies.propose_change(actor=bob, preset="open", reason="a test")

    def ids(**filters):
        return [change.id for change in listed(client, "policychange", **filters)]

    assert ids(actor=world.bob_name) == [waiting.id, decided.id]
    assert ids(actor=world.ann_name) == [decided.id]
    assert ids(actor="alice") == []


@pytest.mark.parametrize("model", ["apikey", "membership"])
def test_they_are_found_by_time(client, model):
    before, after = around_now()
    assert listed(client, model, since=before, until=after) == listed(client, model)
    assert listed(client, model, since=after) == listed(client, model, until=before) == []
