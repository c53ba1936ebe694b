"""Publish tree heads: signed notes of the extent of a tenant's ledger, outside the reach of the database."""

import errno
import fcntl
import hashlib
import logging
import os
import uuid
from pathlib import Path

import httpx
from django.conf import settings

from governance.acting import gate
from governance.ledger import keyring, published_tree_heads, sealed_rows, table_rows, unpublished_entries, witnesses
from governance.ledger.tree import TILE, StoredTree
from governance.models import Chain, Entry, Leaf, MerkleTree
from suture_verify.entries import GOVERNANCE
from suture_verify.findings import Findings
from suture_verify.notes import SignedNote, TreeHead, origin_of, parse_notes, sign_note

logger = logging.getLogger("suture.tree_heads")

SINK_TIMEOUT_SECONDS = 10.0

#: Rows read at a time.
PAGE = 5_000


class TreeHeadRefused(Exception):  # noqa: N818 (a refusal to sign, for the operator)
    """The database lacks rows or entries that were sealed or published; nothing was signed."""


def publish(tenant_id: uuid.UUID) -> str | None:
    """Sign a tree head of a tenant's ledger, have the witnesses cosign it, append the note to the tenant's file, and
    send it to the configured sinks.

    First, everything since the last note is read and hashed again. Returns the note; None if there is nothing new.
    Raises TreeHeadRefused, also if a witness has seen another history, UnverifiedEntry, SigningKeyMissing,
    TreeHeadsUnreadable, OSError.
    """
    with gate.job(tenant_id, "publish"), _held(published_tree_heads.path_of(tenant_id)) as file:
        tree = MerkleTree.objects.filter(tenant_id=tenant_id).first()
        if tree is None or tree.root is None:
            return None
        chain = Chain.objects.get(tenant_id=tenant_id, name=GOVERNANCE)
        tree_head = TreeHead(origin_of(tenant_id), tree.size, bytes(tree.root), chain.seq, bytes(chain.head))
        before = published_tree_heads.last(tenant_id)
        if before is not None and before.tree_head == tree_head:
            unpublished_entries.require_signed(tenant_id)  # of the other chains
            return None
        _require_intact(tenant_id, tree_head, before.tree_head if before else None)
        (signed,) = parse_notes(sign_note(tree_head, keyring.signer_of(bytes(chain.public_key or b"")).private))
        note = _cosigned(tenant_id, signed, before).text
        _append(file, note)
    _deliver(note)
    return note


def _cosigned(tenant_id: uuid.UUID, note: SignedNote, before: SignedNote | None) -> SignedNote:
    def size_now() -> int:
        return MerkleTree.objects.filter(tenant_id=tenant_id).values_list("size", flat=True).get()

    try:
        return witnesses.cosigned(note, before, StoredTree(tenant_id).subtree, size_now)
    except witnesses.WitnessDisagrees as disagreement:
        raise TreeHeadRefused(str(disagreement)) from None


def _require_intact(tenant_id: uuid.UUID, tree_head: TreeHead, before: TreeHead | None) -> None:
    if before is not None and (lacking := published_tree_heads.missing_of(tenant_id, before)):
        raise TreeHeadRefused(f"The database {lacking}, which an earlier tree head covers.")
    start = before.size if before else 0
    # 1. The rows match their leaves.
    findings = Findings()
    with table_rows.snapshot(tenant_id) as reader:
        reader.check(sealed_rows.tables(), findings)
        wrong = sealed_rows.first_changed(reader, start, tree_head.size, page=PAGE)
    for finding in findings.sorted()[:1]:
        raise TreeHeadRefused(f"The table {finding.detail}.")
    if wrong is not None:
        raise TreeHeadRefused(f"The {wrong.kind} {wrong.id} was changed after it was sealed.")
    # 2. The leaves match the root, and the tree of the last note is the beginning of this one.
    tree = StoredTree(tenant_id)
    if before is not None and tree.subtree(0, before.size) != before.root:
        raise TreeHeadRefused(f"The first {before.size} sealed rows differ from those of an earlier tree head.")
    first = start - start % TILE
    leaves = Leaf.objects.filter(tenant_id=tenant_id, position__gte=first, position__lt=tree_head.size)
    tree.extend(first, [bytes(value) for value in leaves.order_by("position").values_list("hash", flat=True)])
    if tree.subtree(0, tree_head.size) != tree_head.root:
        raise TreeHeadRefused(f"The sealed rows do not match the root of the tree of size {tree_head.size}.")
    # 3. The entries since the last note are linked, up to the head, and signed.
    _require_linked(tenant_id, tree_head, before)
    unpublished_entries.require_signed(tenant_id)


def _require_linked(tenant_id: uuid.UUID, tree_head: TreeHead, before: TreeHead | None) -> None:
    seq, link = (before.seq, before.head) if before else (-1, bytes(32))
    entries = Entry.objects.filter(
        tenant_id=tenant_id, chain__name=GOVERNANCE, seq__gt=seq, seq__lte=tree_head.seq
    ).order_by("seq")
    for found, prev, canonical in entries.values_list("seq", "prev_hash", "canonical").iterator():
        if found != seq + 1 or bytes(prev) != link:
            raise TreeHeadRefused(f"Entry {found} of the governance chain does not follow the previous entry.")
        seq, link = found, hashlib.sha256(bytes(canonical)).digest()
    if (seq, link) != (tree_head.seq, tree_head.head):
        raise TreeHeadRefused(f"Entry {tree_head.seq} of the governance chain is not its last entry.")


class _held:  # noqa: N801 (reads as a phrase where it is used)
    """The tenant's file of notes, locked against another publisher, open for appending."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> int:
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.descriptor = os.open(self.path, os.O_CREAT | os.O_APPEND | os.O_RDWR, 0o644)
        fcntl.flock(self.descriptor, fcntl.LOCK_EX)
        return self.descriptor

    def __exit__(self, *_: object) -> None:
        os.close(self.descriptor)


def _append(descriptor: int, note: str) -> None:
    """Append a note completely or not at all: an incomplete note would make later notes unreadable."""
    size = os.fstat(descriptor).st_size
    tail = os.pread(descriptor, published_tree_heads.TAIL_BYTES, max(0, size - published_tree_heads.TAIL_BYTES))
    whole = size - published_tree_heads.torn_bytes(tail)
    os.ftruncate(descriptor, whole)
    kept = tail[: len(tail) - (size - whole)]
    # A note ends with an empty line, which a crash may have cut off.
    ending = b"" if not kept or kept.endswith(b"\n\n") else b"\n"
    written = os.write(descriptor, ending + note.encode())
    if written < len(ending + note.encode()):
        os.ftruncate(descriptor, whole)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.fsync(descriptor)


def _deliver(note: str) -> None:
    """Send a note to every sink. A sink that fails gets the next note, which covers this one."""
    for number, sink in enumerate(settings.TREE_HEAD_SINKS, 1):
        try:
            if sink.startswith(("http://", "https://")):
                httpx.post(
                    sink, content=note.encode(), headers={"Content-Type": "text/plain; charset=utf-8"},
                    timeout=SINK_TIMEOUT_SECONDS,
                ).raise_for_status()  # fmt: skip
            else:
                with _held(Path(sink.removeprefix("file://"))) as file:
                    _append(file, note)
        except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
            # The sink's address may contain a secret: log its position in the setting instead.
            logger.warning("tree head sink %d did not accept a note: %s", number, type(error).__name__)
