"""Rows of the gate as the API, and a context bundle, show them."""

import json
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from capsules.services.handover import KINDS
from memory.reading.decisions import with_details

#: Columns of an item that only some kinds have, or that are not shown.
_NOT_COMMON = frozenset({"capsule_id", "kind", "item_id", "withheld", "text", "details", "content_hash"})
_OF_DECISIONS = frozenset({"status"})
_OF_ARTIFACTS = frozenset({"media_type"})
_NOT_OF_ARTIFACTS = frozenset({"importance", "is_quarantined"})


def capsule_json(row: Mapping[str, Any]) -> dict[str, Any]:
    """A capsule without its items."""
    shown = {name: value for name, value in row.items() if name not in ("refusal", "risks", "content_hash")}
    return {**shown, "importance": float(row["importance"]), "risks": json.loads(row["risks"]) if row["risks"] else []}


def items_json(rows: Iterable[Mapping[str, Any]]) -> dict[uuid.UUID, dict[str, list[dict[str, Any]]]]:
    """The items of each capsule, by kind: rendered, or the id with the reason why it is withheld."""
    found: dict[uuid.UUID, dict[str, list[dict[str, Any]]]] = {}
    names = {kind: name for name, kind in KINDS.items()}
    for row in rows:
        of_capsule = found.setdefault(row["capsule_id"], {name: [] for name in KINDS})
        of_capsule[names[row["kind"]]].append(_item_json(row))
    return found


def _item_json(row: Mapping[str, Any]) -> dict[str, Any]:
    if row["withheld"]:
        return {"id": row["item_id"], "withheld": row["withheld"]}
    item = {name: value for name, value in row.items() if name not in _NOT_COMMON}
    if row["importance"] is not None:
        item["importance"] = float(row["importance"])
    match row["kind"]:
        case "decision":
            told = with_details({"details": row["details"]})
            return {"id": row["item_id"], "decision": row["text"], **told, **_without(item, _OF_ARTIFACTS)}
        case "artifact":
            fields = json.loads(row["details"]) if row["details"] else {}
            said = {"name": fields.get("name"), "text": row["text"], "data": fields.get("data")}
            return {"id": row["item_id"], **said, **_without(item, _OF_DECISIONS | _NOT_OF_ARTIFACTS)}
    return {"id": row["item_id"], "text": row["text"], **_without(item, _OF_DECISIONS | _OF_ARTIFACTS)}


def _without(item: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in item.items() if name not in names}
