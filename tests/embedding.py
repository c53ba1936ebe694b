"""What tests of embeddings share: a provider without a model, and the job in one tenant."""

import hashlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from governance.acting import gate
from memory.embedding import jobs, queries
from memory.embedding.protocol import Vector, Vectors
from memory.queries.audience import audience


class FakeProvider:
    """Vectors of hashed words: texts with the same words are near. `fails(texts)` may raise."""

    batch_size = 4

    def __init__(self, model: str = "fake/words/384", dimensions: int = 384) -> None:
        self.model, self.dimensions = model, dimensions
        self.asked: list[str] = []
        self.known: dict[str, FakeProvider] = {self.model: self}
        self.fails: Callable[[Sequence[str]], Any] = lambda texts: None

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.asked += texts
        self.fails(texts)
        return np.array([self._vector(text) for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> Vector:
        vector: Vector = self.embed([text])[0]
        return vector

    def _vector(self, text: str) -> Any:
        total = np.zeros(self.dimensions)
        for word in text.lower().replace(":", " ").split():
            seed = int.from_bytes(hashlib.sha256(f"{self.model} {word}".encode()).digest()[:8])
            total += np.random.default_rng(seed).normal(size=self.dimensions)
        return total / np.linalg.norm(total)


def embed_all(world: Any) -> int:
    """Work until nothing is due in the tenant; returns how many chunks were embedded."""
    done = 0
    while (worked := jobs.work(world.tenant_id)) is not None:
        done += worked
    return done


def meant(
    world: Any, question: str, *, limit: int = 10, quarantined: bool = False, **filters: Any
) -> list[tuple[str, float]]:
    """The texts that alice finds by meaning alone, each with its score."""
    with world.inside():
        gate.act_as(world.alice_principal)
        query = queries.embed_query(question)
        assert query is not None
        listening = audience(world.alice_principal, None).listening
        rows = gate.rows(
            "SELECT * FROM testing.semantic(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)",
            [
                world.tenant_id,
                query.vector,
                query.model,
                listening,
                quarantined,
                *(filters.get(name) for name in ("scope", "subject_type", "subject_id", "project_id", "session_id")),
                limit,
            ],
        )
    return [(row["text"], row["score"]) for row in rows]
