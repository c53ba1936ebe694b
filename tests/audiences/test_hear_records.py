"""A record with an audience is for those whom it names; for all others it does not exist."""

import pytest

from tests.audiences.conftest import ADA, BO, CHARLIE, FOR_ADA
from tests.capture.capturing import PROMPT, body
from tests.factories import SummaryFactory

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])

WORDS = "The zebra has measles"


def test_its_principal_hears_it_and_no_other(clinic):
    clinic.record(WORDS, FOR_ADA)
    assert clinic.texts(by=ADA) == {WORDS}
    assert clinic.texts(by=BO) == set()


def test_the_agent_that_names_nobody_hears_only_what_is_for_the_agent(clinic):
    clinic.record(WORDS, FOR_ADA)
    clinic.record("For the agent", {"principals": ["agent:alice"]})
    clinic.record("For the channel")
    listed = clinic.asking.ok("get", "chunks")["results"]
    assert {chunk["text"] for chunk in listed} == {"For the agent", "For the channel"}


def test_people_with_a_role_hear_it(clinic):
    made = clinic.record(WORDS, FOR_ADA)
    for person in (clinic.world.bob, clinic.world.auditor, clinic.carol):
        assert person.ok("get", f"events/{made['event_id']}")["content"]["text"] == WORDS


@pytest.mark.parametrize(
    ("audience", "hears"),
    [
        ({"principals": [ADA, CHARLIE]}, {ADA, CHARLIE}),
        ({"principals": ["subject"]}, {ADA}),
        ({"relations": ["clinician_of"]}, {CHARLIE}),
        ({"relations": ["patient:ada#clinician_of"], "principals": [BO]}, {CHARLIE, BO}),
        ({"roles": ["billing"]}, {BO}),
        ({"roles": ["cleaning"]}, set()),
        ("default", {ADA, BO, CHARLIE}),
        (None, {ADA, BO, CHARLIE}),
    ],
)
def test_principals_roles_and_relations_say_who_hears_it(clinic, audience, hears):
    clinic.relate(CHARLIE, "clinician_of", ADA)
    clinic.relate(BO, "member", "role:billing")
    clinic.record(WORDS, audience, subject_type="patient", subject_id="ada")
    assert {one for one in (ADA, BO, CHARLIE) if clinic.texts(by=one)} == hears


def test_who_loses_a_relation_loses_what_was_heard_by_it(clinic):
    made = clinic.relate(CHARLIE, "clinician_of", ADA)
    clinic.record(WORDS, {"relations": ["patient:ada#clinician_of"]})
    assert clinic.texts(by=CHARLIE) == {WORDS}
    clinic.world.bob.ok("post", f"relations/{made['id']}/revoke", {"reason": "moved"})
    assert clinic.texts(by=CHARLIE) == set()


def summary(clinic, **fields):
    return clinic.asking.ok("post", "chunks/summary", SummaryFactory(text=WORDS, session_id="new", **fields))


def commit(clinic, **fields):
    return clinic.asking.ok("post", "tools/memory_commit", {"content": WORDS, **fields})


def capture(clinic, **fields):
    return clinic.asking.ok("post", "captures", {**body(WORDS, PROMPT, compute_embedding=False), **fields})


def tool(clinic, **fields):
    return clinic.asking.ok(
        "post", "tools/record_event", {"session_id": "s", "kind": "message", "content": {"text": WORDS}, **fields}
    )


@pytest.mark.parametrize("made", [summary, commit, capture, tool])
def test_every_way_of_recording_takes_an_audience(clinic, made):
    made(clinic, audience=FOR_ADA)
    assert clinic.texts(by=ADA) == {WORDS}
    assert clinic.texts(by=BO) == set()


@pytest.mark.parametrize(
    ("kind", "content", "place"),
    [
        ("decision", {"decision": WORDS}, "decisions"),
        ("task_update", {"title": WORDS, "status": "open"}, "tasks"),
        ("artifact", {"name": WORDS, "media_type": "text/plain"}, "artifacts"),
    ],
)
def test_decisions_tasks_and_artifacts_have_the_audience_of_their_event(clinic, kind, content, place):
    clinic.record(WORDS, FOR_ADA, kind=kind, content=content)
    assert len(clinic.heard("get", place, by=ADA)["results"]) == 1
    assert clinic.heard("get", place, by=BO)["results"] == []


def test_an_id_outside_the_audience_answers_as_an_unknown_one(clinic):
    made = clinic.record(WORDS, FOR_ADA, kind="decision", content={"decision": WORDS})
    event, (chunk,), decision = made["event_id"], made["chunk_ids"], made["decision_id"]
    unknown = "01a22600-0000-7000-8000-000000000000"

    def answers(event, chunk, decision):
        retract = {"op": "retract", "reason": "no", "patch": {}}
        requests = [
            ("get", f"events/{event}", None),
            ("get", f"chunks/{chunk}/timeline", None),
            ("get", f"chunks/{chunk}/confidence", None),
            ("post", "chunks/get", {"chunk_ids": [chunk]}),
            ("post", f"chunks/{chunk}/outcome", {"outcome": "success"}),
            ("post", "edits", {"target_type": "chunk", "target_id": chunk, **retract}),
            ("post", "edits/preview", {"target_type": "chunk", "target_id": chunk, "op": "retract", "patch": {}}),
            ("post", "edits", {"target_type": "decision", "target_id": decision, **retract}),
            ("get", f"edits?target_id={chunk}", None),
            ("get", f"promotions?chunk_id={chunk}", None),
            ("get", f"promotions/candidates?chunk_id={chunk}", None),
        ]
        found = []
        for method, path, sent in requests:
            answer = clinic.asked(method, path, sent)
            problem = answer.json()
            for name in ("instance", "request_id"):
                problem.pop(name, None)
            text = str(problem)
            for one in (event, chunk, decision):
                text = text.replace(one, "ID")
            found.append((path.replace(chunk, "ID").replace(event, "ID"), answer.status_code, text))
        return found

    assert answers(event, chunk, decision) == answers(unknown, unknown, unknown)


@pytest.mark.parametrize(
    ("audience", "pointer"),
    [
        ({"principals": ["ada"]}, "/audience/principals/0"),
        ({"roles": ["a b|"]}, "/audience/roles/0"),
        ({"relations": ["Clinician"]}, "/audience/relations/0"),
        ({"principal": [ADA]}, "/audience/principal"),
        ({}, "/audience"),
        ("everyone", "/audience"),
        ({"principals": ["subject"]}, "/audience"),
        ({"relations": ["clinician_of"]}, "/audience"),
    ],
)
def test_a_bad_audience_is_refused_with_its_place_and_nothing_is_recorded(clinic, audience, pointer):
    answer = clinic.asking.post("events", {**clinic.world.draft(WORDS), "audience": audience})
    assert answer.status_code == 400, answer.content
    assert pointer in {fault["pointer"].removeprefix("#") for fault in answer.json()["errors"]}
    assert clinic.asking.ok("get", "events")["results"] == []


def test_ten_thousand_audiences_have_a_number_each(clinic):
    """A thousand are enough here: the numbers beyond the first words of 64 bits."""
    for first in range(0, 1000, 250):
        drafts = [
            {**clinic.world.draft(f"Note {n}"), "audience": {"principals": [f"patient:p{n}"]}}
            for n in range(first, first + 250)
        ]
        clinic.asking.ok("post", "events/batch", {"events": drafts})
    for number in (0, 63, 64, 500, 999):
        assert clinic.texts(by=f"patient:p{number}") == {f"Note {number}"}


def codes(made):
    return [one["code"] for one in made["notices"]]


def test_notices_name_what_the_tenant_has_not_used_and_an_author_outside_the_audience(clinic):
    clinic.relate(CHARLIE, "clinician_of", ADA)
    about = {"subject_type": "patient", "subject_id": "ada"}
    made = clinic.record(WORDS, {"relations": ["clinican_of"], "principals": ["pateint:bo"]}, by=ADA, **about)
    assert codes(made) == ["unknown_relation", "unknown_type", "not_in_audience"]
    told = {one["code"]: one["detail"] for one in made["notices"]}
    assert "nearest one in use is clinician_of" in told["unknown_relation"]
    assert "nearest one in use is patient" in told["unknown_type"]
    assert codes(clinic.record(WORDS, {"relations": ["clinician_of"]}, by=CHARLIE, **about)) == []
    assert codes(clinic.record(WORDS, FOR_ADA)) == ["not_in_audience"]
    assert codes(clinic.record(WORDS)) == []


def test_writes_reach_nothing_outside_the_audience(clinic):
    task = clinic.record(
        WORDS, FOR_ADA, by=ADA, kind="task_update", content={"title": "Vaccinate the zebra", "status": "open"}
    )["task_id"]
    keyed = clinic.record(WORDS, FOR_ADA, by=ADA, key="illness")
    commit = {"content": WORDS, "audience": FOR_ADA}
    seq = clinic.heard("post", "tools/memory_commit", commit, by=ADA)["seq"]

    refused = clinic.asked(
        "post",
        "events",
        clinic.world.draft(WORDS, kind="task_update", content={"task_id": task, "title": "No", "status": "done"}),
    )
    assert refused.json()["code"] == "no-such-task", refused.content
    refused = clinic.asked("post", "tools/memory_rethink", {"supersedes": [seq], "new_understanding": "Nothing"})
    assert f"Your chain has no memory {seq}." in refused.content.decode()
    refused = clinic.asked("post", "events", clinic.world.draft(WORDS, updates=keyed["event_id"]))
    assert refused.status_code == 404, refused.content
    bos = clinic.record("Bo has measles", {"principals": [BO]}, by=BO, key="illness")
    assert bos["superseded_chunk_ids"] == []

    assert WORDS in clinic.texts(by=ADA)
    assert clinic.record("Ada is well", FOR_ADA, by=ADA, key="illness")["superseded_chunk_ids"] == keyed["chunk_ids"]
    assert clinic.texts(by=BO) == {"Bo has measles"}
