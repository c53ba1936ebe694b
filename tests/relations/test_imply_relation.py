"""Who stands in one relation to an object of a type also stands in another one to it, over one level."""

import uuid

import pytest

from tests.relations.conftest import ADA, CHARLIE

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

EDITORS = {"object_type": "patient", "relation": "clinician_of", "implies": "covering"}


def test_what_is_implied_follows_from_the_relation_as_long_as_it_is_there(related):
    related.add()
    made = related.carol.ok("post", "implied-relations", EDITORS)
    assert related.usersets() == [f"{ADA}#clinician_of", f"{ADA}#covering", CHARLIE]
    assert related.carol.ok("get", "implied-relations")["results"] == [made]
    assert related.carol.ok("delete", f"implied-relations/{made['id']}") == {"removed": made["id"]}
    assert related.usersets() == [f"{ADA}#clinician_of", CHARLIE]
    assert related.entries("implied_relation.added") == related.entries("implied_relation.removed") == [made]


def test_it_is_for_objects_of_its_type_only(related):
    related.add(object="ward:3")
    related.carol.ok("post", "implied-relations", EDITORS)
    assert related.usersets() == [CHARLIE, "ward:3#clinician_of"]


def test_what_is_implied_implies_nothing_more_and_a_cycle_does_no_harm(related):
    related.add()
    related.carol.ok("post", "implied-relations", EDITORS)
    related.carol.ok("post", "implied-relations", {**EDITORS, "relation": "covering", "implies": "viewer"})
    related.carol.ok("post", "implied-relations", {**EDITORS, "relation": "covering", "implies": "clinician_of"})
    assert related.usersets() == [f"{ADA}#clinician_of", f"{ADA}#covering", CHARLIE]


def test_wrong_ones_are_refused(related, refused):
    (fault,) = refused(
        related.carol.post("implied-relations", {**EDITORS, "implies": "Covering"}), 400, "malformed-relation"
    )
    assert fault["pointer"] == "#/implies"
    itself = {**EDITORS, "implies": "clinician_of"}
    refused(related.carol.post("implied-relations", itself), 400, "implied-relation-of-itself")
    refused(related.world.bob.post("implied-relations", EDITORS), 403, "managed-by-admins")
    refused(related.world.alice.get("implied-relations"), 403, "listed-for-people")
    related.carol.ok("post", "implied-relations", EDITORS)
    refused(related.carol.post("implied-relations", EDITORS), 409, "implied-relation-exists")
    address = f"implied-relations/{uuid.uuid4()}"
    refused(related.carol.request("delete", address), 404, "no-such-implied-relation")
