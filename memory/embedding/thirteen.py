"""Records memory only if every space can embed it: for captures of people's and agents' actions."""

import base64
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from django.utils import timezone
from pgvector import HalfVector

from governance.acting.principals import Principal
from governance.refusals import Failed
from memory.drafts import PreparedEvent
from memory.embedding import configured
from memory.embedding.db import store_embedding_sets, store_embeddings
from memory.embedding.local import local_model
from memory.embedding.protocol import Provider, ProviderFailed, TextRefused, Vectors
from memory.spaces import packing
from memory.spaces.catalog import all_thirteen
from memory.spaces.late_interaction import LateInteraction
from memory.spaces.protocol import Item
from memory.spaces.semantic import Semantic

logger = logging.getLogger("suture.embedding")


class EmbeddingsFailed(Failed):
    """Failed to generate embeddings for memory. Nothing was stored: retry, or omit this content."""

    @property
    def concerns_all(self) -> bool:
        """Whether the provider fails for any text, such as one that is down: then it is not worth trying others."""
        return self.__cause__ is None or isinstance(self.__cause__, ProviderFailed)


def embed_in_every_space(items: Sequence[Item]) -> tuple[str, dict[str, list[Any]]]:
    """Embed texts in all thirteen spaces; returns the model of E1, and for each space the values of the texts. Raises
    EmbeddingsFailed, which names the space."""
    provider = configured.configured()
    if provider is None:
        raise EmbeddingsFailed(_message("E1 semantic", "EMBEDDING_PROVIDER is off"))
    local = local_model()
    tokens: dict[str, Vectors] = {}  # for texts that E1 embedded with the model that E12 also needs

    def embed_batch(texts: Sequence[str]) -> Vectors:
        if provider is not local:
            return provider.embed(texts)
        vectors, found = local.embed_with_tokens(texts)
        tokens.update(zip(texts, found, strict=True))
        return vectors

    spaces = all_thirteen(
        Semantic(lambda texts: _in_batches(embed_batch, provider, texts), provider.dimensions),
        LateInteraction(
            lambda texts: [tokens[text] if text in tokens else local.token_vectors([text])[0] for text in texts],
            local.dimensions,
        ),
    )
    made: dict[str, list[Any]] = {}
    for name, space in spaces.items():
        try:
            made[name] = space.embed(items)
        except Exception as error:
            reason = str(error) if isinstance(error, ProviderFailed | TextRefused) else type(error).__name__
            logger.exception("space %s could not embed %d texts", name, len(items))
            raise EmbeddingsFailed(_message(f"{name} {space.title}", reason)) from error
    return provider.model, made


def embed_prepared(prepared: Sequence[PreparedEvent]) -> list[dict[str, object]]:
    """The rows of `store` for the chunks of events: each without its neighbours, whose text only the job reads. It
    takes seconds: call it outside a transaction. Raises EmbeddingsFailed."""
    chunks: list[Mapping[str, Any]] = []
    items = []
    for one in prepared:
        draft = one.draft
        bodies = {content["id"]: content["body"] for content in one.rows.contents}
        for chunk in one.rows.chunks:
            if chunk["compute_embedding"]:
                text = bodies[chunk["content_id"]][chunk["span_start"] : chunk["span_end"]].strip()
                chunks.append(chunk)
                items.append(Item(text, draft.ts, draft.actor_id, draft.session_id, refs=draft.refs))
    return [embedding_row(chunk, one) for chunk, one in zip(chunks, embed_items(items), strict=True)]


def embed_items(items: Sequence[Item]) -> list[dict[str, object]]:
    """The parts of a row of `store` that depend on the text alone, for each item. Raises EmbeddingsFailed."""
    if not items:
        return []
    model, made = embed_in_every_space(items)
    values = [dict(zip(made, one, strict=True)) for one in zip(*made.values(), strict=True)]
    return [
        {
            "model": model,
            "dense": HalfVector(one["E1"]).to_text(),
            "packed": base64.b64encode(packing.pack(one)).decode(),
        }
        for one in values
    ]


def embedding_row(chunk: Mapping[str, Any], embedded: Mapping[str, object]) -> dict[str, object]:
    """The row of `store` for `chunk`, a row with id, content_id and span, whose text was `embedded`."""
    return {
        **embedded,
        "chunk_id": str(chunk["id"]),
        "content_id": str(chunk["content_id"]),
        "span_start": chunk.get("span_start"),
        "span_end": chunk.get("span_end"),
    }


def store(rows: Sequence[Mapping[str, object]], *, actor: Principal) -> None:
    """Store the embeddings of chunks that the actor has just recorded: the vector of E1, for search, and the values in
    all spaces."""
    if not rows:
        return
    vectors = [{**_without(row, "packed"), "space": "E1", "context": None} for row in rows]
    store_embeddings(tenant=actor.tenant_id, rows=json.dumps(vectors))
    store_embedding_sets(tenant=actor.tenant_id, rows=json.dumps([_without(row, "dense") for row in rows]))


def _without(row: Mapping[str, object], name: str) -> dict[str, object]:
    return {key: value for key, value in row.items() if key != name}


def _message(space: str, reason: str) -> str:
    return f"Failed to generate embeddings for memory: {space} failed with {reason.rstrip('.')}. Nothing was stored."


def load() -> None:
    """Load the local model if it is in use, so that the first captured memory does not wait for it. A model that cannot
    be loaded is logged; requests that need it fail later."""
    if configured.configured() is local_model():
        with suppress(EmbeddingsFailed):
            embed_in_every_space([Item("Ready.", timezone.now())])


def _in_batches(embed: Callable[[Sequence[str]], Vectors], provider: Provider, texts: Sequence[str]) -> Vectors:
    size = provider.batch_size
    batches = [embed(texts[start : start + size]) for start in range(0, len(texts), size)]
    return np.concatenate(batches) if batches else np.empty((0, provider.dimensions), dtype=np.float32)
