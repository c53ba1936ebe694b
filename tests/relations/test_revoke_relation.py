"""A relation that is revoked ends at once, and stays in the list."""

import uuid

import pytest

from tests.relations.conftest import ADA, CHARLIE

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_it_ends_at_once_and_stays_with_its_reason(related):
    added = related.add()
    revoked = related.world.ann.ok("post", f"relations/{added['id']}/revoke", {"reason": "discharged"})
    assert (revoked["is_current"], revoked["revoked_reason"]) == (False, "discharged")
    assert revoked["revoked_by"] == related.world.ann_name
    assert related.usersets() == [CHARLIE]
    (listed,) = related.world.bob.ok("get", "relations")["results"]
    assert listed == revoked
    assert related.world.bob.ok("get", "relations?current=true")["results"] == []
    (entry,) = related.entries("relation.revoked")
    assert entry == {
        "id": added["id"],
        "principal": CHARLIE,
        "relation": "clinician_of",
        "object": ADA,
        "reason": "discharged",
    }


def test_it_can_be_added_again(related):
    related.world.bob.ok("post", f"relations/{related.add()['id']}/revoke", {"reason": "a mistake"})
    assert related.add()["is_current"]
    assert related.usersets() == [f"{ADA}#clinician_of", CHARLIE]


def test_another_relation_of_the_same_principal_stays(related):
    related.add(object="patient:bo")
    related.world.bob.ok("post", f"relations/{related.add()['id']}/revoke", {"reason": "discharged"})
    assert related.usersets() == ["patient:bo#clinician_of", CHARLIE]


def test_it_is_revoked_once_with_a_reason_and_only_in_its_tenant(related, refused, elsewhere):
    address = f"relations/{related.add()['id']}/revoke"
    assert refused(related.world.bob.post(address, {}), 400, "invalid")[0]["pointer"] == "#/reason"
    refused(elsewhere.bob.post(address, {"reason": "x"}), 404, "no-such-relation")
    refused(related.world.alice.post(address, {"reason": "x"}), 403, "related-by-people")
    related.world.bob.ok("post", address, {"reason": "x"})
    refused(related.world.bob.post(address, {"reason": "x"}), 409, "relation-already-revoked")
    refused(related.world.bob.post(f"relations/{uuid.uuid4()}/revoke", {"reason": "x"}), 404, "no-such-relation")
