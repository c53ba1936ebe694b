"""Cuts the values that are forgotten out of texts before they are recorded."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils import timezone

from governance.acting.principals import Principal
from memory.drafts import PreparedEvent
from memory.event_content import SCOPE_FIELDS
from memory.values import db

#: Where a text will stand: the columns of its record that a reach names.
PLACE = ("subject_type", "subject_id", "project_id", "session_id", "channel", "ts")
#: The fields of an event's content that are no words: identifiers and choices, and bytes.
_NO_WORDS = frozenset({*SCOPE_FIELDS, "status", "task_id", "supersedes", "media_type", "lang"})


def cut(
    texts: Sequence[Any], places: Sequence[Mapping[str, Any]] | None = None, *, actor: Principal
) -> list[Any] | None:
    """The texts, or JSON values with texts, without the values that are forgotten; None if nothing is cut. `places`
    says where each will stand (PLACE). No value is forgotten between this call and the end of the transaction, so what
    is recorded within it says none. Call it before everything that locks records.

    Called within the actor's transaction (gate.act_as).
    """
    if not db.lock_guards(tenant=actor.tenant_id, changes=False):
        return None
    where = [{name: one.get(name) for name in PLACE} for one in places or [{}] * len(texts)]
    kept: list[Any] = json.loads(
        db.cut_texts(
            tenant=actor.tenant_id,
            texts=json.dumps(list(texts), default=str, ensure_ascii=False),
            places=json.dumps([{**one, "ts": one["ts"] or timezone.now()} for one in where], default=str),
        )
    )
    return None if kept == list(texts) else kept


def cut_text(text: str, about: Mapping[str, Any], *, actor: Principal) -> str:
    """One text that will stand at `about`; see cut."""
    kept = cut([text], [about], actor=actor)
    return text if kept is None else str(kept[0])


def cut_events(prepared: Sequence[PreparedEvent], *, actor: Principal) -> list[PreparedEvent]:
    """The events without the values that are forgotten: those that say none are unchanged; see cut."""
    texts = [
        [
            {name: value for name, value in one.draft.content.items() if name not in _NO_WORDS},
            list(one.draft.tags),
            list(one.draft.refs),
        ]
        for one in prepared
    ]
    places = [{name: getattr(one.draft, name) for name in PLACE} for one in prepared]
    kept = cut(texts, places, actor=actor)
    if kept is None:
        return list(prepared)
    return [
        one if after == before else _with(one, *after) for one, before, after in zip(prepared, texts, kept, strict=True)
    ]


def _with(one: PreparedEvent, content: dict[str, Any], tags: list[str], refs: list[str]) -> PreparedEvent:
    own = {name: value for name, value in one.draft.content.items() if name in _NO_WORDS}
    return PreparedEvent.of(
        replace(
            one.draft,
            content={**content, **own},
            tags=tuple(tags),
            refs=tuple(refs),
            redacted_before=tuple({*one.draft.redacted_before, *one.recorded.redacted}),
        )
    )
