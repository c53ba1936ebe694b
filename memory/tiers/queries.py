"""Queries about promotion: the log of moves, and the candidates with their unmet criteria."""

import uuid
from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Exists, F, OuterRef, Q
from django.db.models.lookups import IsNull

from governance.acting.principals import Principal
from memory.models import EffectiveChunk, Promotion
from memory.queries.audience import audience, why_hidden
from memory.tiers import db

#: Maximum number of windows of candidates that a page looks through.
WINDOWS = 10
#: Minimum number of chunks of a window.
WINDOW = 200


def promotions(
    principal: Principal, filters: Mapping[str, Any], *, before: uuid.UUID | None, limit: int
) -> list[Promotion]:
    """The newest `limit` moves that match `filters` (chunk_id, from_tier, to_tier, kind, since, until), before the one
    with the id `before`. Agents see moves of chunks that they may read; people with a role see all."""
    rows = Promotion.objects.filter(tenant_id=principal.tenant_id)
    conditions = {"since": "at__gte", "until": "at__lt"}
    rows = rows.filter(
        **{conditions.get(name, name): value for name, value in filters.items() if value not in (None, "")}
    )
    if before is not None:
        rows = rows.filter(id__lt=before)
    if not principal.reads_all_edits:
        here = EffectiveChunk.objects.filter(tenant_id=OuterRef("tenant_id"), id=OuterRef("chunk_id"))
        is_superseded = IsNull(F("superseded_by"), False)
        seen = [Q(IsNull(why_hidden(audience(principal, one), is_superseded), True)) for one in principal.channels]
        rows = rows.filter(Exists(here.filter(reduce(or_, seen, Q(id__in=[])))))
    return list(rows.order_by("-id")[:limit])


def candidates(
    principal: Principal, filters: Mapping[str, Any], *, before: uuid.UUID | None, limit: int
) -> tuple[list[db.Candidate], uuid.UUID | None]:
    """Up to `limit` chunks that were or will be evaluated and match `filters` (chunk_id, tier, would_move), in
    descending order of their ids; and the id where the next page begins, None after the last. A page may have fewer
    than `limit` if it looked through many chunks."""
    found: list[db.Candidate] = []
    window = max(limit, WINDOW)
    for _ in range(WINDOWS):
        rows = db.list_promotion_candidates(
            tenant=principal.tenant_id,
            chunk=filters.get("chunk_id"),
            tier=filters.get("tier") or None,
            would_move=filters.get("would_move"),
            before=before,
            limit=window,
        )
        for row in rows:
            before = row.chunk_id
            found += [row] if row.is_listed else []
            if len(found) == limit:
                is_last = row is rows[-1] and len(rows) < window
                return found, None if is_last else before
        if len(rows) < window:
            return found, None
    return found, before
