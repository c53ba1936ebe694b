"""A reviewer or an admin says who stands in which relation to what, for some time or without an end."""

from datetime import timedelta

import pytest
from django.utils import timezone

from governance.models import RelationTuple
from tests.relations.conftest import ADA, CHARLIE

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

BODY = {"principal": CHARLIE, "relation": "clinician_of", "object": ADA, "reason": "admitted"}


def test_a_relation_is_added_with_its_entry(related):
    added = related.world.bob.ok("post", "relations", BODY)
    assert {name: added[name] for name in BODY} == BODY
    assert (added["valid_until"], added["is_current"], added["revoked_at"]) == (None, True, None)
    assert added["recorder"] == related.world.bob_name
    (entry,) = related.entries("relation.added")
    assert entry.pop("valid_from")
    assert entry == {"id": added["id"], **BODY}
    assert related.usersets() == [f"{ADA}#clinician_of", CHARLIE]
    assert related.world.bob.ok("get", f"relations/{added['id']}") == {
        name: value for name, value in added.items() if name != "notices"
    }


@pytest.mark.parametrize(
    ("fields", "pointer", "code"),
    [
        ({"principal": "charlie"}, "#/principal", "malformed-principal"),
        ({"principal": "User:charlie"}, "#/principal", "malformed-principal"),
        ({"principal": "user:"}, "#/principal", "malformed-principal"),
        ({"principal": "user: charlie"}, "#/principal", "malformed-principal"),
        ({"principal": "user:*"}, "#/principal", "malformed-principal"),
        ({"principal": "user:a#b"}, "#/principal", "malformed-principal"),
        ({"principal": "user:a|b"}, "#/principal", "malformed-principal"),
        ({"principal": f"user:{'x' * 201}"}, "#/principal", "malformed-principal"),
        ({"object": "ada"}, "#/object", "malformed-principal"),
        ({"relation": "Clinician of"}, "#/relation", "malformed-relation"),
        ({"relation": "1st"}, "#/relation", "malformed-relation"),
        ({"valid_until": "2020-01-01T00:00:00Z"}, "#/valid_until", "relation-ends-before-it-begins"),
        (
            {"valid_from": "2030-01-01T00:00:00Z", "valid_until": "2030-01-01T00:00:00Z"},
            "#/valid_until",
            "relation-ends-before-it-begins",
        ),
        ({"reason": " "}, "#/reason", "invalid"),
    ],
)
def test_a_wrong_relation_is_refused_where_it_is_wrong(related, refused, fields, pointer, code):
    answer = related.world.bob.post("relations", {**BODY, **fields})
    (fault,) = refused(answer, 400, code)
    assert (fault["pointer"], fault["code"]) == (pointer, code)
    with related.world.inside():
        assert not RelationTuple.objects.exists()


def test_all_faults_are_named_at_once(related, refused):
    answer = related.world.bob.post("relations", {**BODY, "principal": "charlie", "relation": "?", "object": "ada"})
    assert {one["pointer"] for one in refused(answer, 400, "invalid")} == {"#/principal", "#/relation", "#/object"}


def test_the_same_is_not_added_twice(related, refused):
    until = (timezone.now() + timedelta(days=7)).isoformat()
    related.add(valid_until=until)
    refused(related.world.bob.post("relations", {**BODY, "valid_until": until}), 409, "relation-exists")
    assert related.world.bob.post("relations", BODY).status_code == 201  # it says more: it has no end
    refused(related.world.bob.post("relations", {**BODY, "valid_until": until}), 409, "relation-exists")


def test_a_retry_with_the_same_idempotency_key_adds_it_once(related):
    once = {"Idempotency-Key": "once"}
    first, second = (related.world.bob.ok("post", "relations", BODY, **once) for _ in range(2))
    assert first == second
    assert len(related.entries("relation.added")) == 1


def test_only_people_who_govern_add_relations(related, refused):
    refused(related.world.alice.post("relations", BODY), 403, "related-by-people")
    refused(related.issue("*").post("relations", BODY), 403, "related-by-people")
    assert related.world.auditor.post("relations", BODY).status_code == 403
    assert related.carol.post("relations", BODY).status_code == 201


def test_a_type_and_a_relation_that_are_new_are_named_with_the_nearest_known_one(related):
    first = related.add()["notices"]
    assert {(one["code"], one["detail"].split(" before")[0].split()[-1]) for one in first} == {
        ("unknown_type", "user"),
        ("unknown_type", "patient"),
        ("unknown_relation", "clinician_of"),
    }
    assert related.add(object="patient:bo")["notices"] == []
    misspelled = related.add(object="pacient:bo", relation="clinican_of")["notices"]
    assert [one["detail"] for one in misspelled] == [
        "This tenant has not used the type pacient before. The nearest one in use is patient.",
        "This tenant has not used the relation clinican_of before. The nearest one in use is clinician_of.",
    ]


def test_the_type_of_a_subject_of_memory_is_known(related):
    related.world.event(subject_type="customer", subject_id="c1")
    told = [one["detail"] for one in related.add(object="customer:c1", relation="agent_of")["notices"]]
    assert not [one for one in told if "the type customer" in one]
