"""People list all relations; an agent lists those of the principal on whose behalf it asks."""

import uuid

import pytest

from tests.relations.conftest import ADA, BO, CHARLIE

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_filters_and_pages(related):
    for principal, relation, object in (
        (CHARLIE, "clinician_of", ADA),
        (CHARLIE, "covering", BO),
        (ADA, "child_of", BO),
    ):
        related.add(principal, relation, object)

    def found(query):
        return [one["object"] for one in related.world.bob.ok("get", f"relations{query}")["results"]]

    assert found("") == [BO, BO, ADA]
    assert found(f"?principal={CHARLIE}") == [BO, ADA]
    assert found(f"?object={BO}&relation=covering") == [BO]
    assert found("?relation=nobody_of") == []
    first = related.world.auditor.ok("get", "relations?limit=2")
    second = related.world.auditor.ok("get", f"relations?limit=2&cursor={first['next']}")
    assert [len(first["results"]), len(second["results"]), second["next"]] == [2, 1, None]


def test_wrong_parameters_are_named(related, refused):
    assert refused(related.world.bob.get("relations?current=perhaps"), 400, "invalid")[0]["parameter"] == "current"
    assert refused(related.world.bob.get("relations?about=ada"), 400, "invalid")[0]["parameter"] == "about"


def test_an_agent_lists_no_relations_of_others(related, refused):
    of_ada = related.add(ADA, "child_of", BO)
    related.add(CHARLIE, "clinician_of", ADA)
    own = related.add("agent:alice", "member", "role:billing")
    assert [one["id"] for one in related.world.alice.ok("get", "relations")["results"]] == [own["id"]]
    speaking = related.issue("patient:*")
    shown = speaking.ok("get", "relations", **{"X-On-Behalf-Of": ADA})["results"]
    assert [one["id"] for one in shown] == [of_ada["id"]]
    refused(related.world.alice.get(f"relations/{of_ada['id']}"), 404, "no-such-relation")


def test_another_tenant_has_none_of_them(related, elsewhere, refused):
    added = related.add()
    assert elsewhere.bob.ok("get", "relations")["results"] == []
    refused(elsewhere.bob.get(f"relations/{added['id']}"), 404, "no-such-relation")
    refused(related.world.bob.get(f"relations/{uuid.uuid4()}"), 404, "no-such-relation")
