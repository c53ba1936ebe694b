"""The lines of a tenant's ledger, for exports, which anyone can verify, and for the server's own verification."""

import uuid
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial

from django.db.models import Subquery
from django.utils import timezone

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import access
from governance.models import Chain, Entry, Leaf, MerkleTree, Tenant
from governance.refusals import Forbidden, NotFound
from suture_verify.export import EntryLine, Header, LeafLine, write_export

#: Rows read at a time, each page in its own transaction.
PAGE = 5_000


class LedgerNotYours(Forbidden):
    """Only reviewers, auditors and admins can read the ledger."""


class NoSuchChain(NotFound):
    """There is no such chain."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The extent of a ledger: (name, id, last seq) of its chains, and the size of its sealed tree."""

    chains: tuple[tuple[str, uuid.UUID, int], ...]
    size: int


def extent_of(tenant_id: uuid.UUID) -> Extent:
    """The current extent. Called within the tenant."""
    # One statement: with two, a seal in between would be in the chains, but its rows would not be in the tree.
    size = MerkleTree.objects.filter(tenant_id=tenant_id).order_by().values("size")
    chains = Chain.objects.filter(tenant_id=tenant_id, seq__gte=0).annotate(tree_size=Subquery(size[:1]))
    found = list(chains.order_by("name"))
    return Extent(
        tuple((chain.name, chain.id, chain.seq) for chain in found), (found[0].tree_size or 0) if found else 0
    )


#: Enters the tenant for the transaction that reads one page.
Enter = Callable[[], AbstractContextManager[None]]


def entries(tenant_id: uuid.UUID, extent: Extent, enter: Enter | None = None) -> Iterator[EntryLine]:
    """The entries of an extent, in order within each chain. `enter` defaults to the operator's context."""
    enter = enter or partial(gate.tenant, tenant_id)
    for name, chain_id, last in extent.chains:
        after: int | None = None
        while True:
            with enter():
                rows = Entry.objects.filter(tenant_id=tenant_id, chain_id=chain_id, seq__lte=last)
                if after is not None:
                    rows = rows.filter(seq__gt=after)
                page = list(rows.order_by("seq").values_list("seq", "canonical", "hash", "signature")[:PAGE])
            for seq, canonical, digest, signature in page:
                yield EntryLine(name, seq, bytes(canonical), bytes(digest), bytes(signature))
            if len(page) < PAGE:
                break
            after = page[-1][0]


def leaves(tenant_id: uuid.UUID, extent: Extent, enter: Enter | None = None) -> Iterator[LeafLine]:
    """The leaves of an extent, in order; `enter` as above."""
    enter = enter or partial(gate.tenant, tenant_id)
    after: int | None = None
    while True:
        with enter():
            rows = Leaf.objects.filter(tenant_id=tenant_id, position__lt=extent.size)
            if after is not None:
                rows = rows.filter(position__gt=after)
            page = list(rows.order_by("position").values_list("position", "kind", "row_id", "hash")[:PAGE])
        for position, kind, row_id, digest in page:
            yield LeafLine(position, kind, row_id, bytes(digest))
        if len(page) < PAGE:
            break
        after = page[-1][0]


def export(actor: Principal, *, chain: str | None = None) -> Iterator[str]:
    """The lines of an export of the tenant's current ledger, or of one chain without leaves; logged as an access.

    Raises LedgerNotYours, NoSuchChain. The lines are read page by page while they are consumed, outside the transaction
    of the call.
    """
    require_reader(actor)
    extent = extent_of(actor.tenant_id)
    if chain is not None:
        extent = Extent(tuple(one for one in extent.chains if one[0] == chain), 0)
        if not extent.chains:
            raise NoSuchChain(f"There is no chain {chain!r}.")
    slug = Tenant.objects.values_list("slug", flat=True).get(id=actor.tenant_id)
    access.log(
        "ledger.exported",
        actor=actor,
        target_type="ledger",
        details={"chain": chain, "entries": sum(last + 1 for _, _, last in extent.chains), "leaves": extent.size},
    )
    header = Header(actor.tenant_id, slug, timezone.now())
    # each page checks the reader's own permission again: a web process cannot act as the operator
    enter = partial(gate.acting_as, actor)
    return write_export(header, entries(actor.tenant_id, extent, enter), leaves(actor.tenant_id, extent, enter))


def require_reader(actor: Principal) -> None:
    """Raises LedgerNotYours for agents and for people without a role."""
    if not actor.reads_all_edits:
        raise LedgerNotYours
