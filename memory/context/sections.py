"""What a bundle is made of: sections, in a registry, each with its share of the tokens. Other apps register theirs.

    class Capsules:
        name, title, priority, share = "capsules", "Capsules", 60, 6

        def gather(self, request: ContextRequest) -> Gathered:
            return Gathered([Candidate(kind="capsule", id=..., text=..., item={...}), ...])

    sections.register(Capsules())  # in the app's ready()

Words that a section gathers must be effective memory that `request.audience` may hear.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from governance.identity.principals import Principal
from memory.context import calls
from memory.context.calls import ContextChunk, ContextDecision, ContextTask, WordsNow
from memory.reading.audience import Audience

#: Sections share this much of the tokens; the rest is the reserve, which nothing fills.
SHARED_PERCENT = 90
#: A candidate is seldom smaller, block and all: so many tokens of budget for each that is fetched at first.
TOKENS_PER_CANDIDATE = 160
MIN_CANDIDATES, MAX_CANDIDATES = 20, 2_000
#: Few blocks are smaller: where there is room for more, so many tokens of budget for each that is fetched at all.
TOKENS_AT_LEAST = 32
#: How far beyond what is fetched is counted, and how many hidden ones of one list are told of.
COUNTED_BEYOND = 500


@dataclass(frozen=True)
class ContextRequest:
    """For whom a bundle is built, and about what. `query` is what the evidence shall be about, if the caller says."""

    principal: Principal
    audience: Audience
    session_id: str
    channel: str
    subject_type: str | None = None
    subject_id: str | None = None
    project_id: str | None = None
    query: str | None = None
    include_quarantined: bool = False
    max_tokens: int = 65_000
    _session_pages: dict[int, list[ContextChunk]] = field(default_factory=dict, repr=False, compare=False)
    _decision_pages: dict[int, list[ContextDecision]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def limit(self) -> int:
        """How many candidates of one section usually matter: the first page."""
        return min(max(self.max_tokens // TOKENS_PER_CANDIDATE, MIN_CANDIDATES), MAX_CANDIDATES)

    def page_size(self, start: int) -> int:
        """How many candidates the page from the `start`-th on has: each page as many as all before it, until no bundle
        could hold more. 0 there."""
        at_most = max(self.max_tokens // TOKENS_AT_LEAST, 4 * self.limit)
        return min(start or self.limit, at_most - start)

    @cached_property
    def session_rows(self) -> list[ContextChunk]:
        """The newest chunks of the session, in order of time, those withheld among them."""
        return self.session_page(0, self.limit)[::-1]

    def session_page(self, start: int, size: int) -> list[ContextChunk]:
        """Chunks of the session, the newest first, those withheld among them. Two sections ask."""
        if start not in self._session_pages:
            found = calls.get_session_window(
                tenant=self.principal.tenant_id,
                session_id=self.session_id,
                listening=self.audience.listening,
                include_quarantined=self.include_quarantined,
                offset=start,
                limit=size,
                beyond=COUNTED_BEYOND,
            )
            self._session_pages[start] = sorted(found, key=lambda row: (row.ts, row.chunk_id), reverse=True)
        return self._session_pages[start]

    def decision_page(self, start: int, size: int) -> list[ContextDecision]:
        """Decisions in force, by precedence, those withheld among them. Two sections ask."""
        if start not in self._decision_pages:
            self._decision_pages[start] = calls.get_context_decisions(
                tenant=self.principal.tenant_id,
                session_id=self.session_id,
                subject_type=self.subject_type,
                subject_id=self.subject_id,
                project_id=self.project_id,
                listening=self.audience.listening,
                include_quarantined=self.include_quarantined,
                offset=start,
                limit=size,
                beyond=COUNTED_BEYOND,
            )
        return self._decision_pages[start]

    def task_page(self, start: int, size: int) -> list[ContextTask]:
        """Tasks that are not done, what was asked about and what was started first, those withheld among them."""
        return calls.get_active_tasks(
            tenant=self.principal.tenant_id,
            session_id=self.session_id,
            subject_type=self.subject_type,
            subject_id=self.subject_id,
            project_id=self.project_id,
            listening=self.audience.listening,
            include_quarantined=self.include_quarantined,
            offset=start,
            limit=size,
            beyond=COUNTED_BEYOND,
        )

    def handoff_page(self, start: int, size: int) -> list[ContextChunk]:
        """Summaries of other sessions, the newest first, those withheld among them."""
        return calls.get_handoff(
            tenant=self.principal.tenant_id,
            session_id=self.session_id,
            subject_type=self.subject_type,
            subject_id=self.subject_id,
            project_id=self.project_id,
            listening=self.audience.listening,
            include_quarantined=self.include_quarantined,
            offset=start,
            limit=size,
            beyond=COUNTED_BEYOND,
        )


@dataclass(frozen=True, slots=True)
class Part:
    """A memory within a candidate, such as a chunk in a capsule: what else is injected with it."""

    kind: str
    id: uuid.UUID
    edits_applied: int = 0
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory that may be injected.

    `text` goes between the fences of the text form, `label` names who said it; `item` is the JSON form. `memory` is
    the event that it is all of: two candidates of one event are one memory. `origins` are whose share it takes up.
    """

    kind: str
    id: uuid.UUID
    text: str
    item: Mapping[str, Any]
    ts: datetime | None = None
    label: str = ""
    edits_applied: int = 0
    content_hash: str | None = None
    is_quarantined: bool = False
    memory: uuid.UUID | None = None
    origins: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    score: float | None = None
    similarity: float | None = None
    recency: float | None = None


@dataclass(frozen=True, slots=True)
class Gathered:
    """A section's candidates, the best first, and the ids that may not be seen, by reason: quarantined, blocked,
    sensitivity.

    `is_window`: taken without gaps and shown in order of time, the oldest first. `beyond` is how many more there are,
    counted up to COUNTED_BEYOND; `further` fetches the next of them, and is called while the section has room.
    """

    candidates: Sequence[Candidate] = ()
    withheld: Mapping[str, Sequence[uuid.UUID]] = field(default_factory=dict)
    is_window: bool = False
    beyond: int = 0
    further: "Callable[[], Gathered] | None" = None


class Section(Protocol):
    """`name` as answers have it, `title` as the text form does; the lowest `priority` comes first and keeps what two
    sections have; `share` in percent of the tokens."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def priority(self) -> int: ...
    @property
    def share(self) -> int: ...

    def gather(self, request: ContextRequest) -> Gathered:
        """The candidates of this section: a bounded number of queries, whatever their number."""
        ...


#: Told of what a section gave to a bundle, in the transaction that records it: who got it, the bundle's id, the items.
Note = Callable[[Principal, uuid.UUID, Sequence[Candidate]], None]

#: The own words of a section's items as they are now, for whoever looks at a bundle again: the reader, what they may
#: hear, the items' ids, whether quarantined ones were asked for. Answers each that may be seen.
Words = Callable[[Principal, Audience, Sequence[uuid.UUID], bool], Sequence[WordsNow]]

_sections: dict[str, Section] = {}
_notes: dict[str, Note] = {}
_words: dict[str, Words] = {}


def register(*added: Section, note: Note | None = None, words: Words | None = None) -> None:
    """Have these sections in every bundle; called once by their app's `ready()`. `note` is told of what they injected,
    `words` is asked for it again.

    Raises ValueError for a name that is taken and for shares that leave no reserve.
    """
    for section in added:
        if section.name in _sections:
            raise ValueError(f"there is a section {section.name} already")
        if section.share + sum(one.share for one in _sections.values()) > SHARED_PERCENT:
            raise ValueError(f"with section {section.name} the shares are more than {SHARED_PERCENT} %")
        _sections[section.name] = section
        if note is not None:
            _notes[section.name] = note
        if words is not None:
            _words[section.name] = words


def note_of(name: str) -> Note | None:
    """Who is told of what the section injected."""
    return _notes.get(name)


def words_of(name: str) -> Words | None:
    """Who knows the own words of what the section injected, where memory does not."""
    return _words.get(name)


def unregister(name: str) -> None:
    """Take a section out again."""
    del _sections[name]
    _notes.pop(name, None)
    _words.pop(name, None)


def registered() -> list[Section]:
    """All sections, by priority."""
    return sorted(_sections.values(), key=lambda section: (section.priority, section.name))
