"""Editing by filter: a preview that writes nothing and gives a token, then exactly what was previewed."""

import uuid
from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from governance.identity import identities
from memory.services import surgery
from tests.factories import EventFactory

from .filtering import ask, commit, previewed
from .helpers import counts, entries, read, words


def matched(world, filter):
    """The texts that an edit by this filter would touch."""
    answer = previewed(world.bob, filter)
    assert answer["count"] == len(answer["sample"])
    return sorted(chunk["text"] for chunk in answer["sample"])


def test_it_works(world):
    wrong = [world.chunk(f"the moon is cheese {number}", content={"scope": "global"}) for number in range(3)]
    world.chunk("the moon is rock")

    answer = previewed(world.bob, {"phrase": "moon is cheese"})
    assert answer["count"] == 3
    assert {chunk["chunk_id"] for chunk in answer["sample"]} == set(wrong)

    response = commit(world.bob, answer["token"])

    assert response.status_code == 201
    assert [item["status"] for item in response.json()["edits"]] == ["approved"] * 3
    assert world.found("moon") == ["the moon is rock"]
    (entry,) = entries(world, "edits.proposed")
    assert (entry.metadata["batch"], entry.metadata["count"]) == (response.json()["batch_id"], 3)


FILTERS = [
    ({"scope": "project"}, ["of alpha"]),
    ({"subject_type": "user"}, ["of Jack", "of Jane"]),
    ({"subject_id": "jack"}, ["of Jack"]),
    ({"subject_type": "user", "subject_id": "jane"}, ["of Jane"]),
    ({"project_id": "alpha"}, ["of alpha"]),
    ({"session_id": "session-2"}, ["of another session"]),
    ({"channel": "team"}, ["in the team"]),
    ({"since": "2025-02-10T00:00:00Z", "until": "2025-02-11T00:00:00Z"}, ["of February"]),
    ({"until": "2025-02-11T00:00:00Z"}, ["of February", "of January"]),
    ({"phrase": "another session"}, ["of another session"]),
    ({"phrase": "session another"}, []),
    ({"scope": "user", "phrase": "jack"}, ["of Jack"]),
    ({"scope": "user", "phrase": "alpha"}, []),
]


@pytest.mark.parametrize(("filter", "texts"), FILTERS)
def test_each_condition_narrows_what_is_matched(world, filter, texts):
    world.chunk("of Jack", content={"subject_type": "user", "subject_id": "jack"})
    world.chunk("of Jane", content={"subject_type": "user", "subject_id": "jane"})
    world.chunk("of alpha", content={"project_id": "alpha"})
    world.chunk("of another session", session_id="session-2", content={"scope": "global"})
    world.chunk("in the team", channel="team")
    world.chunk("of January", ts="2025-01-10T12:00:00Z")
    world.chunk("of February", ts="2025-02-10T00:00:00Z")

    assert matched(world, filter) == texts


def test_everything_that_one_agent_recorded_since_a_moment_can_be_quarantined(world):
    made = identities.provision(world.slug, agents=[("mallory", [])])
    mallory = type(world.alice)(made.agents["mallory"]["key"])
    for text, ts in (("early lie", "2025-01-01T00:00:00Z"), ("late lie", "2025-03-01T00:00:00Z")):
        mallory.ok("post", "events", EventFactory(actor_id="mallory", content__text=text, ts=ts))
    world.chunk("honest lie detector", ts="2025-03-01T00:00:00Z")

    answer = previewed(world.bob, {"recorder": "mallory", "since": "2025-02-01T00:00:00Z"})
    assert answer["count"] == 1
    commit(world.bob, answer["token"])

    assert sorted(world.found("lie")) == ["early lie", "honest lie detector"]


def test_the_phrase_is_matched_against_effective_text(world):
    chunk = world.chunk("Jon Doe called")
    world.edit(chunk, "amend", text="John Doe called")
    gone = world.chunk("Jon Roe called")
    world.edit(gone, "retract")

    assert matched(world, {"phrase": "Jon"}) == []
    assert matched(world, {"phrase": "John"}) == ["John Doe called"]


@pytest.mark.parametrize(
    ("op", "patch"),
    [
        ("retract", {}),
        ("amend", {"text": "New"}),
        ("attenuate", {"importance_delta": -0.25}),
        ("block", {"channel": "team"}),
    ],
)
def test_every_operation_but_revert_can_be_done_by_filter(world, op, patch):
    chunk = world.chunk("Original")

    answer = previewed(world.bob, {"phrase": "original"}, op, patch=patch)
    batch = commit(world.bob, answer["token"]).json()

    edit = world.bob.ok("get", f"edits/{batch['edits'][0]['edit_id']}")
    assert (edit["op"], edit["target_id"], edit["patch"], edit["reason"]) == (op, chunk, patch, "a test")
    assert ask(world.bob, {"phrase": "original"}, "revert", patch={"edit_id": edit["edit_id"]}).status_code == 400


def test_a_preview_writes_nothing(world):
    chunk = world.chunk("Original")
    before, shown = counts(world), read(world, chunk)

    previewed(world.bob, {"phrase": "original"}, "retract")

    assert counts(world) == before
    assert read(world, chunk) == shown


def test_the_sample_is_bounded_and_the_count_is_not(world):
    for number in range(surgery.SAMPLE + 3):
        world.chunk(f"note {number}")

    answer = previewed(world.bob, {"phrase": "note"})

    assert (answer["count"], len(answer["sample"])) == (surgery.SAMPLE + 3, surgery.SAMPLE)


def test_what_is_recorded_after_the_preview_stays_out(world):
    previewed_chunk = world.chunk("the moon is cheese")
    answer = previewed(world.bob, {"phrase": "cheese"})
    later = world.chunk("the moon is cheese too")

    batch = commit(world.bob, answer["token"]).json()

    assert len(batch["edits"]) == 1
    assert read(world, previewed_chunk)["is_quarantined"]
    assert not read(world, later)["is_quarantined"]


@pytest.mark.parametrize("change", ["one no longer matches", "one is retracted"])
def test_what_matches_now_and_did_otherwise_in_the_preview_is_a_conflict(world, change):
    first, second = world.chunk("the moon is cheese"), world.chunk("cheese of the moon")
    answer = previewed(world.bob, {"phrase": "cheese"})
    if change == "one is retracted":
        world.edit(first, "retract")
    else:
        world.edit(first, "amend", text="the moon is rock")
    before = counts(world)

    response = commit(world.bob, answer["token"])

    assert response.status_code == 409
    assert counts(world) == before
    assert not read(world, second)["is_quarantined"]


def test_a_token_is_its_callers_own(world, elsewhere):
    world.chunk("cheese")
    token = previewed(world.bob, {"phrase": "cheese"})["token"]
    before = counts(world)

    for other in (world.ann, world.alice, elsewhere.bob):
        assert commit(other, token).status_code == 400
    assert counts(world) == before
    assert world.found("cheese") == ["cheese"]


def test_a_token_that_was_changed_or_made_up_is_refused(world):
    world.chunk("cheese")
    token = previewed(world.bob, {"phrase": "cheese"})["token"]

    for wrong in (token[:-1] + ("a" if token[-1] != "a" else "b"), "x" + token, token.split(":")[0], "made up", "é"):
        response = commit(world.bob, wrong)
        assert response.status_code == 400, wrong
        assert response.json()["errors"][0]["pointer"] == "#/token"
    assert world.found("cheese") == ["cheese"]


def test_a_token_expires(world):
    world.chunk("cheese")
    token = previewed(world.bob, {"phrase": "cheese"})["token"]
    later = datetime.now(UTC) + surgery.TOKEN_AGE

    with time_machine.travel(later + timedelta(seconds=5), tick=False):
        assert commit(world.bob, token).status_code == 400
    assert world.found("cheese") == ["cheese"]
    with time_machine.travel(later - timedelta(seconds=60), tick=False):
        assert commit(world.bob, token).status_code == 201
    assert world.found("cheese") == []


@pytest.mark.parametrize("filter", [{}, {"colour": "red"}, {"scope": "planet"}, {"since": "yesterday"}, {"phrase": ""}])
def test_a_filter_without_a_condition_or_with_an_unknown_one_is_refused(world, filter):
    world.chunk("Original")
    before = counts(world)

    assert ask(world.bob, filter).status_code == 400

    assert counts(world) == before


@pytest.mark.parametrize(
    "body",
    [
        {"filter": {"phrase": "x"}, "op": "retract"},
        {"filter": {"phrase": "x"}, "reason": "x"},
        {"op": "retract", "reason": "x"},
        {"filter": {"phrase": "x"}, "op": "amend", "reason": "x"},
        {"filter": {"phrase": "x"}, "op": "retract", "reason": "x", "patch": {"text": "x"}},
        {"token": "x", "op": "retract"},
    ],
)
def test_a_body_that_is_neither_a_preview_nor_a_commit_is_refused(world, body):
    assert world.bob.post("edits/by-filter", body).status_code == 400


def test_too_many_matches_are_refused_and_as_many_as_may_be_are_not(world, monkeypatch):
    monkeypatch.setattr(surgery, "PART", 2)
    monkeypatch.setattr(surgery, "MAX_PARTS", 2)
    for number in range(4):
        world.chunk(f"note {number}")
    answer = previewed(world.bob, {"phrase": "note"})
    assert (answer["count"], answer["parts"]) == (4, 2)
    world.chunk("note 4")

    response = ask(world.bob, {"phrase": "note"})

    assert response.status_code == 400
    assert response.json()["errors"][0]["pointer"] == "#/filter"
    assert "more than 4 chunks" in response.json()["detail"]


def test_a_filter_that_matches_nothing_changes_nothing(world):
    answer = previewed(world.bob, {"phrase": "cheese"})
    before = counts(world)
    assert (answer["count"], answer["sample"]) == (0, [])

    assert commit(world.bob, answer["token"]).json()["edits"] == []

    assert counts(world) == before


def test_a_commit_sent_twice_with_one_key_is_one_batch(world):
    world.chunk("cheese")
    token = previewed(world.bob, {"phrase": "cheese"}, "attenuate", patch={"importance_delta": -0.1})["token"]
    headers = {"Idempotency-Key": f"key-{uuid.uuid4()}"}

    first, second = commit(world.bob, token, **headers), commit(world.bob, token, **headers)

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second.headers["Idempotent-Replay"] == "true"
    assert len(entries(world, "edits.proposed")) == 1


@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "another"}])
def test_a_token_is_good_for_one_commit(world, headers):
    chunk = world.chunk("cheese")
    token = previewed(world.bob, {"phrase": "cheese"}, "attenuate", patch={"importance_delta": -0.2})["token"]
    batch = commit(world.bob, token, **{"Idempotency-Key": "one"}).json()["batch_id"]

    response = commit(world.bob, token, **headers)

    assert response.status_code == 409
    assert response.json()["type"] == "urn:suture:problem:committed-already"
    assert batch in response.json()["detail"]
    assert read(world, chunk)["importance"] == 0.3


def test_a_commit_that_is_refused_leaves_the_token_good(world):
    chunk = world.chunk("cheese")
    token = previewed(world.bob, {"phrase": "cheese"})["token"]
    edit = world.edit(chunk, "amend", text="rock")["edit_id"]
    assert commit(world.bob, token).status_code == 409
    world.bob.ok("post", f"edits/{edit}/revert", {"reason": "cheese it was"})

    assert commit(world.bob, token).status_code == 201


@pytest.mark.django_db(transaction=True)
def test_of_two_commits_at_once_one_is_done(world, at_once):
    chunk = world.chunk("cheese")
    token = previewed(world.bob, {"phrase": "cheese"}, "attenuate", patch={"importance_delta": -0.2})["token"]

    answers = at_once(lambda: commit(world.bob, token), lambda: commit(type(world.bob)(world.keys["bob"]), token))

    assert sorted(answer.status_code for answer in answers) == [201, 409]
    assert read(world, chunk)["importance"] == 0.3


def test_a_preview_with_a_key_keeps_no_words(world):
    world.chunk("cheese")
    body = {"filter": {"phrase": "cheese"}, "op": "retract", "reason": "a test"}
    headers = {"Idempotency-Key": f"key-{uuid.uuid4()}"}
    first = world.bob.post("edits/by-filter", body, **headers).json()
    world.edit(first["sample"][0]["chunk_id"], "amend", text="rock")

    second = world.bob.post("edits/by-filter", body, **headers)

    assert second.status_code == 200
    assert "cheese" not in str(second.json()["sample"])


def test_an_agents_edit_by_filter_waits_where_the_policy_says_so(world):
    world.chunk("cheese")
    answer = previewed(world.alice, {"phrase": "cheese"}, "quarantine")

    (item,) = commit(world.alice, answer["token"]).json()["edits"]

    assert item["status"] == "pending"
    assert world.found("cheese") == ["cheese"]


def test_an_auditor_edits_nothing_by_filter(world):
    world.chunk("cheese")

    assert ask(world.auditor, {"phrase": "cheese"}).status_code == 403


def test_another_tenants_chunks_are_never_matched(world, elsewhere):
    elsewhere.chunk("cheese of Charlie")

    assert previewed(world.bob, {"phrase": "cheese"})["count"] == 0


@pytest.mark.parametrize(
    "fields",
    [
        {"channel": "private"},
        {"channel": "public", "sensitivity": "high"},
        {"channel": "public", "sensitivity": "secret"},
    ],
)
def test_an_agent_learns_nothing_of_what_it_may_not_hear_not_even_a_count(world, agent_in, fields):
    world.chunk("the password of Jack is cheese", **fields)

    answer = previewed(agent_in("public"), {"phrase": "is cheese"})

    assert (answer["count"], answer["sample"]) == (0, [])
    # a reviewer looks after all of memory
    assert previewed(world.bob, {"phrase": "is cheese"})["count"] == 1


def test_an_agent_learns_nothing_of_what_is_blocked_where_it_speaks(world, agent_in):
    chunk = world.chunk("the moon is cheese", channel="public")
    world.edit(chunk, "block", channel="public")

    assert previewed(agent_in("public"), {"phrase": "is cheese"})["count"] == 0


def test_an_agent_may_name_the_channel_that_it_looks_after(world, agent_in):
    world.chunk("the moon is cheese", channel="private", sensitivity="high")
    filter = {"phrase": "is cheese", "channel": "private"}

    assert previewed(world.alice, filter)["count"] == 1
    assert ask(agent_in("public"), filter).status_code == 403


def test_chunks_of_a_long_text_are_matched_one_by_one(world):
    world.event(words(380))

    answer = previewed(world.bob, {"phrase": "word10 word11"}, "retract")
    commit(world.bob, answer["token"])

    assert answer["count"] == 1
    assert world.found("word10") == []
    assert len(world.found("word250")) == 1
