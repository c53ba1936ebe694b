"""A list as a file: all that the filters leave, streamed, safe to open, and known to the access log."""

import csv
import json

import pytest

from governance.admin import exporting
from governance.admin.site import site
from governance.ledger import access
from governance.models import AccessRecord, Edit, Entry
from tests.erasure.conftest import admins_of
from tests.factories import CapsuleFactory
from tests.tools.calls import call

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

ENTRIES = "/admin/governance/entry/export/"
ACCESSES = "/admin/governance/accessrecord/export/"
EDITS = "/admin/governance/edit/export/"


def lines(answer):
    assert answer.status_code == 200
    assert answer.streaming
    return answer.getvalue().decode().splitlines()


def as_rows(answer):
    return list(csv.DictReader(lines(answer)))


@pytest.fixture
def small_pages(monkeypatch):
    monkeypatch.setattr(exporting, "PAGE", 3)


def test_all_entries_are_in_the_file_beyond_one_page(world, elsewhere, desk, small_pages):
    world.edit(world.chunk(), "quarantine")
    elsewhere.edit(elsewhere.chunk(), "quarantine")
    with world.inside():
        expected = list(Entry.objects.order_by("-id"))
    assert len(expected) > 2 * exporting.PAGE
    client = desk(world.bob_name).client
    in_csv = as_rows(client.get(ENTRIES, {"as": "csv"}))
    in_json = [json.loads(line) for line in lines(client.get(ENTRIES, {"as": "jsonl"}))]
    assert [row["id"] for row in in_csv] == [row["id"] for row in in_json] == [str(entry.id) for entry in expected]
    first = in_json[0]
    assert first["hash"] == bytes(expected[0].hash).hex()
    assert first["ts"] == expected[0].ts.isoformat()
    assert first["metadata"] == expected[0].metadata
    assert json.loads(in_csv[0]["metadata"]) == expected[0].metadata


def test_the_lists_filters_hold_in_the_file(world, desk):
    chunk = world.chunk()
    world.edit(chunk, "quarantine")
    client = desk(world.bob_name).client
    assert [row["type"] for row in as_rows(client.get(ENTRIES, {"type": "edit.approved"}))] == ["edit.approved"]
    found = as_rows(client.get(ENTRIES, {"mentions": chunk}))
    assert [row["type"] for row in found] == ["edit.approved", "edit.proposed"]
    page = client.get("/admin/governance/entry/", {"type": "edit.", "mentions": chunk}).content.decode()
    assert "export/?type=edit.&amp;mentions=" in page


def test_a_verdicts_file_names_its_edit(world, desk):
    edit = world.edit(world.chunk(), "quarantine")["edit_id"]
    (row,) = as_rows(desk(world.bob_name).client.get("/admin/governance/verdict/export/"))
    assert (row["edit_id"], row["edit__op"], row["decision"]) == (edit, "quarantine", "approved")


def test_the_file_of_edits_is_the_tab_that_is_open(world, elsewhere, desk, small_pages):
    """Without a tab it is the one that opens by itself; no words of memory are in it."""
    for number in range(7):
        world.edit(world.chunk(f"zebra {number}"), "quarantine", by=world.alice)
    amended = world.edit(world.chunk("zebra"), "amend", text="A zebra was here")["edit_id"]
    elsewhere.edit(elsewhere.chunk(), "quarantine", by=elsewhere.alice)
    client = desk(world.bob_name).client
    waiting = as_rows(client.get(EDITS))
    assert [row["state__status"] for row in waiting] == ["pending"] * 7
    assert {(row["op"], row["proposer"], row["reason"]) for row in waiting} == {("quarantine", "alice", "a test")}
    assert [row["id"] for row in waiting] == sorted((row["id"] for row in waiting), reverse=True)
    (applied,) = [json.loads(line) for line in lines(client.get(EDITS, {"status": "approved", "as": "jsonl"}))]
    assert (applied["id"], applied["state__approved_by"]) == (amended, "policy:standard")
    everything = client.get(EDITS, {"status": "all"}).getvalue().decode()
    assert everything.count("\n") == 9
    assert "zebra" not in everything
    page = client.get("/admin/governance/edit/", {"status": "all", "op__exact": "amend"}).content.decode()
    assert "export/?status=all&amp;op__exact=amend&amp;as=csv" in page


def test_search_and_filters_of_the_queue_hold_in_its_file(world, desk):
    chunk = world.chunk(subject_type="user", subject_id="jack-1")
    ours = world.edit(chunk, "quarantine", by=world.alice, reason="he moved")["edit_id"]
    world.edit(world.chunk(), "quarantine", by=world.alice, reason="out of date")
    client = desk(world.bob_name).client
    for query in ({"q": "moved"}, {"q": chunk}, {"subject": "jack-1"}, {"target": chunk}):
        assert [row["id"] for row in as_rows(client.get(EDITS, query))] == [ours], query
    assert as_rows(client.get(EDITS, {"status": "proposed"})) == []


def test_the_export_of_edits_is_logged_with_the_tab_that_opened_by_itself(world, desk):
    lines(desk(world.bob_name).client.get(EDITS, {"q": "moved"}))
    auditor = desk(world.bob_name.replace("bob", "auditor")).client
    lines(auditor.get(EDITS))
    with world.inside():
        rows = AccessRecord.objects.filter(action="audit.exported").order_by("id")
        assert [row.target_type for row in rows] == ["edit", "edit"]
        assert [row.details["filters"] for row in rows] == [
            {"q": ["moved"], "status": ["mine"]},
            {"status": ["pending"]},
        ]


def test_every_list_with_a_file_has_this_tenants_rows_in_it_and_no_words(world, elsewhere, desk):
    for one in (world, elsewhere):
        chunk = one.chunk("A secret sentence about zebras", subject_type="user", subject_id="jack")
        call(one.alice, "memory_commit", {"content": "Zebras have stripes"})
        one.event("decided", kind="decision", content={"decision": "Use zebras"})
        one.event("to do", kind="task_update", content={"title": "Feed zebras", "status": "open"})
        one.edit(chunk, "amend", by=one.alice, text="Another sentence about zebras")
        one.alice.ok("post", "capsules", CapsuleFactory(items={"chunks": [chunk]}, note="Zebras"))
        admins_of(one).propose(by="chunk", id=chunk)
    client = desk(world.bob_name).client
    exported = [(model, admin) for model, admin in site._registry.items() if getattr(admin, "export_fields", None)]
    assert len(exported) >= 9
    for model, admin in exported:
        address = f"/admin/{model._meta.app_label}/{model._meta.model_name}/"
        text = client.get(f"{address}export/", {"status": "all"} if model is Edit else {}).getvalue().decode()
        header, *rows = csv.reader(text.splitlines())
        assert header == ["id", *admin.export_fields]
        assert rows or model is AccessRecord, model
        assert "zebras" not in text.lower()
        with world.inside():
            known = {str(key) for key in model.objects.values_list("pk", flat=True)}
        assert {row[0] for row in rows} <= known, model
        page = client.get(address)
        assert "export/?as=csv" in page.content.decode(), model


def test_a_filter_with_a_value_that_it_does_not_take_is_refused(world, desk):
    answer = desk(world.bob_name).client.get("/admin/memory/effectivechunk/export/?is_retracted__exact=perhaps")
    assert answer.status_code == 400


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])  # noqa: RUF001 (a full-width sign)
def test_a_cell_that_looks_like_a_formula_is_text(world, desk, name):
    with world.inside():
        access.log(name, actor=world.bob_principal, target_type="chunk")
    client = desk(world.bob_name).client
    answer = client.get(ACCESSES, {"as": "csv"})
    cells = [row["action"] for row in csv.DictReader(answer.getvalue().decode().splitlines(keepends=True))]
    assert any(cell.startswith("'" + name[0]) for cell in cells)
    assert not any(cell.startswith(name[0]) for cell in cells)
    in_json = [json.loads(line) for line in lines(client.get(ACCESSES, {"as": "jsonl"}))]
    assert name in [row["action"] for row in in_json]


def test_an_export_is_in_the_access_log_with_its_filters(world, desk):
    lines(desk(world.bob_name).client.get(ENTRIES, {"as": "jsonl", "type": "edit."}))
    with world.inside():
        row = AccessRecord.objects.get(action="audit.exported")
    assert (row.actor, row.target_type) == (world.bob_name, "entry")
    assert row.details == {"as": "jsonl", "filters": {"type": ["edit."]}}


def test_an_auditor_may_and_a_stranger_may_not(world, desk, client):
    auditor = desk(world.bob_name.replace("bob", "auditor")).client
    assert as_rows(auditor.get(ENTRIES))
    assert client.get(ENTRIES).status_code == 302


def test_an_unknown_format_is_refused_and_not_logged(world, desk):
    assert desk(world.bob_name).client.get(ENTRIES, {"as": "xlsx"}).status_code == 400
    with world.inside():
        assert not AccessRecord.objects.filter(action="audit.exported").exists()
