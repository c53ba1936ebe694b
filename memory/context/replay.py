"""What was injected, looked at again: ids and hashes of then, words of now."""

import uuid
from dataclasses import dataclass
from typing import Any

from governance import gate
from governance.principals import Principal
from governance.refusals import NotFound
from memory.models import ContextBundle
from memory.reading.audience import audience


class NoSuchBundle(NotFound):
    """There is no such context bundle that you may see."""


@dataclass(frozen=True, slots=True)
class Replay:
    """A recorded bundle with its items: each as it was injected, with `text` as it is now (None where it may not be
    seen any more) and `changed_since`."""

    bundle: ContextBundle
    items: list[dict[str, Any]]


def replay(principal: Principal, bundle_id: uuid.UUID) -> Replay:
    """A bundle for whoever built it, and for reviewers, auditors and admins. Raises NoSuchBundle, ChannelNotAllowed."""
    bundle = ContextBundle.objects.filter(tenant_id=principal.tenant_id, id=bundle_id).first()
    if bundle is None or not (principal.reads_all_edits or bundle.actor_id == principal.id):
        raise NoSuchBundle
    who = audience(principal, bundle.request["channel"])
    ids = {uuid.UUID(one["id"]) for item in bundle.items for one in (item, *item.get("parts", ()))}
    words = {
        (row["kind"], str(row["id"])): row
        for row in gate.call(
            "get_context_words", principal.tenant_id, list(ids), who.listening, who.sensitivities,
            bundle.request["include_quarantined"],
        )
    }  # fmt: skip
    items = []
    for item in bundle.items:
        parts = [{**part, **_now(part, words)} for part in item.get("parts", ())]
        now = _now(item, words)
        if parts:
            # it has no words of its own: it changed if any of its parts did
            now["changed_since"] = any(part["changed_since"] for part in parts)
        items.append({**item, **now, "parts": parts})
    return Replay(bundle, items)


def _now(item: dict[str, Any], words: dict[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    if item["content_hash"] is None:
        return {"text": None, "changed_since": None}  # of another app, which gave no hash
    row = words.get((item["kind"], item["id"]))
    return {
        "text": row["text"] if row else None,
        "changed_since": row is None or row["content_hash"] != item["content_hash"],
    }
