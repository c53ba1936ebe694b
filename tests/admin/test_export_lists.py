"""A list as a file: all that the filters leave, streamed, safe to open, and known to the access log."""

import csv
import json

import pytest

from governance.admin import exporting
from governance.models import AccessRecord, Entry
from governance.services import access

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

ENTRIES = "/admin/governance/entry/export/"
ACCESSES = "/admin/governance/accessrecord/export/"


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
    assert [row["type"] for row in as_rows(client.get(ENTRIES, {"mentions": chunk}))] == ["edit.proposed"]
    page = client.get("/admin/governance/entry/", {"type": "edit.", "mentions": chunk}).content.decode()
    assert "export/?type=edit.&amp;mentions=" in page


def test_a_verdicts_file_names_its_edit(world, desk):
    edit = world.edit(world.chunk(), "quarantine")["edit_id"]
    (row,) = as_rows(desk(world.bob_name).client.get("/admin/governance/verdict/export/"))
    assert (row["edit_id"], row["edit__op"], row["decision"]) == (edit, "quarantine", "approved")


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
