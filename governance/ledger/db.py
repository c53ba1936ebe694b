"""The functions of the database about the ledger: chains, seals and the tree over the sealed rows."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class ChainHead:
    """A chain, locked until the transaction ends. The next entry comes after `ts`. Without a `public_key` it has no
    entry yet."""

    id: UUID
    seq: int
    head: bytes
    ts: datetime
    public_key: bytes | None


@dataclass(frozen=True, slots=True)
class LockedTree:
    """The tree over a tenant's sealed rows, locked until the transaction ends."""

    size: int
    root: bytes | None
    sealed_at: datetime | None
    caught_up_at: datetime | None
    swept_at: datetime | None


@dataclass(frozen=True, slots=True)
class TenantToSeal:
    """Whether a tenant has rows to seal, and a digest of how far its tree and its chains are."""

    tenant_id: UUID
    is_due: bool
    state: bytes


@dataclass(frozen=True, slots=True)
class LedgerState:
    """How far a tenant's tree and chains are, one element of each list a chain."""

    tenant_id: UUID
    size: int
    root: bytes | None
    chains: list[str]
    seqs: list[int]
    heads: list[bytes]
    public_keys: list[bytes]


@dataclass(frozen=True, slots=True)
class NewLeaf:
    leaf_position: int
    leaf_row: UUID
    leaf_hash: bytes


@dataclass(frozen=True, slots=True)
class ContentHash:
    """A content and the hash of its salt and words."""

    id: UUID
    sha256: bytes


@function
def content_hashes(*, tenant: UUID, ids: list[UUID]) -> list[ContentHash]:
    """The hashes of contents; none of one that is gone."""


@function
def lock_chain(*, tenant: UUID, name: str) -> ChainHead:
    """Lock the head of a chain; a chain that does not exist is made."""


@function
def append_entries(
    *,
    tenant: UUID,
    chain: UUID,
    ids: list[UUID],
    canonical: list[bytes],
    signatures: list[bytes],
    public_key: bytes | None,
    next_key: bytes | None,
) -> None:
    """Append entries to a locked chain that `public_key` signs; from then on `next_key` does, where it is given."""


@function
def entries_mentioning(
    *, tenant: UUID, what: list[str], first: UUID | None, end: UUID | None, limit: int
) -> list[UUID]:
    """The newest entries that name one of `what`, between two ids."""


@function
def lock_tree(*, tenant: UUID) -> list[LockedTree]:
    """Lock the tree; no row where another transaction holds it."""


@function
def tenants_to_seal(*, token: str, swept: datetime, sweeps: int) -> list[TenantToSeal]:
    """Every tenant, for the operator's token. Needs none to be entered."""


@function
def ledger_states(*, token: str, tenants: list[UUID]) -> list[LedgerState]:
    """How far the ledgers of these tenants are, for the operator's token. Needs none to be entered."""


@dataclass(frozen=True, slots=True)
class RecordedRows:
    """What a transaction recorded: kinds with the number of their rows, ids and hashes of all rows, kind after kind;
    and the key of the governance chain, None before its first entry, and the database's time."""

    kinds: list[str]
    counts: list[int]
    row_ids: list[UUID]
    hashes: bytes
    public_key: bytes | None
    moment: datetime


@function
def recorded_rows(*, tenant: UUID, kinds: list[str], tables: list[str]) -> list[RecordedRows]:
    """What the open transaction has recorded since this was last called; no row where it is nothing."""


@function
def store_receipt(
    *,
    tenant: UUID,
    id: UUID,
    at: datetime,
    kinds: list[str],
    counts: list[int],
    row_ids: list[UUID],
    hashes: bytes,
    public_key: bytes,
    signature: bytes,
) -> None:
    """Store a signed receipt, for the next seal too."""


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """A receipt as the database has it: see RecordedRows."""

    id: UUID
    at: datetime
    kinds: list[str]
    counts: list[int]
    row_ids: list[UUID]
    hashes: bytes
    public_key: bytes
    signature: bytes


@function
def unsealed_receipts(*, tenant: UUID, rows: int) -> list[StoredReceipt]:
    """The oldest receipts whose rows are not sealed, until they have so many rows together."""


@function
def rows_without_receipt(*, tenant: UUID, kind: str, table: str, limit: int) -> list[UUID]:
    """Rows of a kind that are neither sealed nor in a receipt."""


@function
def append_leaves(*, tenant: UUID, kind: str, table: str, ids: list[UUID], hashes: list[bytes]) -> list[NewLeaf]:
    """Append leaves of rows of one kind, with the hashes of their receipts."""


@function
def seal_tree(
    *,
    tenant: UUID,
    size: int,
    root: bytes,
    levels: list[int],
    indexes: list[int],
    hashes: list[bytes],
    receipts: list[UUID],
    caught_up: datetime | None,
    swept: datetime | None,
) -> None:
    """Store the new root of the locked tree, and the nodes that are complete now; the receipts are sealed."""


@function
def get_leaf_row(*, tenant: UUID, kind: str, id: UUID) -> str | None:
    """A row as its leaf was made of it, canonical JSON."""


@function
def note_verification(*, tenant: UUID, findings: int) -> None:
    """Keep when the ledger was verified last, and how many findings there were."""


@function
def set_ledger_alarm(*, tenant: UUID, reason: str | None) -> None:
    """Store why sealing and publishing stopped for the tenant; None if they work again."""


@function
def count_ledger_alarms() -> int:
    """The number of tenants whose sealing and publishing stopped. Needs no context."""


@dataclass(frozen=True, slots=True)
class KnownKey:
    """What the database knows of the signing key that new chains pin, and whether any chain has a key."""

    fingerprint: str | None
    origin: str | None
    is_pinned: bool


@function
def known_signing_key() -> KnownKey: ...


@dataclass(frozen=True, slots=True)
class NotedSecret:
    """The fingerprint of a secret that all nodes share, and which node noted it when."""

    name: str
    fingerprint: str
    origin: str
    noted_at: datetime


@function
def shared_secrets() -> list[NotedSecret]: ...


@function
def note_shared_secret(name: str, fingerprint: str, origin: str, replaces: bool) -> None: ...
