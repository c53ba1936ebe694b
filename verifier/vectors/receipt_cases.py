"""Receipts of the ledger without faults, and exports that keep them or do not."""

import base64
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from suture_verify.entries import GOVERNANCE
from vectors.ledger import ACME, OTHER, Ledger, id_of, key_of, public, whole

FIRST_KEY, LAST_KEY = key_of(f"{ACME} {GOVERNANCE}"), key_of(f"{ACME} rotated")
AT = "2026-05-01T00:00:00.000001+00:00"


class Promised(NamedTuple):
    """A file with a receipt, the export to verify it with, the exit code, and why it is not kept; "" if it is."""

    name: str
    value: Any
    export: str
    exit: int
    why_not: str


def receipts() -> list[Promised]:
    """Return all receipts, in the order of the index."""
    ledger = unsealed()
    rows = [{"kind": leaf.kind, "id": str(leaf.id), "leaf_hash": leaf.hash.hex()} for leaf in ledger.leaves]
    first, last, younger = rows[:2], rows[3:5], rows[4:6]
    receipt = _receipt(first)
    unknown = {**first[1], "leaf_hash": sha256(b"another row").hexdigest()}
    renamed = {**first[1], "id": str(id_of("another"))}
    return [
        Promised("receipt", receipt, "whole.jsonl", 0, ""),
        Promised("receipt-answer", {"event_id": first[0]["id"], "receipt": receipt}, "whole.jsonl", 0, ""),
        Promised("receipt-last-key", _receipt(last, LAST_KEY), "whole.jsonl", 0, ""),
        Promised("receipt", receipt, "signature.jsonl", 1, "the ledger is not whole"),
        Promised("receipt-unknown", _receipt([first[0], unknown]), "whole.jsonl", 1, "a row has another leaf hash"),
        Promised("receipt-renamed", receipt | {"rows": [first[0], renamed]}, "whole.jsonl", 1, "a row has another id"),
        Promised("receipt-unsealed", _receipt(younger, LAST_KEY), "unsealed.jsonl", 1, "a leaf is not sealed"),
        Promised("receipt-changed", receipt | {"rows": last}, "whole.jsonl", 1, "the signature is of other rows"),
        Promised("receipt-order", receipt | {"rows": first[::-1]}, "whole.jsonl", 1, "the rows were exchanged"),
        Promised("receipt-stranger", _receipt(first, key_of("stranger")), "whole.jsonl", 1, "the key is no key of it"),
        Promised("receipt-tenant", _receipt(first, tenant=str(OTHER)), "whole.jsonl", 1, "it is of another tenant"),
        Promised("receipt-empty", _receipt([]), "whole.jsonl", 1, "it promises nothing"),
        Promised("receipt-time", _receipt(first, at="2026-05-01T00:00:00Z"), "whole.jsonl", 2, "another form of time"),
        Promised("receipt-field", receipt | {"more": 1}, "whole.jsonl", 2, "it has a field more"),
        Promised("receipt-id", receipt | {"id": receipt["id"].upper()}, "whole.jsonl", 2, "an id in upper case"),
    ]  # fmt: skip


def unsealed() -> Ledger:
    """Return the ledger without faults, with a row that is not sealed yet."""
    ledger = whole()
    ledger.row("event", "message", None)
    return ledger


def _receipt(
    rows: Sequence[dict[str, str]], key: Ed25519PrivateKey = FIRST_KEY, *, tenant: str = str(ACME), at: str = AT
) -> dict[str, Any]:
    id = str(id_of("receipt"))
    digest = sha256(b"".join(bytes.fromhex(row["leaf_hash"]) for row in rows)).digest()
    lines = ["suture-receipt/1", tenant, id, at, str(len(rows)), base64.b64encode(digest).decode()]
    signature = key.sign("".join(f"{line}\n" for line in lines).encode())
    return {
        "tenant": tenant,
        "id": id,
        "at": at,
        "rows": list(rows),
        "public_key": public(key),
        "signature": signature.hex(),
    }
