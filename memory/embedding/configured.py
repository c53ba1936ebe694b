"""Which provider the settings name, and which one made the vectors of a model."""

import functools

from django.conf import settings

from memory.embedding.local import LocalModel, local_model
from memory.embedding.openai import OpenAICompatible
from memory.embedding.protocol import Provider
from memory.embedding.sentence import SentenceTransformers


def configured() -> Provider | None:
    """The provider that the settings name (EMBEDDING_PROVIDER); None if nothing is to be embedded."""
    return _made(
        settings.EMBEDDING_PROVIDER,
        settings.EMBEDDING_MODEL,
        settings.EMBEDDING_DIMENSIONS,
        settings.EMBEDDING_URL,
        settings.EMBEDDING_KEY,
    )


def provider_of(model: str) -> Provider | None:
    """The provider that makes vectors of `model`, as the database names it; None if this server has none. After a
    change of settings, the provider before still answers until the new one is done."""
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
    """One provider of each kind and model a process: it keeps a loaded model or open connections."""
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
