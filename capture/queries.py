"""Reading captured memory: by id, by session, by source."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from capture import db
from capture.db import CapturedChunk
from capture.models import Capture
from capture.services.removing import NoSuchCapture
from governance.acting.principals import Principal
from memory.embedding.db import get_embedding_set
from memory.embedding.thirteen import embed_in_every_space
from memory.models import EffectiveChunk, Tier
from memory.queries.audience import audience
from memory.spaces import packing
from memory.spaces.protocol import Item
from memory.usage.deliveries import deliver
from memory.usage.means import Means


def visible(principal: Principal, *, include_superseded: bool, include_archived: bool) -> QuerySet[Capture]:
    """The captures of a tenant whose chunks readers may get: not retracted; without `include_superseded`, neither
    deleted nor replaced by a later version of their file; without `include_archived`, not archived."""
    chunks = EffectiveChunk.objects.filter(tenant_id=OuterRef("tenant_id"), id=OuterRef("id"), is_retracted=False)
    if not include_superseded:
        chunks = chunks.filter(superseded_by__isnull=True)
    if not include_archived:
        chunks = chunks.exclude(tier=Tier.ARCHIVE)
    return Capture.objects.filter(Exists(chunks), tenant_id=principal.tenant_id)


def render(
    principal: Principal, ids: Sequence[UUID], *, channel: str | None = None, include_superseded: bool = False
) -> list[CapturedChunk]:
    """The captured chunks that `principal` may read, in the order of `ids`. Raises ChannelNotAllowed."""
    return db.get_captures(
        tenant=principal.tenant_id,
        ids=list(ids),
        listening=audience(principal, channel).listening,
        include_superseded=include_superseded,
    )


@transaction.atomic(savepoint=False)
def find(principal: Principal, chunk_id: UUID, *, channel: str | None = None) -> CapturedChunk:
    """A captured chunk, even if it was superseded; counts as a delivery to an agent. Raises NoSuchCapture and
    ChannelNotAllowed."""
    found = render(principal, [chunk_id], channel=channel, include_superseded=True)
    if not found:
        raise NoSuchCapture
    deliver(principal, [(chunk_id, found[0].edits_applied)], means=Means.GET, to_people=True)
    return found[0]


def _plain(value: Any) -> Any:
    """A value of a space as JSON: a list, or weights by dimension for a sparse one."""
    if isinstance(value, Mapping):
        return {str(dimension): float(weight) for dimension, weight in value.items()}
    return value.tolist()


def embeddings_of(
    principal: Principal, chunk: CapturedChunk, *, channel: str | None = None
) -> tuple[str, dict[str, Any]]:
    """The model of E1, and the value of a chunk in each of the thirteen spaces, E1 to E13: as they were stored with it,
    or computed now if its text has changed since, or if it was recorded without them. Raises ChannelNotAllowed and
    EmbeddingsFailed."""
    listening = audience(principal, channel).listening
    stored = get_embedding_set(tenant=principal.tenant_id, chunk=chunk.chunk_id, listening=listening)
    if stored:
        model, values = stored[0].model, packing.unpack(stored[0].packed)
    else:
        item = Item(chunk.text, chunk.ts, chunk.recorder, chunk.session_id)
        model, made = embed_in_every_space([item])
        values = {name: one[0] for name, one in made.items()}
    return model, {name: _plain(value) for name, value in values.items()}
