"""Compares retracted text with memory_removedvalue, by which the database recognises removed text. The SQL function
remember_removed() writes that table."""

import re
import unicodedata
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from governance.ledger import comparisons
from governance.ledger.comparisons import Comparison
from governance.models import Content, Edit, EditState
from memory.models import Artifact, Chunk, Decision, EffectiveChunk, Event, RemovedValue, Task
from memory.normal_text import normal_text, words
from memory.word_hash import hash_of_word
from suture_verify.findings import ROWS, Kind, Row

#: Chunks compared at a time.
PAGE = 500

_TABLE = RemovedValue._meta.db_table
#: A value of one or two words, or in a script without spaces, is recognised within a longer text only if it has this.
_TELLING = re.compile("[0-9]{4}|[\u3040-\u9fff]{4}")


def register() -> None:
    """Compare removed values in every verification."""
    comparisons.register("removed values", compare)


def compare(comparison: Comparison) -> None:
    """Report each removed text that the database would not recognise, and each value that no retract removed."""
    retracts = _Retracts.of(comparison)
    expected = retracts.chunks(comparison)
    for page in _pages(sorted(expected)):
        _compare_page(comparison, {chunk: expected[chunk] for chunk in page})
    rows = RemovedValue.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)
    for row_id, chunk, edit in rows.values_list("id", "chunk_id", "edit_id").iterator():
        if chunk not in expected:
            detail = f"A text of chunk {chunk} counts as removed by edit {edit}, but no retract of it is in effect"
            _report(comparison, detail, row_id)


@dataclass(slots=True)
class _Retracts:
    """The retracts in effect: for each target, the last applied one."""

    by_target: dict[uuid.UUID, uuid.UUID]

    @classmethod
    def of(cls, comparison: Comparison) -> "_Retracts":
        applied = (
            Edit.objects.using(comparison.using)
            .filter(
                tenant_id=comparison.tenant_id,
                op__in=[Edit.Op.RETRACT, Edit.Op.REVERT],
                state__status=EditState.Status.APPROVED,
            )
            .order_by("-state__applied_at", "-id")
            .values_list("id", "op", "target_id", "reverts_id")
        )
        cancelled: set[uuid.UUID] = set()
        found: dict[uuid.UUID, uuid.UUID] = {}
        # newest first: a revert cancels what was applied before it
        for edit, op, target, reverts in applied.iterator():
            if edit in cancelled:
                continue
            if op == Edit.Op.REVERT:
                cancelled.add(reverts)
            else:
                found.setdefault(target, edit)
        return cls(found)

    def chunks(self, comparison: Comparison) -> dict[uuid.UUID, set[uuid.UUID]]:
        """The retracted chunks, each with the retracts of it and of its event's decisions."""
        found: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
        for targets in _pages(list(self.by_target)):
            for chunk in _rows(comparison, Chunk, id__in=targets).values_list("id", flat=True):
                found[chunk].add(self.by_target[chunk])
            decided: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
            for decision, event in _rows(comparison, Decision, id__in=targets).values_list("id", "event_id"):
                decided[event].add(self.by_target[decision])
            for chunk, event in _rows(comparison, Chunk, event_id__in=decided).values_list("id", "event_id"):
                found[chunk] |= decided[event]
        return found


@dataclass(slots=True)
class _Removed:
    """The text of a retracted chunk, in one or more wordings."""

    subject_type: str | None
    subject_id: str | None
    edits: set[uuid.UUID]
    texts: list[str] = field(default_factory=list)


def _compare_page(comparison: Comparison, expected: dict[uuid.UUID, set[uuid.UUID]]) -> None:
    kept: dict[uuid.UUID, list[RemovedValue]] = defaultdict(list)
    for row in _rows(comparison, RemovedValue, chunk_id__in=expected).order_by("id"):
        kept[row.chunk_id].append(row)
    for chunk, removed in _removed(comparison, expected):
        rows = {bytes(row.digest): row for row in kept[chunk]}
        texts = {sha256(normal_text(text).encode()).digest(): text for text in removed.texts}
        if not all(map(_is_of_every_unicode, texts.values())):
            # PostgreSQL may use another Unicode version, so compare only their number
            if len(rows) < len(texts):
                _report(comparison, f"The retracted text of chunk {chunk} would not be recognised", chunk)
            continue
        for digest, text in texts.items():
            if digest not in rows:
                _report(comparison, f"The retracted text of chunk {chunk} would not be recognised", chunk)
            elif wrong := _wrong_fields(rows[digest], removed, text):
                detail = f"The retracted text of chunk {chunk} would not be recognised: wrong {', '.join(wrong)}"
                _report(comparison, detail, rows[digest].id, wrong[0])
        for digest, row in rows.items():
            if digest not in texts:
                detail = f"A text that differs from chunk {chunk} counts as removed by edit {row.edit_id}"
                _report(comparison, detail, row.id, "digest")


def _removed(comparison: Comparison, expected: dict[uuid.UUID, set[uuid.UUID]]) -> Iterator[tuple[uuid.UUID, _Removed]]:
    """The text of each chunk, except for chunks whose text is erased: nothing of it is kept."""
    chunks = list(_rows(comparison, Chunk, id__in=expected))
    effective = {row.id: row for row in _rows(comparison, EffectiveChunk, id__in=expected)}
    names = _names(comparison, {chunk.event_id for chunk in chunks if chunk.event_id})
    wanted = {chunk.content_id for chunk in chunks} | {row.content_id for row in effective.values()}
    wanted.update(*names.values())
    bodies = dict(_rows(comparison, Content, id__in=wanted).values_list("id", "body"))
    for chunk in chunks:
        if chunk.content_id not in bodies:
            continue
        removed = _Removed(chunk.subject_type, chunk.subject_id, expected[chunk.id])
        removed.texts.append(_span(bodies[chunk.content_id], chunk.span_start, chunk.span_end))
        if (now := effective.get(chunk.id)) and now.content_id in bodies:
            removed.texts.append(_span(bodies[now.content_id], now.span_start, now.span_end))
        removed.texts += [bodies[name] for name in names.get(chunk.event_id, ()) if name in bodies]
        yield chunk.id, removed


def _names(comparison: Comparison, events: set[uuid.UUID]) -> dict[uuid.UUID, set[uuid.UUID]]:
    """By event, its contents besides its chunks: names_of_event() in the database."""
    found: dict[uuid.UUID, set[uuid.UUID]] = defaultdict(set)
    for model in (Decision, Task, Artifact):
        for event, content in _rows(comparison, model, event_id__in=events).values_list("event_id", "content_id"):
            found[event].add(content)
    own = dict(_rows(comparison, Event, id__in=events).values_list("id", "content_id"))
    alone = _rows(comparison, Chunk, event_id__in=events, total_chunks=1)
    for event, content in alone.values_list("event_id", "content_id"):
        if own.get(event) not in (None, content):
            found[event].add(own[event])
    return found


def _wrong_fields(row: RemovedValue, removed: _Removed, text: str) -> list[str]:
    """The columns that would prevent the database from finding this text again."""
    said, spoken = [word for word in normal_text(text).split(" ") if word], words(text)
    checks = {
        "edit_id": row.edit_id in removed.edits,
        "subject_type": row.subject_type == removed.subject_type,
        "subject_id": row.subject_id == removed.subject_id,
        "names_subject": row.names_subject
        == any(len(word) > 2 and word in spoken for word in words(removed.subject_id or "")),
        "length": row.length == len(said),
        "cue": _is_cue(row, said, set(spoken)),
        "reach": row.reach in _reaches(spoken, said),
    }
    return [name for name, is_right in checks.items() if not is_right]


def _is_cue(row: RemovedValue, said: list[str], spoken: set[str]) -> bool:
    """Whether the cues are the two longest words, at the position of the longest. For words of equal length, the
    database's collation decides."""
    if not spoken:
        return row.cue == hash_of_word("") and row.other_cue is None and row.cue_place == 1
    first, *others = sorted(map(len, spoken), reverse=True)
    for word in spoken:
        if len(word) == first and hash_of_word(word) == row.cue:
            place = said.index(word) + 1 if word in said else 1
            rest = [hash_of_word(other) for other in spoken - {word} if len(other) == others[0]] if others else [None]
            return row.cue_place == place and row.other_cue in rest
    return False


def _reaches(spoken: list[str], said: list[str]) -> set[str]:
    """How far a value may be recognised: reach_of() in the database, except that only the text search decides whether
    two of three words carry meaning."""
    reach = RemovedValue.Reach
    if not spoken or len(said) > 50:
        return {reach.TEXT}
    if len(spoken) > 2:
        return {reach.PHRASE, reach.SENTENCE}
    if len(spoken) > 1 or _TELLING.search(" ".join(said)):
        return {reach.SENTENCE}
    return {reach.TEXT}


def _is_of_every_unicode(text: str) -> bool:
    """Whether all characters exist in every Unicode version in use, so that words are split the same everywhere."""
    return text.isascii() or all(unicodedata.ucd_3_2_0.category(character) != "Cn" for character in text)


def _span(body: str, start: int | None, end: int | None) -> str:
    return body if start is None else body[start:end].strip(" \t\r\n")


def _pages(ids: list[uuid.UUID]) -> Iterator[list[uuid.UUID]]:
    for first in range(0, len(ids), PAGE):
        yield ids[first : first + PAGE]


def _rows(comparison: Comparison, model: Any, **conditions: Any) -> Any:
    wanted = {name: list(value) if isinstance(value, Iterable) else value for name, value in conditions.items()}
    return model.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id, **wanted)


def _report(comparison: Comparison, detail: str, row_id: uuid.UUID, column: str | None = None) -> None:
    row = Row(_TABLE, str(row_id), column)
    comparison.findings.add(Kind.UNPROVEN_AUTHORITY, ROWS, None, f"{detail} ({_TABLE} {row_id})", row=row)
