"""Find the tenants that a sealing run must visit, with one query: most have nothing new."""

import fcntl
import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from django.conf import settings
from django.db import transaction

from governance.acting.credentials import OperatorCredential
from governance.ledger import db, published_tree_heads, sealing, unpublished_entries
from governance.ledger.db import LedgerState, TenantToSeal
from suture_verify.entries import GOVERNANCE
from suture_verify.notes import TreeHead, origin_of

#: Sweeps per run, to spread those of a thousand tenants over several runs.
SWEEPS = 20
#: Tenants new to this process that one run checks.
NEW = 1_000


@contextmanager
def run() -> Iterator[bool]:
    """A sealing run on this machine; yields False if another one is active."""
    with (_folder() / ".sealing").open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        # closing the file, or the end of the process, releases the lock
        yield True


#: Size, time and inode of a file of tree heads; None if it is missing.
_File = tuple[int, int, int] | None
_SealStatus = Literal["published", "unverified", "unpublished"]


@dataclass(frozen=True, slots=True)
class _Seen:
    """The status of a tenant at one state of its ledger, with digest `state`, and of its file of tree heads."""

    status: _SealStatus
    state: bytes
    file: _File

    def holds(self, row: TenantToSeal, file: _File) -> bool:
        """Whether ledger and file are unchanged."""
        if self.status == "unverified":
            return self.state == row.state and not unpublished_entries.has_verified(row.tenant_id)
        return self.status == "published" and (self.state, self.file) == (row.state, file)


#: The known tenants that have nothing to seal.
_seen: dict[uuid.UUID, _Seen] = {}


def tenants(moment: datetime) -> set[uuid.UUID]:
    """The tenants with rows to seal, a tree head to publish, or entries that are not verified yet."""
    with transaction.atomic():
        token = OperatorCredential("seal").token()
        found = db.tenants_to_seal(token=token, swept=moment - sealing.SWEEP_EVERY, sweeps=SWEEPS)
        files = _files()
        changed = [
            row
            for row in found
            if not row.is_due and not ((seen := _seen.get(row.tenant_id)) and seen.holds(row, files.get(row.tenant_id)))
        ]
        # At first all tenants are new to this process: check only some at a time.
        new = [row for row in changed if row.tenant_id not in _seen][:NEW]
        states = {row.tenant_id: row.state for row in changed if row.tenant_id in _seen}
        states |= {row.tenant_id: row.state for row in new}
        ledgers = db.ledger_states(token=token, tenants=list(states)) if states else []
    for ledger in ledgers:
        tenant_id = ledger.tenant_id
        _seen[tenant_id] = _Seen(_seal_status_of(ledger), states[tenant_id], files.get(tenant_id))
    return {row.tenant_id for row in found if row.is_due or _has_status(row.tenant_id, "unpublished")}


def unverified() -> set[uuid.UUID]:
    """The tenants found by tenants() that only have entries that this process has not verified yet, in its first
    minutes. Their verification waits for a run that has time."""
    return {tenant_id for tenant_id in _seen if _has_status(tenant_id, "unverified")}


def _has_status(tenant_id: uuid.UUID, status: _SealStatus) -> bool:
    return (seen := _seen.get(tenant_id)) is not None and seen.status == status


def _seal_status_of(row: LedgerState) -> _SealStatus:
    """Whether the last published tree head covers a tenant's whole ledger, without entering the tenant. Entries of
    other chains, and of a tenant without a tree head, count if this process has verified them."""
    chains = dict(zip(row.chains, zip(row.seqs, row.heads, row.public_keys, strict=True), strict=True))
    verified = {name: unpublished_entries.is_verified(row.tenant_id, name, *chain) for name, chain in chains.items()}
    if False in verified.values():
        return "unpublished"
    if row.root is not None:
        if GOVERNANCE not in chains or not _covers(row, row.root, chains[GOVERNANCE]):
            return "unpublished"
        del verified[GOVERNANCE]
    return "published" if all(verified.values()) else "unverified"


def _covers(row: LedgerState, root: bytes, governance: tuple[int, bytes, bytes]) -> bool:
    """Whether the last published note is for this tree and this head of the governance chain."""
    seq, head, _ = governance
    try:
        note = published_tree_heads.last(row.tenant_id)
    except published_tree_heads.TreeHeadsUnreadable:
        return False  # publishing reports why
    return note is not None and note.tree_head == TreeHead(origin_of(row.tenant_id), row.size, root, seq, head)


def _files() -> dict[uuid.UUID, _File]:
    """The files of tree heads, by tenant, to detect changed or missing ones."""
    found: dict[uuid.UUID, _File] = {}
    with os.scandir(_folder()) as entries:
        for entry in entries:
            name, _, ending = entry.name.partition(".")
            if ending == "txt":
                state = entry.stat()
                found[uuid.UUID(name)] = state.st_size, state.st_mtime_ns, state.st_ino
    return found


def _folder() -> Path:
    folder = Path(settings.SUTURE_HOME) / "tree_heads"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
