"""Compare the sealed rows with the server's receipts: each row has one, and each receipt was honoured."""

import uuid
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from django.apps import apps

from governance.ledger import receipts, sealed_kinds
from governance.ledger.comparisons import Comparison
from governance.models import Leaf, Receipt, UnsealedReceipt
from suture_verify.entries import GENESIS, GOVERNANCE, KEY_ROTATED, bytes_of
from suture_verify.findings import LEAVES, ROWS, Kind, Row

#: Leaves and receipts read at a time.
PAGE = 5_000


class _Sealed(NamedTuple):
    position: int
    kind: str
    id: uuid.UUID


class _Promised(NamedTuple):
    receipt: uuid.UUID
    kind: str
    id: uuid.UUID


def compare(comparison: Comparison) -> None:
    """Report leaves without a receipt, receipts not signed by a key of the ledger or naming other rows than their
    leaves, promised rows that are not sealed, and rows of sealed tables with neither leaf nor receipt.

    Leaves and receipts are read in parallel and matched, so that memory holds about as many as one seal has.
    """
    waiting = set(
        UnsealedReceipt.objects.using(comparison.using)
        .filter(tenant_id=comparison.tenant_id)
        .values_list("id", flat=True)
    )
    leaves, promises = _leaves(comparison), _promises(comparison)
    open_leaves: dict[bytes, _Sealed] = {}
    open_promises: dict[bytes, _Promised] = {}
    unsealed: set[tuple[str, uuid.UUID]] = set()
    while True:
        some_leaves, some_promises = list(islice(leaves, PAGE)), list(islice(promises, PAGE))
        if not some_leaves and not some_promises:
            break
        for digest, promised in some_promises:
            if (sealed_as := open_leaves.pop(digest, None)) is None:
                open_promises[digest] = promised
            else:
                _compare_names(comparison, promised, sealed_as)
        for digest, leaf in some_leaves:
            if (promised_as := open_promises.pop(digest, None)) is None:
                open_leaves[digest] = leaf
            else:
                _compare_names(comparison, promised_as, leaf)
    for leaf in sorted(open_leaves.values()):
        comparison.findings.add(
            Kind.NO_RECEIPT,
            LEAVES,
            leaf.position,
            f"the {leaf.kind} {leaf.id} is sealed, but the server signed no receipt for it",
            row=Row(_tables().get(leaf.kind, leaf.kind), str(leaf.id)),
        )
    for promised in open_promises.values():
        if promised.receipt in waiting:
            unsealed.add((promised.kind, promised.id))
            continue
        comparison.findings.add(
            Kind.CONTENT_MISSING,
            ROWS,
            None,
            f"the receipt {promised.receipt} promises the {promised.kind} {promised.id}, but no leaf has its hash",
            row=Row(_tables().get(promised.kind, promised.kind), str(promised.id)),
        )
    _find_rows_without_either(comparison, unsealed)


def _compare_names(comparison: Comparison, promised: _Promised, leaf: _Sealed) -> None:
    """Report a receipt that names another row than the leaf with its hash: only the hashes are signed."""
    if (promised.kind, promised.id) != (leaf.kind, leaf.id):
        comparison.findings.add(
            Kind.NO_RECEIPT,
            ROWS,
            None,
            f"the receipt {promised.receipt} names the {promised.kind} {promised.id}, but leaf {leaf.position} is the"
            f" {leaf.kind} {leaf.id}",
            row=Row(Receipt._meta.db_table, str(promised.receipt), "row_ids"),
        )


def _tables() -> dict[str, str]:
    return {kind.name: kind.table for kind in sealed_kinds.kinds()}


def _leaves(comparison: Comparison) -> Iterator[tuple[bytes, _Sealed]]:
    after = -1
    while True:
        rows = Leaf.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id, position__gt=after)
        page = list(rows.order_by("position").values_list("hash", "position", "kind", "row_id")[:PAGE])
        for digest, position, kind, row_id in page:
            yield bytes(digest), _Sealed(position, kind, row_id)
        if len(page) < PAGE:
            return
        after = page[-1][1]


def _promises(comparison: Comparison) -> Iterator[tuple[bytes, _Promised]]:
    keys = _keys(comparison)
    after = uuid.UUID(int=0)
    while True:
        rows = Receipt.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id, id__gt=after)
        page = list(rows.order_by("id")[: PAGE // 10])
        for stored in page:
            try:
                receipt = receipts.read(comparison.tenant_id, stored)
            except ValueError:
                receipt = None
            if receipt is None or receipt.public_key not in keys or not receipt.is_signed:
                comparison.findings.add(
                    Kind.NO_RECEIPT,
                    ROWS,
                    None,
                    f"the receipt {stored.id} is not signed by a key of the {GOVERNANCE} chain",
                    row=Row(Receipt._meta.db_table, str(stored.id), "signature"),
                )
                continue
            for row in receipt.rows:
                yield row.hash, _Promised(receipt.id, row.kind, row.id)
        if len(page) < PAGE // 10:
            return
        after = page[-1].id


def _keys(comparison: Comparison) -> set[bytes]:
    found: set[bytes] = set()
    for naming in comparison.entries([GENESIS, KEY_ROTATED]):
        try:
            found.add(bytes_of(naming.entry.metadata.get("public_key")))
        except ValueError:
            continue  # already a finding of the chain
    return found


def _find_rows_without_either(comparison: Comparison, unsealed: set[tuple[str, uuid.UUID]]) -> None:
    models = {model._meta.db_table: model for model in apps.get_models()}
    for kind in sealed_kinds.kinds():
        after = uuid.UUID(int=0)
        while True:
            rows = models[kind.table].objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)  # type: ignore[attr-defined]
            page = list(rows.filter(id__gt=after).order_by("id").values_list("id", flat=True)[:PAGE])
            known = set(
                Leaf.objects.using(comparison.using)
                .filter(tenant_id=comparison.tenant_id, kind=kind.name, row_id__in=page)
                .values_list("row_id", flat=True)
            )
            for row in page:
                if row not in known and (kind.name, row) not in unsealed:
                    comparison.findings.add(
                        Kind.NO_RECEIPT,
                        ROWS,
                        None,
                        f"the {kind.name} {row} is in {kind.table}, but the server signed no receipt for it",
                        row=Row(kind.table, str(row)),
                    )
            if len(page) < PAGE:
                break
            after = page[-1]
