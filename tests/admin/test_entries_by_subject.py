"""The ledger of one subject: entries about the edits of its records, its capsules and its erasures, and no other's."""

import csv
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from capsules.services import expiry
from governance.admin import audit
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

ENTRIES = "/admin/governance/entry/"
JACK = {"subject_type": "user", "subject_id": "jack-doe-123"}
JILL = {"subject_type": "user", "subject_id": "jill-2"}


@pytest.fixture
def client(world, desk):
    return desk(world.bob_name).client


@pytest.fixture
def admins(world):
    return admins_of(world)


def listed(client, **filters):
    answer = client.get(ENTRIES, filters)
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


def told(client, **filters):
    """Types of the entries about Jack with what each names first, newest first."""
    found = listed(client, **{"subject": JACK["subject_id"], **filters})
    names = ("edit", "capsule", "erasure", "batch")
    return [
        (entry.type, next((entry.metadata[one] for one in names if one in entry.metadata), None)) for entry in found
    ]


def test_edits_of_a_subjects_records_are_told_from_proposal_to_verdict(world, elsewhere, client):
    edit = world.edit(world.chunk("fox", **JACK), "quarantine", by=world.alice)["edit_id"]
    world.bob.decide(edit)
    world.edit(world.chunk("hen", **JILL), "quarantine")
    world.edit(world.chunk("owl"), "quarantine")
    elsewhere.edit(elsewhere.chunk("fox", **JACK), "quarantine")
    assert told(client) == [("edit.approved", edit), ("edit.proposed", edit)]
    assert told(client, type="edit.approved") == [("edit.approved", edit)]
    assert told(client, mentions=world.bob_name) == [("edit.approved", edit)]
    assert told(client, subject=f" {JACK['subject_id']} ") == told(client)
    assert told(client, subject="nobody") == []


def test_the_entry_of_a_batch_is_about_each_of_its_subjects(world, client):
    bodies = [
        {"target_type": "chunk", "target_id": world.chunk("fox", **about), "op": "quarantine", "reason": "a test"}
        for about in (JACK, JILL)
    ]
    batch = world.bob.ok("post", "edits/bulk", {"edits": bodies})["batch_id"]
    world.edit(world.chunk("hen", **JILL), "quarantine")
    assert told(client) == [("edits.proposed", batch)]


def test_a_decision_is_a_record_of_its_subject(world, client):
    decided = world.event("Use foxes", kind="decision", content={"decision": "Use foxes"}, **JACK)["decision_id"]
    edit = world.edit(decided, "quarantine", target_type="decision")["edit_id"]
    assert told(client) == [("edit.approved", edit), ("edit.proposed", edit)]


def test_capsules_about_a_subject_are_told_to_their_end(world, client, given, handed, expiring):
    chunk = world.chunk("fox", **JACK)
    first = handed([chunk], may_forward=True)
    given("agent-carl")
    forwarded = given("agent-bob").ok("post", f"capsules/{first}/forward", {"audience_agent_ids": ["agent-carl"]})
    world.alice.ok("delete", f"capsules/{first}")
    second = handed([chunk])
    expiring(second, timedelta(days=-1))
    expiry.expire_capsules()
    handed([chunk], **JILL)
    assert told(client) == [
        ("capsule.expired", second),
        ("capsule.created", second),
        ("capsule.revoked", forwarded["capsule_id"]),
        ("capsule.revoked", first),
        ("capsule.forwarded", forwarded["capsule_id"]),
        ("capsule.created", first),
    ]


def test_an_erasure_that_names_the_subject_is_told_whatever_became_of_it(world, client, admins):
    world.chunk("fox", **JACK)
    world.chunk("hen", **JILL)
    pending = admins.propose(by="subject", **JACK)
    done = admins.erase(by="subject", **JACK)["erasure_id"]
    admins.erase(by="subject", **JILL)
    kinds = ["erasure.executed", "redaction", "erasure.approved", "erasure.proposed"]
    assert told(client) == [*((kind, done) for kind in kinds), ("erasure.proposed", pending)]


def test_an_erasure_of_something_else_is_told_where_it_reached_the_subject(world, client, admins):
    """By a chunk before and after it is executed, by an event or an agent once its words are gone."""
    proposed = admins.propose(by="chunk", id=world.chunk("fox", **JACK))
    assert told(client) == [("erasure.proposed", proposed)]
    by_event = admins.erase(by="event", id=world.event("owl", **JACK)["event_id"])["erasure_id"]
    by_agent = admins.erase(by="agent", agent="alice")["erasure_id"]
    assert {erasure for _, erasure in told(client)} == {proposed, by_event, by_agent}


def test_the_time_narrows_what_is_looked_up(world, client):
    world.edit(world.chunk("fox", **JACK), "quarantine")
    before, after = (
        (timezone.now() + shift).strftime("%Y-%m-%dT%H:%M") for shift in (-timedelta(hours=1), timedelta(hours=1))
    )
    assert len(told(client, since=before, until=after)) == 2
    assert told(client, since=after) == told(client, until=before) == []
    assert client.get(ENTRIES, {"subject": JACK["subject_id"], "since": "yesterday"}).status_code == 400


def test_more_than_is_looked_up_at_once_is_cut_to_the_newest_and_said_so(world, client, monkeypatch):
    edits = [world.edit(world.chunk(f"fox {number}", **JACK), "quarantine")["edit_id"] for number in range(3)]
    whole = client.get(ENTRIES, {"subject": JACK["subject_id"]}).content.decode()
    assert "shows the newest ones" not in whole
    for at_most, expected in ((6, edits[::-1]), (3, [edits[2], edits[1]]), (2, [edits[2]])):
        monkeypatch.setattr(audit, "LISTED_AT_MOST", at_most)
        page = client.get(ENTRIES, {"subject": JACK["subject_id"]}).content.decode()
        assert list(dict.fromkeys(edit for _, edit in told(client))) == expected
        assert ("Too many rows match the filter subject id" in page) == (at_most < 6)
        assert client.get(f"{ENTRIES}export/", {"subject": JACK["subject_id"]}).status_code == (
            400 if at_most < 6 else 200
        )


def test_an_actors_entries_beyond_the_newest_are_found_by_time(world, client, monkeypatch):
    world.edit(world.chunk("fox"), "quarantine")
    everything = listed(client, mentions=world.bob_name)
    monkeypatch.setattr(audit, "LISTED_AT_MOST", len(everything) - 1)
    page = client.get(ENTRIES, {"mentions": world.bob_name})
    assert list(page.context["cl"].result_list) == everything[:-1]
    assert "Too many rows match the filter actor, id or slug" in page.content.decode()
    tomorrow = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%d")
    assert listed(client, mentions=world.bob_name, since=tomorrow) == []
    assert client.get(f"{ENTRIES}export/", {"mentions": world.bob_name, "since": tomorrow}).status_code == 200


def test_the_file_of_a_subject_has_its_entries(world, client):
    edit = world.edit(world.chunk("fox", **JACK), "quarantine", by=world.alice)["edit_id"]
    world.edit(world.chunk("hen", **JILL), "quarantine")
    answer = client.get(f"{ENTRIES}export/", {"subject": JACK["subject_id"], "as": "csv"})
    (row,) = csv.DictReader(answer.getvalue().decode().splitlines())
    assert row["type"] == "edit.proposed"
    assert edit in row["metadata"]


def test_the_page_asks_no_more_for_more_records(world, client):
    def asked():
        listed(client, subject=JACK["subject_id"])  # which writes that the session is in use, once a minute
        with CaptureQueriesContext(connection) as queries:
            listed(client, subject=JACK["subject_id"])
        return len(queries)

    world.edit(world.chunk("fox", **JACK), "quarantine")
    of_one = asked()
    for number in range(3):
        world.edit(world.chunk(f"fox {number}", **JACK), "quarantine")
    assert asked() == of_one
