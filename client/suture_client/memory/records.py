"""What the API answers, as frozen dataclasses that both faces share."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from functools import cache
from typing import Any, Self

from suture_client.memory.steps import Answer


@cache
def _names(kind: type) -> frozenset[str]:
    return frozenset(one.name for one in fields(kind))


@cache
def _times(kind: type) -> frozenset[str]:
    return frozenset(one.name for one in fields(kind) if one.name == "ts" or one.name.endswith("_at"))


def values_of(kind: type, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a dataclass from an answer. Fields that this client does not know are left out."""
    known, times = _names(kind), _times(kind)
    return {
        name: datetime.fromisoformat(value)
        if name in times and value is not None
        else tuple(value)
        if isinstance(value, list) and name != "value"
        else value
        for name, value in answer.items()
        if name in known
    }


@dataclass(frozen=True, kw_only=True)
class Record:
    """Something that the API answered."""

    @classmethod
    def of(cls, answer: Mapping[str, Any]) -> Self:
        """Read an answer."""
        return cls(**values_of(cls, answer))


@dataclass(frozen=True, kw_only=True)
class MemoryRecord(Record):
    """A memory as it is now. `created_at` is the time of its first version, `updated_at` of this one."""

    id: str
    text: str
    value: Any = None
    metadata: Mapping[str, Any]
    key: str | None = None
    kind: str
    source: str | None = None
    scope: str | None = None
    subject_type: str | None = None
    subject_id: str | None = None
    project_id: str | None = None
    session_id: str | None = None
    channel: str
    tags: tuple[str, ...] = ()
    importance: float | None = None
    recorder: str | None = None
    created_at: datetime
    updated_at: datetime
    expires_at: datetime | None = None
    chunk_ids: tuple[str, ...] = ()
    edits_applied: int = 0
    is_quarantined: bool = False

    @property
    def subject(self) -> str | None:
        """What it is about, such as `user:ada`."""
        return f"{self.subject_type}:{self.subject_id}" if self.subject_id else None


@dataclass(frozen=True, kw_only=True)
class RememberedRecord(Record):
    """That a memory was recorded: `recorded`, or `already_recorded` with the same id. The server does not repeat the
    text: `refresh` reads it. `redacted` names the kinds of secrets that were masked in it. Quarantined chunks repeat
    what was retracted, and wait for a person."""

    id: str
    key: str | None = None
    status: str
    ts: datetime
    chunk_ids: tuple[str, ...] = ()
    superseded_chunk_ids: tuple[str, ...] = ()
    quarantined_chunk_ids: tuple[str, ...] = ()
    redacted: tuple[str, ...] = ()
    notices: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class HitRecord(MemoryRecord):
    """A memory that a search found; a higher `score` is better."""

    score: float | None = None


@dataclass(frozen=True, kw_only=True)
class ChangeRecord(Record):
    """A change of memory: `applied`, or `pending` until a person has decided. `count` is the number of changed memories
    of a change everywhere."""

    status: str
    edit_ids: tuple[str, ...] = ()
    count: int | None = None

    @property
    def is_applied(self) -> bool:
        """Whether it is in effect."""
        return self.status == "applied"


@dataclass(frozen=True, kw_only=True)
class Verdict(Record):
    """The decision on an edit: approved, rejected, withdrawn or expired. `by` is who decided; None for the policy."""

    edit_id: str
    status: str
    by: str | None = None
    reason: str = ""
    decided_at: datetime | None = None
    #: Of the notice, to continue after it.
    id: str | None = field(default=None, compare=False)

    @property
    def is_approved(self) -> bool:
        """Whether the change is in effect."""
        return self.status == "approved"


@dataclass(frozen=True, kw_only=True)
class Correction(Record):
    """A memory that the agent had received was changed by others: amended, retracted, quarantined, blocked, attenuated,
    audience or reverted."""

    memory_id: str
    chunk_id: str
    edit_id: str
    change: str
    changed_at: datetime
    #: Of the notice, to continue after it.
    id: str | None = field(default=None, compare=False)


class Context(str):
    """A text for a prompt. `ids` are the memories in it, `tokens` its length (o200k_base)."""

    ids: tuple[str, ...]
    tokens: int

    @classmethod
    def of(cls, answer: Answer) -> "Context":
        """Read an answer."""
        found = cls(answer["text"])
        found.ids = tuple(one["id"] for one in answer["provenance"])
        found.tokens = answer["total_tokens"]
        return found


@dataclass(frozen=True, kw_only=True)
class Subject(Record):
    """A subject of memory, as text such as `user:ada`. `updated_at` is the time of the newest memory about it."""

    subject_type: str
    subject_id: str
    updated_at: datetime | None = None

    def __str__(self) -> str:
        return f"{self.subject_type}:{self.subject_id}"


@dataclass(frozen=True, kw_only=True)
class Project(Record):
    """A project of memory. `updated_at` is the time of the newest memory about it."""

    project_id: str
    updated_at: datetime | None = None

    def __str__(self) -> str:
        return self.project_id


@dataclass(frozen=True, kw_only=True)
class Whoami(Record):
    """The owner of the key. Without a `default_channel`, each memory must name its channel. With
    `must_name_principal`, each request must say on whose behalf it asks."""

    tenant: str
    kind: str
    id: str
    name: str
    roles: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    default_channel: str | None = None
    on_behalf_of: str | None = None
    must_name_principal: bool = False
