"""Seals: the rows in receipts become leaves of their tenant's tree, and an entry records its root."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from governance.acting import gate
from governance.acting.credentials import system
from governance.database.clock import database_now
from governance.ledger import appending, db, receipts, sealed_kinds, unpublished_entries
from governance.ledger.tree import StoredTree
from governance.models import Entry, MerkleTree
from suture_verify.entries import GENESIS, GOVERNANCE, KEY_ROTATED, SEAL, bytes_of

#: Rows per sealing transaction, so that a large import does not lock the tree for long.
BATCH = 50_000
#: Interval between sweeps for rows without a receipt.
SWEEP_EVERY = timedelta(hours=1)
#: Interval after a sweep that found some.
SWEEP_AGAIN = timedelta(minutes=1)
#: Maximum number of rows without a receipt that a sweep reports per kind.
_MOST_NAMED = 3
_NO_RECEIPT = "has no receipt"


class UnreceiptedRow(Exception):  # noqa: N818 (somebody else's row is at fault, not the program)
    """Some rows have no receipt, or one that the server did not sign; the message names them. All others are sealed."""


@dataclass(frozen=True, slots=True)
class Seal:
    """The rows that a seal added, and the size and root of the tree after it. `has_more`: there may be more to seal.
    `faults` describe the rows that were not sealed."""

    added: int
    size: int
    root: bytes
    has_more: bool
    faults: tuple[str, ...] = ()


#: Rows of one kind that become leaves: their ids, and the hashes of their receipts.
_Rows = tuple[sealed_kinds.SealedKind, list[uuid.UUID], list[bytes]]


def seal(tenant_id: uuid.UUID, *, at: datetime | None = None) -> Seal | None:
    """Seal about BATCH new rows of a tenant in its own transaction; None if another process is sealing, or there was
    never anything to seal.

    The rows and their hashes come from unsealed receipts: a row that was changed since does not match its leaf.
    Receipts not signed by a key of the chain, and rows without a receipt, are not sealed: `faults` names them. Safe to
    run twice at once and to kill at any point. Raises UnverifiedEntry if an entry is not properly signed; then nothing
    is sealed.
    """
    with gate.job(tenant_id, "seal"):
        moment = at or database_now()
        held = db.lock_tree(tenant=tenant_id)
        if not held:
            return None
        tree = held[0]
        alarm = MerkleTree.objects.filter(tenant_id=tenant_id).values_list("alarm", flat=True).get() or ""
        # A mark in the future was set before the database's clock was set back.
        every = SWEEP_AGAIN if _NO_RECEIPT in alarm else SWEEP_EVERY
        is_sweep = tree.swept_at is None or not moment - every <= tree.swept_at <= moment
        faults: list[str] = []
        if is_sweep:
            faults += _name_unreceipted(tenant_id)
        elif _NO_RECEIPT in alarm:
            faults.append(alarm)
        found, taken, wrong = _promised(tenant_id)
        faults += wrong
        added, counts = _append(tenant_id, found)
        has_more = len(added) >= BATCH
        caught_up = None if has_more else moment
        if added:
            root, nodes = _root_after(tenant_id, tree.size, added)
        elif tree.root is not None:
            root, nodes = tree.root, []
        else:
            return Seal(0, 0, b"", False, tuple(faults)) if faults else None
        size = tree.size + len(added)
        levels, indexes, hashes = zip(*nodes, strict=True) if nodes else ((), (), ())
        db.seal_tree(
            tenant=tenant_id,
            size=size,
            root=root,
            levels=list(levels),
            indexes=list(indexes),
            hashes=list(hashes),
            receipts=taken,
            caught_up=caught_up,
            swept=caught_up if is_sweep else None,
        )
        if not added:
            return Seal(0, size, root, False, tuple(faults)) if faults else None
        # Locked from here on, so that no entry is appended between verification and seal.
        db.lock_chain(tenant=tenant_id, name=GOVERNANCE)
        verified = unpublished_entries.require_signed(tenant_id)
        appending.record(
            SEAL,
            actor=system(tenant_id, "seal"),
            metadata={
                "size": size,
                "root": root.hex(),
                "previous_size": tree.size,
                "counts": counts,
                "complete": not has_more,
                # The other chains' heads: the seal vouches for them too.
                "chains": {name: [head.seq, head.hash.hex()] for name, head in verified.items() if name != GOVERNANCE},
            },
        )
        return Seal(len(added), size, root, has_more, tuple(faults))


def _append(tenant_id: uuid.UUID, rows: Sequence[_Rows]) -> tuple[list[bytes], dict[str, int]]:
    """Append leaves of rows, kind by kind; returns their hashes, and the number of each kind."""
    added: list[bytes] = []
    counts: dict[str, int] = {}
    for kind, ids, hashes in rows:
        leaves = db.append_leaves(tenant=tenant_id, kind=kind.name, table=kind.table, ids=ids, hashes=hashes)
        leaves.sort(key=lambda leaf: leaf.leaf_position)
        if leaves:
            counts[kind.name] = len(leaves)
        added += [leaf.leaf_hash for leaf in leaves]
    return added, counts


def _promised(tenant_id: uuid.UUID) -> tuple[list[_Rows], list[uuid.UUID], list[str]]:
    """The rows of unsealed receipts by kind, in order of id; the receipts; and the faults of other receipts."""
    keys = keys_of(tenant_id)
    by_kind: dict[str, list[tuple[uuid.UUID, bytes]]] = {}
    taken: list[uuid.UUID] = []
    faults: list[str] = []
    for stored in db.unsealed_receipts(tenant=tenant_id, rows=BATCH):
        try:
            receipt = receipts.read(tenant_id, stored)
        except ValueError:
            receipt = None
        if receipt is None or receipt.public_key not in keys or not receipt.is_signed:
            faults.append(f"The receipt {stored.id} is not signed by a key of the {GOVERNANCE} chain.")
            continue
        taken.append(stored.id)
        for row in receipt.rows:
            by_kind.setdefault(row.kind, []).append((row.id, row.hash))
    found: list[_Rows] = []
    for kind in sealed_kinds.kinds():
        if rows := sorted(by_kind.get(kind.name, ())):
            ids, hashes = zip(*rows, strict=True)
            found.append((kind, list(ids), list(hashes)))
    return found, taken, faults


def keys_of(tenant_id: uuid.UUID) -> set[bytes]:
    """The current and former keys of the governance chain, from its entries. Called within the tenant."""
    naming = Entry.objects.filter(tenant_id=tenant_id, chain__name=GOVERNANCE, type__in=[GENESIS, KEY_ROTATED])
    return {bytes_of(metadata["public_key"]) for metadata in naming.values_list("metadata", flat=True)}


def _name_unreceipted(tenant_id: uuid.UUID) -> list[str]:
    return [
        f"The {kind.name} {row} {_NO_RECEIPT}: it was inserted into the database past the server."
        for kind in sealed_kinds.kinds()
        for row in db.rows_without_receipt(tenant=tenant_id, kind=kind.name, table=kind.table, limit=_MOST_NAMED)
    ]


def seal_all(tenant_id: uuid.UUID) -> int:
    """Seal all new rows of a tenant; returns how many. Raises UnverifiedEntry, even if there is nothing to seal, and
    UnreceiptedRow after all other rows are sealed."""
    with gate.job(tenant_id, "seal"):
        unpublished_entries.require_signed(tenant_id)
    sealed_rows = 0
    faults: tuple[str, ...] = ()
    while made := seal(tenant_id):
        sealed_rows += made.added
        faults = faults or made.faults
        if not made.has_more:
            break
    if faults:
        raise UnreceiptedRow(" ".join(faults[:_MOST_NAMED]))
    return sealed_rows


def _root_after(tenant_id: uuid.UUID, size: int, added: Sequence[bytes]) -> tuple[bytes, list[tuple[int, int, bytes]]]:
    """The root of the tree with the `added` leaves, and (level, index, hash) of the tiles that they complete."""
    stored = StoredTree(tenant_id)
    nodes = stored.extend(size, added)
    return stored.subtree(0, size + len(added)), nodes
