"""Compares the rows of memories in context bundles (memory_contextbundleitem) with the sealed bundles."""

import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from governance.ledger.comparisons import Comparison
from memory.models import ContextBundle, ContextBundleItem
from suture_verify.findings import ROWS, Kind, Row

#: Bundles to compare at once.
PAGE = 500

_TABLE = ContextBundleItem._meta.db_table
#: The end of the ids of a bundle's items; the rest is the bundle's.
_LAST = (1 << 32) - 1


def compare(comparison: Comparison) -> None:
    """Add a finding for every row that matches no bundle, and for every missing row."""
    bundles = ContextBundle.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id).order_by("id")
    after: uuid.UUID | None = None
    while True:
        page = list((bundles.filter(id__gt=after) if after else bundles).values_list("id", "items")[:PAGE])
        is_last = len(page) < PAGE
        _compare_page(comparison, dict(page), after, None if is_last else page[-1][0])
        if is_last:
            return
        after = page[-1][0]


def _compare_page(
    comparison: Comparison, bundles: dict[uuid.UUID, Any], after: uuid.UUID | None, until: uuid.UUID | None
) -> None:
    """Compare the items of these bundles, and all others whose ids are among theirs."""
    rows = ContextBundleItem.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id).order_by("id")
    if after is not None:
        rows = rows.filter(id__gt=_last_id(after))
    if until is not None:
        rows = rows.filter(id__lte=_last_id(until))
    found: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    given = {bundle: set(_memories(items)) for bundle, items in bundles.items()}
    for id_, bundle, memory in rows.values_list("id", "bundle_id", "memory_id").iterator():
        if memory in given.get(bundle, ()):
            found[bundle].add(memory)
        else:
            _report(comparison, id_, f"the context bundle {bundle} did not deliver the memory {memory}")
    for bundle, memories in given.items():
        for memory in sorted(memories - found[bundle]):
            _report(
                comparison, bundle, f"the context bundle {bundle} delivered the memory {memory}, but has no row for it"
            )


def _memories(items: Iterable[Any]) -> Iterator[uuid.UUID]:
    """The ids of the memories in a bundle, including parts of others. Items of another form differ from the sealed
    bundle, which is already a finding."""
    try:
        for item in items:
            for one in (item, *item.get("parts", ())):
                yield uuid.UUID(one["id"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return


def _last_id(bundle: uuid.UUID) -> uuid.UUID:
    return uuid.UUID(int=bundle.int | _LAST)


def _report(comparison: Comparison, id_: uuid.UUID, detail: str) -> None:
    comparison.findings.add(
        Kind.UNPROVEN_STATE, ROWS, None, f"{_TABLE} {id_}: {detail}", row=Row(_TABLE, str(id_), None)
    )
