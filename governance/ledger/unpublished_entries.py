"""Verify the entries that no published tree head covers, before a seal or a tree head covers them.

Anyone who can run SQL as the web server can append an entry with any signature. A seal or tree head over it would vouch
for it. Verification starts from the last published tree head, which the server signed, or from the last entry that this
process has verified. Both are outside the database.
"""

import uuid

from governance.ledger import published_tree_heads
from governance.models import Chain, Entry
from suture_verify.entries import GENESIS, GOVERNANCE, IDENTITY, KEY_ROTATED, SEAL, bytes_of
from suture_verify.following import START, Position, UnverifiedEntry, follow

#: The last position that this process has verified, by tenant and chain.
_verified: dict[tuple[uuid.UUID, str], Position] = {}


def require_signed(tenant_id: uuid.UUID) -> dict[str, Position]:
    """Verify the entries of every chain that no tree head covers; returns the verified position of each chain.

    Called within the tenant. Raises UnverifiedEntry and TreeHeadsUnreadable.
    """
    found: dict[str, Position] = {}
    for chain in Chain.objects.filter(tenant_id=tenant_id, seq__gte=0).order_by("name"):
        key = (tenant_id, chain.name)
        known = _verified.get(key)
        if known is None or not _holds(chain, known):
            known = _covered(chain)
            if not _holds(chain, known):
                raise UnverifiedEntry(
                    f"The published entry {known.seq} of the {chain.name} chain was deleted or replaced."
                )
        found[chain.name] = _verified[key] = _follow(chain, known)
    return found


def is_verified(tenant_id: uuid.UUID, name: str, seq: int, head: bytes, public_key: bytes) -> bool | None:
    """Whether this process has verified a chain that ends with this entry; None if it has not checked the chain yet."""
    known = _verified.get((tenant_id, name))
    return None if known is None else known == Position(seq, head, public_key)


def has_verified(tenant_id: uuid.UUID) -> bool:
    """Whether this process has verified a tenant's ledger at least once."""
    return (tenant_id, GOVERNANCE) in _verified


def _holds(chain: Chain, position: Position) -> bool:
    """Whether the chain has the entry of a position."""
    if position.seq < 0 or (chain.seq, bytes(chain.head)) == (position.seq, position.hash):
        return True
    hashes = Entry.objects.filter(tenant_id=chain.tenant_id, chain_id=chain.id, seq=position.seq)
    return position.hash in [bytes(value) for value in hashes.values_list("hash", flat=True)]


def _covered(chain: Chain) -> Position:
    """The last entry of the chain that the last published tree head covers, directly or by a seal."""
    note = published_tree_heads.last(chain.tenant_id)
    if note is None:
        return START
    seq, digest = note.tree_head.seq, note.tree_head.head
    if chain.name != GOVERNANCE:
        seals = Entry.objects.filter(tenant_id=chain.tenant_id, chain__name=GOVERNANCE, type=SEAL, seq__lte=seq)
        seal = seals.order_by("-seq").first()
        head = seal.metadata["chains"].get(chain.name) if seal else None
        if head is None:
            return START
        seq, digest = head[0], bytes_of(head[1])
    naming = Entry.objects.filter(
        tenant_id=chain.tenant_id, chain_id=chain.id, type__in=[GENESIS, IDENTITY, KEY_ROTATED], seq__lte=seq
    )
    named = naming.order_by("-seq").first()
    return Position(seq, digest, bytes_of(named.metadata["public_key"]) if named else None)


def _follow(chain: Chain, known: Position) -> Position:
    reached = known
    if chain.seq > known.seq:
        behind = Entry.objects.filter(
            tenant_id=chain.tenant_id, chain_id=chain.id, seq__gt=known.seq, seq__lte=chain.seq
        ).order_by("seq")
        rows = behind.values_list("seq", "canonical", "signature").iterator()
        entries = ((seq, bytes(canonical), bytes(signature)) for seq, canonical, signature in rows)
        reached = follow(known, entries, tenant=chain.tenant_id, chain=chain.name)
    if reached.seq != chain.seq or reached.hash != bytes(chain.head):
        raise UnverifiedEntry(f"Entry {chain.seq} of the {chain.name} chain is not its last entry.")
    if reached.public_key != bytes(chain.public_key or b""):
        raise UnverifiedEntry(f"The {chain.name} chain has a different key from the one that its entries name.")
    return reached
