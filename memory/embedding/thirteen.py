"""Memory that is recorded only if every space can embed it: for sources that capture what people and agents do."""

import logging
from collections.abc import Sequence

import numpy as np

from governance.refusals import Failed
from memory.drafts import EventDraft, Rows
from memory.embedding import configured
from memory.embedding.composing import literal
from memory.embedding.local import local_model
from memory.embedding.protocol import Provider, ProviderFailed, TextRefused, Vector, Vectors
from memory.spaces.catalog import all_thirteen
from memory.spaces.late_interaction import LateInteraction
from memory.spaces.protocol import Item
from memory.spaces.semantic import Semantic

logger = logging.getLogger("suture.embedding")


class EmbeddingsFailed(Failed):
    """Failed to generate embeddings for memory. Nothing was stored: retry, or leave this content out."""


def embed_in_every_space(items: Sequence[Item]) -> tuple[str, list[Vector]]:
    """Embed texts in all thirteen spaces; returns the model of E1 and its vector of each. The values of the other
    spaces are not stored: a search that asks for them computes them. Raises EmbeddingsFailed, which names the space.
    """
    provider = configured.configured()
    if provider is None:
        raise EmbeddingsFailed(_message("E1 semantic", "EMBEDDING_PROVIDER is off"))
    local = local_model()
    spaces = all_thirteen(
        Semantic(lambda texts: _in_batches(provider, texts), provider.dimensions),
        LateInteraction(
            lambda texts: [vectors for text in texts for vectors in local.token_vectors([text])], local.dimensions
        ),
    )
    made = {}
    for name, space in spaces.items():
        try:
            made[name] = space.embed(items)
        except Exception as error:
            reason = str(error) if isinstance(error, ProviderFailed | TextRefused) else type(error).__name__
            logger.exception("space %s could not embed %d texts", name, len(items))
            raise EmbeddingsFailed(_message(f"{name} {space.title}", reason)) from error
    return provider.model, made["E1"]


def embed_rows(drafts: Sequence[EventDraft], rows: Rows) -> list[dict[str, object]]:
    """The rows of store_embeddings() for the chunks of `rows`, which add_event() made of `drafts`: each by itself,
    since only the job reads what its neighbours say. Raises EmbeddingsFailed."""
    bodies = {content["id"]: content["body"] for content in rows.contents}
    by_id = {draft.id: draft for draft in drafts}
    wanted = [chunk for chunk in rows.chunks if chunk["compute_embedding"]]
    items = []
    for chunk in wanted:
        draft, body = by_id[chunk["event_id"]], bodies[chunk["content_id"]]
        text = body[chunk["span_start"] : chunk["span_end"]].strip()
        items.append(Item(text, draft.ts, draft.actor_id, draft.session_id, refs=draft.refs))
    model, vectors = embed_in_every_space(items)
    return [
        {
            "chunk_id": str(chunk["id"]),
            "space": "E1",
            "model": model,
            "content_id": str(chunk["content_id"]),
            "span_start": chunk["span_start"],
            "span_end": chunk["span_end"],
            "context": None,
            "dense": literal(vector.tolist()),
        }
        for chunk, vector in zip(wanted, vectors, strict=True)
    ]


def _message(space: str, reason: str) -> str:
    return f"Failed to generate embeddings for memory: {space} failed with {reason.rstrip('.')}. Nothing was stored."


def _in_batches(provider: Provider, texts: Sequence[str]) -> Vectors:
    size = provider.batch_size
    batches = [provider.embed(texts[start : start + size]) for start in range(0, len(texts), size)]
    return np.concatenate(batches) if batches else np.empty((0, provider.dimensions), dtype=np.float32)
