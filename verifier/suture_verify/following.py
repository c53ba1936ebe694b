"""Verifies new entries of a chain, starting after an entry that is already verified."""

import uuid
from collections.abc import Iterable
from dataclasses import dataclass

from suture_verify.entries import KEY_ROTATED, NO_HASH, MalformedEntry, bytes_of, hash_of, opening_type, parse_entry
from suture_verify.signatures import is_signed


@dataclass(frozen=True, slots=True)
class Position:
    """The last verified entry of a chain, and the key that must sign the next one."""

    seq: int = -1
    hash: bytes = NO_HASH
    public_key: bytes | None = None


#: The position before the first entry of a chain.
START = Position()


class UnverifiedEntry(Exception):  # noqa: N818 (bad input, not a bug)
    """An entry cannot be verified; the message names it and gives the reason."""


def follow(
    position: Position, entries: Iterable[tuple[int, bytes, bytes]], *, tenant: uuid.UUID, chain: str
) -> Position:
    """Verify the entries (number, canonical bytes, signature) after a position; returns the position of the last one.

    Checks order, links, tenant, chain, signatures and changes of the key. Raises UnverifiedEntry.
    """
    for seq, canonical, signature in entries:
        if reason := _fault(position, seq, canonical, signature, str(tenant), chain):
            raise UnverifiedEntry(f"Entry {seq} of the {chain} chain {reason}.")
        position = Position(seq, hash_of(canonical), _next_key(position, canonical))
    return position


def _fault(position: Position, seq: int, canonical: bytes, signature: bytes, tenant: str, chain: str) -> str:
    """Return the fault of an entry as text; "" if there is none."""
    try:
        entry = parse_entry(canonical)
    except MalformedEntry as error:
        return f"is malformed: {error}"
    if (entry.tenant, entry.chain) != (tenant, chain):
        return "belongs to another tenant or chain"
    if entry.seq != seq or seq != position.seq + 1 or entry.prev_hash != position.hash:
        return "does not follow the one before it"
    announces = entry.type == (opening_type(chain) if seq == 0 else KEY_ROTATED)
    if seq == 0 and not announces:
        return "does not name the key of its chain"
    if announces:
        try:
            announced = bytes_of(entry.metadata.get("public_key"))
        except ValueError:
            return "names no key"
        if seq and entry.metadata.get("previous_key") != (position.public_key or b"").hex():
            return "replaces a key that is not the current one"
    key = announced if seq == 0 else position.public_key
    if key is None or not is_signed(canonical, signature, key):
        return "is not signed by the key of its chain"
    return ""


def _next_key(position: Position, canonical: bytes) -> bytes | None:
    entry = parse_entry(canonical)
    if entry.seq == 0 or entry.type == KEY_ROTATED:
        return bytes_of(entry.metadata["public_key"])
    return position.public_key
