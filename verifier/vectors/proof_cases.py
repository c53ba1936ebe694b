"""Inclusion and consistency proofs of the ledger without faults, against the tree heads of kept.txt."""

import json
from typing import Any, NamedTuple

from suture_verify.merkle import consistency_path, inclusion_path
from vectors.ledger import Ledger, id_of, whole


class Proof(NamedTuple):
    """A proof from the API, the file of trusted tree heads, and why it does not hold; "" if it does."""

    name: str
    fields: dict[str, Any]
    trusted: str
    why_not: str


def proofs() -> list[Proof]:
    """Return all proofs, in the order of the index."""
    ledger = whole()
    chunk, event = _inclusion(ledger, 1, 3), _inclusion(ledger, 3, 5)
    growth = _consistency(ledger, 3, 5)
    no_tree_head = "no tree head has this size"
    return [
        Proof("inclusion", chunk, "kept.txt", ""),
        Proof("inclusion-later", event, "kept.txt", ""),
        Proof("inclusion-answer", event, "answer.json", ""),
        Proof("inclusion-deleted", event | {"row": None}, "kept.txt", ""),
        Proof("inclusion-row", chunk | {"row": chunk["row"].replace("größer", "kleiner")}, "kept.txt",
              "the row does not give the leaf hash"),
        Proof("inclusion-id", chunk | {"id": str(id_of("another"))}, "kept.txt", "the row has another id"),
        Proof("inclusion-kind", chunk | {"kind": "event"}, "kept.txt", "the row has another kind"),
        Proof("inclusion-position", chunk | {"position": 0}, "kept.txt", "the path leads to another root"),
        Proof("inclusion-beyond", chunk | {"position": 3}, "kept.txt", "there is no such position"),
        Proof("inclusion-path", chunk | {"path": chunk["path"][:-1]}, "kept.txt", "the path is too short"),
        Proof("inclusion-root", chunk | {"root": event["root"]}, "kept.txt", "the tree head has another root"),
        Proof("inclusion-size", _inclusion(ledger, 1, 4), "kept.txt", no_tree_head),
        Proof("inclusion-other-tenant", chunk, "other-tenant.txt", "the tree head is of another tenant"),
        Proof("consistency", growth, "kept.txt", ""),
        Proof("consistency-same", _consistency(ledger, 3, 3), "kept.txt", ""),
        Proof("consistency-unknown", _consistency(ledger, 3, 4), "kept.txt", ""),
        Proof("consistency-path", growth | {"path": growth["path"][::-1]}, "kept.txt",
              "the path leads to another root"),
        Proof("consistency-new-root", growth | {"new_root": chunk["root"]}, "kept.txt",
              "the newer tree head has another root"),
        Proof("consistency-size", _consistency(ledger, 2, 5), "kept.txt", no_tree_head),
    ]  # fmt: skip


def _inclusion(ledger: Ledger, position: int, size: int) -> dict[str, Any]:
    leaf = ledger.leaves[position]
    return {
        "kind": leaf.kind,
        "id": json.loads(ledger.rows[position])[2],
        "position": position,
        "row": ledger.rows[position],
        "leaf_hash": leaf.hash.hex(),
        "size": size,
        "root": ledger.root(size).hex(),
        "path": [node.hex() for node in inclusion_path(position, size, ledger.subtree)],
    }


def _consistency(ledger: Ledger, old: int, new: int) -> dict[str, Any]:
    return {
        "old_size": old,
        "new_size": new,
        "old_root": ledger.root(old).hex(),
        "new_root": ledger.root(new).hex(),
        "path": [node.hex() for node in consistency_path(old, new, ledger.subtree)],
    }
