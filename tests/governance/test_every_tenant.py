"""Periodic work: what one tenant's state breaks is not kept from the others, and is told."""

from datetime import timedelta

import pytest
from django.utils import timezone
from prometheus_client import REGISTRY

from governance import edits, tasks
from governance.acting import gate
from governance.every_tenant import in_every_tenant
from governance.ledger import published_tree_heads
from governance.models import Entry

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "verifier"])


class BrokenError(Exception):
    """A tenant that cannot be worked on."""


def only(*worlds, failing=()):
    """Work on these tenants alone; the database holds other tests' too."""

    def work(tenant_id):
        if tenant_id in {world.tenant_id for world in failing}:
            raise BrokenError
        return int(tenant_id in {world.tenant_id for world in worlds})

    return work


def test_one_tenants_failure_is_its_own_and_is_logged(world, elsewhere, caplog):
    done, failures = in_every_tenant(only(elsewhere, failing=[world]), complaint="%s is broken")

    assert done == 1
    assert [type(failure) for failure in failures] == [BrokenError]
    assert [record.getMessage() for record in caplog.records] == [f"{world.slug} is broken"]


def test_batches_are_done_until_nothing_is_left(world):
    left = [3, 2, 0]

    done, failures = in_every_tenant(
        lambda tenant_id: left.pop(0) if tenant_id == world.tenant_id else 0, complaint="%s", in_batches=True
    )

    assert (done, failures, left) == (5, [], [])


@pytest.fixture
def unreadable():
    """`unreadable(world)` garbles the tenant's file of published notes, for this test."""
    made = []

    def garble(world):
        path = published_tree_heads.path_of(world.tenant_id)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("no tree head\n")
        made.append(path)
        published_tree_heads._compared.discard(world.tenant_id)

    yield garble
    for path in made:
        path.unlink()


@pytest.fixture
def alone(world, elsewhere, monkeypatch):
    """There are no other tenants: those that tests leave behind have failures of their own."""
    monkeypatch.setattr(gate, "tenants", lambda: {each.slug: each.tenant_id for each in (world, elsewhere)})


@pytest.mark.usefixtures("alone")
def test_the_edits_of_others_expire_where_one_ledger_takes_no_entry(world, elsewhere, unreadable):
    stuck, free = (each.edit(each.chunk("fox"), "quarantine", by=each.alice)["edit_id"] for each in (world, elsewhere))
    unreadable(world)

    with pytest.raises(published_tree_heads.TreeHeadsUnreadable):
        edits.expire_edits(at=timezone.now() + timedelta(days=31))

    assert elsewhere.bob.ok("get", f"edits/{free}")["status"] == "expired"
    assert world.bob.ok("get", f"edits/{stuck}")["status"] == "pending"


@pytest.mark.usefixtures("alone")
def test_a_ledger_that_cannot_be_verified_is_an_alarm_and_the_others_are_verified(world, elsewhere, unreadable):
    unreadable(world)

    tasks.verify()

    assert REGISTRY.get_sample_value("suture_ledger_findings") == 1
    with elsewhere.inside():
        assert Entry.objects.filter(tenant_id=elsewhere.tenant_id, type="ledger.verified").exists()
