"""A request names the principal on whose behalf it asks, if its key may speak for it. It then hears what the principal
hears."""

import pytest

from governance.models import Entry
from tests.ledger.tampering import interned
from tests.relations.conftest import ADA, BO, CHARLIE

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def for_(principal):
    return {"X-On-Behalf-Of": principal}


@pytest.mark.parametrize("speaks_for", ["*", "patient:*", ADA])
def test_a_key_speaks_for_whom_it_may(related, speaks_for):
    related.issue("user:bob", speaks_for).ok("get", "chunks", **for_(ADA))


@pytest.mark.parametrize("speaks_for", [["patient:*"], [BO], ["user:*", "patient:ad", "patient:ada2"]])
def test_a_key_speaks_for_nobody_else(related, refused, speaks_for):
    named = "user:ada" if speaks_for == ["patient:*"] else ADA
    answer = related.issue(*speaks_for).get("chunks", **for_(named))
    refused(answer, 403, "may-not-speak-for")
    assert named in answer.json()["detail"]


def test_a_key_speaks_for_nobody_unless_it_may(related, refused):
    refused(related.world.alice.get("chunks", **for_(ADA)), 403, "may-not-speak-for")
    refused(related.world.bob.get("chunks", **for_(ADA)), 403, "may-not-speak-for")


@pytest.mark.parametrize("given", ["", "ada", "patient:", "Patient:ada", "patient:a#b", "a|b:c", "\xff"])
def test_a_malformed_name_is_refused_by_the_name_of_the_header(related, refused, given):
    (fault,) = refused(related.issue("*").get("chunks", **for_(given)), 400, "malformed-principal")
    assert fault["header"] == "X-On-Behalf-Of"


def test_a_key_that_must_name_a_principal_is_refused_without_one_wherever_it_reads_or_writes(related, refused):
    must = related.issue("patient:*", must_speak_for=True)
    for answer in (must.get("chunks"), must.post("events", related.world.draft("Hello")), must.get("relations")):
        (fault,) = refused(answer, 400, "must-name-principal")
        assert fault["header"] == "X-On-Behalf-Of"
    must.ok("get", "chunks", **for_(ADA))
    must.ok("post", "events", related.world.draft("Hello"), **for_(ADA))
    assert must.get("tools").status_code == 200  # it tells nothing of memory


def test_the_database_refuses_a_reader_who_must_name_a_principal_and_does_not(related):
    must = related.issue("patient:*", must_speak_for=True)
    with pytest.raises(Exception, match="must name the principal"):
        related.hears(must)
    assert related.hears(must, ADA) == ""


def test_a_reader_hears_the_audiences_of_the_principal_only(related):
    audiences = [[ADA], [BO], [f"{ADA}#clinician_of"], [CHARLIE, BO], ["agent:alice"], [f"{ADA}#covering"]]
    assert [interned(related.world, *one) for one in audiences] == list(range(6))
    related.add()
    related.carol.ok(
        "post", "implied-relations", {"object_type": "patient", "relation": "clinician_of", "implies": "covering"}
    )
    key = related.issue("*")

    def heard(principal):
        return {number for number, bit in enumerate(related.hears(key, principal)) if bit == "1"}

    assert heard(ADA) == {0}
    assert heard(BO) == {1, 3}
    assert heard(CHARLIE) == {2, 3, 5}
    assert heard("") == {4}
    assert heard("user:nobody") == set()
    assert related.hears(related.world.bob) == "all"


def test_the_same_audience_has_one_number_in_any_order(related, elsewhere):
    assert interned(related.world, ADA, BO) == interned(related.world, BO, ADA, BO) == 0
    assert interned(related.world, BO) == 1
    assert interned(elsewhere, BO) == 0


@pytest.mark.parametrize("usersets", [[], ["ada"], ["#"], ["#clinician_of"], [f"{ADA}#"], [f"{ADA}#a#b"]])
def test_what_is_no_audience_is_not_interned(related, usersets):
    with pytest.raises(Exception, match=r"audience|principal"):
        interned(related.world, *usersets)


def test_entries_name_the_agent_and_the_principal(related):
    related.issue("patient:*").ok("post", "tools/memory_commit", {"content": "Ada likes tea"}, **for_(ADA))
    related.world.alice.ok("post", "tools/memory_commit", {"content": "Bo likes tea"})
    with related.world.inside():
        entries = Entry.objects.filter(tenant_id=related.world.tenant_id, type="memory").order_by("id")
        named, alone = (one.metadata["actor"] for one in entries)
    assert (named["name"], named["on_behalf_of"]) == ("alice", ADA)
    assert "on_behalf_of" not in alone


def test_the_same_idempotency_key_for_another_principal_is_another_request(related):
    key, once = related.issue("*"), {"Idempotency-Key": "once"}
    draft = related.world.draft("Hello")
    first = key.ok("post", "events", draft, **once, **for_(ADA))
    assert key.ok("post", "events", draft, **once, **for_(ADA)) == first
    assert key.post("events", draft, **once, **for_(BO)).status_code == 409
    assert key.post("events", draft, **once).status_code == 409


def test_a_name_may_have_any_letters(related):
    name = "patient:Ådå, née «Bo»"
    key = related.issue(name)
    assert key.get("chunks", **for_(name.encode().decode("latin-1"))).status_code == 200


def test_the_next_request_of_the_same_connection_asks_for_itself(related):
    key = related.issue("*")
    related.add(ADA, "child_of", BO)
    assert len(key.ok("get", "relations", **for_(ADA))["results"]) == 1
    assert key.ok("get", "relations")["results"] == []
    assert len(key.ok("get", "relations", **for_(ADA))["results"]) == 1
