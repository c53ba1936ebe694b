"""`Idempotency-Key`: what is sent twice is done once. (How the key itself is read is in tests/http.)"""

import uuid

import pytest

from governance.models import Edit, IdempotencyKey
from memory.models import Event
from tests.factories import EditFactory, EventFactory


def keyed():
    return {"Idempotency-Key": f"key-{uuid.uuid4()}"}


def count(world, model):
    with world.inside():
        return model.objects.filter(tenant_id=world.tenant_id).count()


def test_the_same_key_has_the_same_answer_and_one_event(world):
    headers = keyed()

    first = world.alice.post("events", EventFactory(), **headers)
    second = world.alice.post("events", EventFactory(), **headers)

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert second.headers["Idempotent-Replay"] == "true"
    assert "Idempotent-Replay" not in first.headers
    assert count(world, Event) == 1


def test_the_same_key_with_another_body_is_a_conflict(world):
    headers = keyed()
    world.alice.post("events", EventFactory(), **headers)

    response = world.alice.post("events", EventFactory(content__text="Another"), **headers)

    assert response.status_code == 409
    assert count(world, Event) == 1


def test_the_same_key_at_another_address_is_a_conflict(world):
    headers = keyed()
    world.alice.post("events", EventFactory(), **headers)

    assert world.alice.post("events/batch", EventFactory(), **headers).status_code == 409


def test_keys_are_each_callers_own(world, elsewhere):
    headers = keyed()

    answers = [caller.post("events", EventFactory(), **headers) for caller in (world.alice, world.bob, elsewhere.alice)]

    assert [answer.status_code for answer in answers] == [201] * 3
    assert len({answer.json()["event_id"] for answer in answers}) == 3


def test_another_key_is_another_event(world):
    for _ in range(2):
        world.alice.ok("post", "events", EventFactory(), **keyed())
    assert count(world, Event) == 2


@pytest.mark.parametrize(
    "wrong", [EventFactory(kind="rumour"), EventFactory(surprise=1), {}, EventFactory(subject_type="user")]
)
def test_a_refused_request_leaves_no_key(world, wrong):
    headers = keyed()

    assert world.alice.post("events", wrong, **headers).status_code == 400
    assert count(world, IdempotencyKey) == 0
    assert world.alice.post("events", EventFactory(), **headers).status_code == 201


def test_a_proposal_is_made_once_and_a_verdict_given_once(world):
    headers, verdict = keyed(), keyed()
    proposal = EditFactory(target_id=world.chunk(), op="quarantine")
    first = world.alice.ok("post", "edits", proposal, **headers)
    assert world.alice.ok("post", "edits", proposal, **headers) == first
    assert count(world, Edit) == 1

    approved = world.bob.ok("post", f"edits/{first['edit_id']}/approve", {}, **verdict)
    assert world.bob.ok("post", f"edits/{first['edit_id']}/approve", {}, **verdict) == approved
    assert approved["status"] == "approved"


def test_no_words_are_kept_with_a_key(world):
    search = keyed()
    world.chunk("unspeakable")
    world.alice.ok("post", "chunks/search", {"query": "unspeakable"}, **search)
    world.alice.ok("post", "events", EventFactory(content__text="unspeakable"), **keyed())

    with world.inside():
        kept = list(IdempotencyKey.objects.filter(tenant_id=world.tenant_id).values_list("answer", flat=True))
    assert len(kept) == 2
    assert "unspeakable" not in str(kept)


def test_a_search_with_a_key_is_answered_anew(world):
    headers = keyed()
    chunk = world.chunk("The quick brown fox")
    query = {"query": "fox"}
    assert len(world.alice.ok("post", "chunks/search", query, **headers)["chunks"]) == 1

    world.edit(chunk, "retract")

    # a kept answer would show what was retracted since
    assert world.alice.ok("post", "chunks/search", query, **headers)["chunks"] == []
    assert world.alice.post("chunks/search", {"query": "dog"}, **headers).status_code == 409


@pytest.mark.django_db(transaction=True)
def test_the_same_key_at_once_makes_one_event(world, at_once):
    for _ in range(3):
        before = count(world, Event)
        headers = keyed()

        answers = at_once(
            *[lambda headers=headers: type(world.alice)(world.keys["alice"]).post("events", EventFactory(), **headers)]
            * 4
        )

        assert [answer.status_code for answer in answers] == [201] * 4
        assert len({answer.json()["event_id"] for answer in answers}) == 1
        assert sorted("Idempotent-Replay" in answer.headers for answer in answers) == [False, True, True, True]
        assert count(world, Event) == before + 1


@pytest.mark.django_db(transaction=True)
def test_the_same_key_at_once_with_different_bodies_makes_one_event(world, at_once):
    headers = keyed()

    answers = at_once(
        *[
            lambda text=text: type(world.alice)(world.keys["alice"]).post(
                "events", EventFactory(content__text=text), **headers
            )
            for text in ("one", "another")
        ]
    )

    assert sorted(answer.status_code for answer in answers) == [201, 409]
    assert count(world, Event) == 1
