"""Entries of the ledger: their canonical form (RFC 8785), and the metadata of the types that the verifier knows."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, NamedTuple

from suture_verify.canonical import NotCanonical, parse_canonical

#: The chain of a tenant's governance. The chain of an agent's own memory is AGENT_CHAIN and its slug.
GOVERNANCE = "governance"
AGENT_CHAIN = "agent:"
HASH_SIZE = 32
#: `prev_hash` of the first entry of a chain.
NO_HASH = bytes(HASH_SIZE)

# The types that the verifier knows.
GENESIS = "genesis"  # entry 0 of the governance chain: names its key
IDENTITY = "identity"  # entry 0 of an agent's chain: names its key
KEY_ROTATED = "key.rotated"  # the old key signs it; it names the new key
SEAL = "seal"
REDACTION = "redaction"

EDITS_PROPOSED = "edits.proposed"  # a batch of edits, which it lists

#: The kinds of rows whose ids entries hold in their metadata, under the name of the kind.
REFERENCES = ("edit", "verdict")

_FIELDS = {"tenant", "chain", "seq", "ts", "type", "retention", "content_hash", "prev_hash", "metadata"}


class MalformedEntry(ValueError):  # noqa: N818 (bad input, not a bug)
    """The bytes are not an entry in canonical form; the message gives the reason."""


class Entry(NamedTuple):
    """The fields of an entry, read from its canonical form."""

    tenant: str
    chain: str
    seq: int
    ts: datetime
    type: str
    retention: str
    content_hash: bytes | None
    prev_hash: bytes
    metadata: dict[str, Any]


class Seal(NamedTuple):
    """A seal's metadata: the root over the tenant's first `size` leaves, and the heads of its other chains."""

    size: int
    root: bytes
    previous_size: int
    heads: dict[str, tuple[int, bytes]]
    counts: dict[str, int]  # the number of new rows of each kind
    is_complete: bool  # it left no row for the next seal


def hash_of(canonical: bytes) -> bytes:
    """Return the hash of an entry, which is the next entry's `prev_hash`."""
    return sha256(canonical).digest()


def chain_of_agent(slug: str) -> str:
    """Return the name of the chain of an agent's own memory."""
    return AGENT_CHAIN + slug


def opening_type(chain: str) -> str:
    """Return the type of a chain's first entry."""
    return GENESIS if chain == GOVERNANCE else IDENTITY


def bytes_of(text: object, size: int = HASH_SIZE) -> bytes:
    """Parse `size` bytes in lower-case hexadecimal. Raises ValueError for anything else."""
    try:
        found = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        found = b""
    # Each value has exactly one text (no upper case, no spaces), so that every change is detected.
    if len(found) != size or found.hex() != text:
        raise ValueError(f"not {size} bytes in lower-case hexadecimal")
    return found


def parse_entry(canonical: bytes) -> Entry:
    """Parse an entry. Raises MalformedEntry, also for JSON that is not canonical."""
    try:
        fields = parse_canonical(canonical)
    except NotCanonical as error:
        raise MalformedEntry(str(error)) from None
    if not isinstance(fields, dict) or fields.keys() != _FIELDS:
        raise MalformedEntry("not an object with the fields of an entry")
    try:
        return _entry(fields)
    except MalformedEntry:
        raise
    except ValueError as error:
        raise MalformedEntry(str(error)) from None


def _entry(fields: dict[str, Any]) -> Entry:
    tenant, chain, seq, ts, type_, retention, content_hash, prev_hash, metadata = (
        fields["tenant"], fields["chain"], fields["seq"], fields["ts"], fields["type"], fields["retention"],
        fields["content_hash"], fields["prev_hash"], fields["metadata"],
    )  # fmt: skip
    if type(seq) is not int or seq < 0:
        raise MalformedEntry("seq is not a whole number from 0")
    for name in ("tenant", "chain", "type", "retention"):
        if type(fields[name]) is not str:
            raise MalformedEntry(f"{name} is not a string")
    if type(metadata) is not dict:
        raise MalformedEntry("metadata is not an object")
    moment = datetime.fromisoformat(ts) if type(ts) is str else None
    # Each time has exactly one text, so that texts can be compared.
    if moment is None or moment.utcoffset() != timedelta() or moment.isoformat(timespec="microseconds") != ts:
        raise MalformedEntry("ts is not a time in UTC with microseconds")
    return Entry(
        tenant, chain, seq, moment, type_, retention, None if content_hash is None else bytes_of(content_hash),
        bytes_of(prev_hash), metadata,
    )  # fmt: skip


def parse_seal(metadata: Mapping[str, Any]) -> Seal:
    """Parse a seal's metadata. Raises MalformedEntry."""
    size, previous = metadata.get("size"), metadata.get("previous_size")
    chains = metadata.get("chains", {})
    try:
        if type(size) is not int or type(previous) is not int or not 0 <= previous <= size:
            raise MalformedEntry("its sizes are not increasing whole numbers")
        if type(metadata["counts"]) is not dict:
            raise MalformedEntry("its counts are not an object")
        heads = {name: (seq, bytes_of(digest)) for name, (seq, digest) in chains.items()}
        if any(type(seq) is not int or seq < 0 for seq, _ in heads.values()):
            raise MalformedEntry("the head of a chain is not a whole number from 0")
        counts = dict(metadata["counts"])
        if any(type(count) is not int or count < 1 for count in counts.values()):
            raise MalformedEntry("its counts are not whole numbers from 1")
        complete = metadata.get("complete") is not False
        return Seal(size, bytes_of(metadata.get("root")), previous, heads, counts, complete)
    except MalformedEntry:
        raise
    except (AttributeError, KeyError, TypeError, ValueError):
        raise MalformedEntry("its root, its counts or its chains' heads cannot be read") from None


def edits_of(metadata: Mapping[str, Any]) -> list[str]:
    """Return the ids of the edits in the entry of a batch."""
    edits = metadata.get("edits")
    return [edit for edit in edits if type(edit) is str] if type(edits) is list else []


def redacted_contents(metadata: Mapping[str, Any]) -> list[str]:
    """Return the ids of the erased contents in a redaction. Raises MalformedEntry."""
    contents = metadata.get("contents")
    try:
        if type(contents) is not list or any(type(content) is not str for content, _ in contents):
            raise MalformedEntry("its contents are not a list of texts and hashes")
        return [content for content, digest in contents if bytes_of(digest)]
    except MalformedEntry:
        raise
    except (TypeError, ValueError):
        raise MalformedEntry("its contents are not pairs of an id and a hash") from None
