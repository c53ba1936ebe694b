"""Relations come from a CSV file: all of them, or none, with the line of each fault."""

import pytest

from governance.models import RelationTuple
from tests.relations.conftest import ADA, CHARLIE

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

HEAD = "principal,relation,object,valid_from,valid_until,reason\n"


def send(api, text, **headers):
    content = text if isinstance(text, bytes) else text.encode()
    return api.client.post(
        "/api/v1/relations/import",
        data=content,
        content_type="text/csv",
        headers={"Authorization": f"Bearer {api.key}", **headers},
    )


def count(related):
    with related.world.inside():
        return RelationTuple.objects.count()


def test_every_line_becomes_a_relation_with_its_entry(related):
    text = HEAD + f"{CHARLIE},clinician_of,{ADA},2026-01-01,,admitted\n\n"
    text += '"user:dora, MD",clinician_of,patient:bo,,2999-12-31T00:00:00+02:00,"on call,\nuntil the end"\n'
    answer = send(related.world.bob, "\ufeff" + text.replace("\n", "\r\n"))
    assert answer.status_code == 201, answer.content
    assert answer.json()["relations"] == 2
    newest, first = related.world.bob.ok("get", "relations")["results"]
    assert (first["valid_from"], first["valid_until"]) == ("2026-01-01T00:00:00Z", None)
    assert (newest["principal"], newest["valid_until"]) == ("user:dora, MD", "2999-12-30T22:00:00Z")
    assert newest["reason"].splitlines() == ["on call,", "until the end"]
    assert len(related.entries("relation.added")) == 2


def test_times_may_be_left_out_and_columns_have_any_order(related):
    answer = send(related.carol, f"reason,object,relation,principal\nadmitted,{ADA},clinician_of,{CHARLIE}\n")
    assert answer.json()["relations"] == 1
    assert {one["code"] for one in answer.json()["notices"]} == {"unknown_type", "unknown_relation"}


def test_one_wrong_line_refuses_the_file_and_each_fault_names_its_line(related, refused):
    rows = [
        f"{CHARLIE},clinician_of,{ADA},,,ok",
        f"charlie,clinician_of,{ADA},,,ok",
        f"{CHARLIE},clinician_of,{ADA},soon,,ok",
        f"{CHARLIE},clinician_of,{ADA},2030-01-02,2030-01-01,ok",
        f"{CHARLIE},clinician_of,{ADA},,,",
    ]
    faults = refused(send(related.world.bob, HEAD + "\n".join(rows)), 400, "invalid")
    assert [one["pointer"] for one in faults] == ["#/3/principal", "#/4/valid_from", "#/5/valid_until", "#/6/reason"]
    assert all(one["detail"].startswith(f"Line {line}: ") for line, one in enumerate(faults, 3))
    assert count(related) == 0


def test_a_relation_that_is_there_already_refuses_the_file(related, refused):
    related.add()
    text = f"{HEAD}{CHARLIE},clinician_of,patient:bo,,,ok\n{CHARLIE},clinician_of,{ADA},,,ok\n"
    (fault,) = refused(send(related.world.bob, text), 400, "invalid")
    assert (fault["pointer"], fault["code"]) == ("#/3", "relation-exists")
    assert count(related) == 1
    assert len(related.entries("relation.added")) == 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        HEAD,
        "principal,relation\n",
        "principal,relation,object,reason,colour\n",
        "principal,principal,relation,object,reason\n",
        HEAD + "a,b\n",
        HEAD + '"unfinished\n',
        HEAD.encode() + b"\xff\xfe,b,c,d,e,f\n",
        "\x00",
    ],
)
def test_what_is_no_such_file_is_refused(related, refused, text):
    refused(send(related.world.bob, text), 400, "malformed-csv")


def rows_of(count):
    return "".join(f"{CHARLIE},clinician_of,patient:{number},,,ok\n" for number in range(count))


def test_more_than_a_thousand_are_refused(related, refused):
    refused(send(related.world.bob, HEAD + rows_of(1_001)), 400, "malformed-csv")


def test_a_thousand_are_imported_at_once(related):
    assert send(related.world.bob, HEAD + rows_of(1_000)).json() == {
        "relations": 1_000,
        "notices": send_notices(),
    }


def send_notices():
    return [
        {"code": "unknown_type", "detail": "This tenant has not used the type user before."},
        {"code": "unknown_type", "detail": "This tenant has not used the type patient before."},
        {"code": "unknown_relation", "detail": "This tenant has not used the relation clinician_of before."},
    ]


def test_only_people_who_govern_import_and_only_csv(related, refused):
    text = f"{HEAD}{CHARLIE},clinician_of,{ADA},,,ok\n"
    refused(send(related.world.alice, text), 403, "related-by-people")
    assert related.world.bob.post("relations/import", {"file": text}).status_code == 415
    once = {"Idempotency-Key": "once"}
    assert send(related.world.bob, text, **once).json() == send(related.world.bob, text, **once).json()
    assert count(related) == 1
