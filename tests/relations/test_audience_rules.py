"""A rule gives new records that name no audience theirs, by subject type, tag and kind."""

import uuid

import pytest

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

RULE = {
    "subject_type": "patient",
    "audience": {"principals": ["subject"], "relations": ["clinician_of"]},
    "reason": "as the law asks",
}


def test_a_rule_is_set_with_its_entry_and_shown(related):
    made = related.carol.ok("post", "audience-rules", RULE)
    assert {**made, "id": ""} == {**RULE, "id": "", "tag": "", "kind": ""}
    assert related.world.auditor.ok("get", "audience-rules")["results"] == [made]
    (entry,) = related.entries("audience_rule.set")
    assert entry == {
        "id": made["id"],
        "subject_type": "patient",
        "tag": "",
        "kind": "",
        "usersets": ["#", "#clinician_of"],
        "reason": "as the law asks",
    }


def test_a_rule_for_the_same_conditions_is_replaced_and_others_stay(related, refused):
    first = related.carol.ok("post", "audience-rules", RULE)
    billing = related.carol.ok("post", "audience-rules", {**RULE, "tag": "billing", "audience": {"roles": ["billing"]}})
    second = related.carol.ok("post", "audience-rules", {**RULE, "audience": {"roles": ["staff"]}})
    assert second["id"] == first["id"]
    assert related.carol.ok("get", "audience-rules")["results"] == [second, billing]
    refused(
        related.carol.post("audience-rules", {**RULE, "audience": {"roles": ["staff"]}}), 409, "audience-rule-unchanged"
    )
    assert len(related.entries("audience_rule.set")) == 3


def test_a_rule_is_removed_once(related, refused):
    made = related.carol.ok("post", "audience-rules", RULE)
    assert related.carol.ok("delete", f"audience-rules/{made['id']}") == {"removed": made["id"]}
    assert related.carol.ok("get", "audience-rules")["results"] == []
    refused(related.carol.request("delete", f"audience-rules/{made['id']}"), 404, "no-such-audience-rule")
    (entry,) = related.entries("audience_rule.removed")
    assert (entry["id"], entry["usersets"]) == (made["id"], ["#", "#clinician_of"])


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"subject_type": "Patient"}, "#/subject_type"),
        ({"tag": "x" * 201}, "#/tag"),
        ({"audience": {}}, "#/audience"),
        ({"audience": {"principals": ["ada"]}}, "#/audience/principals/0"),
        ({"audience": None}, "#/audience"),
        ({"reason": ""}, "#/reason"),
    ],
)
def test_a_wrong_rule_is_refused_where_it_is_wrong(related, fields, pointer):
    answer = related.carol.post("audience-rules", {**RULE, **fields})
    assert answer.status_code == 400
    assert [one["pointer"] for one in answer.json()["errors"]] == [pointer]


def test_admins_set_rules_people_read_them_and_agents_do_not(related, refused):
    refused(related.world.bob.post("audience-rules", RULE), 403, "managed-by-admins")
    refused(related.world.alice.post("audience-rules", RULE), 403, "managed-by-admins")
    refused(related.world.alice.get("audience-rules"), 403, "listed-for-people")
    refused(related.carol.request("delete", f"audience-rules/{uuid.uuid4()}"), 404, "no-such-audience-rule")
