"""Who hears a memory is changed by an edit: narrowed as a block is, widened by a person only."""

import pytest

from governance.edits import Patch, patch_hash
from governance.models import Audience, Edit
from memory.usage import deliveries
from tests.audiences.conftest import ADA, BO, CHARLIE, FOR_ADA, clinic_of
from tests.audiences.editing import ALL, FOR_BOTH, WORDS, change, changed, hearing, made, revert
from tests.ledger.tampering import assert_intact, seal
from tests.surgery.helpers import drift

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])


def test_a_reviewer_narrows_widens_and_reverts(clinic):
    chunk = made(clinic)
    bob = clinic.world.bob
    assert hearing(clinic) == ALL
    narrowed = change(bob, chunk, FOR_BOTH)
    assert (narrowed["status"], hearing(clinic)) == ("approved", {ADA, BO})
    again = change(bob, chunk, FOR_ADA)
    assert hearing(clinic) == {ADA}
    change(bob, chunk, "default")
    assert hearing(clinic) == ALL
    wider = change(bob, chunk, {"principals": [CHARLIE]})
    assert hearing(clinic) == {CHARLIE}
    revert(clinic, wider["edit_id"])
    assert hearing(clinic) == ALL, "the default of the edit before it"
    with clinic.world.inside():
        default = Edit.objects.get(tenant_id=clinic.world.tenant_id, audience=[])
    revert(clinic, default.id)
    assert hearing(clinic) == {ADA}
    revert(clinic, again["edit_id"])
    assert hearing(clinic) == {ADA, BO}
    revert(clinic, narrowed["edit_id"])
    assert hearing(clinic) == ALL
    assert drift(clinic.world) == []


def test_a_revert_brings_back_the_recorded_audience(clinic):
    chunk = made(clinic, FOR_ADA)
    edit = change(clinic.world.bob, chunk, {"principals": [BO]})["edit_id"]
    assert hearing(clinic) == {BO}
    revert(clinic, edit)
    assert hearing(clinic) == {ADA}


@pytest.mark.parametrize(
    ("policy", "proposer", "before", "after", "waits"),
    [
        ("standard", "agent", FOR_BOTH, FOR_ADA, True),
        ("standard", "agent", FOR_ADA, FOR_BOTH, True),
        ("standard", "bob", FOR_BOTH, FOR_ADA, False),
        ("standard", "bob", FOR_ADA, "default", False),
        ("open", "agent", FOR_BOTH, FOR_ADA, False),
        ("open", "agent", None, FOR_ADA, False),
        ("open", "agent", FOR_ADA, FOR_BOTH, True),
        ("open", "agent", FOR_ADA, "default", True),
        ("open", "agent", FOR_BOTH, {"principals": [ADA, CHARLIE]}, True),
        ("open", "bob", FOR_ADA, FOR_BOTH, False),
        ("strict", "agent", FOR_BOTH, FOR_ADA, True),
        ("strict", "bob", FOR_BOTH, FOR_ADA, True),
        ("strict", "bob", FOR_ADA, FOR_BOTH, True),
    ],
)
def test_narrowing_is_decided_as_a_block_and_widening_by_a_person(new_world, policy, proposer, before, after, waits):
    clinic = clinic_of(new_world(policy))
    chunk = made(clinic, before)
    api, headers = (clinic.asking, {"X-On-Behalf-Of": ADA}) if proposer == "agent" else (clinic.world.bob, {})
    preview = {"target_type": "chunk", "target_id": chunk, "op": "audience", "patch": {"audience": after}}
    expected = api.ok("post", "edits/preview", preview, **headers)["approvals_required"]
    outcome = change(api, chunk, after, **headers)
    assert (outcome["status"], outcome["approvals_required"]) == (("pending", 1) if waits else ("approved", 0))
    assert expected == outcome["approvals_required"]
    if policy == "open" and waits:
        assert outcome["waits_because"] == "This edit lets others get the memory, so a person decides it."


def test_what_waits_changes_nothing_until_a_person_approves_it(clinic):
    chunk = made(clinic, FOR_ADA)
    edit = change(clinic.asking, chunk, FOR_BOTH, **{"X-On-Behalf-Of": ADA})["edit_id"]
    assert hearing(clinic) == {ADA}
    clinic.world.bob.decide(edit)
    assert hearing(clinic) == {ADA, BO}


def test_an_agents_revert_of_what_narrowed_waits_under_every_policy(new_world):
    clinic = clinic_of(new_world("open"))
    chunk = made(clinic, FOR_BOTH)
    headers = {"X-On-Behalf-Of": ADA}
    edit = change(clinic.asking, chunk, FOR_ADA, **headers)
    assert edit["status"] == "approved"
    outcome = clinic.asking.ok("post", f"edits/{edit['edit_id']}/revert", {"reason": "no"}, **headers)
    assert outcome["status"] == "pending"
    clinic.world.bob.decide(outcome["edit_id"])
    assert hearing(clinic) == {ADA, BO}


def test_the_subject_of_the_memory_stands_for_itself(clinic):
    clinic.relate(CHARLIE, "clinician_of", BO)
    chunk = made(clinic, FOR_ADA, subject_type="patient", subject_id="bo")
    edit = change(clinic.world.bob, chunk, {"principals": ["subject"], "relations": ["clinician_of"]})["edit_id"]
    assert hearing(clinic) == {BO, CHARLIE}
    shown = clinic.world.bob.ok("get", f"edits/{edit}")["patch"]
    assert shown == {"audience": {"principals": [BO], "relations": [f"{BO}#clinician_of"]}}


@pytest.mark.parametrize(
    ("patch", "status", "pointer"),
    [
        ({"audience": {"principal": [ADA]}}, 400, "#/patch/audience/principal"),
        ({"audience": {"principals": ["ada"]}}, 400, "#/patch/audience/principals/0"),
        ({"audience": {}}, 400, "#/patch/audience"),
        ({"audience": None}, 400, "#/patch/audience"),
        ({"audience": "everyone"}, 400, "#/patch/audience"),
        ({"audience": {"principals": [f"patient:p{n}" for n in range(1001)]}}, 400, "#/patch/audience/principals"),
        ({}, 400, "#/patch"),
        ({"audience": FOR_ADA, "channel": "public"}, 400, "#/patch/channel"),
        ({"audience": {"principals": ["subject"]}}, 400, "#/patch/audience"),
        ({"audience": {"relations": ["clinician_of"]}}, 400, "#/patch/audience"),
    ],
)
def test_a_bad_patch_is_refused_with_its_place(clinic, patch, status, pointer):
    chunk = made(clinic)
    body = {"target_type": "chunk", "target_id": chunk, "op": "audience", "reason": "a test", "patch": patch}
    for path, sent in (
        ("edits", body),
        ("edits/preview", {name: value for name, value in body.items() if name != "reason"}),
    ):
        answer = clinic.world.bob.post(path, sent)
        assert answer.status_code == status, answer.content
        assert pointer in {fault["pointer"] for fault in answer.json()["errors"]}
    bulk = clinic.world.bob.post("edits/bulk", {"edits": [body]})
    assert bulk.status_code == 400
    assert "#/edits/0" + pointer[1:] in {fault["pointer"] for fault in bulk.json()["errors"]}
    assert hearing(clinic) == ALL


def test_a_thousand_usersets_are_one_audience(clinic):
    chunk = made(clinic)
    change(clinic.world.bob, chunk, {"principals": [ADA, *(f"patient:p{n}" for n in range(999))]})
    assert hearing(clinic) == {ADA}


def test_the_present_audience_is_no_change(clinic):
    chunk, other = made(clinic, FOR_ADA), made(clinic, text="Another")
    for target, audience in ((chunk, FOR_ADA), (other, "default")):
        answer = changed(clinic.world.bob, target, audience)
        assert (answer.status_code, answer.json()["code"]) == (409, "audience-unchanged")


def test_capsules_and_other_operations_have_no_audience(clinic, handed):
    capsule = handed([clinic.world.chunk()], note="Jon is angry")
    answer = changed(clinic.world.bob, capsule, FOR_ADA, "capsule")
    assert (answer.status_code, answer.json()["code"]) == (400, "patch-does-not-fit")
    body = {
        "target_type": "chunk",
        "target_id": made(clinic),
        "op": "block",
        "reason": "x",
        "patch": {"audience": FOR_ADA},
    }
    assert clinic.world.bob.post("edits", body).status_code == 400


def test_who_does_not_hear_it_cannot_change_it(clinic):
    chunk = made(clinic, FOR_ADA)
    unknown = "01a22600-0000-7000-8000-000000000000"
    answers = []
    for target in (chunk, unknown):
        answer = changed(clinic.asking, target, FOR_BOTH, **{"X-On-Behalf-Of": BO})
        problem = answer.json()
        answers.append((answer.status_code, problem["detail"].replace(target, "ID")))
    assert answers[0] == answers[1]
    assert answers[0][0] == 404


def test_many_at_once(clinic):
    chunks = [made(clinic, text=f"{WORDS} {n}") for n in range(3)]
    edits = [
        {"target_type": "chunk", "target_id": chunk, "op": "audience", "reason": "x", "patch": {"audience": audience}}
        for chunk, audience in zip(chunks, (FOR_ADA, FOR_BOTH, "default"), strict=True)
    ]
    refused = clinic.world.bob.post("edits/bulk", {"edits": edits})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (409, "#/edits/2")
    done = clinic.world.bob.ok("post", "edits/bulk", {"edits": edits, "mode": "each"})["edits"]
    assert [one["status"] for one in done] == ["approved", "approved", "refused"]
    assert [len(clinic.texts(by=who)) for who in (ADA, BO, CHARLIE)] == [3, 2, 1]


def test_by_filter_each_memory_for_its_own_subject(clinic):
    for subject in ("ada", "bo", "cy"):
        made(clinic, text=f"{WORDS}: {subject}", subject_type="patient", subject_id=subject)
    done = made(clinic, {"principals": [ADA]}, text="done", subject_type="patient", subject_id="ada")
    bob = clinic.world.bob
    body = {
        "filter": {"subject_type": "patient"}, "op": "audience", "reason": "x",
        "patch": {"audience": {"principals": ["subject"]}},
    }  # fmt: skip
    preview = bob.ok("post", "edits/by-filter", body)
    assert preview["count"] == 4
    answer = bob.ok("post", "edits/by-filter", {"token": preview["token"]})
    assert sorted(one["status"] for one in answer["edits"]) == ["approved", "approved", "approved", "refused"]
    assert [one["code"] for one in answer["edits"] if one["status"] == "refused"] == ["audience-unchanged"]
    assert clinic.texts(by=ADA) == {f"{WORDS}: ada", "done"}
    assert clinic.texts(by=BO) == {f"{WORDS}: bo"}
    assert done in {chunk["chunk_id"] for chunk in clinic.heard("get", "chunks", by=ADA)["results"]}


def test_by_filter_a_memory_without_a_subject_refuses_all(clinic):
    made(clinic, subject_type="patient", subject_id="ada")
    made(clinic, text="The ward is open", subject_type=None)
    bob = clinic.world.bob
    body = {
        "filter": {"channel": "private"},
        "op": "audience",
        "reason": "x",
        "patch": {"audience": {"relations": ["kin"]}},
    }
    token = bob.ok("post", "edits/by-filter", body)["token"]
    answer = bob.post("edits/by-filter", {"token": token})
    assert (answer.status_code, answer.json()["code"]) == (400, "audience-needs-subject")
    assert hearing(clinic) == ALL


def test_a_preview_names_who_gains_and_who_loses_and_who_received_it(clinic):
    clinic.relate(CHARLIE, "clinician_of", ADA)
    clinic.relate(
        "user:dora", "clinician_of", ADA, valid_from="2020-01-01T00:00:00Z", valid_until="2020-02-01T00:00:00Z"
    )
    clinic.relate("user:eve", "member", "role:billing")
    chunk = made(clinic, FOR_BOTH)
    clinic.heard("post", "chunks/search", {"query": "measles"}, by=BO)
    deliveries.record_deliveries()
    body = {
        "target_type": "chunk", "target_id": chunk, "op": "audience",
        "patch": {"audience": {"principals": [ADA], "roles": ["billing"], "relations": [f"{ADA}#clinician_of"]}},
    }  # fmt: skip
    readers = clinic.world.bob.ok("post", "edits/preview", body)["readers"]
    assert readers == {
        "added": {"roles": ["billing"], "relations": [f"{ADA}#clinician_of"]},
        "removed": {"principals": [BO]},
        "gain": {"principals": [CHARLIE, "user:eve"], "count": 2},
        "lose": {"principals": [BO], "count": 1},
        "received_by": [f"alice for {BO}"],
    }
    with clinic.world.inside():
        assert Audience.objects.filter(tenant_id=clinic.world.tenant_id).count() == 1, "a preview stores nothing"
    assert "readers" not in clinic.asking.ok("post", "edits/preview", body, **{"X-On-Behalf-Of": ADA})


def test_a_preview_counts_readers_beyond_a_hundred_and_those_of_the_default(clinic):
    for first in (0, 60):
        lines = [f"user:u{n:03},clinician_of,{ADA},x" for n in range(first, first + 60)]
        csv = "principal,relation,object,reason\n" + "\n".join(lines)
        answer = clinic.world.bob.client.post(
            "/api/v1/relations/import", csv, content_type="text/csv",
            headers={"Authorization": f"Bearer {clinic.world.bob.key}"},
        )  # fmt: skip
        assert answer.status_code < 300, answer.content
    chunk = made(clinic)
    body = {"target_type": "chunk", "target_id": chunk, "op": "audience", "patch": {"audience": FOR_ADA}}
    readers = clinic.world.bob.ok("post", "edits/preview", body)["readers"]
    assert (readers["gain"], readers["lose"]["count"]) == ({"principals": [], "count": 0}, 120)
    assert readers["lose"]["principals"] == [f"user:u{n:03}" for n in range(100)]


def test_a_revert_is_previewed_too(clinic):
    chunk = made(clinic, FOR_ADA)
    edit = change(clinic.world.bob, chunk, {"principals": [BO]})["edit_id"]
    body = {"target_type": "chunk", "target_id": chunk, "op": "revert", "patch": {"edit_id": edit}}
    answer = clinic.world.bob.ok("post", "edits/preview", body)
    assert answer["effect"] == "answers are as if the audience had not been applied"
    assert (answer["readers"]["gain"]["principals"], answer["readers"]["lose"]["principals"]) == ([ADA], [BO])


def test_the_history_says_who_heard_each_state(clinic):
    chunk = made(clinic, FOR_ADA)
    edit = change(clinic.world.bob, chunk, FOR_BOTH)["edit_id"]
    change(clinic.world.bob, chunk, "default")
    history = clinic.world.bob.ok("get", f"chunks/{chunk}/history")
    assert [state["audience"] for state in history["states"]] == [[FOR_ADA], [FOR_BOTH], []]
    assert history["states"][1]["edit_id"] == edit
    assert [one["patch"] for one in history["edits"]] == [{"audience": FOR_BOTH}, {"audience": "default"}]


def test_a_verdict_on_another_audience_is_refused(clinic):
    chunk = made(clinic, FOR_ADA)
    edit = change(clinic.asking, chunk, FOR_BOTH, **{"X-On-Behalf-Of": ADA})["edit_id"]
    seen = clinic.world.bob.ok("get", f"edits/{edit}")
    change(clinic.world.bob, chunk, {"principals": [CHARLIE]})
    reviewed = {name: seen[name] for name in ("patch_sha256", "target_state")}
    assert clinic.world.bob.post(f"edits/{edit}/approve", reviewed).status_code == 409


def test_the_ledger_binds_the_audience(clinic):
    world = clinic.world
    chunk = made(clinic, FOR_ADA)
    edit_id = change(world.bob, chunk, FOR_BOTH)["edit_id"]
    change(world.bob, chunk, "default")
    with world.inside():
        edit = Edit.objects.get(tenant_id=world.tenant_id, id=edit_id)
        other = Edit.objects.get(tenant_id=world.tenant_id, audience=[])
    for row, usersets in ((edit, (ADA, BO)), (other, ())):
        expected = patch_hash("audience", "chunk", row.target_id, Patch(audience=usersets), b"")
        assert bytes(row.patch_sha256) == expected
    seal(world)
    assert_intact(world)


def test_a_tool_proposes_it(clinic):
    chunk = made(clinic, FOR_BOTH)
    given = {"target_id": chunk, "op": "audience", "patch": {"audience": FOR_ADA}, "reason": "private"}
    assert clinic.heard("post", "tools/propose_edit", given, by=ADA)["status"] == "pending"
    listed = clinic.heard("post", "tools/list_edits", {"target_id": chunk}, by=ADA)["results"]
    assert [one["patch"] for one in listed] == [{"audience": FOR_ADA}]
