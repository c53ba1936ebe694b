"""What is captured is embedded in all thirteen spaces before anybody hears that it was stored, or it is not stored."""

import numpy as np
import pytest

from governance.acting import gate
from governance.http.statuses import status_of
from memory.drafts import EventDraft, PreparedEvent
from memory.embedding import configured, queries, thirteen
from memory.embedding.local import local_model
from memory.embedding.protocol import ProviderFailed
from memory.models import EmbeddingItem, Event
from memory.services import recording
from memory.spaces.source_code import SourceCode
from tests.embedding import FakeProvider, embed_all, meant

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def provider(monkeypatch):
    """The configured provider, a fake one."""
    fake = FakeProvider()
    queries.forget()
    monkeypatch.setattr(configured, "configured", lambda: fake)
    monkeypatch.setattr(configured, "provider_of", lambda model: None)
    monkeypatch.setattr(local_model(), "token_vectors", lambda texts: [np.ones((2, 384), np.float32) for _ in texts])
    return fake


def capture(world, text):
    with gate.acting_as(world.alice_principal):
        draft = EventDraft.from_body(world.draft(text))
        prepared = [PreparedEvent.of(draft)]
        embedded = thirteen.embed_prepared(prepared)
        return recording.record_prepared(prepared, actor=world.alice_principal, embedded=embedded)


def count(world, model):
    with world.inside():
        return model.objects.filter(tenant_id=world.tenant_id).count()


def test_it_works(world):
    embed_all(world)  # the job has seen the tenant

    capture(world, "A zebra")

    assert meant(world, "zebra")[0][0] == "A zebra"
    assert count(world, EmbeddingItem) == 0, "nothing is left for the job"


def test_the_job_embeds_it_again_with_its_neighbours(world, provider):
    world.chunk("Look there")
    embed_all(world)
    capture(world, "A zebra")

    assert count(world, EmbeddingItem) == 1
    embed_all(world)

    assert any("Look there" in text and "A zebra" in text for text in provider.asked)


def test_nothing_is_stored_if_the_provider_fails(world, provider):
    def fail(texts):
        raise ProviderFailed("The embedding service answered 503.")

    provider.fails = fail
    before = count(world, Event)

    reason = "E1 semantic failed with The embedding service answered 503"
    with pytest.raises(
        thirteen.EmbeddingsFailed, match=f"^Failed to generate embeddings for memory: {reason}"
    ) as failed:
        capture(world, "A zebra")
    assert status_of(failed.value) == 500
    assert count(world, Event) == before


def test_nothing_is_stored_if_any_space_fails(world, monkeypatch):
    def fail(self, items):
        raise ZeroDivisionError

    monkeypatch.setattr(SourceCode, "embed", fail)

    with pytest.raises(thirteen.EmbeddingsFailed, match=r"E7 .* failed with ZeroDivisionError"):
        capture(world, "A zebra")
    assert count(world, EmbeddingItem) == 0
