"""Which tenants a run of sealing has to visit: most have nothing new, and one query tells."""

import fcntl
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction

from governance.identity.credentials import OperatorCredential
from governance.ledger import calls, published, sealed, sealing, unpublished
from governance.ledger.calls import TenantToSeal
from governance.proof.entries import GOVERNANCE
from governance.proof.notes import TreeHead, origin_of

#: Sweeps of one run, so that those of a thousand tenants do not fall into the same one.
SWEEPS = 20


@contextmanager
def run() -> Iterator[bool]:
    """A run of sealing on this machine: yields False where another one works."""
    path = Path(settings.SUTURE_HOME) / "tree_heads" / ".sealing"
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        # closing the file gives the lock back, as does the end of the process
        yield True


def tenants(moment: datetime) -> set[uuid.UUID]:
    """The tenants that have rows to seal, or a tree head to publish, or entries to verify."""
    kinds = sealed.kinds()
    with transaction.atomic():
        found = calls.tenants_to_seal(
            token=OperatorCredential("seal").token(),
            kinds=[kind.name for kind in kinds],
            tables=[kind.table for kind in kinds],
            straggler=sealing.STRAGGLER,
            # for a while after a seal its rows are looked at again, for those of a transaction that was open for long
            caught_up=moment - 2 * sealing.STRAGGLER,
            swept=moment - sealing.SWEEP_EVERY,
            sweeps=SWEEPS,
        )
    return {row.tenant_id for row in found if row.is_due or not _is_published(row)}


def _is_published(row: TenantToSeal) -> bool:
    """Whether the last published tree head covers all of a tenant's ledger, as far as can be told without entering it:
    the entries of its other chains, and those of a tenant without a tree head, were verified by this process."""
    chains = dict(zip(row.chains, zip(row.seqs, row.heads, row.public_keys, strict=True), strict=True))
    verified = {name: unpublished.is_verified(row.tenant_id, name, *chain) for name, chain in chains.items()}
    if row.root is None:
        return all(verified.values())
    if False in verified.values() or GOVERNANCE not in chains:
        return False
    if not all(is_verified for name, is_verified in verified.items() if name != GOVERNANCE):
        return False
    seq, head, _ = chains[GOVERNANCE]
    try:
        note = published.last(row.tenant_id)
    except published.TreeHeadsUnreadable:
        return False  # publishing tells why
    return note is not None and note.tree_head == TreeHead(origin_of(row.tenant_id), row.size, row.root, seq, head)
