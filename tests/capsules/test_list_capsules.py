"""Lists of capsules: what one was given, what one gave, what is about to expire."""

from datetime import timedelta

import pytest

from capsules.services import expiry
from governance.models import AccessRecord, Entry


def ids(api, query=""):
    return [one["capsule_id"] for one in api.ok("get", f"capsules{query}")["results"]]


def test_the_newest_comes_first_page_by_page(world, given, handed):
    chunk = world.chunk()
    made = [handed([chunk]) for _ in range(5)]
    bob = given("agent-bob")

    found, cursor = [], ""
    while True:
        page = bob.ok("get", f"capsules?limit=2{cursor}")
        found += [one["capsule_id"] for one in page["results"]]
        if page["next"] is None:
            break
        cursor = f"&cursor={page['next']}"

    assert found == made[::-1]


def test_filters_narrow(world, given, handed):
    chunk = world.chunk()
    jack = handed([chunk])
    jane = handed([chunk], subject_id="jane", scope="project", project_id="apollo")
    project = handed([chunk], subject_type="project", subject_id="jack-doe-123")
    bob = given("agent-bob")
    given("agent-dora")
    other = handed([chunk], by=given("agent-dora"))

    assert ids(bob, "?subject_type=user&subject_id=jane") == [jane]
    assert ids(bob, "?subject_id=jack-doe-123&author=alice") == [project, jack]
    assert ids(bob, "?subject_type=user&author=alice") == [jane, jack]
    assert ids(bob, "?scope=project") == [jane]
    assert ids(bob, "?project_id=apollo") == [jane]
    assert ids(bob, "?project_id=apollo&subject_id=jack-doe-123") == ids(bob, "?project_id=gemini") == []
    assert ids(world.auditor, "?project_id=apollo") == [jane]
    assert ids(world.alice, "?authored=true&project_id=apollo") == [jane]
    assert ids(bob, "?author=agent-dora") == [other]
    assert bob.get("capsules?owner=alice").status_code == 400
    assert bob.get("capsules?scope=galaxy").status_code == 400


def test_a_cursor_of_another_filter_is_refused(world, given, handed):
    for _ in range(2):
        handed([world.chunk()])
    following = given("agent-bob").ok("get", "capsules?limit=1")["next"]

    assert given("agent-bob").get(f"capsules?limit=1&scope=user&cursor={following}").status_code == 400


def test_quarantined_capsules_are_listed_for_who_asks(world, given, handed):
    capsule = handed([world.chunk()])
    world.edit(capsule, "quarantine", target_type="capsule")

    assert ids(given("agent-bob")) == []
    assert ids(given("agent-bob"), "?include_quarantined=true") == [capsule]


def test_an_author_sees_its_own_in_every_status(world, given, handed):
    chunk = world.chunk()
    active, revoked = handed([chunk]), handed([chunk])
    handed([chunk], by=given("agent-bob"), to=["alice"])
    world.alice.ok("delete", f"capsules/{revoked}")

    found = world.alice.ok("get", "capsules?authored=true")["results"]

    assert [(one["capsule_id"], one["status"]) for one in found] == [(revoked, "revoked"), (active, "active")]


def test_people_with_a_role_see_all_active_ones(world, given, handed):
    one = handed([world.chunk()])
    other = handed([world.chunk()], by=given("agent-bob"), to=["alice"])

    assert ids(world.auditor) == [other, one]
    assert ids(world.bob, "?subject_id=nobody") == []


def test_another_tenant_sees_none(world, elsewhere, handed):
    handed([world.chunk()])

    assert ids(elsewhere.alice) == ids(elsewhere.bob) == []


def test_a_listing_is_on_record(world, given, handed):
    capsule = handed([world.chunk()])
    ids(given("agent-bob"))

    with world.inside():
        record = AccessRecord.objects.filter(tenant_id=world.tenant_id, action="capsules.listed").get()
    assert (record.actor, record.details) == ("agent-bob", {"capsules": [capsule]})


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_an_author_is_warned_before_the_expiry(world, given, handed, expiring):
    soon, later = handed([world.chunk()]), handed([world.chunk()])
    expiring(soon, timedelta(hours=23))
    expiring(later, timedelta(hours=25))
    (before,) = world.alice.ok("get", "capsules/warnings")["results"]
    assert (before["capsule_id"], before["warned_at"]) == (soon, None)

    expiry.warn_capsules()
    expiry.warn_capsules()

    (warned,) = world.alice.ok("get", "capsules/warnings")["results"]
    assert warned["capsule_id"] == soon
    assert warned["warned_at"] is not None
    assert given("agent-bob").ok("get", "capsules/warnings")["results"] == []
    with world.inside():
        entries = Entry.objects.filter(tenant_id=world.tenant_id, type="capsule.expiring")
        assert [entry.metadata["capsule"] for entry in entries] == [soon]


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_the_time_of_the_warning_is_a_setting(world, handed, expiring, settings):
    settings.CAPSULE_WARNING_HOURS = 1
    capsule = handed([world.chunk()])
    expiring(capsule, timedelta(hours=2))
    assert world.alice.ok("get", "capsules/warnings")["results"] == []

    settings.CAPSULE_WARNING_HOURS = 3
    assert len(world.alice.ok("get", "capsules/warnings")["results"]) == 1


def test_the_specifications_names_are_answered(world, given, handed):
    chunk = world.chunk()
    given("agent-dora")
    capsule = handed([chunk], to=["agent-dora", "agent-bob"])
    bob = given("agent-bob")

    (listed,) = bob.ok("get", "capsules")["results"]
    read = bob.ok("get", f"capsules/{capsule}")

    for one in (listed, read):
        assert (one["author_agent_id"], one["audience_agent_ids"]) == ("alice", ["agent-bob", "agent-dora"])
    assert [item["chunk_id"] for item in read["items"]["chunks"]] == [chunk]
    (own,) = world.alice.ok("get", "capsules?authored=true")["results"]
    assert own["audience_agent_ids"] == ["agent-bob", "agent-dora"]
