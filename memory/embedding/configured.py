"""The provider in the settings, and the provider of a stored model."""

import functools

from django.conf import settings

from memory.embedding.local import LocalModel, local_model
from memory.embedding.openai import OpenAICompatible
from memory.embedding.protocol import Provider
from memory.embedding.sentence import SentenceTransformers


def configured() -> Provider | None:
    """The provider in the settings (EMBEDDING_PROVIDER); None if embedding is off."""
    return _made(
        settings.EMBEDDING_PROVIDER,
        settings.EMBEDDING_MODEL,
        settings.EMBEDDING_DIMENSIONS,
        settings.EMBEDDING_URL,
        settings.EMBEDDING_KEY,
    )


def provider_of(model: str) -> Provider | None:
    """The provider of the stored `model`; None if this server has none. After a change of settings, the previous
    provider still answers until the new model is complete."""
    now = configured()
    if now is not None and now.model == model:
        return now
    if model == LocalModel.model:
        return local_model()
    kind, _, rest = model.partition("/")
    name, _, dimensions = rest.rpartition("/")
    if not dimensions.isdecimal():
        return None
    if kind == "openai" and not settings.EMBEDDING_KEY and settings.EMBEDDING_PROVIDER != "openai":
        return None
    return _made(kind, name, int(dimensions), settings.EMBEDDING_URL, settings.EMBEDDING_KEY)


@functools.lru_cache(maxsize=16)
def _made(kind: str, name: str, dimensions: int, url: str, key: str) -> Provider | None:
    """Create one provider per kind and model in a process: it keeps a loaded model or open connections."""
    if kind == "local":
        return local_model()
    if kind == "openai":
        return OpenAICompatible(
            url=url,
            key=key,
            name=name,
            dimensions=dimensions,
            batch_size=settings.EMBEDDING_BATCH,
            seconds=settings.EMBEDDING_TIMEOUT_SECONDS,
        )
    if kind == "sentence-transformers":
        return SentenceTransformers(name=name, dimensions=dimensions)
    return None
