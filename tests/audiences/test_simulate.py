"""People see who can read a record and why, and what a principal can read about a subject and why not."""

import pytest

from tests.audiences.conftest import ADA, BO, CHARLIE, FOR_ADA

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

ABOUT_ADA = {"subject_type": "patient", "subject_id": "ada"}


def test_the_readers_of_a_record_are_named_with_the_reason(clinic):
    clinic.relate(CHARLIE, "clinician_of", ADA, valid_until="2099-01-01T00:00:00Z")
    implied = {"object_type": "patient", "relation": "covering", "implies": "clinician_of"}
    clinic.carol.ok("post", "implied-relations", implied)
    clinic.relate(BO, "covering", ADA)
    audience = {"principals": ["subject"], "relations": ["clinician_of"]}
    (chunk,) = clinic.record("The zebra has measles", audience, **ABOUT_ADA)["chunk_ids"]
    shown = clinic.world.bob.ok("get", f"chunks/{chunk}/readers")
    assert shown["readers"] == [ADA, BO, CHARLIE]
    (heard,) = shown["audiences"]
    assert heard["audience"] == {"principals": [ADA], "relations": ["patient:ada#clinician_of"]}
    assert [(one["principal"], one["relation"], one["valid_until"]) for one in heard["readers"]] == [
        (ADA, None, None),
        (BO, "covering", None),
        (CHARLIE, "clinician_of", "2099-01-01T00:00:00Z"),
    ]
    assert {one for one in (ADA, BO, CHARLIE) if clinic.texts(by=one)} == set(shown["readers"])


def test_of_several_audiences_only_who_hears_each_reads(clinic):
    seqs = [
        clinic.asking.ok("post", "tools/memory_commit", {"content": name, "audience": {"principals": [name, CHARLIE]}})
        for name in (ADA, BO)
    ]
    rethought = {"supersedes": [one["seq"] for one in seqs], "new_understanding": "Both", "reason": "a test"}
    both = clinic.heard("post", "tools/memory_rethink", rethought, by=CHARLIE)
    shown = clinic.world.bob.ok("get", f"chunks/{both['chunk_id']}/readers")
    assert len(shown["audiences"]) == 2
    assert shown["readers"] == [CHARLIE]


def test_a_record_without_an_audience_says_so(clinic):
    (chunk,) = clinic.record("The ward is open")["chunk_ids"]
    shown = clinic.world.auditor.ok("get", f"chunks/{chunk}/readers")
    assert (shown["has_audience"], shown["audiences"], shown["readers"]) == (False, [], [])


def test_what_a_principal_reads_about_a_subject_and_why_not(clinic):
    clinic.record("For ada", FOR_ADA, **ABOUT_ADA)
    clinic.record("For bo", {"principals": [BO]}, **ABOUT_ADA)
    clinic.record("For all", **ABOUT_ADA)
    clinic.record("A secret", FOR_ADA, sensitivity="secret", **ABOUT_ADA)
    quarantined = clinic.record("In doubt", FOR_ADA, **ABOUT_ADA)["chunk_ids"][0]
    clinic.world.edit(quarantined, "quarantine")
    path = f"principals/reading?principal={ADA}&subject_type=patient&subject_id=ada"
    first = clinic.world.bob.ok("get", f"{path}&limit=2")
    rest = clinic.world.bob.ok("get", f"{path}&cursor={first['next']}")
    shown = [*first["results"], *rest["results"]]
    assert [(one["text"], one["is_read"], one["why_not"], one["because"]) for one in shown] == [
        ("In doubt", False, "quarantined", [ADA]),
        ("A secret", False, "sensitivity", [ADA]),
        ("For all", True, None, []),
        ("For bo", False, "audience", []),
        ("For ada", True, None, [ADA]),
    ]
    assert clinic.texts(by=ADA) == {one["text"] for one in shown if one["is_read"]}


@pytest.mark.parametrize("path", ["chunks/{chunk}/readers", "principals/reading?principal=patient:ada&{about}"])
def test_agents_do_not_see_who_reads_what(clinic, path):
    (chunk,) = clinic.record("For bo", {"principals": [BO]}, **ABOUT_ADA)["chunk_ids"]
    path = path.format(chunk=chunk, about="subject_type=patient&subject_id=ada")
    for answer in (clinic.asked("get", path), clinic.world.alice.get(path)):
        assert (answer.status_code, answer.json()["code"]) == (403, "shown-to-people")


def test_bad_input_is_refused_by_name(clinic):
    bob = clinic.world.bob
    answer = bob.get("principals/reading?principal=ada&subject_type=patient&subject_id=ada")
    assert (answer.status_code, answer.json()["errors"][0]["parameter"]) == (400, "principal")
    assert bob.get("principals/reading?principal=patient:ada").status_code == 400
    assert bob.get("chunks/01a22600-0000-7000-8000-000000000000/readers").status_code == 404
