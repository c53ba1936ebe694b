"""Filling a bundle: which candidates fit their section's share of the tokens. Pure: no database, no clock."""

import itertools
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from memory.context import fences, tokens
from memory.context.sections import Candidate, Gathered, Section

#: Why something was left out, in the order in which answers tell.
REASONS = ("budget", "origin_share", "duplicate", "quarantined", "blocked", "sensitivity")
_EPOCH = datetime.min.replace(tzinfo=UTC)
_NO_WORD = re.compile(r"\W+")


@dataclass(slots=True)
class Packed:
    """A candidate in the bundle, with the tokens of its block and, once all are packed, its name in the text."""

    candidate: Candidate
    tokens: int
    ref: str = ""


@dataclass(slots=True)
class PackedSection:
    """What a section got: `tokens` with its heading, of a `budget` that may have grown by what others left unused."""

    section: Section
    budget: int
    tokens: int = 0
    items: list[Packed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Omission:
    """What one section left out, for one reason."""

    section: str
    reason: str
    ids: list[uuid.UUID]


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


def pack(gathered: Sequence[tuple[Section, Gathered]], *, max_tokens: int, origin_share: float) -> Packing:
    """Fill `max_tokens` from the sections' candidates, sections by priority.

    1. Every section fills its share, and what the sections before it left unused.
    2. What is left after the last is offered from the first on.

    A memory that is in the bundle already is passed over. Of one origin a section takes at most `origin_share` of its
    own share.
    """
    return _Packer(gathered, max_tokens, origin_share).pack()


class _Packer:
    def __init__(self, gathered: Sequence[tuple[Section, Gathered]], max_tokens: int, origin_share: float) -> None:
        self.gathered = gathered
        opening = [fences.preamble(fences.BLANK_NONCE), *(fences.heading(section.title) for section, _ in gathered)]
        self.opening, *self.headings = tokens.count(opening)
        self.room = max_tokens - self.opening
        self.packed = [PackedSection(section, self.room * section.share // 100) for section, _ in gathered]
        self.origin_room = [int(packed.budget * origin_share) for packed in self.packed]
        self.waiting = self._waiting()
        self.taken: set[object] = set()
        self.of_origin: dict[tuple[int, str], int] = {}
        self.reasons: dict[tuple[int, str], list[uuid.UUID]] = {}

    def _waiting(self) -> list[list[Packed]]:
        """Every candidate with its tokens: one count for all of them."""
        flat = [candidate for _, found in self.gathered for candidate in found.candidates]
        no_ref = fences.reference(0)
        counted = tokens.count([fences.block(one, no_ref, fences.BLANK_NONCE) for one in flat])
        every = iter([Packed(one, cost) for one, cost in zip(flat, counted, strict=True)])
        return [[next(every) for _ in found.candidates] for _, found in self.gathered]

    def pack(self) -> Packing:
        unused = 0
        for number, packed in enumerate(self.packed):
            packed.budget += unused
            unused = packed.budget - self._fill(number, packed.budget)
        for number, packed in enumerate(self.packed):
            used = self._fill(number, unused)
            packed.budget += used
            unused -= used
        for number, (_, found) in enumerate(self.gathered):
            for reason, ids in found.withheld.items():
                self.reasons.setdefault((number, reason), []).extend(ids)
            for left in self.waiting[number]:
                why = "origin_share" if self._over_origin(number, left) else "budget"
                self.reasons.setdefault((number, why), []).append(left.candidate.id)
            if found.is_window:
                self.packed[number].items.sort(key=lambda item: (item.candidate.ts or _EPOCH, item.candidate.id))
        numbers = itertools.count(1)
        for packed in self.packed:
            for item in packed.items:
                item.ref = fences.reference(next(numbers))
        return Packing(
            self.packed,
            [
                Omission(section.name, reason, self.reasons[number, reason])
                for number, (section, _) in enumerate(self.gathered)
                for reason in REASONS
                if self.reasons.get((number, reason))
            ],
            self.opening + sum(packed.tokens for packed in self.packed),
        )

    def _fill(self, number: int, room: int) -> int:
        """Take what fits into `room`; returns the tokens used."""
        packed, used = self.packed[number], 0
        is_window = self.gathered[number][1].is_window
        left: list[Packed] = []
        is_full = False
        for item in self.waiting[number]:
            keys = _keys(item.candidate)
            is_known = not self.taken.isdisjoint(keys)
            cost = item.tokens + (0 if packed.items else self.headings[number])
            if not is_known and (is_full or used + cost > room or self._over_origin(number, item)):
                # a window ends where it is full; but what would not fit an empty one is passed over
                is_full = is_full or (is_window and cost <= max(packed.budget, room))
                left.append(item)
                continue
            # the words last: only what would be taken is worth comparing
            words = "" if is_known else normal(item.candidate.text)
            if is_known or words in self.taken:
                self.reasons.setdefault((number, "duplicate"), []).append(item.candidate.id)
                continue
            self.taken.add(words)
            used += cost
            packed.tokens += cost
            packed.items.append(item)
            self.taken.update(keys)
            self.taken.update((part.kind, part.id) for part in item.candidate.parts)
            for origin in item.candidate.origins:
                self.of_origin[number, origin] = self.of_origin.get((number, origin), 0) + item.tokens
        self.waiting[number] = left
        return used

    def _over_origin(self, number: int, item: Packed) -> bool:
        room = self.origin_room[number]
        return any(self.of_origin.get((number, origin), 0) + item.tokens > room for origin in item.candidate.origins)


def _keys(candidate: Candidate) -> list[object]:
    """By what a memory is known again, but for its words: its id and its event."""
    known: list[object] = [(candidate.kind, candidate.id)]
    return known if candidate.memory is None else [*known, candidate.memory]


def normal(text: str) -> str:
    """The words of a text, whatever their case and punctuation; a text without words is itself."""
    return _NO_WORD.sub(" ", text.casefold()).strip() or text


def counted_edits(candidates: Sequence[Candidate]) -> int:
    """How many edits are in effect in these, each memory counted once wherever it stands."""
    edits = {(one.kind, one.id): one.edits_applied for one in candidates}
    for candidate in candidates:
        edits |= {(part.kind, part.id): part.edits_applied for part in candidate.parts}
    return sum(edits.values())
