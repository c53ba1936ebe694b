"""The registry of sections, each with its share of a bundle's tokens. Other apps register their own sections.

    class Capsules:
        name, title, priority, share = "capsules", "Capsules", 60, 6

        def gather(self, request: ContextRequest) -> Gathered:
            return Gathered([Candidate(kind="capsule", id=..., text=..., item={...}), ...])

    sections.register(Capsules())  # in the app's ready()

A section may only gather effective memory that `request.audience` may see.
"""

import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any, Protocol

from governance.acting.principals import Principal
from memory.context import db
from memory.context.db import ContextChunk, ContextDecision, ContextTask, WordsNow
from memory.queries.audience import Audience

#: The shares of all sections add up to at most this; the rest is a reserve that stays empty.
SHARED_PERCENT = 90
#: The first page has one candidate for this many tokens of the budget, because a section has only a share of it.
TOKENS_PER_CANDIDATE = 100
MIN_CANDIDATES, MAX_CANDIDATES = 20, 2_000
#: Few blocks are smaller: all pages together have at most one candidate for this many tokens of the budget.
TOKENS_AT_LEAST = 16
#: All pages together may always have this many: an event of 100,000 words has as many chunks.
PAGES_AT_LEAST = 1_000
#: How far to count beyond the fetched candidates, and how many hidden memories of one list to report.
COUNTED_BEYOND = 500


@dataclass(frozen=True)
class ContextRequest:
    """The request for a bundle. `query` is the topic of the evidence, if given."""

    principal: Principal
    audience: Audience
    session_id: str
    channel: str
    subject_type: str | None = None
    subject_id: str | None = None
    project_id: str | None = None
    query: str | None = None
    include_quarantined: bool = False
    collapse_duplicates: bool = True
    max_tokens: int = 65_000
    _session_pages: dict[int, list[ContextChunk]] = field(default_factory=dict, repr=False, compare=False)
    _decision_pages: dict[int, list[ContextDecision]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def limit(self) -> int:
        """The number of candidates on the first page of a section."""
        return min(max(self.max_tokens // TOKENS_PER_CANDIDATE, MIN_CANDIDATES), MAX_CANDIDATES)

    def page_size(self, start: int) -> int:
        """The number of candidates on the page from number `start` on: as many as on all previous pages together; 0 if
        the bundle could not contain more."""
        at_most = max(self.max_tokens // TOKENS_AT_LEAST, 4 * self.limit, PAGES_AT_LEAST)
        return min(start or self.limit, at_most - start)

    @cached_property
    def session_rows(self) -> list[ContextChunk]:
        """The newest chunks of the session in order of time, including withheld ones."""
        return self.session_page(0, self.limit)[::-1]

    def session_page(self, start: int, size: int) -> list[ContextChunk]:
        """Chunks of the session, newest first, including withheld ones. Cached, because two sections read it."""
        if start not in self._session_pages:
            found = db.get_session_window(
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
        """Decisions in force by precedence, including withheld ones. Cached, because two sections read it."""
        if start not in self._decision_pages:
            self._decision_pages[start] = db.get_context_decisions(
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
        """Tasks that are not done, including withheld ones: those of the request first, then the status `doing`."""
        return db.get_active_tasks(
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
        """Summaries of other sessions, newest first, including withheld ones."""
        return db.get_handoff(
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
    """A memory within a candidate, such as a chunk in a capsule, which is injected with it."""

    kind: str
    id: uuid.UUID
    edits_applied: int = 0
    content_hash: str | None = None


@dataclass(frozen=True, slots=True)
class Who:
    """A person, agent or tool as a bundle names them: `kind` is agent, human, tool, system, or empty."""

    kind: str
    name: str


@dataclass(frozen=True, slots=True)
class Trimmed:
    """The tokens of a shortened text, and of the whole text."""

    tokens: int
    of_tokens: int


@dataclass(frozen=True, slots=True)
class Candidate:
    """One memory that may be injected.

    `text` is what the text form quotes, and `item` is the JSON form. `speaker` and `ts` are who said it and when, as
    the caller claims; `recorder` and `recorded_at` are who recorded it and when, as the server knows. `memory` is its
    event, if the candidate has all of it: two candidates of one event are one memory; `event` is the event that it is
    a part of. `origins` are the origins whose share it uses. `unconfirmed` is the agent that amended a block of another
    agent, if nobody has confirmed it.

    `words` and `further_words` name the fields of `item` with the words of `text`, in its order. Packing sets `trimmed`
    if it keeps only the beginning of the text, and `is_partial` if it leaves out other chunks of the event.
    """

    kind: str
    id: uuid.UUID
    text: str
    item: Mapping[str, Any]
    ts: datetime | None = None
    speaker: Who | None = None
    recorder: Who | None = None
    recorded_at: datetime | None = None
    edits_applied: int = 0
    content_hash: str | None = None
    is_quarantined: bool = False
    unconfirmed: str = ""
    memory: uuid.UUID | None = None
    event: uuid.UUID | None = None
    origins: tuple[str, ...] = ()
    parts: tuple[Part, ...] = ()
    score: float | None = None
    similarity: float | None = None
    recency: float | None = None
    words: str = "text"
    further_words: tuple[str, ...] = ()
    trimmed: Trimmed | None = None
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Gathered:
    """A section's candidates, best first, and the ids that the reader may not see, by reason: quarantined, blocked,
    channel, sensitivity.

    `is_window`: the candidates are taken without gaps and shown in order of time, oldest first. `beyond` is how many
    more there are, counted up to COUNTED_BEYOND; `further` fetches the next page, and is called while the section has
    room.
    """

    candidates: Sequence[Candidate] = ()
    withheld: Mapping[str, Sequence[uuid.UUID]] = field(default_factory=dict)
    is_window: bool = False
    beyond: int = 0
    further: "Callable[[], Gathered] | None" = None


class Section(Protocol):
    """`name` is for the JSON form, `title` for the text form. The section with the lowest `priority` comes first, and
    keeps a memory that occurs in two sections. `share` is in percent of the tokens; a section with 0 gets the tokens
    that it needs, and the others share the rest."""

    @property
    def name(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def priority(self) -> int: ...
    @property
    def share(self) -> int: ...

    def gather(self, request: ContextRequest) -> Gathered:
        """The candidates of this section, with a constant number of queries."""
        ...


#: Called with a section's items in a bundle (the principal, the bundle's id, the items), in the transaction that
#: records the bundle.
OnInjected = Callable[[Principal, uuid.UUID, Sequence[Candidate]], None]

#: Returns the current text of a section's own items, for replaying a bundle. Takes the reader, their audience, the
#: items' ids, and whether to include quarantined ones; omits items that the reader may not see.
Words = Callable[[Principal, Audience, Sequence[uuid.UUID], bool], Sequence[WordsNow]]

_sections: dict[str, Section] = {}
_on_injected: dict[str, OnInjected] = {}
_words: dict[str, Words] = {}


def register(*added: Section, on_injected: OnInjected | None = None, words: Words | None = None) -> None:
    """Add these sections to every bundle; called once by their app's `ready()`. `on_injected` is called with the
    injected items, `words` to replay them.

    Raises ValueError for a name that exists already and for shares that leave no reserve.
    """
    for section in added:
        if section.name in _sections:
            raise ValueError(f"a section {section.name} is already registered")
        if section.share + sum(one.share for one in _sections.values()) > SHARED_PERCENT:
            raise ValueError(f"with section {section.name} the shares are more than {SHARED_PERCENT} %")
        _sections[section.name] = section
        if on_injected is not None:
            _on_injected[section.name] = on_injected
        if words is not None:
            _words[section.name] = words


def on_injected_of(name: str) -> OnInjected | None:
    """The function to call with what the section injected."""
    return _on_injected.get(name)


def words_of(name: str) -> Words | None:
    """The function that returns the current text of the section's own items, if memory does not know them."""
    return _words.get(name)


def unregister(name: str) -> None:
    """Remove a section."""
    del _sections[name]
    _on_injected.pop(name, None)
    _words.pop(name, None)


def registered() -> list[Section]:
    """All sections, by priority."""
    return sorted(_sections.values(), key=lambda section: (section.priority, section.name))
