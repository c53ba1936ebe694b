"""Converts request bodies to rows of the record: events, their text, chunks and typed records."""

import json
import logging
import uuid
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from django.utils import timezone

from governance.faults import Faults
from governance.models import new_id
from governance.redaction import mask_base64, refuse_secrets
from governance.refusals import Invalid
from governance.relations.audience_json import needs_subject
from governance.relations.refusals import AudienceNeedsSubject
from governance.relations.unused_names import Notice
from memory import event_body, event_content
from memory.event_content import SCOPE_FIELDS, TITLES
from memory.models import Chunk, Kind, Scope
from suture_client.text import chunker
from suture_client.text.masking import mask_all

logger = logging.getLogger("suture.recording")

DEFAULT_IMPORTANCE = 0.5
#: The fields by which memory is found.
IDENTIFIERS = ("session_id", "actor_id", "subject_type", "subject_id", "project_id")
IMPORTANCE_OF_KIND = {Kind.DECISION: 1.0, Kind.TASK_UPDATE: 0.8}


class SubjectIncomplete(Invalid):
    """A subject needs both subject_type and subject_id."""


class ExpiredAlready(Invalid):
    """The time to live, counted from `ts`, is over already. Send a longer one, or a later `ts`."""


def require_subject(audience: Sequence[str] | None, subject_id: str | None, pointer: str = "") -> None:
    """Raises AudienceNeedsSubject if an audience is relative to a subject that the record does not have."""
    if audience and subject_id is None and needs_subject(audience):
        raise AudienceNeedsSubject(pointer=f"{pointer}/audience")


@dataclass(frozen=True, slots=True)
class EventDraft:
    """An event as described by a caller, with validated shape and known scope. `content` is unchanged. A `ts` ahead of
    the server becomes now.

    `from_body` reads the body of a request. Raises SubjectIncomplete.
    """

    session_id: str
    channel: str
    actor_type: str
    actor_id: str
    kind: str
    ts: datetime
    content: Mapping[str, Any]
    #: None: the tenant's default for the channel.
    sensitivity: str | None = None
    #: The usersets of its audience (AudienceField); None: by the tenant's rules.
    audience: tuple[str, ...] | None = None
    retention: str = "relationship"
    tags: tuple[str, ...] = ()
    refs: tuple[str, ...] = ()
    scope: str | None = None
    subject_type: str | None = None
    subject_id: str | None = None
    project_id: str | None = None
    id: uuid.UUID = field(default_factory=new_id)
    #: Whether its recorder chose the id: then the same event is recorded only once.
    is_named: bool = False
    #: Whether to embed its chunks; otherwise, search finds them by their words only.
    compute_embedding: bool = True
    #: From 0 to 1; None: the default of its kind.
    importance: Decimal | None = None
    #: The kinds of secrets that were masked before it was sent.
    redacted_before: tuple[str, ...] = ()
    #: The source of its chunks.
    source: str = Chunk.Source.EVENT
    #: A text with more words is split into several chunks.
    chunk_above: int = chunker.CHUNK_WORDS
    #: The event or chunk that it updates, or its recorder's key: then it updates the last record with this key.
    updates: uuid.UUID | None = None
    key: str | None = None
    #: The position of the event in the body, for errors.
    pointer: str = ""
    ttl_pointer: str = "/content/ttl"
    #: Whether its time was ahead of the server's.
    was_ahead: bool = False

    def __post_init__(self) -> None:
        if self.ts > (now := timezone.now()):
            object.__setattr__(self, "ts", now)
            object.__setattr__(self, "was_ahead", True)
        for name, value in _scope_of(self).items():
            object.__setattr__(self, name, value)
        ttl = self.content.get("ttl") if self.kind == Kind.MESSAGE else None
        if ttl is not None and self.ts + timedelta(seconds=ttl) <= now:
            raise ExpiredAlready(pointer=f"{self.pointer}{self.ttl_pointer}")
        require_subject(self.audience, self.subject_id, self.pointer)

    @classmethod
    def from_body(cls, body: Any, pointer: str = "") -> "EventDraft":
        """The event in `body`, a JSON object; `pointer` is its position in the request. Without a `ts`, the event
        happened now.

        Raises Invalid with every error and its position, and SubjectIncomplete.
        """
        (draft,) = cls.from_bodies([body], [pointer])
        return draft

    @classmethod
    def from_bodies(cls, bodies: Sequence[Any], pointers: Sequence[str]) -> list["EventDraft"]:
        """The same for several bodies; the refusal lists the errors of all of them."""
        faults = Faults()
        found = [event_body.read(body, pointer, faults) for body, pointer in zip(bodies, pointers, strict=True)]
        faults.raise_any()
        now = timezone.now()
        return [
            cls(
                **{
                    **values,
                    "id": values.get("id") or new_id(),
                    "is_named": values.get("id") is not None,
                    "ts": values.get("ts") or now,
                    "tags": tuple(values["tags"]),
                    "refs": tuple(values["refs"]),
                    "pointer": pointer,
                }
            )
            for values, pointer in zip(found, pointers, strict=True)
        ]

    @classmethod
    def from_batch(cls, body: Any) -> list["EventDraft"]:
        """The events of `{"events": [...]}`. Raises the same as `from_body`."""
        bodies = event_body.BatchInput.of(body)["events"]
        return cls.from_bodies(bodies, [f"/events/{index}" for index in range(len(bodies))])


@dataclass(slots=True)
class Rows:
    """The arguments of `record_events`, collected over all drafts of a call."""

    contents: list[dict[str, Any]] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    chunks: list[dict[str, Any]] = field(default_factory=list)
    decisions: list[dict[str, Any]] = field(default_factory=list)
    tasks: list[dict[str, Any]] = field(default_factory=list)
    artifacts: list[dict[str, Any]] = field(default_factory=list)

    def words(self, body: str) -> uuid.UUID:
        """Add a text; returns the id of its content row."""
        content_id = new_id()
        self.contents.append({"id": content_id, "body": body})
        return content_id

    def add(self, other: "Rows") -> None:
        """Add the rows of `other`."""
        for name in fields(self):
            getattr(self, name.name).extend(getattr(other, name.name))


@dataclass(frozen=True, slots=True)
class Quarantine:
    """The edit that quarantined a chunk on recording, because it repeats text that `retracted_by` removed."""

    chunk_id: uuid.UUID
    edit_id: uuid.UUID
    retracted_by: uuid.UUID


@dataclass(frozen=True, slots=True)
class RecordedEvent:
    """A recorded event, with the ids of records derived from it."""

    event_id: uuid.UUID
    ts: datetime
    chunk_ids: list[uuid.UUID]
    #: The number of each chunk's first word, counted from 0.
    word_offsets: list[int] = field(default_factory=list)
    #: Whether it had been recorded before with this id, so that nothing was recorded now.
    is_repeated: bool = False
    #: The number of masked secrets by kind.
    redacted: Counter[str] = field(default_factory=Counter)
    decision_id: uuid.UUID | None = None
    task_id: uuid.UUID | None = None
    artifact_id: uuid.UUID | None = None
    #: The earlier chunks that it updates.
    superseded_chunk_ids: list[uuid.UUID] = field(default_factory=list)
    #: The chunks that were quarantined because they repeat text that a retract removed.
    quarantines: list[Quarantine] = field(default_factory=list)
    #: The chunks that wait for a reviewer, because they quote memory that is hidden or for fewer readers.
    held_chunk_ids: list[uuid.UUID] = field(default_factory=list)
    #: The pending edit whose approval puts the decision in force; None if it needs no approval.
    approval_edit_id: uuid.UUID | None = None
    #: Whether its time was ahead of the server's, and taken as now.
    was_ahead: bool = False
    #: What the recorder should know about its audience.
    notices: tuple[Notice, ...] = ()

    @property
    def quarantined_chunk_ids(self) -> list[uuid.UUID]:
        """The quarantined chunks: of a decision that waits for approval all."""
        if self.approval_edit_id:
            return self.chunk_ids
        return [*dict.fromkeys([*(one.chunk_id for one in self.quarantines), *self.held_chunk_ids])]


@dataclass(frozen=True, slots=True)
class PreparedEvent:
    """A draft with its rows, and with its secrets masked."""

    draft: EventDraft
    rows: Rows
    recorded: RecordedEvent

    @classmethod
    def of(cls, draft: EventDraft) -> "PreparedEvent":
        """Raises SecretInIdentifier."""
        rows = Rows()
        recorded = add_event(draft, rows)
        return cls(draft, rows, recorded)

    @property
    def words(self) -> tuple[str, str, str | None, str | None]:
        """The fields that distinguish it from another event with the same id: session, kind, and its stored text."""
        bodies = {row["id"]: row["body"] for row in self.rows.contents}
        (event,) = self.rows.events
        return event["session_id"], event["kind"], bodies.get(event["content_id"]), bodies.get(event["fields_id"])


def _scope_of(draft: EventDraft) -> dict[str, str | None]:
    """Scope, subject and project: from the body, else from the content; a missing scope is derived from the others."""
    found: dict[str, str | None] = {}
    for name in SCOPE_FIELDS:
        given = getattr(draft, name)
        found[name] = given if given is not None else draft.content.get(name)
    if (found["subject_type"] is None) != (found["subject_id"] is None):
        missing = "subject_id" if found["subject_id"] is None else "subject_type"
        place = "" if draft.subject_type or draft.subject_id else "/content"
        raise SubjectIncomplete(pointer=f"{draft.pointer}{place}/{missing}")
    if found["scope"] is None:
        found["scope"] = _default_scope(draft.kind, found)
    return found


def _default_scope(kind: str, found: Mapping[str, str | None]) -> str:
    if found["subject_id"] is not None:
        return Scope.USER
    if found["project_id"] is not None:
        return Scope.PROJECT
    return Scope.POLICY if kind == Kind.DECISION else Scope.SESSION


def add_event(draft: EventDraft, rows: Rows) -> RecordedEvent:
    """Add one event, with everything derived from it and with its secrets masked, to `rows`. Raises
    SecretInIdentifier."""
    draft, redacted = _without_secrets(draft)
    text = draft.content.get("text")
    others = {name: value for name, value in draft.content.items() if name not in ("text", *SCOPE_FIELDS)}
    text_id = rows.words(text) if text is not None else None
    fields_id = rows.words(json.dumps(others, ensure_ascii=False)) if others else None
    rows.events.append(
        {
            "id": draft.id,
            "session_id": draft.session_id,
            "channel": draft.channel,
            "actor_type": draft.actor_type,
            "actor_id": draft.actor_id,
            "kind": draft.kind,
            "sensitivity": draft.sensitivity,
            "audience": draft.audience,
            "retention": draft.retention,
            "ts": draft.ts,
            "tags": draft.tags,
            "refs": draft.refs,
            "redacted": sorted({*redacted, *draft.redacted_before}),
            "content_id": text_id,
            "fields_id": fields_id,
            **{name: getattr(draft, name) for name in SCOPE_FIELDS},
        }
    )
    title = draft.content[TITLES[draft.kind]] if draft.kind in TITLES else None
    title_id = rows.words(title) if title is not None else None
    words = event_content.words_of(draft.kind, draft.content)
    # Identical text of one row is stored once.
    words_id = {title: title_id, text: text_id}.get(words) or rows.words(words)
    chunk_ids, word_offsets = _add_chunks(draft, words, words_id, rows)
    typed = _add_typed_record(draft, title_id, fields_id, rows)
    return RecordedEvent(
        draft.id,
        draft.ts,
        chunk_ids,
        word_offsets,
        redacted=redacted,
        decision_id=typed.get("decision_id"),
        task_id=typed.get("task_id"),
        artifact_id=typed.get("artifact_id"),
        was_ahead=draft.was_ahead,
    )


def _without_secrets(draft: EventDraft) -> tuple[EventDraft, Counter[str]]:
    """The draft with its secrets masked, and their number by kind. Raises SecretInIdentifier."""
    refuse_secrets((_place(draft, name), getattr(draft, name)) for name in (*IDENTIFIERS, "key"))
    own: dict[str, Any] = {}
    kinds: Counter[str] = Counter()
    if draft.kind == Kind.ARTIFACT and "data" in draft.content:
        own["data"], kinds = mask_base64(draft.content["data"])
    content, found = mask_all({name: value for name, value in draft.content.items() if name not in own})
    (tags, refs), found_in_lists = mask_all([list(draft.tags), list(draft.refs)])
    kinds = kinds + found + found_in_lists
    if not kinds:
        return draft, kinds
    return replace(draft, content={**content, **own}, tags=tuple(tags), refs=tuple(refs)), kinds


def _place(draft: EventDraft, name: str) -> str:
    """The position of an identifier: scope fields may also be in the content."""
    return f"{draft.pointer}/content/{name}" if name in draft.content else f"{draft.pointer}/{name}"


def _add_chunks(draft: EventDraft, text: str, text_id: uuid.UUID, rows: Rows) -> tuple[list[uuid.UUID], list[int]]:
    """The ids of the chunks, and the number of each one's first word."""
    spans = chunker.split(text, above=draft.chunk_above)
    for warning in chunker.split_warnings(spans):
        logger.warning(warning, extra={"event_id": str(draft.id), "session_id": draft.session_id})
    default = IMPORTANCE_OF_KIND.get(Kind(draft.kind), DEFAULT_IMPORTANCE)
    importance = default if draft.importance is None else str(draft.importance)
    ids: list[uuid.UUID] = []
    for index, span in enumerate(spans):
        whole = len(spans) == 1
        ids.append(new_id())
        rows.chunks.append(
            {
                "id": ids[-1],
                "event_id": draft.id,
                "content_id": text_id,
                "span_start": None if whole else span.start,
                "span_end": None if whole else span.end,
                "chunk_index": index,
                "total_chunks": len(spans),
                "importance": importance,
                "source": draft.source,
                "compute_embedding": draft.compute_embedding,
                "is_update": draft.updates is not None or draft.key is not None,
                "key": draft.key if index == 0 else None,
            }
        )
    return ids, [span.first_word for span in spans]


def _add_typed_record(
    draft: EventDraft, title_id: uuid.UUID | None, fields_id: uuid.UUID | None, rows: Rows
) -> dict[str, uuid.UUID]:
    content = draft.content
    record = {"id": new_id(), "event_id": draft.id, "content_id": title_id}
    if draft.kind == Kind.DECISION:
        rows.decisions.append({**record, "details_id": fields_id, "supersedes": content.get("supersedes")})
        return {"decision_id": record["id"]}  # type: ignore[dict-item]
    if draft.kind == Kind.TASK_UPDATE:
        task_id = uuid.UUID(str(content["task_id"])) if content.get("task_id") else record["id"]
        rows.tasks.append({**record, "task_id": task_id, "status": content["status"], "details_id": fields_id})
        return {"task_id": task_id}  # type: ignore[dict-item]
    if draft.kind == Kind.ARTIFACT:
        rows.artifacts.append({**record, "media_type": content["media_type"]})
        return {"artifact_id": record["id"]}  # type: ignore[dict-item]
    return {}
