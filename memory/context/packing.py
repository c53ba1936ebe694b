"""Filling a bundle: choose the candidates that fit their section's share of the tokens. Uses no database and no
clock."""

import itertools
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from governance import tokens
from memory.context import fences, trimming
from memory.context.sections import TOKENS_AT_LEAST, Candidate, Gathered, Section
from memory.near_duplicates import Crowd, Crowds
from memory.normal_text import letters_and_digits, normal_text

#: The reasons of omissions, in the order of the response.
REASONS = (
    *("budget", "origin_share", "item_share", "duplicate", "near_duplicate"),
    *("quarantined", "blocked", "channel", "sensitivity"),
)
#: A section with more than one part in this many of its room unused fetches further candidates, which may be smaller
#: than those that did not fit.
FULL_BUT_FOR = 10
#: One item, which is a memory or all chunks of one event, takes one part in this many of what its section can fill,
#: while other items of the section want the rest.
ITEM_PART = 4
#: No item is trimmed to fewer tokens.
MIN_ITEM_TOKENS = 64
#: How many pages to search for candidates of origins that have not had their share.
PAGES_FOR_OTHERS = 2
_EPOCH = datetime.min.replace(tzinfo=UTC)


@dataclass(slots=True)
class Packed:
    """A candidate with the tokens of its block and, after packing, its name in the text. `whole` is the item before
    trimming."""

    candidate: Candidate
    tokens: int
    ref: str = ""
    whole: "Packed | None" = None


@dataclass(slots=True)
class PackedSection:
    """A filled section: its `tokens` include the heading; its `budget` may include what other sections left unused."""

    section: Section
    budget: int
    tokens: int = 0
    items: list[Packed] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Omission:
    """The memories that a section omitted for one reason: `ids`, and `beyond` more that were not fetched."""

    section: str
    reason: str
    ids: list[uuid.UUID]
    beyond: int = 0

    @property
    def count(self) -> int:
        """The number of omitted memories, including those that were counted but not fetched."""
        return len(self.ids) + self.beyond


@dataclass(frozen=True, slots=True)
class TrimmedItem:
    """A shortened item: a memory (`kind` is the candidate's), or the chunks of an event (`event`), with its tokens in
    the bundle and all of its tokens. For an event, only fetched chunks count."""

    section: str
    kind: str
    id: uuid.UUID
    tokens: int
    of_tokens: int


@dataclass(frozen=True, slots=True)
class Packing:
    """The sections by priority, the omissions, the shortened items, and the tokens of the text form."""

    sections: list[PackedSection]
    omissions: list[Omission]
    total_tokens: int
    trimmed: list[TrimmedItem] = field(default_factory=list)

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

    A memory that the bundle already has is skipped; with `collapse` also one with the same words, and one that nearly
    says what others of its recorder say (memory/near_duplicates.py). Until step 3, one origin gets at most
    `origin_share` of what a section can fill. One item gets at most a quarter of it, trimmed if need be, and more only
    if no other candidate of the section wants the room. A section fetches further candidates while it has room that
    none of its own would fill.
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
        self.item_room = [0 for _ in gathered]
        # count the tokens of all candidates in one call
        every = iter(_counted([candidate for _, found in gathered for candidate in found.candidates]))
        self.waiting = [[next(every) for _ in found.candidates] for _, found in gathered]
        # a section without a share is included completely, and the others share the rest
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
        self.heeds_items = True
        self.taken: set[object] = set()
        # the texts that were taken, as letters and digits
        self.said: dict[bytes, list[str]] = {}
        self.crowds = Crowds()
        self.of_origin: dict[tuple[int, str], int] = {}
        # by number of the section and event: the tokens of its chunks there
        self.of_event: dict[tuple[int, uuid.UUID], int] = {}
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
        trimmed = [one for number in range(len(self.gathered)) for one in self._trimmed(number)]
        for number, (_, found) in enumerate(self.gathered):
            for left in self.waiting[number]:
                self._note(number, self._why_waiting(number, left), left.candidate.id)
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
            trimmed,
        )

    def _why_waiting(self, number: int, item: Packed) -> str:
        if self._over_item(number, item):
            return "item_share"
        return "origin_share" if self._over_origin(number, item) else "budget"

    def _trimmed(self, number: int) -> Iterator[TrimmedItem]:
        """The shortened items. Marks the last chunk of an event whose other chunks found no room; the reserve has room
        for the mark."""
        packed = self.packed[number]
        for item in packed.items:
            if (part := item.candidate.trimmed) is not None:
                yield TrimmedItem(
                    packed.section.name, item.candidate.kind, item.candidate.id, part.tokens, part.of_tokens
                )
        left: dict[uuid.UUID, int] = {}
        for item in self.waiting[number]:
            if (event := item.candidate.event) is not None and (number, event) in self.of_event:
                left[event] = left.get(event, 0) + item.tokens
        for event, missing in left.items():
            there = self.of_event[number, event]
            last = [item for item in packed.items if item.candidate.event == event][-1]
            last.candidate = replace(last.candidate, is_partial=True)
            (marked,) = _counted([last.candidate])
            packed.tokens += marked.tokens - last.tokens
            last.tokens = marked.tokens
            yield TrimmedItem(packed.section.name, "event", event, there, there + missing)

    def _omissions(self, number: int) -> Iterator[Omission]:
        section, last_page = self.gathered[number]
        for reason in REASONS:
            beyond = last_page.beyond if reason == "budget" else 0
            omission = Omission(section.name, reason, list(self.reasons.get((number, reason), ())), beyond)
            if omission.count:
                yield omission

    def _fill(self, number: int, room: int) -> int:
        """Take candidates that fit into `room`, fetching further ones while there is room; returns the tokens used.
        Room that no other item wants goes to items that have reached their part of the section."""
        able = self.packed[number].tokens + room
        self.origin_room[number] = int(able * self.origin_share)
        self.item_room[number] = max(able // ITEM_PART, MIN_ITEM_TOKENS)
        self.heeds_items = bool(self.packed[number].section.share)
        used, is_full = self._take(number, room)
        while not is_full and self._fetch_further(number):
            more, is_full = self._take(number, room - used)
            used += more
        if self.heeds_items:
            used += self._restore(number, room - used)
            self.heeds_items = False
            used += self._take(number, room - used)[0]
        return used

    def _restore(self, number: int, room: int) -> int:
        """Restore trimmed items, as far as `room` allows; returns the tokens used."""
        packed, used = self.packed[number], 0
        for item in packed.items:
            if item.whole is not None and (more := item.whole.tokens - item.tokens) <= room - used:
                item.candidate, item.tokens, item.whole = item.whole.candidate, item.whole.tokens, None
                used += more
        packed.tokens += used
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
        is_over = is_crowded = False
        for item in self.waiting[number]:
            keys = _keys(item.candidate)
            is_known = not self.taken.isdisjoint(keys)
            begins = 0 if packed.items else self.headings[number]
            whole = item
            if not (is_known or is_over) and self.heeds_items and item.tokens > self.item_room[number]:
                item = self._trim(number, item, room - used - begins)
            cost = item.tokens + begins
            waits = self.heeds_origins and self._over_origin(number, item)
            is_next = self.heeds_items and self._over_item(number, item)
            if not is_known and (is_over or used + cost > room or waits or is_next):
                # a window stops at the first candidate without room, but skips one that is too large for an empty
                # window, and chunks of an event that has had its part
                is_over = is_over or (is_window and not is_next and cost <= max(packed.budget, room))
                left.append(whole)
                continue
            # compare words last, only for a candidate that would be taken
            crowd = self._crowd_of(item.candidate, is_window)
            if crowd and crowd.is_short and self.heeds_items and self.crowds.is_full(crowd.number):
                left.append(whole)
                is_crowded = True
                continue
            # in a window, "yes" to one question is not "yes" to another
            if is_known or self._is_said(item.candidate.text, is_window):
                self._note(number, "duplicate", item.candidate.id)
                continue
            if crowd and not self.crowds.counts(crowd.number) and not crowd.is_short:
                self._note(number, "near_duplicate", item.candidate.id)
                continue
            used += cost
            packed.tokens += cost
            packed.items.append(item)
            self.taken.update(keys)
            self.taken.update((part.kind, part.id) for part in item.candidate.parts)
            for origin in item.candidate.origins:
                self.of_origin[number, origin] = self.of_origin.get((number, origin), 0) + item.tokens
            if (event := item.candidate.event) is not None:
                self.of_event[number, event] = self.of_event.get((number, event), 0) + item.tokens
        self.waiting[number] = left
        # origins that have had their share can fill the room in the end, so look for others on one further page only
        if self.heeds_origins and self.pages[number] >= PAGES_FOR_OTHERS:
            is_over = is_over or any(self._over_origin(number, item) for item in left)
        if self.heeds_items and not is_window and self.pages[number] >= PAGES_FOR_OTHERS:
            is_over = is_over or any(self._over_item(number, item) for item in left)
        # the others of a short crowd fill the room in the end too
        is_over = is_over or (is_crowded and self.pages[number] >= PAGES_FOR_OTHERS)
        spare = max(packed.budget, room) // FULL_BUT_FOR if left else TOKENS_AT_LEAST
        return used, is_over or room - used < spare

    def _is_said(self, text: str, is_window: bool) -> bool:
        """Whether a text that was taken says the same, where that matters; if not, `text` is taken."""
        alike = self.said.setdefault(letters_and_digits(text), [])
        if alike and self.collapse and not is_window and normal_text(text) in map(normal_text, alike):
            return True
        alike.append(text)
        return False

    def _crowd_of(self, candidate: Candidate, is_window: bool) -> Crowd | None:
        """The crowd of a candidate, if it may belong to one. Only chunks can: every decision in force is needed."""
        if not self.collapse or is_window or candidate.kind != "chunk" or candidate.recorder is None:
            return None
        return self.crowds.crowd_of(candidate.text, candidate.recorder.name)

    def _trim(self, number: int, item: Packed, room: int) -> Packed:
        """An item that is larger than its part of the section, trimmed to that part; itself if it cannot be."""
        part = self.item_room[number]
        # a capsule consists of many selected memories
        if item.candidate.kind == "capsule" or room < part:
            return item
        shorter = trimming.trimmed(item.candidate, part, item.tokens)
        return item if shorter is None else Packed(*shorter, whole=item)

    def _note(self, number: int, reason: str, left_out: uuid.UUID) -> None:
        self.reasons.setdefault((number, reason), {})[left_out] = None

    def _note_withheld(self, number: int, page: Gathered) -> None:
        for reason, ids in page.withheld.items():
            for hidden in ids:
                self._note(number, reason, hidden)

    def _over_origin(self, number: int, item: Packed) -> bool:
        room = self.origin_room[number]
        return any(self.of_origin.get((number, origin), 0) + item.tokens > room for origin in item.candidate.origins)

    def _over_item(self, number: int, item: Packed) -> bool:
        """Whether its event has reached its part of the section."""
        event = item.candidate.event
        there = 0 if event is None else self.of_event.get((number, event), 0)
        return there > 0 and there + item.tokens > self.item_room[number]


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
