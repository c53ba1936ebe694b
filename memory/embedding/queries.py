"""The vector of a question."""

import hashlib
import uuid
from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic

from pgvector import HalfVector

from governance.acting import gate
from memory.embedding import configured, status
from memory.embedding.protocol import Provider, ProviderFailed, TextRefused, Vector
from memory.models import EmbeddingModel

#: Seconds after a failure until a process asks the provider again, so that not every search waits for it.
PAUSE_SECONDS = 10.0
#: Maximum number of questions in the cache of a process.
REMEMBERED = 2_000


class QueryNotEmbedded(Exception):  # noqa: N818 (search continues by words)
    """The provider failed, so the search uses words only. The message has the reason and is safe to show to the
    client."""


@dataclass(frozen=True, slots=True)
class QueryVector:
    """A question in one model: `vector` for PostgreSQL, `numbers` for numpy."""

    vector: HalfVector
    model: str
    numbers: Vector = field(repr=False, compare=False)


def embed_query(text: str) -> QueryVector | None:
    """The vector of a question, in the model that has embedded all of the tenant's memory, else in the newest that
    answers. Uses the tenant of the open transaction. None if nothing is embedded there, or embedding is off.

    Raises QueryNotEmbedded if the provider fails; for a while after a failure, without asking it.
    """
    now = configured.configured()
    acting = gate.acting_in()
    if now is None or acting is None or not text.strip():
        return None
    failed: ProviderFailed | TextRefused | None = None
    for provider in _providers(acting.tenant_id, now):
        try:
            return _remembered(provider, text)
        except (ProviderFailed, TextRefused) as failure:
            failed = failed or failure
    if failed is None:
        return None
    raise QueryNotEmbedded(str(failed)) from failed


#: Tenants whose memory a model has embedded completely; this never changes back.
_complete: set[tuple[uuid.UUID, str]] = set()


def _providers(tenant_id: uuid.UUID, now: Provider) -> list[Provider]:
    """The providers that may answer, best first: that of a complete model, then the configured one."""
    if (tenant_id, now.model) in _complete:
        return [now]
    with gate.entered():
        known = dict(EmbeddingModel.objects.filter(tenant_id=tenant_id).values_list("model", "is_complete"))
    if known.get(now.model):
        _complete.add((tenant_id, now.model))
        return [now]
    former = (configured.provider_of(model) for model in known if model != now.model)
    return [*(one for one in former if one is not None), *([now] if now.model in known else [])]


_answers: OrderedDict[tuple[str, bytes], QueryVector] = OrderedDict()
_paused: dict[str, tuple[float, str]] = {}
_lock = Lock()


def _remembered(provider: Provider, text: str) -> QueryVector:
    key = (provider.model, hashlib.sha256(text.encode()).digest())
    with _lock:
        if (known := _answers.get(key)) is not None:
            _answers.move_to_end(key)
            return known
        until, reason = _paused.get(provider.model, (0.0, ""))
    if monotonic() < until:
        raise ProviderFailed(reason)
    try:
        numbers = provider.embed_query(text)
    except ProviderFailed as failure:
        with _lock:
            _paused[provider.model] = (monotonic() + PAUSE_SECONDS, str(failure))
        status.note_failure(str(failure))
        raise
    status.note_success()
    made = QueryVector(HalfVector(numbers), provider.model, numbers)
    with _lock:
        _answers[key] = made
        while len(_answers) > REMEMBERED:
            _answers.popitem(last=False)
    return made


def forget() -> None:
    """Clear questions, failures and complete models: for tests, whose tenants are rolled back."""
    with _lock:
        _answers.clear()
        _paused.clear()
        _complete.clear()
