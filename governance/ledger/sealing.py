"""Seals: the rows recorded since the last seal become leaves of their tenant's tree, and an entry carries its root."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from governance import gate
from governance.database.clock import database_now
from governance.identity.credentials import system
from governance.ledger import appending, calls, sealed, unpublished
from governance.ledger.tree import StoredTree
from governance.models import first_id_of
from governance.proof.entries import GOVERNANCE, SEAL

#: Rows that one transaction seals, so that a large import does not hold the tree for long.
BATCH = 50_000
#: How long a transaction may take for its rows to be found without a sweep.
STRAGGLER = timedelta(minutes=5)
#: Every so often all rows are looked at, whatever their age.
SWEEP_EVERY = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Seal:
    """What one seal added, and the size and root of the tree after it. `reached` names the last row of each kind
    where there may be more."""

    added: int
    size: int
    root: bytes
    reached: dict[str, uuid.UUID]


def seal(
    tenant_id: uuid.UUID, *, after: Mapping[str, uuid.UUID] | None = None, at: datetime | None = None
) -> Seal | None:
    """Seal up to BATCH new rows of a tenant in its own transaction; None if there are none. `after` is what the
    seal before this one `reached`.

    Safe to run twice at once (the second returns None) and to kill at any point. Rows are found by their ids, which
    are in order of time, by the database's clock; those whose ids were made by a slow clock were noted when they were
    inserted, and those of a transaction that was open for long are found by the hourly sweep. Raises
    UnverifiedEntry where an entry is not signed as it has to be; then nothing is sealed.
    """
    with gate.job(tenant_id, "seal"):
        moment = at or database_now()
        held = calls.lock_tree(tenant=tenant_id)
        if not held:
            return None
        tree = held[0]
        # A mark in the future is from before the database's clock was set back.
        is_sweep = tree.swept_at is None or not moment - SWEEP_EVERY <= tree.swept_at <= moment
        since = None
        if tree.caught_up_at and not is_sweep:
            since = first_id_of(min(tree.caught_up_at, moment) - STRAGGLER)
        reached = dict(after or {})
        added: list[bytes] = []
        counts: dict[str, int] = {}
        for kind in sealed.kinds():
            beyond = reached.get(kind.name, since)
            found = calls.append_leaves(
                tenant=tenant_id, kind=kind.name, table=kind.table, after=beyond, limit=BATCH - len(added)
            )
            if found:
                found.sort(key=lambda leaf: leaf.leaf_position)
                counts[kind.name] = len(found)
                # stragglers alone reach nothing new
                reached[kind.name] = max(found[-1].leaf_row, beyond) if beyond else found[-1].leaf_row
                added += [leaf.leaf_hash for leaf in found]
            if len(added) == BATCH:
                break
        caught_up = moment if len(added) < BATCH else None
        if added:
            root, nodes = _root_after(tenant_id, tree.size, added)
        elif tree.root is not None:
            root, nodes = tree.root, []
        else:
            return None
        size = tree.size + len(added)
        levels, indexes, hashes = zip(*nodes, strict=True) if nodes else ((), (), ())
        calls.seal_tree(
            tenant=tenant_id,
            size=size,
            root=root,
            levels=list(levels),
            indexes=list(indexes),
            hashes=list(hashes),
            caught_up=caught_up,
            swept=caught_up if is_sweep else None,
        )
        if not added:
            return None
        # Held from here on, so that nothing comes between what is verified and the seal over it.
        calls.lock_chain(tenant=tenant_id, name=GOVERNANCE)
        verified = unpublished.require_signed(tenant_id)
        appending.record(
            SEAL,
            actor=system(tenant_id, "seal"),
            metadata={
                "size": size,
                "root": root.hex(),
                "previous_size": tree.size,
                "counts": counts,
                "complete": caught_up is not None,
                # The other chains' heads: the seal vouches for them too.
                "chains": {name: [head.seq, head.hash.hex()] for name, head in verified.items() if name != GOVERNANCE},
            },
        )
        return Seal(len(added), size, root, reached)


def seal_all(tenant_id: uuid.UUID) -> int:
    """Seal a tenant until nothing new is left; returns how many rows. Raises UnverifiedEntry, also where there is
    nothing to be sealed."""
    with gate.job(tenant_id, "seal"):
        unpublished.require_signed(tenant_id)
    sealed_rows = 0
    reached: dict[str, uuid.UUID] = {}
    while made := seal(tenant_id, after=reached):
        sealed_rows += made.added
        reached = made.reached
        if made.added < BATCH:
            break
    return sealed_rows


def _root_after(tenant_id: uuid.UUID, size: int, added: Sequence[bytes]) -> tuple[bytes, list[tuple[int, int, bytes]]]:
    """The root of the tree with `added` leaves, and (level, index, hash) of the complete tiles that they finished."""
    stored = StoredTree(tenant_id)
    nodes = stored.extend(size, added)
    return stored.subtree(0, size + len(added)), nodes
