"""Relations, implied relations and audience rules in the admin: each act through its service, with its entry."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from governance.models import ApiKey, AudienceRule, ImpliedRelation, RelationTuple
from tests.admin.managing import AT, acts_on, admin_of, entries, key_on, row_of
from tests.world import Api

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "review"])

FIELDS = {"principal": "user:charlie", "relation": "clinician_of", "object": "patient:ada", "reason": "admitted"}


@pytest.fixture
def root(world, desk):
    """The browser of the tenant's admin."""
    return admin_of(world, desk)


def test_a_relation_is_added_and_revoked_with_a_reason(world, root, desk):
    bob = desk(world.bob_name).client
    until = {"valid_until_0": "2999-12-31", "valid_until_1": "12:00:00"}
    added = bob.post(f"{AT}relationtuple/relate/", {**FIELDS, **until})
    assert added.status_code == 302, added.content.decode()
    row = row_of(world, RelationTuple)
    assert (row.principal, row.recorder, row.valid_until.year) == ("user:charlie", world.bob_name, 2999)
    page = bob.get(added.headers["Location"]).content.decode()
    assert "not used the type patient before" in page
    address = f"{AT}relationtuple/{row.id}/"
    assert acts_on(bob, f"{address}change/") == ["revoke"]
    assert bob.post(f"{address}revoke/", {}).status_code == 400
    assert bob.post(f"{address}revoke/", {"reason": "discharged"}).status_code == 302
    assert acts_on(bob, f"{address}change/") == []
    assert f"{world.bob_name}: discharged" in bob.get(f"{address}change/").content.decode()
    assert bob.post(f"{address}revoke/", {"reason": "again"}).status_code == 409
    assert [one["reason"] for one in entries(world, "relation.revoked")] == ["discharged"]


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"principal": "charlie"}, "has the form type:id"),
        ({"relation": "Clinician"}, "lower-case letters"),
        ({"reason": ""}, "required"),
        ({"valid_until_0": "2020-01-01", "valid_until_1": "12:00"}, "ends before it begins"),
    ],
)
def test_a_wrong_relation_is_refused_with_its_reason(world, root, fields, told):
    answer = root.post(f"{AT}relationtuple/relate/", {**FIELDS, **fields})
    assert answer.status_code == 400
    assert told in answer.content.decode()
    with world.inside():
        assert not RelationTuple.objects.exists()


def test_the_list_is_searched_and_filtered(world, root):
    for name in ("ada", "bo"):
        root.post(f"{AT}relationtuple/relate/", {**FIELDS, "object": f"patient:{name}"})
    row = row_of(world, RelationTuple, object="patient:bo")
    root.post(f"{AT}relationtuple/{row.id}/revoke/", {"reason": "discharged"})

    def found(query):
        listed = root.get(f"{AT}relationtuple/?{query}").context["cl"].result_list
        return sorted(one.object for one in listed)

    assert found("") == found("q=charlie") == ["patient:ada", "patient:bo"]
    assert found("q=patient:bo") == found("state=revoked") == ["patient:bo"]
    assert found("state=current") == ["patient:ada"]
    assert found("state=over") == found("state=later") == []


def test_a_csv_file_is_uploaded_or_refused_with_its_line(world, root):
    def upload(text):
        file = SimpleUploadedFile("relations.csv", text.encode(), "text/csv")
        return root.post(f"{AT}relationtuple/import/", {"file": file})

    assert 'enctype="multipart/form-data"' in root.get(f"{AT}relationtuple/import/").content.decode()
    head = "principal,relation,object,reason\nuser:charlie,clinician_of,patient:ada,admitted\n"
    refused = upload(f"{head}charlie,clinician_of,patient:bo,admitted\n")
    assert refused.status_code == 400
    assert "Line 3: " in refused.content.decode()
    with world.inside():
        assert not RelationTuple.objects.exists()
    assert upload(head).status_code == 302
    assert row_of(world, RelationTuple).object == "patient:ada"
    assert root.post(f"{AT}relationtuple/import/", {}).status_code == 400


def test_an_implied_relation_is_added_and_removed(world, root):
    fields = {"object_type": "patient", "relation": "clinician_of", "implies": "covering"}
    assert root.post(f"{AT}impliedrelation/imply/", fields).status_code == 302
    row = row_of(world, ImpliedRelation)
    assert root.post(f"{AT}impliedrelation/imply/", fields).status_code == 409
    removed = root.post(f"{AT}impliedrelation/{row.id}/remove/")
    assert removed.headers["Location"] == f"{AT}impliedrelation/"
    assert len(entries(world, "implied_relation.added")) == len(entries(world, "implied_relation.removed")) == 1


def test_an_audience_rule_is_set_replaced_and_removed(world, root):
    fields = {"subject_type": "patient", "principals": "subject\n", "relations": "clinician_of", "reason": "a test"}
    assert root.post(f"{AT}audiencerule/set/", fields).status_code == 302
    rule = row_of(world, AudienceRule)
    assert rule.usersets == ["#", "#clinician_of"]
    assert root.post(f"{AT}audiencerule/set/", {**fields, "roles": "billing"}).status_code == 302
    assert row_of(world, AudienceRule, id=rule.id).usersets == ["#", "#clinician_of", "role:billing#member"]
    assert "roles: billing" in root.get(f"{AT}audiencerule/").content.decode()
    wrong = root.post(f"{AT}audiencerule/set/", {**fields, "principals": "ada"})
    assert (wrong.status_code, "Neither type:id" in wrong.content.decode()) == (400, True)
    assert root.post(f"{AT}audiencerule/{rule.id}/remove/").headers["Location"] == f"{AT}audiencerule/"
    assert len(entries(world, "audience_rule.set")) == 2


def test_reviewers_relate_and_only_admins_imply_and_rule(world, desk):
    bob, auditor = desk(world.bob_name).client, desk(world.bob_name.replace("bob", "auditor")).client
    assert bob.get(f"{AT}relationtuple/relate/").status_code == 200
    for page in ("impliedrelation/imply/", "audiencerule/set/"):
        assert bob.get(AT + page).status_code == 403
    for page in ("relationtuple/relate/", "relationtuple/import/", "impliedrelation/imply/"):
        assert auditor.get(AT + page).status_code == 403
    assert auditor.get(f"{AT}relationtuple/").status_code == 200


def test_a_key_is_issued_that_speaks_for_principals(world, root):
    address = f"{AT}agent/{world.alice_principal.id}/issue-key/"
    key = key_on(root.post(address, {"speaks_for": "patient:*\r\nuser:bo\r\n", "must_speak_for": "on"}))
    found = row_of(world, ApiKey, prefix=key.split("_")[1])
    assert (found.speaks_for, found.must_speak_for) == (["patient:*", "user:bo"], True)
    assert Api(key).get("chunks", **{"X-On-Behalf-Of": "patient:ada"}).status_code == 200
    assert "speaks for *" in root.post(address, {"speaks_for": "everybody"}).content.decode()
    assert "at least one" in root.post(address, {"must_speak_for": "on"}).content.decode()
    assert "patient:*" in root.get(f"{AT}apikey/").content.decode()
