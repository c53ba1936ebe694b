"""Replays a recorded bundle: the ids and hashes at that time, with the current text."""

import uuid
from dataclasses import dataclass
from typing import Any

from governance.acting.principals import Principal
from governance.refusals import NotFound
from memory.context import db, sections
from memory.context.db import WordsNow
from memory.models import ContextBundle
from memory.queries.audience import Audience, audience


class NoSuchBundle(NotFound):
    """This context bundle does not exist, or you may not read it."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A recorded bundle. Each item is as it was injected, with its current `text` (None if the reader may no longer see
    it) and `changed_since`."""

    bundle: ContextBundle
    items: list[dict[str, Any]]


def replay(principal: Principal, bundle_id: uuid.UUID) -> Replay:
    """A bundle, for its builder and for people with a role. Raises NoSuchBundle, ChannelNotAllowed."""
    bundle = ContextBundle.objects.filter(tenant_id=principal.tenant_id, id=bundle_id).first()
    if bundle is None or not (principal.reads_all_edits or _is_builder(bundle, principal)):
        raise NoSuchBundle
    who = audience(principal, bundle.request["channel"])
    words = {(row.kind, str(row.id)): row for row in _words(principal, bundle, who)}
    items = []
    for item in bundle.items:
        parts = [{**part, **_now(part, words)} for part in item.get("parts", ())]
        now = _now(item, words)
        if parts:
            # it changed if its own text or any of its parts did
            now["changed_since"] = any(one["changed_since"] for one in (now, *parts))
        items.append({**item, **now, "parts": parts})
    return Replay(bundle, items)


def _is_builder(bundle: ContextBundle, principal: Principal) -> bool:
    """Whether the principal built the bundle, on behalf of the same principal."""
    named = bundle.request.get("on_behalf_of", "")
    return bundle.actor_id == principal.id and named == principal.on_behalf_of


def _words(principal: Principal, bundle: ContextBundle, who: Audience) -> list[WordsNow]:
    """Kind, id, current text and content_hash of the injected memories that the reader may see."""
    include_quarantined = bundle.request["include_quarantined"] and principal.reads_quarantined
    ids = {uuid.UUID(one["id"]) for item in bundle.items for one in (item, *item.get("parts", ()))}
    rows = db.get_context_words(
        tenant=principal.tenant_id,
        ids=list(ids),
        listening=who.listening,
        include_quarantined=include_quarantined,
    )
    for section in {item["section"] for item in bundle.items}:
        known = sections.words_of(section)
        if known is not None:
            own = [uuid.UUID(item["id"]) for item in bundle.items if item["section"] == section]
            rows += known(principal, who, own, include_quarantined)
    return rows


def _now(item: dict[str, Any], words: dict[tuple[str, str], WordsNow]) -> dict[str, Any]:
    if item["content_hash"] is None:
        return {"text": None, "changed_since": None}  # another app's item without a hash
    row = words.get((item["kind"], item["id"]))
    return {
        "text": row.text if row else None,
        "changed_since": row is None or row.content_hash != item["content_hash"],
    }
