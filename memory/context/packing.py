"""Filling a bundle: choose the candidates that fit their section's share of the tokens. Uses no database and no
clock."""

import itertools
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory.context import fences, tokens
from memory.context.sections import TOKENS_AT_LEAST, Candidate, Gathered, Section
from memory.wording import letters_and_digits, normal_text

#: The reasons of omissions, in the order of answers.
REASONS = ("budget", "origin_share", "duplicate", "quarantined", "blocked", "channel", "sensitivity")
#: A section with more than one part in this many of its room unused fetches further candidates, which may be smaller
#: than those that did not fit.
FULL_BUT_FOR = 10
#: How many pages to search for candidates of origins that have not had their share.
PAGES_FOR_OTHERS = 2
_EPOCH = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class Packed:
    """A candidate with the tokens of its block and, once all are packed, its name in the text."""

    candidate: Candidate
    tokens: int
    ref: str = ""


@dataclass(slots=True)
class PackedSection:
    """A filled section: its `tokens` include the heading; its `budget` may include what other sections left unused."""

    section: Section
    budget: int
    tokens: int = 0
    items: list[Packed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Omission:
    """What one section left out for one reason: `ids`, and `beyond` more that were not fetched."""

    section: str
    reason: str
    ids: list[uuid.UUID]
    beyond: int = 0

    @property
    def count(self) -> int:
        """How many memories were left out, including those that were counted but not fetched."""
        return len(self.ids) + self.beyond


@dataclass(frozen=True, slots=True)
class Packing:
    """The sections by priority, what was left out, and the tokens of the text form."""

    sections: list[PackedSection]
    omissions: list[Omission]
    total_tokens: int

    @property
    def items(self) -> list[tuple[Section, Packed]]:
        """Every item with its section, in order."""
        return [(packed.section, item) for packed in self.sections for item in packed.items]


def pack(
    gathered: Sequence[tuple[Section, Gathered]], *, max_tokens: int, origin_share: float, collapse: bool = True
) -> Packing:
    """Fill `max_tokens` from the sections' candidates, sections by priority.

    1. Every section fills its share and what the sections before it left unused.
    2. What remains after the last section is offered to all sections again, from the first on.
    3. What then remains is offered to the origins that have had their share.

    A memory that the bundle already has is skipped, and with `collapse` one with the same words. Until step 3, one
    origin gets at most `origin_share` of what a section can fill. A section fetches further candidates while it has
    room that none of its own would fill.
    """
    return _Packer(gathered, max_tokens, origin_share, collapse).pack()


class _Packer:
    def __init__(
        self, gathered: Sequence[tuple[Section, Gathered]], max_tokens: int, origin_share: float, collapse: bool
    ) -> None:
        self.collapse = collapse
        self.gathered = list(gathered)  # the last page of each
        blank = fences.BLANK_NONCE
        lines = [fences.preamble(blank), fences.closing(blank)]
        first, last, *self.headings = tokens.count(
            [*lines, *(fences.heading(section.title, blank) for section, _ in gathered)]
        )
        self.around = first + last
        self.room = max_tokens - self.around
        self.origin_share = origin_share
        self.origin_room = [0 for _ in gathered]
        # count the tokens of all candidates in one call
        every = iter(_counted([candidate for _, found in gathered for candidate in found.candidates]))
        self.waiting = [[next(every) for _ in found.candidates] for _, found in gathered]
        # a section without a share is there whole, and the others share what it leaves
        whole = [
            sum(item.tokens for item in items) + heading if items and not section.share else 0
            for (section, _), items, heading in zip(gathered, self.waiting, self.headings, strict=True)
        ]
        shared = max(self.room - sum(whole), 0)
        self.packed = [
            PackedSection(section, min(own, self.room) if own else shared * section.share // 100)
            for (section, _), own in zip(gathered, whole, strict=True)
        ]
        self.pages = [1 for _ in gathered]
        self.heeds_origins = True
        self.taken: set[object] = set()
        # the texts that were taken, by their letters and digits
        self.said: dict[bytes, list[str]] = {}
        self.of_origin: dict[tuple[int, str], int] = {}
        # by number of the section and reason: the ids, each once
        self.reasons: dict[tuple[int, str], dict[uuid.UUID, None]] = {}
        for number, (_, found) in enumerate(gathered):
            self._note_withheld(number, found)

    def pack(self) -> Packing:
        unused = 0
        for number, packed in enumerate(self.packed):
            packed.budget += unused
            unused = packed.budget - self._fill(number, packed.budget)
        for self.heeds_origins in (True, False):
            for number, packed in enumerate(self.packed):
                used = self._fill(number, unused)
                packed.budget += used
                unused -= used
        for number, (_, found) in enumerate(self.gathered):
            for left in self.waiting[number]:
                self._note(number, "origin_share" if self._over_origin(number, left) else "budget", left.candidate.id)
            if found.is_window:
                self.packed[number].items.sort(key=lambda item: (item.candidate.ts or _EPOCH, item.candidate.id))
            else:
                # a later page may hold better ones
                self.packed[number].items.sort(key=lambda item: -(item.candidate.score or 0))
        numbers = itertools.count(1)
        for packed in self.packed:
            for item in packed.items:
                item.ref = fences.reference(next(numbers))
        return Packing(
            self.packed,
            [omission for number in range(len(self.gathered)) for omission in self._omissions(number)],
            self.around + sum(packed.tokens for packed in self.packed),
        )

    def _omissions(self, number: int) -> Iterator[Omission]:
        section, last_page = self.gathered[number]
        for reason in REASONS:
            beyond = last_page.beyond if reason == "budget" else 0
            omission = Omission(section.name, reason, list(self.reasons.get((number, reason), ())), beyond)
            if omission.count:
                yield omission

    def _fill(self, number: int, room: int) -> int:
        """Take what fits into `room`, fetching further candidates while it is not full; returns the tokens used."""
        self.origin_room[number] = int((self.packed[number].tokens + room) * self.origin_share)
        used, is_full = self._take(number, room)
        while not is_full and self._fetch_further(number):
            more, is_full = self._take(number, room - used)
            used += more
        return used

    def _fetch_further(self, number: int) -> bool:
        """Fetch the section's next page into `waiting`; returns whether there was one."""
        section, page = self.gathered[number]
        if page.further is None:
            return False
        following = page.further()
        self.gathered[number] = (section, following)
        self.pages[number] += 1
        self.waiting[number] += _counted(following.candidates)
        self._note_withheld(number, following)
        return True

    def _take(self, number: int, room: int) -> tuple[int, bool]:
        """Take the waiting candidates that fit into `room`; returns the tokens used, and whether it is full."""
        packed, used = self.packed[number], 0
        is_window = self.gathered[number][1].is_window
        left: list[Packed] = []
        is_over = False
        for item in self.waiting[number]:
            keys = _keys(item.candidate)
            is_known = not self.taken.isdisjoint(keys)
            cost = item.tokens + (0 if packed.items else self.headings[number])
            waits = self.heeds_origins and self._over_origin(number, item)
            if not is_known and (is_over or used + cost > room or waits):
                # a window stops at the first candidate without room, but skips one that is too large for an empty
                # window
                is_over = is_over or (is_window and cost <= max(packed.budget, room))
                left.append(item)
                continue
            # compare words last, only for a candidate that would be taken; in a window, "yes" to one question is not
            # "yes" to another
            if is_known or self._is_said(item.candidate.text, is_window):
                self._note(number, "duplicate", item.candidate.id)
                continue
            used += cost
            packed.tokens += cost
            packed.items.append(item)
            self.taken.update(keys)
            self.taken.update((part.kind, part.id) for part in item.candidate.parts)
            for origin in item.candidate.origins:
                self.of_origin[number, origin] = self.of_origin.get((number, origin), 0) + item.tokens
        self.waiting[number] = left
        # origins that have had their share can fill the room in the end, so look for others on one further page only
        if self.heeds_origins and self.pages[number] >= PAGES_FOR_OTHERS:
            is_over = is_over or any(self._over_origin(number, item) for item in left)
        spare = max(packed.budget, room) // FULL_BUT_FOR if left else TOKENS_AT_LEAST
        return used, is_over or room - used < spare

    def _is_said(self, text: str, is_window: bool) -> bool:
        """Whether a text that was taken says the same, where that matters; if not, `text` is taken."""
        alike = self.said.setdefault(letters_and_digits(text), [])
        if alike and self.collapse and not is_window and normal_text(text) in map(normal_text, alike):
            return True
        alike.append(text)
        return False

    def _note(self, number: int, reason: str, left_out: uuid.UUID) -> None:
        self.reasons.setdefault((number, reason), {})[left_out] = None

    def _note_withheld(self, number: int, page: Gathered) -> None:
        for reason, ids in page.withheld.items():
            for hidden in ids:
                self._note(number, reason, hidden)

    def _over_origin(self, number: int, item: Packed) -> bool:
        room = self.origin_room[number]
        return any(self.of_origin.get((number, origin), 0) + item.tokens > room for origin in item.candidate.origins)


def _counted(candidates: Sequence[Candidate]) -> list[Packed]:
    """Candidates with the tokens of their blocks."""
    no_ref = fences.reference(0)
    costs = tokens.count([fences.block(one, no_ref) for one in candidates])
    return [Packed(one, cost) for one, cost in zip(candidates, costs, strict=True)]


def _keys(candidate: Candidate) -> list[object]:
    """The keys that identify a memory, apart from its words: its id and its event."""
    known: list[object] = [(candidate.kind, candidate.id)]
    return known if candidate.memory is None else [*known, candidate.memory]


def counted_edits(candidates: Sequence[Candidate]) -> int:
    """How many edits apply to these candidates and their parts, counting each memory once."""
    edits = {(one.kind, one.id): one.edits_applied for one in candidates}
    for candidate in candidates:
        edits |= {(part.kind, part.id): part.edits_applied for part in candidate.parts}
    return sum(edits.values())
