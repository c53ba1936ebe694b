"""Rules give an audience to new records that name none."""

import pytest

from tests.audiences.conftest import ADA, BO, CHARLIE, FOR_ADA

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

ABOUT_ADA = {"subject_type": "patient", "subject_id": "ada"}
EVERYONE = {ADA, BO, CHARLIE}


@pytest.fixture
def ruled(clinic):
    """Records about patients are for the patient and the clinicians; what is tagged `billing` for that role."""
    clinic.relate(CHARLIE, "clinician_of", ADA)
    clinic.relate(BO, "member", "role:billing")
    for conditions, audience in (
        ({"subject_type": "patient"}, {"principals": ["subject"], "relations": ["clinician_of"]}),
        ({"tag": "billing"}, {"roles": ["billing"]}),
        ({"subject_type": "patient", "tag": "billing"}, {"principals": ["subject"], "roles": ["billing"]}),
        ({"kind": "decision"}, {"principals": [CHARLIE]}),
        ({"kind": "summary"}, {"principals": [ADA]}),
        ({"kind": "memory"}, {"principals": [BO]}),
    ):
        clinic.carol.ok("post", "audience-rules", {**conditions, "audience": audience, "reason": "a test"})
    return clinic


@pytest.mark.parametrize(
    ("fields", "hears"),
    [
        ({}, EVERYONE),
        ({"subject_type": "user", "subject_id": "jack"}, EVERYONE),
        (ABOUT_ADA, {ADA, CHARLIE}),
        ({"tags": ["billing"]}, {BO}),
        ({"tags": ["other", "billing"], **ABOUT_ADA}, {ADA, BO}),
        ({"kind": "decision", "content": {"decision": "x"}}, {CHARLIE}),
        ({"kind": "decision", "content": {"decision": "x"}, "tags": ["billing"]}, {BO}),  # a tag before a kind
        ({"audience": "default", **ABOUT_ADA}, EVERYONE),
        ({"audience": {"principals": [BO]}, **ABOUT_ADA}, {BO}),
    ],
)
def test_the_most_specific_rule_that_matches_decides(ruled, fields, hears):
    audience = fields.get("audience")
    rest = {name: value for name, value in fields.items() if name != "audience"}
    ruled.record("The zebra has measles", audience, **rest)
    assert {one for one in EVERYONE if ruled.texts(by=one)} == hears


def test_summaries_and_commits_follow_rules_of_their_kind(ruled):
    ruled.asking.ok("post", "tools/memory_commit", {"content": "Committed"})
    assert {one for one in EVERYONE if ruled.texts(by=one)} == {BO}


def test_a_rule_changes_no_record_that_exists(clinic):
    clinic.record("Before", **ABOUT_ADA)
    rule = {"subject_type": "patient", "audience": FOR_ADA, "reason": "a test"}
    made = clinic.carol.ok("post", "audience-rules", rule)
    clinic.record("After", **ABOUT_ADA)
    assert clinic.texts(by=BO) == {"Before"}
    clinic.carol.ok("delete", f"audience-rules/{made['id']}")
    clinic.record("Later", **ABOUT_ADA)
    assert clinic.texts(by=BO) == {"Before", "Later"}


def test_what_is_made_from_records_is_for_who_hears_each(clinic):
    said = {"session_id": "visit"}
    clinic.record("For ada and charlie", {"principals": [ADA, CHARLIE]}, by=CHARLIE, **said)
    clinic.record("For bo and charlie", {"principals": [BO, CHARLIE]}, by=CHARLIE, **said)
    clinic.heard("post", "tools/memory_commit", {"content": "Committed", "session_id": "visit"}, by=CHARLIE)
    assert "Committed" in clinic.texts(by=CHARLIE)
    assert "Committed" not in clinic.texts(by=ADA) | clinic.texts(by=BO)


def test_a_consolidation_is_for_who_hears_each_original(clinic):
    seqs = [
        clinic.asking.ok("post", "tools/memory_commit", {"content": text, "audience": {"principals": [one, CHARLIE]}})[
            "seq"
        ]
        for text, one in (("One", ADA), ("Two", BO))
    ]
    rethought = {"supersedes": seqs, "new_understanding": "Both", "reason": "a test"}
    clinic.heard("post", "tools/memory_rethink", rethought, by=CHARLIE)
    assert clinic.texts(by=CHARLIE) == {"Both"}
    assert clinic.texts(by=ADA) == clinic.texts(by=BO) == set()
