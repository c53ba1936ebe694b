"""The job that embeds: batch after batch, tenant by tenant, until nothing waits. Any number of jobs may run at once and
be killed at any point: a batch is claimed in one transaction, computed outside of any, and stored in another."""

import fcntl
import json
import logging
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from django.conf import settings
from django.db import transaction
from pgvector import HalfVector

from governance.acting import gate
from governance.acting.credentials import OperatorCredential
from memory.embedding import configured, db, status
from memory.embedding.composing import embed_chunks
from memory.embedding.db import ClaimedChunk, WaitingTenant
from memory.embedding.protocol import Provider, ProviderFailed, TextRefused, Vectors
from memory.models import EmbeddingModel
from memory.services import linking
from memory.services.completing import complete_context

logger = logging.getLogger("suture.embedding")

#: Chunks to claim in a transaction.
BATCH = 32
#: Time after which another job may claim the chunks of this one.
LEASE = timedelta(minutes=5)
#: Number of failed attempts after which a chunk is isolated.
TRIES = 3
#: Time until a chunk is retried; also the pause after a failure of the provider.
AGAIN_AFTER = timedelta(seconds=15)
#: Chunks that a change of the model queues at once.
FILL = 2_000
#: Seconds between two progress reports of a long run to readiness.
NOTED_EVERY = 5.0


@dataclass(frozen=True, slots=True)
class Worked:
    """The result of a run: embedded chunks, and why it stopped early."""

    embedded: int
    seconds: float
    failure: str | None = None

    @property
    def per_second(self) -> float:
        return self.embedded / self.seconds if self.seconds else 0.0


@contextmanager
def slot() -> Iterator[bool]:
    """Occupy one of the EMBEDDING_JOBS slots of this machine; yields False if all are taken. The worker's other
    processes stay free for other jobs."""
    folder = Path(settings.SUTURE_HOME) / "embedding"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for number in range(settings.EMBEDDING_JOBS):
        with (folder / f".job-{number}").open("w") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                continue
            # closing the file releases the slot, as does the end of the process
            yield True
            return
    yield False


def tenants() -> list[WaitingTenant]:
    """The tenants with work to do, in one query."""
    provider = configured.configured()
    with transaction.atomic():
        return db.tenants_to_embed(
            token=OperatorCredential("embedding").token(), model=provider.model if provider else None
        )


def run(*, seconds: float, among: Sequence[uuid.UUID] | None = None) -> Worked:
    """Work for about `seconds`, or until nothing is due: one batch per tenant (of `among`, if given) in turn. A failure
    of the provider ends the run; a failure of a tenant only its turn."""
    started = noted = time.monotonic()
    embedded = 0
    failure: str | None = None
    waiting = [one.tenant_id for one in tenants() if among is None or one.tenant_id in among]
    while waiting and failure is None and time.monotonic() - started < seconds:
        for tenant_id in list(waiting):
            try:
                done = work(tenant_id)
            except ProviderFailed as failed:
                failure = str(failed)
                status.note_failure(failure)
                break
            except Exception:
                logger.exception("the memory of tenant %s could not be embedded", tenant_id)
                waiting.remove(tenant_id)
                continue
            embedded += done or 0
            if done is None:
                waiting.remove(tenant_id)
            now = time.monotonic()
            if now - noted >= NOTED_EVERY:
                noted = now
                _note(Worked(embedded, now - started))
            if now - started >= seconds:
                break
    if embedded:
        status.note_success()
    worked = Worked(embedded, time.monotonic() - started, failure)
    _note(worked)
    return worked


def _note(worked: Worked) -> None:
    """Report the backlog to readiness."""
    left = tenants()
    status.note_run(
        status.Run(sum(one.waiting for one in left), sum(one.isolated for one in left), round(worked.per_second, 1))
    )


def work(tenant_id: uuid.UUID) -> int | None:
    """One turn of a tenant: complete the words in context, queue chunks that the model lacks, embed a batch. Returns
    how many chunks were embedded; None if there is nothing left to do now. Raises ProviderFailed."""
    completed = complete_context(tenant_id)
    provider = configured.configured()
    if provider is None:
        return 0 if completed else None
    with gate.job(tenant_id, "embedding"):
        is_filling = db.begin_embeddings(
            tenant=tenant_id, model=provider.model, dimensions=provider.dimensions, limit=FILL
        )
        known = EmbeddingModel.objects.filter(tenant_id=tenant_id).exclude(model=provider.model)
        former = [configured.provider_of(model) for model in known.values_list("model", flat=True)]
    others = [one for one in former if one is not None]
    claimed = [_claim(tenant_id, again=False), _claim(tenant_id, again=True)]
    embedded = sum(_embed(tenant_id, chunks, provider, others) for chunks in claimed if chunks)
    if completed or is_filling or any(claimed):
        return embedded
    with gate.job(tenant_id, "embedding"):
        db.finish_embeddings(tenant=tenant_id, model=provider.model)
    return None


def _claim(tenant_id: uuid.UUID, *, again: bool) -> list[ClaimedChunk]:
    with gate.job(tenant_id, "embedding"):
        return db.claim_embeddings(tenant=tenant_id, limit=1 if again else BATCH, lease=LEASE, again=again, most=TRIES)


def _embed(tenant_id: uuid.UUID, chunks: Sequence[ClaimedChunk], provider: Provider, others: Sequence[Provider]) -> int:
    """Embed and store claimed chunks; returns how many. If one of them is at fault, the others are embedded without
    it."""
    lacking = [one for one in chunks if provider.model not in one.models]
    try:
        made = [(provider, lacking, embed_chunks(provider, lacking))] if lacking else []
    except ProviderFailed as failure:
        _release(tenant_id, chunks, str(failure), counts=False)
        raise
    except Exception as failure:
        if len(chunks) > 1:
            half = len(chunks) // 2
            return sum(_embed(tenant_id, part, provider, others) for part in (chunks[:half], chunks[half:]))
        reason = str(failure) if isinstance(failure, TextRefused) else f"The model failed ({type(failure).__name__})."
        _release(tenant_id, chunks, reason, counts=True)
        return 0
    for other in others:
        lacking = [one for one in chunks if other.model not in one.models]
        try:
            made += [(other, lacking, embed_chunks(other, lacking))] if lacking else []
        except (ProviderFailed, TextRefused) as failure:
            logger.warning("the previous model %s no longer answers: %s", other.model, failure)
    rows = [row for one, sources, vectors in made for row in _rows(one, sources, vectors)]
    # Chunks that already have their vectors leave the queue too: a neighbour was changed and changed back, or another
    # call
    # has just embedded them.
    rows += [_key(provider, one) for one in chunks if provider.model in one.models]
    with gate.job(tenant_id, "embedding"):
        stored = db.store_embeddings(tenant=tenant_id, rows=json.dumps(rows))
    linking.link(tenant_id, [one.chunk_id for one in chunks])
    return stored


def _rows(provider: Provider, sources: Sequence[ClaimedChunk], vectors: Vectors) -> Iterator[dict[str, object]]:
    for source, vector in zip(sources, vectors, strict=True):
        yield {**_key(provider, source), "dense": HalfVector(vector).to_text()}


def _key(provider: Provider, source: ClaimedChunk) -> dict[str, object]:
    return {
        "chunk_id": str(source.chunk_id),
        "space": "E1",
        "model": provider.model,
        "content_id": str(source.content_id),
        "span_start": source.span_start,
        "span_end": source.span_end,
        "context": str(source.context) if source.context else None,
    }


def _release(tenant_id: uuid.UUID, chunks: Sequence[ClaimedChunk], error: str, *, counts: bool) -> None:
    with gate.job(tenant_id, "embedding"):
        db.release_embeddings(
            tenant=tenant_id,
            chunks=[one.chunk_id for one in chunks],
            error=error,
            delay=AGAIN_AFTER,
            most=TRIES if counts else None,
        )
