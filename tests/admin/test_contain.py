"""Containing a recorder on the admin site, and releasing it: first a number to look at, then the act."""

import html
import re
from datetime import UTC, datetime, timedelta

import pytest

from governance.models import Edit
from memory.usage import watching

CONTAIN = "/admin/memory/effectivechunk/contain/"


@pytest.fixture
def bob(world, desk):
    return desk(world.bob_name).client


def asked(**fields):
    since = datetime.now(UTC) - timedelta(hours=1)
    return {"recorder": "alice", "since": f"{since:%Y-%m-%d %H:%M}", "reason": "A poisoned page", **fields}


def test_it_works(world, bob):
    for number in range(3):
        world.chunk(f"Rumour {number}")

    looked = bob.post(CONTAIN, asked())

    assert looked.status_code == 400
    assert "3 chunks would be quarantined" in looked.content.decode()
    assert len(world.found("Rumour")) == 3
    assert bob.post(CONTAIN, asked(count="2")).status_code == 400
    assert len(world.found("Rumour")) == 3
    assert bob.post(CONTAIN, asked(count="3")).status_code == 302
    assert world.found("Rumour") == []

    with world.inside():
        edit = Edit.objects.filter(op="quarantine")[0]
    page = f"/admin/governance/edit/{edit.id}/revert-batch/"
    looked = bob.post(page, {"reason": "It was harmless"})
    assert looked.status_code == 400
    assert "3 edits in effect would be reverted (3 quarantine)" in looked.content.decode()
    assert bob.post(page, {"reason": "It was harmless", "count": "3"}).status_code == 302
    assert len(world.found("Rumour")) == 3


def test_what_is_missing_or_not_there_is_said(world, bob):
    assert "This field is required" in bob.post(CONTAIN, asked(reason="")).content.decode()
    assert "has no records or edits since then" in bob.post(CONTAIN, asked(recorder="nobody")).content.decode()


def test_an_auditor_may_not(world, desk):
    name = f"auditor-{world.slug.removeprefix('tenant-')}"
    assert desk(name).client.post(CONTAIN, asked()).status_code == 403


@pytest.mark.django_db(databases=["default", "review"])
def test_an_edit_of_no_batch_has_no_batch_to_revert(world, bob):
    edit = world.edit(world.chunk("Rumour"), "quarantine")["edit_id"]
    acts = [act.name for act, _ in bob.get(f"/admin/governance/edit/{edit}/change/").context["acts"]]
    assert "revert-batch" not in acts


@pytest.mark.django_db(transaction=True)
def test_an_alarm_on_the_home_page_links_to_the_containment_with_its_preview(world, given, bob):
    mallory = given("mallory")
    flood = [world.draft(f"buy now {number}", actor_id="mallory") for number in range(500)]
    mallory.ok("post", "events/batch", {"events": flood})
    world.edit(world.chunk("Jack likes tea"), "amend", by=mallory, text="Jack likes gin")
    waiting = world.edit(world.chunk("Kept"), "retract", by=mallory)
    watching.watch_recorders()

    page = html.unescape(bob.get("/admin/").content.decode())
    (address,) = set(re.findall(r'href="([^"]*contain/[^"]*)"', page))
    form = html.unescape(bob.get(address).content.decode())

    assert "Unusual: mallory: 500 chunks within ten minutes" in page
    assert "500 chunks would be quarantined. The recorder's edits would be reverted: 1 amend." in form
    assert "1 pending edit would be rejected." in form
    assert "To confirm, enter the number 500." in form
    with world.inside():
        assert not Edit.objects.filter(batch_id__isnull=False).exists()  # nothing was changed yet
    fields = dict(re.findall(r"[?&]([^=]+)=([^&]*)", address))
    answer = bob.post(CONTAIN, {**asked(recorder="mallory", count="500"), "reject_pending": fields["reject_pending"]})
    assert answer.status_code == 302
    assert world.bob.ok("get", f"edits/{waiting['edit_id']}")["status"] == "rejected"
    assert world.found("Jack") == ["Jack likes tea"]
