"""GET /captures/{id}?include_embeddings=true: the values of all spaces come from the store."""

import numpy as np
import pytest

from memory.embedding import configured
from memory.embedding.local import local_model
from memory.embedding.protocol import ProviderFailed
from tests.capture.capturing import STOP, body, memories, store, words
from tests.embedding import FakeProvider, embed_all
from tests.erasure.conftest import admins_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def provider(monkeypatch):
    """The configured provider, a fake one; E12's vectors are fake too."""
    fake = FakeProvider()
    monkeypatch.setattr(configured, "configured", lambda: fake)
    monkeypatch.setattr(
        local_model(), "token_vectors", lambda texts: [fake.embed(one.split() or [one]) for one in texts]
    )
    return fake


def fail(texts):
    raise ProviderFailed("The embedding service answered 503.")


def values(world, chunk):
    return world.alice.ok("get", f"captures/{chunk}?include_embeddings=true")


def test_the_values_of_a_capture_are_read_without_the_provider(world, provider):
    (chunk,) = world.alice.ok("post", "captures", body("Reading src/app.py"))["chunk_ids"]
    provider.fails = fail

    found = values(world, chunk)

    assert found["embedding_model"] == provider.model
    assert set(found["teleological_array"]) == {f"E{number}" for number in range(1, 14)}


def test_the_values_are_those_of_the_text_alone_whatever_the_job_adds(world, provider):
    world.chunk("Look there")
    (chunk,) = world.alice.ok("post", "captures", body("A zebra", STOP))["chunk_ids"]
    first = values(world, chunk)
    embed_all(world)
    provider.fails = fail

    assert values(world, chunk) == first
    expected = FakeProvider().embed(["alice: A zebra"])[0]
    assert np.abs(np.array(first["teleological_array"]["E1"]) - expected).max() <= 1 / 254


def test_the_values_of_every_chunk_of_a_file_are_stored(world, provider):
    store(world.alice, "notes.md", words(300))
    provider.fails = fail

    chunks = memories(world.alice, file_path="notes.md")

    assert len(chunks) > 1
    assert all(values(world, one["id"])["teleological_array"]["E9"] for one in chunks)


def test_the_values_of_corrected_text_are_computed(world, provider):
    (chunk,) = world.alice.ok("post", "captures", body("A zebra"))["chunk_ids"]
    before = values(world, chunk)["teleological_array"]
    world.edit(chunk, "amend", text="An okapi")

    after = values(world, chunk)["teleological_array"]

    assert after["E9"] != before["E9"]
    provider.fails = fail
    assert world.alice.get(f"captures/{chunk}?include_embeddings=true").status_code == 500


@pytest.mark.django_db(transaction=True, databases=["default", "owner", "review"])
@pytest.mark.parametrize("verb", ["amend", "retract", "erase", "delete"])
def test_the_values_go_with_the_text(world, provider, owner, verb):
    (chunk,) = world.alice.ok("post", "captures", body("A zebra"))["chunk_ids"]
    assert stored(world, owner) == [chunk]

    if verb == "erase":
        admins_of(world).erase(by="chunk", id=chunk)
    elif verb == "delete":
        world.alice.ok("post", "captures/delete", {"chunk_ids": [chunk]})
    else:
        world.edit(chunk, verb, **({"text": "An okapi"} if verb == "amend" else {}))

    assert stored(world, owner) == []


def stored(world, owner):
    with world.inside("owner"):
        rows = owner("SELECT id FROM memory_embeddingset WHERE tenant_id = %s", [world.tenant_id])
    return [str(row["id"]) for row in rows]


def test_a_reader_who_may_not_hear_a_capture_gets_no_values(world, provider):
    (chunk,) = world.alice.ok("post", "captures", body("A zebra", sensitivity="high"))["chunk_ids"]
    assert world.alice.get(f"captures/{chunk}?include_embeddings=true&channel=public").status_code == 404
