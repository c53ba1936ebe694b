"""Captured files: each version is sent in parts, and the last part makes it current; renames and deletions."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Exists, OuterRef, Q

from capture import db
from capture.db import FinishedVersion, MatchedPart
from capture.models import Capture, FileVersion
from capture.services import importance
from governance.acting import gate
from governance.acting.principals import Principal
from governance.edits.holds import record_holds
from governance.ledger import appending
from governance.models import new_id
from governance.redaction import refuse_secrets
from governance.refusals import Conflict, Invalid, NotFound, register_constraint
from memory.embedding.thirteen import embed_items, embedding_row, store
from memory.models import Scope
from memory.services.quarantines import record_quarantines
from memory.spaces.protocol import Item
from memory.values.cutting import cut
from suture_client.text.masking import mask, mask_all


class FileVersionOver(Conflict):
    """This version of the file is complete, and a later one may be current. Send the file as a new version, with a new
    version_id."""


class FileVersionIncomplete(Conflict):
    """Parts of this version are missing. Send all chunks from 0 to total_chunks - 1 before or with the last part."""


class FileVersionOfAnother(Conflict):
    """Another agent began this version of the file. Use a new version_id for yours."""


class PartOutOfRange(Invalid):
    """A part has chunks beyond total_chunks."""


class NoSuchFile(NotFound):
    """You have not captured a file with this path in this session, or its chunks were deleted."""


register_constraint("file_version_open", FileVersionOver)
register_constraint("file_version_whole", FileVersionIncomplete)
register_constraint("file_version_of_another", FileVersionOfAnother)


@dataclass(frozen=True, slots=True)
class FileChunk:
    """A chunk of a file: characters [start, end) of the file's text, in which secrets are masked."""

    text: str
    word_offset: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class FilePart:
    """Some chunks of one version of a file, and the properties that they share."""

    version_id: UUID
    session_id: str
    file_path: str
    file_hash: str
    total_chunks: int
    first_index: int
    chunks: Sequence[FileChunk]
    is_last: bool
    channel: str
    ts: datetime
    renamed_from: str | None = None
    sensitivity: str | None = None
    audience: tuple[str, ...] | None = None
    retention: str = "relationship"
    importance: Decimal | None = None
    tags: tuple[str, ...] = ()
    project_id: str | None = None
    compute_embedding: bool = True


@dataclass(frozen=True, slots=True)
class StoredPart:
    """The result of a part: `stored`, `current` if it was the last, or `unchanged` if the current version has the same
    content, so that nothing was done."""

    status: str
    total_chunks: int
    added: int = 0
    kept: int = 0
    superseded: int = 0
    redacted: Counter[str] = field(default_factory=Counter)
    #: New chunks that readers do not get, because they repeat text that was retracted or corrected.
    quarantined_chunk_ids: tuple[UUID, ...] = ()


def latest_version(actor: Principal, session_id: str, path: str) -> FileVersion | None:
    """The latest version of the actor's file, even if it was deleted or renamed."""
    versions = FileVersion.objects.filter(
        tenant_id=actor.tenant_id, recorded_by=actor.id, session_id=session_id, file_path=path
    )
    return versions.order_by("-number").first()


def list_files(
    actor: Principal,
    *,
    session_id: str | None = None,
    file_path: str | None = None,
    after: tuple[str, str] | None = None,
    limit: int,
) -> list[FileVersion]:
    """The latest versions of the actor's files after the session and path `after`, by session and path, without files
    that have been renamed to another path."""
    whose = {"tenant_id": actor.tenant_id, "recorded_by": actor.id}
    later = FileVersion.objects.filter(
        **whose,
        session_id=OuterRef("session_id"),
        file_path=OuterRef("file_path"),
        number__gt=OuterRef("number"),
    )
    rows = FileVersion.objects.filter(~Exists(later), **whose).exclude(change=FileVersion.Change.MOVED)
    if session_id is not None:
        rows = rows.filter(session_id=session_id)
    if file_path is not None:
        rows = rows.filter(file_path=file_path)
    if after is not None:
        session, path = after
        rows = rows.filter(Q(session_id__gte=session) & (Q(session_id__gt=session) | Q(file_path__gt=path)))
    return list(rows.order_by("session_id", "file_path")[:limit])


#: The embeddings of each text, as `embed_items` returns them.
Embedded = Mapping[str, Mapping[str, object]]


def embed_part(part: FilePart, *, actor: Principal) -> Embedded:
    """Embed the texts of a part that are not in the current version. It takes seconds, so call this outside a
    transaction. Raises EmbeddingsFailed, and what gate.entered raises."""
    texts = [mask(chunk.text)[0] for chunk in part.chunks]
    with gate.entered():  # which locks the file only while it looks
        last = latest_version(actor, part.session_id, part.file_path)
        if not part.compute_embedding or not texts or (last is not None and _is_unchanged(last, part)):
            return {}
        fresh = [texts[one.chunk_index - part.first_index] for one in _match(part, texts, actor) if _is_new(one)]
    fresh = list(dict.fromkeys(fresh))
    items = [Item(text, part.ts, actor.name, part.session_id) for text in fresh]
    return dict(zip(fresh, embed_items(items), strict=True))


@transaction.atomic(savepoint=False)
def store_part(part: FilePart, *, actor: Principal, embedded: Embedded | None = None) -> StoredPart:
    """Store a part of a version of a file; the last one makes the version current and supersedes chunks that only the
    previous version has, in one transaction. Each part is stored with all thirteen embeddings or not at all: those of
    `embed_part`, or made now. A chunk with the same text as one of the current version remains that chunk, with its
    edits.

    Raises PartOutOfRange, FileVersionOver, FileVersionIncomplete, ChannelNotAllowed, SecretInIdentifier,
    EmbeddingsFailed, and what ledger.require_writable raises.
    """
    appending.require_writable(actor.tenant_id)
    actor.require_channel(part.channel)
    names = ("session_id", "file_path", "project_id")
    refuse_secrets((f"/{name}", getattr(part, name)) for name in names)
    if part.first_index + len(part.chunks) > part.total_chunks:
        raise PartOutOfRange(pointer="/chunks")
    gate.act_as(actor)
    masked = [mask(chunk.text) for chunk in part.chunks]
    kinds = sum((found for _, found in masked), Counter[str]())
    place = {"project_id": part.project_id, "session_id": part.session_id, "channel": part.channel, "ts": part.ts}
    texts = [text for text, _ in masked]
    texts = cut(texts, [place] * len(texts), actor=actor) or texts
    if part.renamed_from is not None:
        db.change_file(
            tenant=actor.tenant_id,
            change="renamed",
            session=part.session_id,
            path=part.renamed_from,
            new_path=part.file_path,
        )
    last = latest_version(actor, part.session_id, part.file_path)
    if last is not None and last.id != part.version_id and _is_unchanged(last, part):
        return StoredPart("unchanged", last.total_chunks, kept=last.total_chunks)
    hidden = _record(part, texts, actor, embedded or {}) if part.chunks else {}
    if not part.is_last:
        return StoredPart("stored", part.total_chunks, redacted=kinds, quarantined_chunk_ids=tuple(hidden))
    finished = _finish(part, actor)
    held = [one.target_id for one in record_holds(actor)]
    return StoredPart(
        "current",
        part.total_chunks,
        finished.added,
        finished.kept,
        finished.superseded,
        kinds,
        (*hidden, *held),
    )


def _is_unchanged(last: FileVersion, part: FilePart) -> bool:
    return last.file_hash == part.file_hash and last.change in (
        FileVersion.Change.CONTENT,
        FileVersion.Change.RENAMED,
    )


def _match(part: FilePart, texts: Sequence[str], actor: Principal) -> list[MatchedPart]:
    """Match the chunks of a part with those of the current version, and lock the file."""
    bodies = [{"chunk_index": place, "body": text} for place, text in enumerate(texts, part.first_index)]
    return db.match_file_part(
        tenant=actor.tenant_id,
        session=part.session_id,
        path=part.file_path,
        version=part.version_id,
        chunks=json.dumps(bodies, ensure_ascii=False),
    )


def _is_new(one: MatchedPart) -> bool:
    return one.kept is None and not one.is_placed


def _record(part: FilePart, texts: Sequence[str], actor: Principal, embedded: Embedded) -> dict[UUID, Any]:
    """Record the new chunks of a part and place all of them; returns the quarantined ones."""
    places = range(part.first_index, part.first_index + len(texts))
    by_place = {one.chunk_index: one for one in _match(part, texts, actor)}
    rows = [
        _row(chunk, text, by_place[place])
        for place, chunk, text in zip(places, part.chunks, texts, strict=True)
        if not by_place[place].is_placed
    ]
    if not rows:
        return {}
    fresh = [row for row in rows if row["kept"] is None]
    # another request may have changed the current version since
    missing = [row["body"] for row in fresh if row["body"] not in embedded] if part.compute_embedding else []
    items = [Item(text, part.ts, actor.name, part.session_id) for text in missing]
    embedded = {**embedded, **dict(zip(missing, embed_items(items), strict=True))}
    vectors = [embedding_row(row, embedded[row["body"]]) for row in fresh if row["body"] in embedded]
    default = importance.of_source(Capture.Source.FILE)
    about = {
        "version_id": part.version_id,
        "session_id": part.session_id,
        "file_path": part.file_path,
        "total_chunks": part.total_chunks,
        "channel": part.channel,
        "sensitivity": part.sensitivity,
        "audience": part.audience,
        "retention": part.retention,
        "importance": str(default if part.importance is None else part.importance),
        "tags": mask_all(list(part.tags))[0],
        "scope": Scope.SESSION if part.project_id is None else Scope.PROJECT,
        "project_id": part.project_id,
        "ts": part.ts,
        "compute_embedding": part.compute_embedding,
    }
    quarantined = db.record_file_part(
        tenant=actor.tenant_id,
        part=json.dumps(about, default=str, ensure_ascii=False),
        chunks=json.dumps(rows, default=str, ensure_ascii=False),
    )
    store(vectors, actor=actor)
    if not part.is_last:
        db.hide_staged(tenant=actor.tenant_id, chunks=[row["id"] for row in fresh])
    return dict(record_quarantines(quarantined, actor))


def _row(chunk: FileChunk, text: str, known: MatchedPart) -> dict[str, Any]:
    return {
        "id": new_id(),
        "content_id": new_id(),
        "body": text if known.kept is None else None,
        "kept": known.kept,
        "chunk_index": known.chunk_index,
        "word_offset": chunk.word_offset,
        "text_start": chunk.start,
        "text_end": chunk.end,
    }


def _finish(part: FilePart, actor: Principal) -> FinishedVersion:
    version = {
        "id": part.version_id,
        "session_id": part.session_id,
        "file_path": part.file_path,
        "file_hash": part.file_hash,
        "total_chunks": part.total_chunks,
        "ts": part.ts,
    }
    return db.finish_file_version(tenant=actor.tenant_id, version=json.dumps(version, default=str, ensure_ascii=False))


@transaction.atomic(savepoint=False)
def mark_file_deleted(session_id: str, path: str, *, actor: Principal) -> int:
    """Report that a file was deleted: its chunks are kept and marked. Returns their number. Raises NoSuchFile, and what
    ledger.require_writable raises."""
    return _change("deleted", session_id, path, None, actor)


@transaction.atomic(savepoint=False)
def rename_file(session_id: str, path: str, new_path: str, *, actor: Principal) -> int:
    """Report that a file was renamed: its chunks stay the same, and the chunks of a file that had the new path are
    superseded. Returns the number of its chunks. Raises NoSuchFile, SecretInIdentifier, and what
    ledger.require_writable raises."""
    refuse_secrets([("/new_file_path", new_path)])
    return _change("renamed", session_id, path, new_path, actor)


def _change(change: str, session_id: str, path: str, new_path: str | None, actor: Principal) -> int:
    appending.require_writable(actor.tenant_id)
    gate.act_as(actor)
    chunks = db.change_file(tenant=actor.tenant_id, change=change, session=session_id, path=path, new_path=new_path)
    if chunks is None:
        raise NoSuchFile
    return chunks
