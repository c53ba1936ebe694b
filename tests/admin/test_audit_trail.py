"""The audit trail: every list is filtered by who, what, which and when, and another tenant's rows are in none."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.ledger import access
from governance.models import Verdict
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

ENTRIES = "/admin/governance/entry/"
EDITS = "/admin/governance/edit/"
VERDICTS = "/admin/governance/verdict/"
ACCESSES = "/admin/governance/accessrecord/"
ERASURES = "/admin/governance/erasure/"
CAPSULES = "/admin/capsules/effectivecapsule/"


@pytest.fixture
def client(world, desk):
    return desk(world.bob_name).client


def listed(client, page, **filters):
    answer = client.get(page, filters)
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


def types(client, **filters):
    return [entry.type for entry in listed(client, ENTRIES, **filters)]


def test_entries_are_found_by_what_they_mention(world, elsewhere, client):
    chunk, other = world.chunk(), world.chunk("Another")
    edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    world.edit(other, "quarantine")
    theirs = elsewhere.edit(elsewhere.chunk(), "quarantine", by=elsewhere.alice)["edit_id"]
    assert types(client, mentions=chunk) == ["edit.proposed"]
    assert types(client, mentions=edit) == ["edit.proposed"]
    assert types(client, mentions=theirs) == []
    # alice: her key, her making, her proposal; by name and by id
    by_name = set(types(client, mentions="alice"))
    assert {"agent.created", "key.issued", "edit.proposed"} <= by_name
    assert "edit.proposed" in types(client, mentions=str(world.alice_principal.id))
    assert "edit.approved" not in by_name
    assert types(client, mentions=f"  {chunk} ") == ["edit.proposed"], "a pasted id has spaces around it"
    assert types(client, mentions="nobody") == []


def test_entries_are_found_by_type_and_by_its_beginning(world, client):
    world.edit(world.chunk(), "quarantine")
    assert types(client, type="edit.approved") == ["edit.approved"]
    assert set(types(client, type="edit.")) == {"edit.proposed", "edit.approved"}
    assert types(client, type="edit") == []
    assert types(client, type="edit.", mentions="nobody") == []


def test_lists_are_filtered_by_time(world, client):
    world.edit(world.chunk(), "quarantine")
    hour = timedelta(hours=1)
    before, after = ((timezone.now() + shift).strftime("%Y-%m-%dT%H:%M") for shift in (-hour, hour))
    for page in (ENTRIES, VERDICTS):
        everything = len(listed(client, page))
        assert everything >= 1
        assert len(listed(client, page, since=before)) == everything
        assert len(listed(client, page, until=after)) == everything
        assert listed(client, page, since=after) == []
        assert listed(client, page, until=before) == []
        assert len(listed(client, page, since=before, until=after)) == everything
        assert len(listed(client, page, since=before[:10])) == everything, "a day is its beginning"
    assert len(listed(client, ENTRIES, since="0001-01-01")) == len(listed(client, ENTRIES)), "before every id"
    assert listed(client, ENTRIES, until="0001-01-01") == []
    for no_time in ("yesterday", "9999-12-31T23:59:59-23:59"):
        answer = client.get(ENTRIES, {"since": no_time})
        assert answer.status_code == 400
        assert "This is not a time" in answer.content.decode()


def test_verdicts_are_found_by_decider_operation_and_decision(world, elsewhere, client):
    edits = [world.edit(world.chunk(f"fox {number}"), "quarantine", by=world.alice)["edit_id"] for number in range(2)]
    world.bob.decide(edits[0])
    world.ann.decide(edits[1], "reject", reason="no")
    world.edit(world.chunk(), "amend", text="by the policy")

    def ids(**filters):
        return {str(verdict.edit_id) for verdict in listed(client, VERDICTS, **filters)}

    assert ids(decider=world.bob_name) == {edits[0]}
    assert ids(decider=world.ann_name) == {edits[1]}
    assert len(ids(decider="policy:standard")) == 1
    assert ids(decider=elsewhere.bob_name) == set()
    assert ids(decision__exact="rejected") == {edits[1]}
    assert ids(edit__op__exact="quarantine") == set(edits)
    assert ids(edit__op__exact="quarantine", decision__exact="approved") == {edits[0]}


def test_accesses_are_found_by_actor_target_action_and_outcome(world, elsewhere, client):
    chunk = world.chunk()
    with world.inside():
        access.log("words.viewed", actor=world.bob_principal, target_type="chunk", target_id=chunk)
        access.log("capsule.read", actor=world.alice_principal, target_type="capsule", outcome="refused")
    with elsewhere.inside():
        access.log("words.viewed", actor=elsewhere.bob_principal, target_type="chunk", target_id=chunk)

    def found(**filters):
        return [(row.action, row.actor) for row in listed(client, ACCESSES, **filters)]

    viewed, refused = ("words.viewed", world.bob_name), ("capsule.read", "alice")
    assert found() == [refused, viewed]
    assert found(actor=world.bob_name) == [viewed]
    assert found(actor="alice") == [refused]
    assert found(actor="nobody") == []
    assert found(target=chunk) == [viewed]
    assert found(target="no id") == []
    assert found(action="capsule.read") == [refused]
    assert found(outcome__exact="refused") == [refused]


def test_verdicts_and_accesses_are_found_by_target_and_subject(world, elsewhere, client, desk):
    for one in (world, elsewhere):
        one.about_jack = one.chunk("fox", subject_type="user", subject_id="jack-1")
        one.of_jack = one.edit(one.about_jack, "quarantine", by=one.alice)["edit_id"]
        one.bob.decide(one.of_jack)
        other = one.edit(one.chunk("hen", subject_type="user", subject_id="jill-2"), "quarantine")["edit_id"]
        for edit in (one.of_jack, other):
            desk(one.bob_name).open(edit)
    for filters in ({"target": world.about_jack}, {"subject": "jack-1"}):
        assert [str(verdict.edit_id) for verdict in listed(client, VERDICTS, **filters)] == [world.of_jack]
        viewed = {(row.action, str(row.target_id)) for row in listed(client, ACCESSES, **filters)}
        assert viewed == {("words.viewed", world.about_jack)}
    for filters in ({"target": "no id"}, {"target": elsewhere.about_jack}, {"subject": "nobody"}):
        assert listed(client, VERDICTS, **filters) == listed(client, ACCESSES, **filters) == []


def test_edits_are_found_by_target_and_time(world, client):
    edit = world.edit(chunk := world.chunk(), "quarantine", by=world.alice)["edit_id"]
    world.edit(world.chunk(), "quarantine", by=world.alice)
    tomorrow = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%d")
    assert [str(one.id) for one in listed(client, EDITS, target=chunk)] == [edit]
    assert len(listed(client, EDITS, until=tomorrow)) == 2
    assert listed(client, EDITS, since=tomorrow) == []


def test_erasures_are_found_by_actor_target_subject_and_time(world, elsewhere, client):
    admins = admins_of(world)
    about = {"subject_type": "user", "subject_id": "jack-1"}
    chunk = world.chunk("fox", **about)
    by_chunk = admins.propose(by="chunk", id=chunk)
    by_subject = admins.erase(by="subject", **about)["erasure_id"]
    world.chunk("hen")
    by_agent = admins.erase(by="agent", agent="alice")["erasure_id"]
    admins_of(elsewhere).propose(by="chunk", id=elsewhere.chunk("fox", **about))

    def ids(**filters):
        return [str(erasure.id) for erasure in listed(client, ERASURES, **filters)]

    everything = [by_agent, by_subject, by_chunk]
    assert ids() == ids(actor=admins.carol_principal.name) == everything
    assert ids(actor=admins.dave_principal.name) == [by_agent, by_subject]
    assert ids(target=chunk) == [by_subject, by_chunk]
    assert ids(target=str(world.alice_principal.id)) == [by_agent]
    assert ids(subject="jack-1") == [by_subject, by_chunk]
    assert ids(state__status__exact="pending") == [by_chunk]
    tomorrow = (timezone.now() + timedelta(days=1)).strftime("%Y-%m-%d")
    assert ids(until=tomorrow) == everything
    for nothing in ({"actor": "nobody"}, {"target": "no id"}, {"subject": "nobody"}, {"since": tomorrow}):
        assert ids(**nothing) == []


def test_capsules_are_found_by_author_item_and_subject(world, elsewhere, client, given, handed):
    fox, hen = world.chunk("fox"), world.chunk("hen")
    of_alice = handed([fox])
    of_bert = handed([fox, hen], by=given("agent-bert"), subject_id="jill-2")
    theirs = {"subject_type": "user", "subject_id": "jill-2", "scope": "user", "audience_agent_ids": ["alice"]}
    elsewhere.alice.ok("post", "capsules", {**theirs, "items": {"chunks": [elsewhere.chunk()]}})

    def ids(**filters):
        return [str(capsule.id) for capsule in listed(client, CAPSULES, **filters)]

    assert ids() == ids(target=fox) == [of_bert, of_alice]
    assert ids(author="alice") == ids(target=of_alice) == ids(subject="jack-doe-123") == [of_alice]
    assert ids(author="agent-bert") == ids(target=hen) == ids(subject="jill-2") == [of_bert]
    for nothing in ({"author": "nobody"}, {"target": "no id"}, {"subject": "nobody"}):
        assert ids(**nothing) == []


def test_an_entry_shows_its_hashes_and_leads_to_the_story(world, client):
    chunk = world.chunk()
    world.edit(chunk, "quarantine")
    (entry,) = listed(client, ENTRIES, type="edit.proposed")
    assert f"/admin/governance/entry/story/{chunk}/" in client.get(ENTRIES).content.decode()
    page = client.get(f"{ENTRIES}{entry.id}/change/").content.decode()
    for value in (entry.hash, entry.prev_hash, entry.signature):
        assert bytes(value).hex() in page


def test_a_verdict_of_another_tenant_is_not_there(world, elsewhere, client):
    elsewhere.edit(elsewhere.chunk(), "quarantine")
    assert listed(client, VERDICTS) == []
    with elsewhere.inside():
        verdict = Verdict.objects.get()
    assert client.get(f"{VERDICTS}{verdict.id}/change/").status_code == 404
