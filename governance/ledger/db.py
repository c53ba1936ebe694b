"""The database functions about the ledger: chains, seals and the tree over the sealed rows."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from governance.database.typed_calls import function


@dataclass(frozen=True, slots=True)
class ChainHead:
    """A chain, locked until the transaction ends. The next entry must be later than `ts`. Without a `public_key` the
    chain is empty."""

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
    """Whether a tenant has rows to seal, and a digest of the positions of its tree and chains."""

    tenant_id: UUID
    is_due: bool
    state: bytes


@dataclass(frozen=True, slots=True)
class LedgerState:
    """The positions of a tenant's tree and chains; each list has one element per chain."""

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
    """A content and the hash of its salt and text."""

    id: UUID
    sha256: bytes


@function
def content_hashes(*, tenant: UUID, ids: list[UUID]) -> list[ContentHash]:
    """The hashes of the contents that exist."""


@function
def lock_chain(*, tenant: UUID, name: str) -> ChainHead:
    """Lock the head of a chain; creates a missing chain."""


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
    """Append entries to a locked chain that `public_key` signs; `next_key`, if given, signs later entries."""


@function
def entries_mentioning(
    *, tenant: UUID, what: list[str], first: UUID | None, end: UUID | None, limit: int
) -> list[UUID]:
    """The newest entries between two ids that name one of `what`."""


@function
def lock_tree(*, tenant: UUID) -> list[LockedTree]:
    """Lock the tree; no row if another transaction has locked it."""


@function
def tenants_to_seal(*, token: str, swept: datetime, sweeps: int) -> list[TenantToSeal]:
    """Every tenant, for the operator's token. No tenant needs to be entered."""


@function
def ledger_states(*, token: str, tenants: list[UUID]) -> list[LedgerState]:
    """The positions of these tenants' ledgers, for the operator's token. No tenant needs to be entered."""


@dataclass(frozen=True, slots=True)
class RecordedRows:
    """The rows that a transaction recorded: kinds with their row counts, then ids and hashes of all rows in order of
    kind; also the key of the governance chain (None before its first entry) and the database's time."""

    kinds: list[str]
    counts: list[int]
    row_ids: list[UUID]
    hashes: bytes
    public_key: bytes | None
    moment: datetime


@function
def recorded_rows(*, tenant: UUID, kinds: list[str], tables: list[str]) -> list[RecordedRows]:
    """The rows that the open transaction has recorded since the last call; no row if there are none."""


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
    """Store a signed receipt, also for the next seal."""


@dataclass(frozen=True, slots=True)
class StoredReceipt:
    """A stored receipt: see RecordedRows."""

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
    """The oldest unsealed receipts, up to a total number of `rows`."""


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
    """Store the new root of the locked tree and its newly complete nodes, and mark the receipts as sealed."""


@function
def get_leaf_row(*, tenant: UUID, kind: str, id: UUID) -> str | None:
    """The canonical JSON of a row's leaf."""


@function
def note_verification(*, tenant: UUID, findings: int) -> None:
    """Store the time of a verification of the ledger and its number of findings."""


@function
def set_ledger_alarm(*, tenant: UUID, reason: str | None) -> None:
    """Store why sealing and publishing stopped for the tenant; None if they work again."""


@function
def count_ledger_alarms() -> int:
    """The number of tenants whose sealing and publishing stopped. Needs no context."""


@dataclass(frozen=True, slots=True)
class KnownKey:
    """The fingerprint of the signing key that new chains pin, and whether any chain has a key."""

    fingerprint: str | None
    origin: str | None
    is_pinned: bool


@function
def known_signing_key() -> KnownKey: ...


@dataclass(frozen=True, slots=True)
class NotedSecret:
    """The fingerprint of a secret that all nodes share, with the node and time that stored it."""

    name: str
    fingerprint: str
    origin: str
    noted_at: datetime


@function
def shared_secrets() -> list[NotedSecret]: ...


@function
def note_shared_secret(name: str, fingerprint: str, origin: str, replaces: bool) -> None: ...
