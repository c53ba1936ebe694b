"""The findings of a verification, and its report."""

from dataclasses import dataclass
from enum import StrEnum

from suture_verify.verified_until import VerifiedUntil


class Kind(StrEnum):
    """The kinds of findings."""

    GAP = "gap"
    LINK = "link"
    TIME = "time"
    SIGNATURE = "signature"
    KEY = "key"
    FOREIGN = "foreign"
    MALFORMED = "malformed"
    CONTENT_MISMATCH = "content mismatch"
    CONTENT_MISSING = "content missing without redaction"
    DANGLING_REFERENCE = "dangling reference"
    SEAL_MISMATCH = "seal mismatch"
    TRUNCATED = "truncated"
    OLDER = "older than the tree head"
    SPLIT_VIEW = "split view"
    UNPROVEN_STATE = "state without proof"
    UNPROVEN_AUTHORITY = "authority without proof"
    SCHEMA = "schema changed"
    NO_RECEIPT = "row without receipt"
    NO_TREE_HEADS = "no tree heads"
    NOT_WITNESSED = "not witnessed"

    @property
    def meaning(self) -> str:
        """The meaning of the finding, for operators."""
        return _MEANINGS[self]

    @property
    def advice(self) -> str:
        """The recommended action for the operator."""
        return _ADVICE[self]


_MEANINGS = {
    Kind.GAP: "Entries or leaves were deleted, inserted or moved.",
    Kind.LINK: "The entry, or the one before it, was changed after it was written.",
    Kind.TIME: "The entry's time is not after the time of the entry before it.",
    Kind.SIGNATURE: "The signature is damaged, or the entry was changed after it was signed.",
    Kind.KEY: "The signing key is not the chain's.",
    Kind.FOREIGN: "The entry belongs to another tenant or another chain.",
    Kind.MALFORMED: "The signed text is not an entry of this ledger format.",
    Kind.CONTENT_MISMATCH: "A row or its words were changed after they were recorded.",
    Kind.CONTENT_MISSING: "A row or its words were deleted, and no erasure explains it.",
    Kind.DANGLING_REFERENCE: "The entry refers to a row that is not in the record.",
    Kind.SEAL_MISMATCH: "Rows or a chain were changed after they were sealed.",
    Kind.TRUNCATED: "The end is missing: it was cut off, or an older backup was restored.",
    Kind.OLDER: "The export was made before the tree head, or its end was cut off.",
    Kind.SPLIT_VIEW: "The history was rewritten: the ledger had different content before.",
    Kind.UNPROVEN_STATE: "Readers see content that does not follow from the approved edits.",
    Kind.UNPROVEN_AUTHORITY: "A right was granted or revoked without an entry in the ledger.",
    Kind.SCHEMA: "The database's own guards were changed after the last migration.",
    Kind.NO_RECEIPT: "A row was inserted into the database without the server.",
    Kind.NO_TREE_HEADS: "The ledger has seals, but the published tree heads are missing.",
    Kind.NOT_WITNESSED: "Too few witnesses have seen this history. Others may have been shown a different one.",
}

_RESTORE = (
    "Preserve the database as evidence. Find out who could connect as the owner or as a superuser, and restore"
    " the last backup whose ledger verifies."
)
_EXPORT_AGAIN = (
    "Export the ledger again. If the new export has the finding too, run `manage.py verify_chain` on the server."
)

_ADVICE = {
    Kind.GAP: f"{_EXPORT_AGAIN} A gap in the database itself: {_RESTORE}",
    Kind.LINK: f"{_EXPORT_AGAIN} An entry that was changed in the database itself: {_RESTORE}",
    Kind.TIME: (
        "The server never writes such an entry, so another program signed it. Replace the signing key, and restore the"
        " last backup whose ledger verifies."
    ),
    Kind.SIGNATURE: (
        "If the entries after it verify, only the stored signature is damaged: restore it from a backup or an older"
        " export. If it is the last entry, find out who could append entries, and change that role's password."
    ),
    Kind.KEY: (
        "Compare the first entry of the chain with a tree head or an export that you kept. Another key signed this"
        " part. Do not rely on it, and restore the last backup whose ledger verifies."
    ),
    Kind.FOREIGN: (
        "Check that the export and the tree heads belong to the right tenant. If they do, treat it as a gap."
    ),
    Kind.MALFORMED: (
        "Update this program if the server is newer. Otherwise, the entry was written with a stolen signing key:"
        " replace the key, and restore the last backup whose ledger verifies."
    ),
    Kind.CONTENT_MISMATCH: (
        "Do not rely on the row. A backup from the time of that seal has the original; an inclusion proof shows whether"
        f" a copy is the original. {_RESTORE}"
    ),
    Kind.CONTENT_MISSING: (
        "If it was an erasure, it was not approved, because the ledger has no entry for it. Restore the row from the"
        " last backup that has it."
    ),
    Kind.DANGLING_REFERENCE: f"The row that the entry names was deleted, or never recorded. {_RESTORE}",
    Kind.SEAL_MISMATCH: (
        f"{_EXPORT_AGAIN} That also compares each row with its leaf and names the rows that differ. {_RESTORE}"
    ),
    Kind.TRUNCATED: (
        "Restore the newest backup that verifies against the tree head. If there is none, everything recorded after"
        " that seal is lost. Restore the tree heads that were kept with the backup, so that the server writes again."
        " The newer ones still prove the loss."
    ),
    Kind.OLDER: (
        "Export the ledger again and verify the new export. If it also ends before the tree head, the ledger's"
        " end was cut off, or an older backup was restored."
    ),
    Kind.SPLIT_VIEW: (
        "Keep the tree heads and the export: together they prove that the ledger was rewritten. Find the newest backup"
        " that verifies against the tree heads, and replace the signing key."
    ),
    Kind.UNPROVEN_STATE: (
        "Run `manage.py verify_effective --repair`, which rebuilds the readers' view from the record, and verify"
        " again. Restore rows about erasures and context bundles, which it does not rebuild, from a backup. Find out"
        " who could write to the table."
    ),
    Kind.UNPROVEN_AUTHORITY: (
        "If the right is not intended, revoke it on the admin site, which adds an entry. Find out who could write to"
        " the table, and check how the right was used."
    ),
    Kind.SCHEMA: (
        "Find out who changed it. Recreate the object from its definition in the code, or restore a backup, and verify"
        " again. If you changed it yourself, run `manage.py migrate --accept-schema`."
    ),
    Kind.NO_RECEIPT: "Do not rely on the row: retract or erase it. Find out who could write to the table.",
    Kind.NO_TREE_HEADS: (
        "Restore the tree heads from your copies (TREE_HEAD_SINKS), and verify with --trusted-tree-head."
    ),
    Kind.NOT_WITNESSED: (
        "Ask the witnesses for the last note that they cosigned, and verify with these notes as trusted tree heads. If"
        " a witness was unavailable, publish again when it is available."
    ),
}

#: The place of findings about a row in the tree. Their number is the row's position.
LEAVES = "leaves"
#: The place of findings about words, which only a database contains.
CONTENT = "content"
#: The place of findings about rows without a leaf: the readers' view, rights, the schema, published notes.
ROWS = "rows"


@dataclass(frozen=True, slots=True)
class Row:
    """A row, and the wrong column if there is just one. `table` is the kind of a sealed row (`chunk`), or the name of a
    table whose rows are not sealed."""

    table: str
    id: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `chain` is the name of a chain, or LEAVES, CONTENT or ROWS; `seq` is the number there, if any.
    `found` and `expected` are the actual and the expected value; `since` is the governance entry of the first seal that
    shows the difference, if any."""

    kind: Kind
    chain: str
    seq: int | None
    detail: str
    row: Row | None = None
    found: str | None = None
    expected: str | None = None
    since: int | None = None


#: The most findings that a report lists. It counts all of them.
MAX_LISTED = 1000


class Findings:
    """Collects findings in any order, and keeps the first ones by chain and number."""

    def __init__(self) -> None:
        self.count = 0
        self._found: list[tuple[tuple[int, int, int], Finding]] = []
        self._places: dict[str, int] = {}

    def begin(self, place: str) -> None:
        """Assign a chain the next place in the report."""
        self._places.setdefault(place, len(self._places))

    def add(
        self,
        kind: Kind,
        place: str,
        seq: int | None,
        detail: str,
        *,
        row: Row | None = None,
        found: str | None = None,
        expected: str | None = None,
        since: int | None = None,
    ) -> None:
        """Add a finding."""
        self.begin(place)
        order = (self._places[place], -1 if seq is None else seq, self.count)
        self.count += 1
        self._found.append((order, Finding(kind, place, seq, detail, row, found, expected, since)))
        if len(self._found) >= 2 * MAX_LISTED:
            self._shorten()

    def sorted(self) -> tuple[Finding, ...]:
        """Return the first findings: by chain in the order of `begin`, then by number."""
        self._shorten()
        return tuple(finding for _, finding in self._found)

    def _shorten(self) -> None:
        self._found.sort(key=lambda found: found[0])
        del self._found[MAX_LISTED:]


@dataclass(frozen=True, slots=True)
class Report:
    """The result of a verification."""

    #: The first MAX_LISTED, in the order of chain and number.
    findings: tuple[Finding, ...]
    #: The number of all findings.
    finding_count: int
    entries: int
    chains: int
    leaves: int
    #: Leaves after the last seal, which are not proven yet.
    unsealed: int
    seals: int
    #: Missing contents that redactions explain.
    erased: int
    tree_heads: int
    signatures: int
    seconds: float
    #: The state up to which entries, rows and words were skipped as already verified; None if nothing was skipped.
    since: VerifiedUntil | None = None

    @property
    def ok(self) -> bool:
        """Whether there are no findings."""
        return self.finding_count == 0

    @property
    def first(self) -> Finding | None:
        """The first finding."""
        return self.findings[0] if self.findings else None

    @property
    def more(self) -> int:
        """The number of findings after the first."""
        return max(0, self.finding_count - 1)

    @property
    def signatures_per_second(self) -> float:
        """Signatures per second, over the whole verification."""
        return self.signatures / self.seconds if self.seconds else 0.0
