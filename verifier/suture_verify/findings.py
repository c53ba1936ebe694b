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
        """What the finding means, for the person who has to act on it."""
        return _MEANINGS[self]

    @property
    def advice(self) -> str:
        """What the operator should do now."""
        return _ADVICE[self]


_MEANINGS = {
    Kind.GAP: "Somebody deleted, inserted or moved entries or leaves.",
    Kind.LINK: "Somebody changed the entry, or the one before it, after it was written.",
    Kind.TIME: "The entry claims to be no later than the one before it.",
    Kind.SIGNATURE: "The signature is damaged, or somebody changed the entry after it was signed.",
    Kind.KEY: "Somebody signed with a key that is not the chain's.",
    Kind.FOREIGN: "The entry belongs to another tenant or another chain.",
    Kind.MALFORMED: "The signed text is not an entry of this ledger format.",
    Kind.CONTENT_MISMATCH: "Somebody changed a row or its words after they were recorded.",
    Kind.CONTENT_MISSING: "Somebody deleted a row or its words, and no erasure explains it.",
    Kind.DANGLING_REFERENCE: "The entry refers to a row that is not in the record.",
    Kind.SEAL_MISMATCH: "Somebody changed rows or a chain after they were sealed.",
    Kind.TRUNCATED: "The end is missing: somebody cut it off or restored an older backup.",
    Kind.OLDER: "The export was made before the tree head, or its end was cut off.",
    Kind.SPLIT_VIEW: "Somebody rewrote the history: the ledger showed something else before.",
    Kind.UNPROVEN_STATE: "Readers see something that does not follow from what was approved.",
    Kind.UNPROVEN_AUTHORITY: "Somebody has, or lost, a right that no entry of the ledger gave or took.",
    Kind.SCHEMA: "Somebody changed the database's own guards after the last migration.",
    Kind.NO_RECEIPT: "Somebody put a row into the database past the server.",
    Kind.NO_TREE_HEADS: "The ledger has seals, and the published tree heads are gone.",
    Kind.NOT_WITNESSED: "Too few witnesses have seen this history: others may have been shown another one.",
}

_RESTORE = (
    "Keep the database as it is, as evidence. Find out who could connect as the owner or as a superuser, and restore"
    " the last backup whose ledger verifies."
)
_EXPORT_AGAIN = (
    "Export the ledger again. If the new export has the finding too, run `manage.py verify_chain` on the server."
)

_ADVICE = {
    Kind.GAP: f"{_EXPORT_AGAIN} A gap in the database itself: {_RESTORE}",
    Kind.LINK: f"{_EXPORT_AGAIN} An entry that was changed in the database itself: {_RESTORE}",
    Kind.TIME: (
        "The server never writes such an entry, so somebody else signed it. Replace the signing key, and restore the"
        " last backup whose ledger verifies."
    ),
    Kind.SIGNATURE: (
        "If the entries after it verify, only the stored signature is damaged: restore it from a backup or an older"
        " export. If it is the last entry, find out who could append entries, and change that role's password."
    ),
    Kind.KEY: (
        "Compare the first entry of the chain with a tree head or an export that you kept. Somebody else signed this"
        " part: do not rely on it, and restore the last backup whose ledger verifies."
    ),
    Kind.FOREIGN: (
        "Check that the export and the tree heads are of the tenant that you mean. If they are, treat it as a gap."
    ),
    Kind.MALFORMED: (
        "Update this program if the server is newer. If it is not, somebody with the signing key wrote the entry:"
        " replace the key, and restore the last backup whose ledger verifies."
    ),
    Kind.CONTENT_MISMATCH: (
        "Do not rely on the row. Its original is in a backup of the time of that seal; an inclusion proof says whether"
        f" a copy is the original. {_RESTORE}"
    ),
    Kind.CONTENT_MISSING: (
        "If it was an erasure, the ledger has no entry of it, so it was not approved. Restore the row from the last"
        " backup that has it."
    ),
    Kind.DANGLING_REFERENCE: f"The row that the entry names was deleted, or never recorded. {_RESTORE}",
    Kind.SEAL_MISMATCH: (
        f"{_EXPORT_AGAIN} That also compares each row with its leaf and names the rows that differ. {_RESTORE}"
    ),
    Kind.TRUNCATED: (
        "Restore the newest backup that verifies against the tree head. If there is none, what was recorded after that"
        " seal is lost: put back the tree heads that were kept with the backup, so that the server writes again. The"
        " newer ones go on proving the loss."
    ),
    Kind.OLDER: (
        "Export the ledger again and verify the new export. If it ends before the tree head too, somebody cut off the"
        " ledger's end or restored an older backup."
    ),
    Kind.SPLIT_VIEW: (
        "Keep the tree heads and the export: together they prove that the ledger was rewritten. Find the newest backup"
        " that verifies against the tree heads, and replace the signing key."
    ),
    Kind.UNPROVEN_STATE: (
        "Run `manage.py verify_effective --repair`, which makes what readers see from the record again, and verify"
        " again. Restore rows about erasures and context bundles, which it does not make, from a backup. Find out who"
        " could write to the table."
    ),
    Kind.UNPROVEN_AUTHORITY: (
        "If the right is not meant, take it away on the admin site, which leaves an entry. Find out who could write to"
        " the table, and look at what was done with the right."
    ),
    Kind.SCHEMA: (
        "Find out who changed it. Set the object right from the definition in the code, or restore a backup, and verify"
        " again. If you changed it yourself, run `manage.py migrate --accept-schema`."
    ),
    Kind.NO_RECEIPT: "Do not rely on the row: retract or erase it. Find out who could write to the table.",
    Kind.NO_TREE_HEADS: (
        "Copy the tree heads back from where you keep them (TREE_HEAD_SINKS), and verify with --trusted-tree-head."
    ),
    Kind.NOT_WITNESSED: (
        "Ask the witnesses for the note that they cosigned last, and verify with these notes as trusted tree heads. If"
        " a witness was away, publish again when it is back."
    ),
}

#: The place of findings about a row of the tree; their number is the row's position.
LEAVES = "leaves"
#: The place of findings about words, which only a database can show.
CONTENT = "content"
#: The place of findings about rows that have no leaf: what readers see, rights, the schema, published notes.
ROWS = "rows"


@dataclass(frozen=True, slots=True)
class Row:
    """A row, and the column of it that is wrong, if it is one. `table` is the kind of a sealed row (`chunk`), or the
    name of a table whose rows are not sealed."""

    table: str
    id: str
    field: str | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding. `chain` is the name of a chain, or LEAVES, CONTENT or ROWS; `seq` is the number there, if any.
    `found` and `expected` are what a row says and what it should say; `since` is the governance entry of the first
    seal that shows the difference, where one does."""

    kind: Kind
    chain: str
    seq: int | None
    detail: str
    row: Row | None = None
    found: str | None = None
    expected: str | None = None
    since: int | None = None


#: How many findings a report lists; it counts all of them.
MOST_LISTED = 1000


class Findings:
    """Collects findings in any order; keeps the first ones by chain and number."""

    def __init__(self) -> None:
        self.count = 0
        self._found: list[tuple[tuple[int, int, int], Finding]] = []
        self._places: dict[str, int] = {}

    def begin(self, place: str) -> None:
        """Give a chain its place in the report, after the chains that began before."""
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
        """Keep one finding."""
        self.begin(place)
        order = (self._places[place], -1 if seq is None else seq, self.count)
        self.count += 1
        self._found.append((order, Finding(kind, place, seq, detail, row, found, expected, since)))
        if len(self._found) >= 2 * MOST_LISTED:
            self._shorten()

    def sorted(self) -> tuple[Finding, ...]:
        """The first findings: by chain in the order of their beginning, then by number."""
        self._shorten()
        return tuple(finding for _, finding in self._found)

    def _shorten(self) -> None:
        self._found.sort(key=lambda found: found[0])
        del self._found[MOST_LISTED:]


@dataclass(frozen=True, slots=True)
class Report:
    """What was verified, and what was found."""

    #: The first MOST_LISTED, in the order of chain and number.
    findings: tuple[Finding, ...]
    #: How many there are in all.
    finding_count: int
    entries: int
    chains: int
    leaves: int
    #: Leaves after the last seal, which no entry proves yet.
    unsealed: int
    seals: int
    #: Missing contents that redactions explain.
    erased: int
    tree_heads: int
    signatures: int
    seconds: float
    #: What was taken as verified: entries, rows and words up to there were not looked at. None: everything was.
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
        """How many findings there are besides the first."""
        return max(0, self.finding_count - 1)

    @property
    def signatures_per_second(self) -> float:
        """Signatures checked per second of the whole verification."""
        return self.signatures / self.seconds if self.seconds else 0.0
