"""The findings of a verification, and its report."""

from dataclasses import dataclass
from enum import StrEnum


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
    Kind.OLDER: (
        "The export was made before the tree head, or its end was cut off. Export the ledger again and verify the new"
        " export: if it ends before the tree head too, somebody cut off the ledger's end or restored an older backup."
    ),
    Kind.SPLIT_VIEW: "Somebody rewrote the history: the ledger showed something else before.",
    Kind.UNPROVEN_STATE: "Readers see something that does not follow from what was approved.",
    Kind.UNPROVEN_AUTHORITY: "Somebody has, or lost, a right that no entry of the ledger gave or took.",
    Kind.SCHEMA: "Somebody changed the database's own guards after the last migration.",
    Kind.NO_RECEIPT: "Somebody put a row into the database past the server.",
    Kind.NO_TREE_HEADS: "The ledger has seals, and the published tree heads are gone.",
    Kind.NOT_WITNESSED: "Too few witnesses have seen this history: others may have been shown another one.",
}

#: The place of findings about a row of the tree; their number is the row's position.
LEAVES = "leaves"
#: The place of findings about words, which only a database can show.
CONTENT = "content"
#: The place of findings about rows that have no leaf: what readers see, rights, the schema, published notes.
ROWS = "rows"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of the database, and the column of it that is wrong, if it is one."""

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
