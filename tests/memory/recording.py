"""Events over the API, and what is recorded of them."""

from memory.models import Artifact, Chunk, Decision, EffectiveChunk, Event, Task
from tests.factories import EventFactory

MODELS = (Event, Chunk, EffectiveChunk, Decision, Task, Artifact)


def counts(world):
    with world.inside():
        return [model.objects.filter(tenant_id=world.tenant_id).values("id").count() for model in MODELS]


def body(text="The quick brown fox", content=None, **fields):
    return EventFactory(content={"text": text} if content is None else content, **fields)


def refused(response, *pointers, status=400):
    assert response.status_code == status, response.content
    assert response.headers["Content-Type"] == "application/problem+json"
    assert [error["pointer"] for error in response.json()["errors"]] == list(pointers)


def read(world, event):
    return world.alice.ok("get", f"events/{event['event_id']}")


def chunks(world, event):
    return world.alice.ok("post", "chunks/get", {"chunk_ids": event["chunk_ids"]})["chunks"]
