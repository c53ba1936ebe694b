"""Every list opens, shows this tenant only, no words and no digests, and changes nothing."""

import pytest

from governance.acting.credentials import system
from governance.admin.site import site
from governance.edits import policies
from governance.identity import invitations
from governance.models import ApiKey
from governance.relations import adding, implying, rules
from governance.relations.drafts import RelationDraft
from tests.admin.conftest import Desk
from tests.erasure.conftest import admins_of
from tests.factories import CapsuleFactory
from tests.tools.calls import call
from tests.world import make_world

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

MODELS = sorted(site._registry, key=lambda model: model._meta.label)


def change_policy(world):
    admin = admins_of(world).carol_principal
    with world.inside():
        policies.propose_change(actor=admin, preset="standard", reason="a test")


def fill(one):
    """Something of the tenant in every list."""
    chunk = one.chunk("A secret sentence about zebras")
    one.event("decided", kind="decision", content={"decision": "Use zebras"})
    call(one.alice, "memory_commit", {"content": "Zebras have stripes, say the zebras"})
    one.event("to do", kind="task_update", content={"title": "Feed zebras", "status": "open"})
    one.edit(chunk, "quarantine", by=one.alice)
    amend = one.edit(chunk, "amend", text="Another sentence about zebras")["edit_id"]
    Desk(one.bob_name).open(amend)  # which the access log has
    change_policy(one)
    carol = admins_of(one).carol_principal
    with one.inside():
        draft = RelationDraft("user:charlie", "clinician_of", "patient:ada", "a test")
        adding.add_relation(draft, actor=carol)
        implying.add_implied_relation("patient", "clinician_of", "covering", actor=carol)
        rules.set_audience_rule(rules.Conditions("patient"), ["#"], actor=carol, reason="a test")
        invitations.invite("emma", ["auditor"], actor=system(one.tenant_id, "a test"))
    one.alice.ok("post", "capsules", CapsuleFactory(items={"chunks": [one.chunk()]}, note="Zebras"))
    admins_of(one).propose(by="chunk", id=chunk)
    one.chunk("Its code is quartz-9")
    preview = one.bob.ok("post", "values/preview", {"op": "forget", "value": "quartz-9", "reason": "a test"})
    one.bob.ok("post", "values", {"token": preview["token"]})
    one.bob.ok("post", f"chunks/{one.chunk()}/promote", {"tier": "session", "reason": "a test"})


@pytest.fixture(scope="module")
def filled(django_db_setup, django_db_blocker):
    """A tenant with something in every list, beside another one with the same, for tests that only look."""
    with django_db_blocker.unblock():
        world, elsewhere = make_world(), make_world()
        for one in (world, elsewhere):
            fill(one)
    return world


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model._meta.label_lower)
def test_a_list_and_its_rows_can_be_looked_at_and_not_changed(filled, desk, model):
    world = filled
    client = desk(world.bob_name).client
    folder = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
    listed = client.get(folder)
    assert listed.status_code == 200
    rows = list(listed.context["cl"].result_list)
    assert rows
    assert {getattr(row, "tenant_id", world.tenant_id) for row in rows} == {world.tenant_id}
    address = f"{folder}{rows[0].pk}/change/"
    page = client.get(address)
    assert page.status_code == 200
    if model._meta.model_name != "edit":
        assert "zebras" not in listed.content.decode() + page.content.decode()
    assert client.get(f"{folder}add/").status_code == 403
    assert client.post(f"{folder}{rows[0].pk}/delete/", {"post": "yes"}).status_code == 403
    assert client.post(address, {}).status_code in (403, 405)


def test_a_keys_digest_is_shown_nowhere(world, desk):
    with world.inside():
        key = ApiKey.objects.filter(agent__isnull=False).get()
    page = desk(world.bob_name).client.get(f"/admin/governance/apikey/{key.id}/change/").content.decode()
    assert key.prefix in page
    assert bytes(key.digest).hex() not in page
    assert "digest" not in page.lower()


def test_another_tenants_rows_are_not_there(world, elsewhere, desk):
    client = desk(world.bob_name).client
    event = elsewhere.event()["event_id"]
    assert client.get(f"/admin/memory/event/{event}/change/").status_code == 404
    assert client.get(f"/admin/memory/effectivechunk/{elsewhere.chunk()}/change/").status_code == 404
    users = client.get("/admin/governance/user/").content.decode()
    assert world.bob_name in users
    assert elsewhere.bob_name not in users
