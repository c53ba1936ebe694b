"""Receipts: the server's signed promise that rows are in the record, given before they are sealed.

A receipt lists the leaf hashes of the rows of one recording call. Its signature is Ed25519 over these lines:

    suture-receipt/1
    <tenant>
    <id of the receipt>
    <moment, ISO 8601 in UTC with microseconds>
    <number of leaf hashes>
    <SHA-256 of all leaf hashes, one after the other, base64>

It corresponds to a signed certificate timestamp of Certificate Transparency (RFC 6962, 3.2).
"""

import base64
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, NamedTuple, Self

from suture_verify.entries import HASH_SIZE, bytes_of
from suture_verify.signatures import KEY_SIZE, SIGNATURE_SIZE, is_signed

_HEADING = "suture-receipt/1"
_FIELDS = {"tenant", "id", "at", "rows", "public_key", "signature"}
_ROW_FIELDS = {"kind", "id", "leaf_hash"}


class MalformedReceipt(ValueError):  # noqa: N818 (bad input, not a bug)
    """The value is not a receipt; the message gives the reason."""


class ReceiptRow(NamedTuple):
    """A row that a receipt covers: its kind, its id and its leaf hash (32 bytes)."""

    kind: str
    id: uuid.UUID
    hash: bytes


def signed_text(tenant: uuid.UUID, id: uuid.UUID, at: datetime, hashes: bytes) -> bytes:
    """Return the bytes that a receipt's signature covers. `hashes` are its concatenated leaf hashes."""
    moment = at.astimezone(UTC).isoformat(timespec="microseconds")
    digest = base64.b64encode(sha256(hashes).digest()).decode()
    return f"{_HEADING}\n{tenant}\n{id}\n{moment}\n{len(hashes) // HASH_SIZE}\n{digest}\n".encode()


@dataclass(frozen=True, slots=True)
class Receipt:
    """A receipt as the server returns and stores it. Its signature is not verified yet."""

    tenant: uuid.UUID
    id: uuid.UUID
    at: datetime
    rows: Sequence[ReceiptRow]
    public_key: bytes
    signature: bytes

    @property
    def is_signed(self) -> bool:
        """Whether its own public key signed it. This does not check that the key belongs to the ledger."""
        text = signed_text(self.tenant, self.id, self.at, b"".join(row.hash for row in self.rows))
        return is_signed(text, self.signature, self.public_key)

    def as_json(self) -> dict[str, Any]:
        """Convert the receipt to a JSON value, which `parse` reads."""
        return {
            "tenant": str(self.tenant),
            "id": str(self.id),
            "at": self.at.astimezone(UTC).isoformat(timespec="microseconds"),
            "rows": [{"kind": row.kind, "id": str(row.id), "leaf_hash": row.hash.hex()} for row in self.rows],
            "public_key": self.public_key.hex(),
            "signature": self.signature.hex(),
        }

    @classmethod
    def parse(cls, value: object) -> Self:
        """Parse a receipt from JSON, or from an answer of the API that contains it. Raises MalformedReceipt."""
        if isinstance(value, dict) and "receipt" in value and not value.keys() >= _FIELDS:
            value = value["receipt"]
        if not isinstance(value, dict) or value.keys() != _FIELDS:
            raise MalformedReceipt("not an object with the fields of a receipt")
        if not isinstance(value["rows"], list) or not all(
            isinstance(row, dict) and row.keys() == _ROW_FIELDS and type(row["kind"]) is str for row in value["rows"]
        ):
            raise MalformedReceipt("its rows are not objects with kind, id and leaf_hash")
        try:
            at = datetime.fromisoformat(value["at"])
            if at.utcoffset() is None:
                raise MalformedReceipt("its time has no time zone")
            receipt = cls(
                uuid.UUID(value["tenant"]),
                uuid.UUID(value["id"]),
                at,
                [ReceiptRow(row["kind"], uuid.UUID(row["id"]), bytes_of(row["leaf_hash"])) for row in value["rows"]],
                bytes_of(value["public_key"], KEY_SIZE),
                bytes_of(value["signature"], SIGNATURE_SIZE),
            )
        except MalformedReceipt:
            raise
        except (TypeError, ValueError, AttributeError) as error:
            raise MalformedReceipt(str(error)) from None
        if receipt.as_json() != value:
            raise MalformedReceipt("an id or the time is not in the form that the server writes")
        return receipt
