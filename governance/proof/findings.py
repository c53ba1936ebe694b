"""What verification finds, and its report."""

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What is wrong, by what it shows about the ledger."""

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
    SPLIT_VIEW = "split view"

    @property
    def meaning(self) -> str:
        """What it means, for whoever has to act on it."""
        return _MEANINGS[self]


_MEANINGS = {
    Kind.GAP: "Entries or leaves were taken out, put in or moved.",
    Kind.LINK: "The entry, or the one before it, was changed after it was written.",
    Kind.TIME: "The entry claims to be no later than the one before it.",
    Kind.SIGNATURE: "The signature was damaged, or the entry was changed after it was signed.",
    Kind.KEY: "Somebody signed with a key that was not the chain's.",
    Kind.FOREIGN: "The entry belongs to another tenant or another chain.",
    Kind.MALFORMED: "What was signed is not an entry as this ledger writes them.",
    Kind.CONTENT_MISMATCH: "A row or its words were changed after they were recorded.",
    Kind.CONTENT_MISSING: "A row or its words were deleted, and no erasure accounts for it.",
    Kind.DANGLING_REFERENCE: "The entry refers to a row that is not in the record.",
    Kind.SEAL_MISMATCH: "The rows or a chain are not what they were when they were sealed.",
    Kind.TRUNCATED: "The end is missing: it was cut off, or an older backup was restored.",
    Kind.SPLIT_VIEW: "History was rewritten: something else was shown before.",
}

#: The place, in findings, of what concerns a row of the tree; the number is then its position.
LEAVES = "leaves"
#: The place of what concerns words that only a database can check.
CONTENT = "content"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong. `chain` is a chain's name, or LEAVES or CONTENT; `seq` is the number there, if any."""

    kind: Kind
    chain: str
    seq: int | None
    detail: str


#: How many findings a report names, the first ones; all are counted.
MOST_NAMED = 1000


class Findings:
    """Findings as they come, in any order; the first ones of each chain are kept."""

    def __init__(self) -> None:
        self.count = 0
        self._found: list[tuple[tuple[int, int, int], Finding]] = []
        self._places: dict[str, int] = {}

    def begin(self, place: str) -> None:
        """Let a chain come, in the report, behind those that began before."""
        self._places.setdefault(place, len(self._places))

    def add(self, kind: Kind, place: str, seq: int | None, detail: str) -> None:
        """Keep one finding."""
        self.begin(place)
        order = (self._places[place], -1 if seq is None else seq, self.count)
        self.count += 1
        self._found.append((order, Finding(kind, place, seq, detail)))
        if len(self._found) >= 2 * MOST_NAMED:
            self._shorten()

    def sorted(self) -> tuple[Finding, ...]:
        """The first findings: by chain in the order of their beginning, then by number."""
        self._shorten()
        return tuple(finding for _, finding in self._found)

    def _shorten(self) -> None:
        self._found.sort(key=lambda found: found[0])
        del self._found[MOST_NAMED:]


@dataclass(frozen=True, slots=True)
class Report:
    """What was verified, and what was found."""

    #: The first ones (MOST_NAMED), in the order of chain and number.
    findings: tuple[Finding, ...]
    #: How many there are in all.
    finding_count: int
    entries: int
    chains: int
    leaves: int
    #: Leaves behind the last seal, which no entry vouches for.
    unsealed: int
    seals: int
    #: Contents that redactions account for.
    erased: int
    tree_heads: int
    signatures: int
    seconds: float

    @property
    def ok(self) -> bool:
        """Whether nothing was found."""
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
