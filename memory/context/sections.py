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

from governance import gate
from governance.principals import Principal
from memory.reading.audience import Audience

#: Sections share this much of the tokens; the rest is the reserve, which nothing fills.
SHARED_PERCENT = 90
#: A candidate is seldom smaller, block and all: so many tokens of budget for each that is fetched.
TOKENS_PER_CANDIDATE = 160
MIN_CANDIDATES, MAX_CANDIDATES = 20, 2_000


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

    @property
    def limit(self) -> int:
        """How many candidates of one section could matter: no more are fetched."""
        return min(max(self.max_tokens // TOKENS_PER_CANDIDATE, MIN_CANDIDATES), MAX_CANDIDATES)

    @cached_property
    def session_rows(self) -> list[dict[str, Any]]:
        """The newest chunks of the session, in order of time, those withheld among them. Two sections ask."""
        found = gate.call(
            "get_session_window", self.principal.tenant_id, self.session_id, self.audience.listening,
            self.audience.sensitivities, self.include_quarantined, self.limit,
        )  # fmt: skip
        return sorted(found, key=lambda row: (row["ts"], row["chunk_id"]))

    @cached_property
    def decision_rows(self) -> list[dict[str, Any]]:
        """The decisions in force, by precedence, those withheld among them. Two sections ask."""
        return gate.call(
            "get_context_decisions", self.principal.tenant_id, self.session_id, self.subject_type, self.subject_id,
            self.project_id, self.audience.listening, self.audience.sensitivities, self.include_quarantined, self.limit,
        )  # fmt: skip


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

    `is_window`: taken without gaps and shown in order of time, the oldest first.
    """

    candidates: Sequence[Candidate] = ()
    withheld: Mapping[str, Sequence[uuid.UUID]] = field(default_factory=dict)
    is_window: bool = False


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

_sections: dict[str, Section] = {}
_notes: dict[str, Note] = {}


def register(*added: Section, note: Note | None = None) -> None:
    """Have these sections in every bundle; called once by their app's `ready()`. `note` is told of what they injected.

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


def note_of(name: str) -> Note | None:
    """Who is told of what the section injected."""
    return _notes.get(name)


def unregister(name: str) -> None:
    """Take a section out again."""
    del _sections[name]
    _notes.pop(name, None)


def registered() -> list[Section]:
    """All sections, by priority."""
    return sorted(_sections.values(), key=lambda section: (section.priority, section.name))
