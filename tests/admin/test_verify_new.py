"""Whoever has a role can ask for a verification of what is new, and the home page says how far it came."""

import pytest
from django.urls import reverse

from governance.ledger import sealing, tree_heads
from memory_project.celery import app
from tests.ledger.tampering import tamper

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

PAGE = "/admin/governance/entry/verify/"


@pytest.fixture
def worker():
    """A worker that takes what it is asked at once."""
    app.conf.update(task_always_eager=True)
    yield
    app.conf.update(task_always_eager=False)


def facts_of(client):
    return {fact.label: fact for fact in dict(client.get("/admin/").context["panels"])["Ledger"]}


def sealed(world):
    world.chunk()
    sealing.seal_all(world.tenant_id)
    tree_heads.publish(world.tenant_id)


def test_it_works(world, desk, worker):
    sealed(world)
    client = desk(world.bob_name).client
    assert facts_of(client)["Confirmed up to"].value == "nothing"
    assert PAGE in client.get("/admin/governance/entry/").content.decode()

    answer = client.post(PAGE)

    assert (answer.status_code, answer.url) == (302, reverse("admin:index"))
    facts = facts_of(client)
    assert facts["Last verification"].note == "intact"
    assert facts["Confirmed up to"].value.endswith(" rows")
    assert "full verification" in facts["Confirmed up to"].note
    sealed(world)
    before = facts["Confirmed up to"].value
    client.post(PAGE)
    assert facts_of(client)["Confirmed up to"].value != before


def test_what_it_finds_is_an_alarm(world, desk, worker):
    sealed(world)
    client = desk(world.bob_name).client
    client.post(PAGE)
    sealed(world)
    tamper("memory_event", "UPDATE memory_event SET actor_id = 'somebody else' WHERE tenant_id = %s", world.tenant_id)

    client.post(PAGE)

    facts = facts_of(client)
    assert facts["Last verification"].is_alarm
    assert facts["Confirmed up to"].value == "nothing"
