"""The queue's tabs and filters, and what a page of it costs."""

import re
import uuid
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from governance.acting import gate
from governance.edits import provenance
from governance.models import AccessRecord, Edit, PolicyRule
from memory.provenance import _NEWEST_BUNDLES
from tests.factories import CapsuleFactory, EditFactory
from tests.owning import as_owner

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])


def listed(desk, name, query=""):
    return [str(edit.id) for edit in desk(name).queue(query).context["cl"].result_list]


def quarantine(world, text="The quick brown fox", by=None, **fields):
    return str(world.edit(world.chunk(text, **fields), "quarantine", by=by or world.alice)["edit_id"])


def test_each_tab_has_what_it_says(strict_world, desk):
    world = strict_world
    others, own = quarantine(world), quarantine(world, by=world.bob)
    changed = world.chunk("Jon")
    stale = str(world.edit(changed, "quarantine", by=world.alice)["edit_id"])
    amend = world.edit(changed, "amend", by=world.ann, text="John")["edit_id"]
    desk(world.bob_name).decide("approve", amend)

    assert listed(desk, world.bob_name) == [others, stale]
    assert listed(desk, world.bob_name, "?status=mine") == [others, stale]
    assert listed(desk, world.bob_name, "?status=pending") == [others, own, stale]
    assert listed(desk, world.bob_name, "?status=proposed") == [own]
    assert listed(desk, world.bob_name, "?status=stale") == [stale]
    assert listed(desk, world.bob_name, "?status=approved") == [amend]
    assert listed(desk, world.bob_name, "?status=second") == []


def test_one_approval_of_two_waits_for_a_second_person(world, desk):
    rule = {"op": "quarantine", "proposer_kind": "agent", "sensitivity": None, "approvals": 2}
    with world.inside(), as_owner():
        PolicyRule.objects.filter(tenant_id=world.tenant_id, op="quarantine", proposer_kind="agent").delete()
        PolicyRule.objects.create(tenant_id=world.tenant_id, **rule)
    edit = quarantine(world)
    desk(world.bob_name).decide("approve", edit)
    assert listed(desk, world.bob_name) == []
    assert listed(desk, world.bob_name, "?status=second") == [edit]
    assert listed(desk, world.ann_name) == [edit]


@pytest.mark.parametrize(
    "query",
    [
        "subject=jack-1",
        "project=apollo",
        "proposer=alice&subject=jack-1",
        "subject=jack-1&project=apollo&op=quarantine",
    ],
)
def test_it_is_filtered_by_what_the_target_is_about(world, desk, query):
    found = quarantine(world, subject_type="user", subject_id="jack-1", project_id="apollo")
    quarantine(world, subject_type="user", subject_id="jane-2", project_id="zeus")
    assert listed(desk, world.bob_name, f"?{query}") == [found]
    assert "jack-1, apollo" in desk(world.bob_name).queue().content.decode()


def test_it_is_filtered_by_proposer(world, elsewhere, desk):
    of_alice, of_bob = quarantine(world), quarantine(world, by=world.bob)
    assert listed(desk, world.bob_name, "?status=all&proposer=alice") == [of_alice]
    assert listed(desk, world.bob_name, f"?status=all&proposer={world.bob_name}") == [of_bob]
    quarantine(elsewhere, by=elsewhere.bob)
    for nobody in (elsewhere.bob_name, "nobody", "ali"):
        assert listed(desk, world.bob_name, f"?status=all&proposer={nobody}") == []


def test_it_is_filtered_by_age_and_batch(world, desk):
    body = {"edits": [EditFactory(target_id=world.chunk(text), op="quarantine") for text in ("one", "two")]}
    made = world.alice.ok("post", "edits/bulk", body)
    quarantine(world, "three")
    assert len(listed(desk, world.bob_name)) == 3
    assert len(listed(desk, world.bob_name, f"?batch={made['batch_id']}")) == 2
    assert listed(desk, world.bob_name, f"?batch={uuid.uuid4()}") == []
    assert listed(desk, world.bob_name, "?batch=nonsense") == []
    assert listed(desk, world.bob_name, "?older=7") == []
    assert len(listed(desk, world.bob_name, "?older=nonsense")) == 3


def test_it_is_searched_by_id_proposer_and_reason(world, desk):
    chunk = world.chunk("fox")
    ours = str(world.edit(chunk, "quarantine", by=world.alice, reason="he moved to Hamburg")["edit_id"])
    other = str(world.edit(world.chunk("hen"), "quarantine", by=world.alice, reason="out of date")["edit_id"])
    own = str(world.edit(world.chunk("cat"), "amend", text="a dog")["edit_id"])
    for words in (chunk, f" {chunk.upper()} ", ours, "hamburg", "moved hamburg", chunk[-8:]):
        assert listed(desk, world.bob_name, f"?{urlencode({'q': words})}") == [ours], words
    assert listed(desk, world.bob_name, "?q=alice") == [ours, other]
    assert listed(desk, world.bob_name, f"?status=all&q={world.bob_name}") == [own]
    assert listed(desk, world.bob_name, f"?status=all&q={world.bob_name[:6]}") == [own]
    assert listed(desk, world.bob_name, f"?q={uuid.uuid4()}") == []


@pytest.mark.parametrize("column", ["target_id", "id"])
def test_a_whole_id_is_looked_up_and_not_searched_for(world, desk, column):
    edit = quarantine(world)
    with world.inside():
        what = Edit.objects.values_list(column, flat=True).get(id=edit)
    with CaptureQueriesContext(connection) as asked:
        assert listed(desk, world.bob_name, f"?status=all&q={what}") == [edit]
    statements = [query["sql"] for query in asked if what.hex in query["sql"] and '"governance_edit"' in query["sql"]]
    assert statements
    assert not any("LIKE" in sql for sql in statements), "words are looked for in every row"


def test_an_empty_view_says_what_to_do(world, desk):
    page = desk(world.bob_name).queue().content.decode()
    assert "No edit waits for you" in page
    assert "Clear the search and the filters" in desk(world.bob_name).queue("?q=zebra").content.decode()


@pytest.mark.parametrize("query", ["", "?status=stale", "?subject=jack-1", "?q=fox"])
def test_a_page_takes_the_same_queries_for_one_row_and_for_many(world, desk, query, django_assert_num_queries):
    bob = desk(world.bob_name)
    quarantine(world, subject_type="user", subject_id="jack-1")
    bob.queue(query)  # which writes that the session is in use, once a minute
    with CaptureQueriesContext(connection) as one:
        bob.queue(query)
    queries = len(one)  # the next request forgets them
    for number in range(4):
        quarantine(world, f"fox {number}", subject_type="user", subject_id="jack-1")
    bob.queue(query)
    with django_assert_num_queries(queries):
        bob.queue(query)


def test_the_page_leads_through_the_queue(world, desk):
    first, second, third = (quarantine(world, text) for text in ("one", "two", "three"))
    page = desk(world.bob_name).open(second).content.decode()
    assert f'<a rel="prev" href="/admin/governance/edit/{first}/change/">' in page
    assert f'<a rel="next" href="/admin/governance/edit/{third}/change/">' in page
    answer = desk(world.bob_name).decide("approve", second, onward="1")
    assert answer.headers["Location"] == f"/admin/governance/edit/{third}/change/"


def test_the_page_tells_where_the_memory_came_from_and_what_was_said_around_it(world, desk):
    moment = timezone.now() - timedelta(hours=1)

    def said(text, minutes, **fields):
        return world.chunk(text, ts=(moment + timedelta(minutes=minutes)).isoformat(), **fields)

    said("Before it", 0)
    target = said("The thing itself", 1, tags=["trip"])
    said("After it", 2)
    hidden = said("Retracted words", 3)
    world.edit(hidden, "quarantine")
    edit = str(world.edit(target, "quarantine", by=world.alice)["edit_id"])
    page = desk(world.bob_name).open(edit).content.decode()
    for shown in ("Before it", "After it", "session-1", "agent alice", "trip", "this chunk"):
        assert shown in page
    assert "Retracted words" not in page


def test_the_page_tells_which_bundles_gave_the_memory_out(world, desk):
    chunk = world.chunk("Jack lives in Lisbon", subject_type="user", subject_id="jack-1")
    asked = {"session_id": "session-1", "channel": "private", "subject_type": "user", "subject_id": "jack-1"}
    bundle = world.alice.ok("post", "acb/build", asked)["acb"]["acb_id"]
    world.alice.ok("post", "acb/build", {**asked, "session_id": "elsewhere", "subject_id": "jill-2"})
    page = desk(world.bob_name).open(world.edit(chunk, "quarantine", by=world.alice)["edit_id"])
    assert [(use.what, use.name) for use in page.context["uses"]] == [
        ("context bundle", f"{bundle[-8:]} for agent alice")
    ]
    assert f"/admin/governance/entry/story/{bundle}/" in page.content.decode()


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
def test_a_memory_is_found_however_many_bundles_followed(world, desk, owner):
    """600 later bundles without it: more than were ever scanned."""
    chunk = world.chunk("Jack lives in Lisbon", subject_type="user", subject_id="jack-1")
    asked = {"session_id": "session-1", "channel": "private", "subject_type": "user", "subject_id": "jack-1"}
    first = world.alice.ok("post", "acb/build", asked)["acb"]["acb_id"]
    gate_call = (
        "SELECT record_context_bundle(%s, gen_random_uuid(), now(), '{}', NULL,"
        " jsonb_build_array(jsonb_build_object('id', gen_random_uuid())), '[]', 0, 0, 'none')"
        " FROM generate_series(1, 600)"
    )
    with world.inside():
        gate.act_as(world.alice_principal)
        gate.rows(gate_call, [world.tenant_id])
    edit = world.edit(chunk, "quarantine", by=world.alice)["edit_id"]
    page = desk(world.bob_name).open(edit)
    assert [use.name[:8] for use in page.context["uses"]] == [first[-8:]]
    assert "There may be more" not in page.content.decode()


def test_the_newest_uses_of_a_kind_are_listed_and_the_page_says_that_there_may_be_more(world, desk, monkeypatch):
    monkeypatch.setattr(provenance, "USES_AT_MOST", 2)
    chunk = world.chunk("Jack lives in Lisbon", subject_type="user", subject_id="jack-1")
    asked = {"session_id": "session-1", "channel": "private", "subject_type": "user", "subject_id": "jack-1"}
    bundles = [world.alice.ok("post", "acb/build", asked)["acb"]["acb_id"] for _ in range(3)]
    page = desk(world.bob_name).open(world.edit(chunk, "quarantine", by=world.alice)["edit_id"])
    assert [use.name[:8] for use in page.context["uses"]] == [bundle[-8:] for bundle in reversed(bundles[1:])]
    assert "These are the newest 2 of each kind. There may be more." in page.content.decode()


def test_finding_the_bundles_of_a_memory_reads_an_index(world):
    with world.inside(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {_NEWEST_BUNDLES}", [[world.tenant_id], world.tenant_id, 20, 20])
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Index Only Scan Backward using context_bundle_item_once" in plan, plan


def test_a_capsule_that_holds_the_twin_of_a_memory_uses_it(world, desk):
    recorded = world.event("Use zebras", kind="decision", content={"decision": "Use zebras", "scope": "global"})
    capsule = world.alice.ok("post", "capsules", CapsuleFactory(items={"decisions": [recorded["decision_id"]]}))
    page = desk(world.bob_name).open(world.edit(recorded["chunk_ids"][0], "quarantine", by=world.alice)["edit_id"])
    (use,) = page.context["uses"]
    assert (use.what, use.name[:36]) == ("capsule", capsule["capsule_id"])


def test_around_a_memory_the_speaker_and_the_recorder_are_told_apart(world, desk):
    """The speaker and the time are what the agent says; who recorded it and when is what the server knows."""
    moment = timezone.now() - timedelta(hours=2)
    world.chunk("Please cancel it", ts=moment.isoformat(), actor_type="human", actor_id="jack-1")
    target = world.chunk("The thing itself", ts=(moment + timedelta(minutes=1)).isoformat())
    world.chunk("Just now", actor_type="agent", actor_id="alice")
    page = desk(world.bob_name).open(world.edit(target, "quarantine", by=world.alice)["edit_id"])
    before, _, after = (what for _, what, _ in page.context["around"])
    assert re.fullmatch(r"human jack-1 \(recorded by alice, \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)", str(before))
    assert str(after) == "agent alice"
    origin = dict(page.context["origin"])
    assert f"{moment + timedelta(minutes=1):%Y-%m-%d %H:%M} UTC" in str(origin["Said or done by"])
    assert "alice" in str(origin["Recorded by"])


def test_a_decision_and_its_chunk_are_given_out_as_one_memory(world, desk):
    chunk = world.event("Use zebras", kind="decision", content={"decision": "Use zebras", "scope": "global"})
    world.alice.ok("post", "acb/build", {"session_id": "elsewhere", "channel": "private"})
    page = desk(world.bob_name).open(world.edit(chunk["chunk_ids"][0], "quarantine", by=world.alice)["edit_id"])
    assert [use.what for use in page.context["uses"]] == ["context bundle"]


def test_looking_at_the_words_is_logged(world, desk):
    edit = world.edit(chunk := world.chunk(), "quarantine", by=world.alice)["edit_id"]
    desk(world.bob_name).queue()
    with world.inside():
        assert not AccessRecord.objects.filter(target_id=chunk).exists()
    desk(world.bob_name).open(edit)
    with world.inside():
        record = AccessRecord.objects.get(target_id=chunk)
    assert (record.action, record.actor) == ("words.viewed", world.bob_name)


def test_a_stale_page_shows_what_changed_since(world, desk, status_of):
    chunk = world.chunk("My name is Jon")
    edit = str(world.edit(chunk, "quarantine", by=world.alice)["edit_id"])
    bob = desk(world.bob_name)
    seen = {**bob.seen(edit), "seen_text": bob.open(edit).context["seen_text"]}
    world.edit(chunk, "amend", by=world.ann, text="My name is John")
    answer = bob.decide("approve", edit, **seen)
    assert answer.status_code == 409
    page = answer.content.decode()
    assert "Changes since you loaded this page" in page
    assert "My name is <del>Jon</del>" in page
    assert "My name is <ins>John</ins>" in page
    assert status_of(world, edit) == "pending"
