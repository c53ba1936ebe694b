"""Capsule rows as JSON, for the API and context bundles."""

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from capsules.db import CapsuleItemRow, CapsuleRow, ContextCapsule
from capsules.services.handover import KINDS
from governance.database.typed_calls import ColumnDict
from memory.queries.decisions import details_of

#: Columns of an item that only some kinds have.
_OF_DECISIONS = frozenset({"status"})
_OF_ARTIFACTS = frozenset({"media_type"})
_NOT_OF_ARTIFACTS = frozenset({"importance", "is_quarantined"})


_capsule_json = ColumnDict(CapsuleRow, "refusal", "risks", "content_hash")
_context_json = ColumnDict(ContextCapsule, "risks", "content_hash", "available")
_item_columns = ColumnDict(
    CapsuleItemRow, "capsule_id", "kind", "item_id", "withheld", "text", "details", "content_hash"
)


def capsule_json(row: CapsuleRow | ContextCapsule) -> dict[str, Any]:
    """A capsule without its items."""
    shown = _capsule_json(row) if isinstance(row, CapsuleRow) else _context_json(row)
    return {**shown, "author_agent_id": row.author, "risks": json.loads(row.risks) if row.risks else []}


def items_json(rows: Iterable[CapsuleItemRow]) -> dict[uuid.UUID, dict[str, list[dict[str, Any]]]]:
    """The items of each capsule, by kind: as JSON, or the id with the reason for withholding it."""
    found: dict[uuid.UUID, dict[str, list[dict[str, Any]]]] = {}
    names = {kind: name for name, kind in KINDS.items()}
    for row in rows:
        of_capsule = found.setdefault(row.capsule_id, {name: [] for name in KINDS})
        of_capsule[names[row.kind]].append(_item_json(row))
    return found


def _item_json(row: CapsuleItemRow) -> dict[str, Any]:
    ids = {"id": row.item_id, f"{row.kind}_id": row.item_id}
    if row.withheld:
        return {**ids, "withheld": row.withheld}
    item = _item_columns(row)
    match row.kind:
        case "decision":
            details = details_of(row.details)
            return {**ids, "decision": row.text, **details, **_without(item, _OF_ARTIFACTS)}
        case "artifact":
            fields = json.loads(row.details) if row.details else {}
            words = {"name": fields.get("name"), "text": row.text, "data": fields.get("data")}
            return {**ids, **words, **_without(item, _OF_DECISIONS | _NOT_OF_ARTIFACTS)}
    return {**ids, "text": row.text, **_without(item, _OF_DECISIONS | _OF_ARTIFACTS)}


def _without(item: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in names}
