"""Proofs about a tenant's tree (RFC 6962, 2.1): that it contains a row, and that it only grew."""

import uuid
from dataclasses import dataclass

from governance.acting.principals import Principal
from governance.ledger import db, published_tree_heads
from governance.ledger.exports import require_reader
from governance.ledger.tree import StoredTree
from governance.models import Leaf, MerkleTree
from governance.refusals import Fault, Invalid, NotFound
from suture_verify.merkle import consistency_path, inclusion_path
from suture_verify.notes import SignedNote


class NotSealed(NotFound):
    """This row is not sealed. Check the id; a new row is sealed within seconds."""


class NoSuchTreeSize(Invalid):
    """The tree never had this size."""


class NothingPublished(NotFound):
    """No tree head is published yet. The first one is published within seconds of the first seal."""


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A row's place in the tree of `size` leaves. SHA-256 over 0x00 and `row` is `leaf_hash`; with `path` it gives
    `root`."""

    position: int
    kind: str
    row_id: uuid.UUID
    row: str | None
    leaf_hash: bytes
    size: int
    root: bytes
    path: list[bytes]


@dataclass(frozen=True, slots=True)
class Consistency:
    """The proof that the tree of `old_size` leaves is the beginning of the tree of `new_size`."""

    old_size: int
    new_size: int
    old_root: bytes
    new_root: bytes
    path: list[bytes]


def inclusion(actor: Principal, *, kind: str, row_id: uuid.UUID, size: int | None = None) -> Inclusion:
    """The proof that a row is in the tree of `size` leaves (by default all).

    Raises LedgerNotYours, NotSealed, NoSuchTreeSize.
    """
    require_reader(actor)
    leaf = Leaf.objects.filter(tenant_id=actor.tenant_id, kind=kind, row_id=row_id).first()
    if leaf is None:
        raise NotSealed(f"The {kind} {row_id} is not sealed. Check the id; a new row is sealed within seconds.")
    size = _size(actor.tenant_id, size, "size")
    if leaf.position >= size:
        raise _no_such_size("size", f"The row is leaf {leaf.position}, so the size must be greater than that.")
    tree = StoredTree(actor.tenant_id)
    return Inclusion(
        position=leaf.position,
        kind=kind,
        row_id=row_id,
        row=db.get_leaf_row(tenant=actor.tenant_id, kind=kind, id=row_id),
        leaf_hash=bytes(leaf.hash),
        size=size,
        root=tree.subtree(0, size),
        path=inclusion_path(leaf.position, size, tree.subtree),
    )


def consistency(actor: Principal, *, old_size: int, new_size: int | None = None) -> Consistency:
    """The proof that the tree only grew from `old_size` to `new_size` leaves. Raises LedgerNotYours, NoSuchTreeSize."""
    require_reader(actor)
    new_size = _size(actor.tenant_id, new_size, "to")
    if not 0 < old_size <= new_size:
        raise _no_such_size("from", f"The older size must be from 1 to the newer size, {new_size}.")
    tree = StoredTree(actor.tenant_id)
    return Consistency(
        old_size=old_size,
        new_size=new_size,
        old_root=tree.subtree(0, old_size),
        new_root=tree.subtree(0, new_size),
        path=consistency_path(old_size, new_size, tree.subtree),
    )


def last_tree_head(actor: Principal) -> SignedNote:
    """The last published tree head. Raises LedgerNotYours, NothingPublished."""
    require_reader(actor)
    note = published_tree_heads.last(actor.tenant_id)
    if note is None:
        raise NothingPublished
    return note


def _size(tenant_id: uuid.UUID, asked: int | None, parameter: str) -> int:
    """The requested size, or the size of the whole tree. Raises NoSuchTreeSize."""
    whole = MerkleTree.objects.filter(tenant_id=tenant_id).order_by().values_list("size", flat=True).first() or 0
    if asked is None:
        return whole
    if not 0 < asked <= whole:
        raise _no_such_size(parameter, f"The size must be from 1 to the current size, {whole}.")
    return asked


def _no_such_size(parameter: str, detail: str) -> NoSuchTreeSize:
    return NoSuchTreeSize(detail, errors=[Fault(parameter=parameter, detail=detail, code=NoSuchTreeSize.code)])
