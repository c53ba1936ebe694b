"""Proposing to erase: who may, what may be named, and what would go."""

import uuid

import pytest

from governance.models import Entry, Erasure

pytestmark = pytest.mark.django_db

JACK = {"subject_type": "user", "subject_id": "jack"}


def refusal(response):
    problem = response.json()
    return response.status_code, problem["type"].rsplit(":", 1)[-1]


def test_a_proposal_waits_and_erases_nothing(world, admins):
    event = world.event("Jon likes tea")["event_id"]

    erasure = admins.propose(by="event", id=event)

    receipt = admins.receipt(erasure)
    assert (receipt["status"], receipt["by"], receipt["target_id"]) == ("pending", "event", event)
    assert receipt["reason"] == "a request"
    assert receipt["scope"]["counts"] == {"chunk": 1, "event": 1, "content": 1}
    assert world.found("tea") == ["Jon likes tea"]


def test_the_dry_run_tells_the_whole_memory_that_a_chunk_is_of(world, admins):
    recorded = world.event(
        " ".join(f"word{n}" for n in range(300)),
        kind="decision",
        content={"decision": "Use tea", "rationale": ["warm"]},
    )
    chunk, other = recorded["chunk_ids"]
    edit = world.edit(other, "amend", text="Cold")["edit_id"]

    scope = admins.dry_run(by="chunk", id=chunk)

    assert scope["counts"] == {"chunk": 2, "decision": 1, "edit": 1, "event": 1, "content": 5}
    ids = {(record["kind"], record["id"]) for record in scope["records"]}
    assert ids == {
        ("event", recorded["event_id"]),
        ("chunk", chunk),
        ("chunk", other),
        ("decision", recorded["decision_id"]),
        ("edit", edit),
    }
    (edited,) = [record for record in scope["records"] if record["kind"] == "edit"]
    assert (edited["target_type"], edited["target_id"]) == ("chunk", other)
    assert (scope["is_complete"], scope["refused"]) == (True, [])
    assert not Erasure.objects.filter(tenant_id=world.tenant_id).exists()


def test_the_dry_run_is_what_goes(world, admins, noted):
    world.event("Jon likes tea", **JACK)
    world.event(kind="task_update", content={"title": "Brew", "status": "open", **JACK})
    world.event(kind="artifact", content={"name": "notes", "media_type": "text/plain", "text": "tea", **JACK})
    chunk = noted("He drinks tea", subject_id="jack")
    world.edit(chunk, "amend", by=world.alice, text="He drinks water")
    told = admins.dry_run(by="subject", **JACK)

    receipt = admins.erase(by="subject", **JACK)

    for record in told["records"]:
        record.pop("target_type", None)
        record.pop("target_id", None)
    assert receipt["scope"]["records"] == told["records"]
    assert receipt["scope"]["counts"] == told["counts"]
    assert set(told["counts"]) == {"event", "chunk", "task", "artifact", "edit", "content"}


@pytest.mark.parametrize("caller", ["alice", "bob", "auditor"])
def test_only_an_admin_proposes(world, admins, caller):
    event = world.event("Jon likes tea")["event_id"]
    body = {"by": "event", "id": event, "reason": "a request"}
    for dry in (True, False):
        assert getattr(world, caller).post("erasures", {**body, "dry_run": dry}).status_code == 403


def test_agents_do_not_read_erasures_and_people_with_a_role_do(world, admins):
    erasure = admins.propose(by="event", id=world.event("Jon likes tea")["event_id"])
    for caller in (world.bob, world.auditor, admins.dave):
        assert caller.ok("get", f"erasures/{erasure}")["status"] == "pending"
        assert [one["erasure_id"] for one in caller.ok("get", "erasures")["results"]] == [erasure]
    assert world.alice.get(f"erasures/{erasure}").status_code == 403
    assert world.alice.get("erasures").status_code == 403


def test_what_was_committed_refuses_the_whole_request_and_is_named(world, admins):
    world.event("Jon likes tea", **JACK)
    kept = world.event("The contract", retention="committed", **JACK)

    answer = admins.carol.post("erasures", {"by": "subject", "reason": "a request", **JACK})

    assert refusal(answer) == (409, "committed-is-kept")
    named = {fault["detail"] for fault in answer.json()["errors"]}
    assert named == {
        f"The event {kept['event_id']} has the retention `committed`.",
        f"The chunk {kept['chunk_ids'][0]} has the retention `committed`.",
    }
    refused = admins.dry_run(by="subject", **JACK)["refused"]
    assert {(one["kind"], one["id"]) for one in refused} == {
        ("event", kept["event_id"]),
        ("chunk", kept["chunk_ids"][0]),
    }


def test_an_agents_words_about_what_was_committed_are_kept_too(world, admins):
    kept = world.chunk("The contract", retention="committed")
    world.edit(kept, "amend", by=world.alice, text="The treaty")
    answer = admins.carol.post("erasures", {"by": "agent", "agent": "alice", "reason": "a request"})
    assert refusal(answer) == (409, "committed-is-kept")


def test_what_is_not_there_is_404_and_what_was_erased_409(world, elsewhere, admins):
    theirs = elsewhere.event("Jon likes tea", **JACK)
    for named in (
        {"by": "event", "id": str(uuid.uuid4())},
        {"by": "event", "id": theirs["event_id"]},
        {"by": "chunk", "id": theirs["chunk_ids"][0]},
        {"by": "subject", **JACK},
        {"by": "agent", "agent": "nobody"},
    ):
        for dry in (True, False):
            answer = admins.carol.post("erasures", {**named, "reason": "a request", "dry_run": dry})
            assert refusal(answer) == (404, "nothing-to-erase"), named
    ours = world.event("Jon likes tea")["event_id"]
    admins.erase(by="event", id=ours)
    answer = admins.carol.post("erasures", {"by": "event", "id": ours, "reason": "a request"})
    assert refusal(answer) == (409, "nothing-left-to-erase")


def test_an_erasure_of_another_tenant_is_404(world, admins, elsewhere, elsewhere_admins):
    erasure = elsewhere_admins.propose(by="event", id=elsewhere.event("Jon likes tea")["event_id"])
    assert admins.dave.get(f"erasures/{erasure}").status_code == 404
    for verb in ("approve", "reject", "withdraw"):
        assert admins.dave.post(f"erasures/{erasure}/{verb}", {"reason": "no"}).status_code == 404
    assert admins.dave.ok("get", "erasures")["results"] == []


@pytest.mark.parametrize(
    ("fields", "pointer"),
    [
        ({"by": "event"}, "#/id"),
        ({"by": "chunk", "id": "x"}, "#/id"),
        ({"by": "subject", "subject_type": "user"}, "#/subject_id"),
        ({"by": "agent", "id": str(uuid.UUID(int=1))}, "#/agent"),
        ({"by": "subject", "subject_type": "user", "subject_id": "jack", "agent": "alice"}, "#/agent"),
        ({"by": "everything"}, "#/by"),
        ({"by": "event", "id": str(uuid.UUID(int=1)), "reason": " "}, "#/reason"),
        ({"by": "event", "id": str(uuid.UUID(int=1)), "more": 1}, "#/more"),
    ],
)
def test_a_body_that_names_something_else_is_a_400_that_points_to_it(admins, fields, pointer):
    answer = admins.carol.post("erasures", {"reason": "a request", **fields})
    assert answer.status_code == 400
    assert pointer in [fault["pointer"] for fault in answer.json()["errors"]]


def test_the_entry_of_a_proposal_holds_its_reason_without_secrets_and_no_words(world, admins):
    event = world.event("Jon likes tea")["event_id"]
    key = "sk-" + "a" * 40
    erasure = admins.propose(by="event", id=event, reason=f"He asked; {key}")
    with world.inside():
        entry = Entry.objects.get(tenant_id=world.tenant_id, type="erasure.proposed")
    assert entry.metadata["erasure"] == erasure
    assert entry.metadata["counts"] == {"chunk": 1, "event": 1, "content": 1}
    assert key not in str(entry.metadata)
    assert "tea" not in str(entry.metadata)


def test_erasures_are_paged_newest_first_and_filtered(world, admins):
    made = [admins.propose(by="event", id=world.event(f"tea {n}")["event_id"]) for n in range(3)]
    admins.carol.ok("post", f"erasures/{made[0]}/withdraw", {})
    first = admins.carol.ok("get", "erasures?limit=2")
    second = admins.carol.ok("get", f"erasures?limit=2&cursor={first['next']}")
    assert [one["erasure_id"] for one in first["results"] + second["results"]] == made[::-1]
    withdrawn = admins.carol.ok("get", "erasures?status=withdrawn")["results"]
    assert [one["erasure_id"] for one in withdrawn] == made[:1]
    assert admins.carol.get("erasures?status=unknown").status_code == 400
