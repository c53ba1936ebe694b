"""POST /captures/batch, and long captures: one that is slow or wrong never holds back the others."""

import uuid
from datetime import timedelta
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.utils import timezone

from governance.acting.credentials import system
from governance.identity import identities
from memory.embedding import configured
from memory.embedding.local import local_model
from memory.embedding.protocol import ProviderFailed, TextRefused
from tests.capture.capturing import STOP, body, memories, part, words
from tests.embedding import FakeProvider

pytestmark = pytest.mark.django_db

SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def provider(monkeypatch):
    """The configured provider, a fake one; E12's vectors are fake too."""
    fake = FakeProvider()
    monkeypatch.setattr(configured, "configured", lambda: fake)
    monkeypatch.setattr(local_model(), "token_vectors", lambda texts: [np.ones((2, 384), np.float32) for _ in texts])
    return fake


def capture(world: Any, *bodies: dict[str, Any]) -> list[dict[str, Any]]:
    answered: list[dict[str, Any]] = world.alice.ok("post", "captures/batch", {"captures": list(bodies)})["captures"]
    return answered


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (body("no", session_id=" "), "/captures/1/session_id session_id is required for memory capture"),
        (body("no", nonsense=1), "/captures/1/nonsense Unknown field."),
        ("no", "/captures/1 Invalid data."),
        (None, "/captures/1 Invalid data."),
        (body("no", tags="no list"), "/captures/1/tags Expected a list"),
        (body("no", session_id=SECRET), "/captures/1/session_id This identifier contains a secret"),
        (body("no", subject_type="customer"), "/captures/1/subject_id A subject needs both"),
        (body("no", ts=str(timezone.now() + timedelta(days=1))), "/captures/1/ts This time is"),
        (body("no \x07"), "/captures/1/content Character 4 is the control character"),
    ],
)
def test_a_refused_capture_does_not_hold_back_the_others(world, wrong, reason):
    before, refused, after = capture(world, body("before"), wrong, body("after"))

    assert [before["status"], refused["status"], after["status"]] == ["recorded", "refused", "recorded"]
    assert refused["reason"].startswith(reason)
    assert [one["content"] for one in memories(world.alice)] == ["after", "before"]


def test_an_id_that_another_memory_has_does_not_hold_back_the_others(world):
    taken = str(uuid.uuid4())
    capture(world, body("first", id=taken))

    answered = capture(world, body("before"), body("second", id=taken), body("first", id=taken), body("after"))

    assert [one["status"] for one in answered] == ["recorded", "refused", "already_recorded", "recorded"]
    assert answered[1]["reason"].startswith("/captures/1/id This id belongs to another event.")


@pytest.mark.parametrize("number", [1, 3])
def test_a_request_whose_captures_are_all_refused_is_refused(world, number):
    answer = world.alice.post("captures/batch", {"captures": [body("no", session_id=" ")] * number})
    assert answer.status_code == 400
    assert [one["index"] for one in answer.json()["errors"]] == list(range(number))


def test_a_capture_that_cannot_be_embedded_does_not_hold_back_the_others(world, provider):
    def refuse(texts):
        if any("POISON" in text for text in texts):
            raise TextRefused("The embedding service refused the text (status 400).")

    provider.fails = refuse
    answered = capture(world, *(body("POISON" if place == 3 else f"fine {place}") for place in range(8)))

    assert [one["status"] for one in answered] == ["recorded"] * 3 + ["failed"] + ["recorded"] * 4
    assert "Failed to generate embeddings for memory: E1 semantic failed" in answered[3]["reason"]


def test_no_capture_is_tried_alone_while_the_provider_is_down(world, provider):
    def fail(texts):
        raise ProviderFailed("The embedding service answered 503.")

    provider.fails = fail
    answer = world.alice.post("captures/batch", {"captures": [body(f"one {place}") for place in range(20)]})

    assert answer.status_code == 500
    assert len(provider.asked) <= provider.batch_size


def test_a_capture_that_is_sent_again_is_not_embedded_again(world, provider):
    again = body("Reading", id=str(uuid.uuid4()))
    first = world.alice.ok("post", "captures", again)
    asked = len(provider.asked)
    second = world.alice.ok("post", "captures", again)
    assert (second["status"], second["chunk_ids"]) == ("already_recorded", first["chunk_ids"])
    assert len(provider.asked) == asked


@pytest.mark.django_db(transaction=True, databases=["default", "owner"])
@pytest.mark.parametrize("headers", [{}, {"Idempotency-Key": "a-key"}, {"X-Receipt": "yes"}])
@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("captures", body(words(600), STOP)),
        ("captures/batch", {"captures": [body("one"), body("two")]}),
        ("files", part("docs/a.md", words(600))),
    ],
)
def test_no_transaction_is_open_while_a_capture_is_embedded(world, provider, path, sent, headers):
    is_open = []
    provider.fails = lambda texts: is_open.append(connection.in_atomic_block)

    answer = world.alice.post(path, sent, **headers)

    assert answer.status_code == 201
    assert is_open
    assert not any(is_open)
    assert ("receipt" in answer.json()) is ("X-Receipt" in headers)


@pytest.mark.parametrize("path", ["captures", "captures/batch", "files"])
def test_a_revoked_key_embeds_nothing(world, provider, path):
    world.alice.post("captures", body("so that this process knows the key"))
    asked = len(provider.asked)
    with world.inside():
        identities.revoke_key(world.keys["alice"].split("_")[1], actor=system(world.tenant_id, "a test"))
    sent = {"captures": body("no"), "captures/batch": {"captures": [body("no")]}, "files": part("a.md", "no")}[path]
    assert world.alice.post(path, sent).status_code == 401
    assert len(provider.asked) == asked
