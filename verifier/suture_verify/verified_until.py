"""Signed notes about how far a ledger was verified, from where the next verification may start.

A note has an origin line, a JSON line, an empty line, and the signature of the governance chain's key.
"""

import binascii
import json
import uuid
from base64 import b64decode, b64encode
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import rfc8785
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from suture_verify.entries import GOVERNANCE, bytes_of
from suture_verify.following import Position
from suture_verify.merkle import Frontier
from suture_verify.notes import KEY_NAME, TreeHead, key_id, origin_of
from suture_verify.signatures import is_signed

_PURPOSE = "/confirmed"


class NotVerifiedError(ValueError):
    """The text is not such a note, or it is not signed by its ledger's key."""


@dataclass(frozen=True, slots=True)
class VerifiedUntil:
    """A published tree head up to which a verification had no findings.

    `subtrees` are the hashes of the full subtrees of its tree, largest first, which give its root. `chains` has the
    last verified entry of each chain; for the governance chain, it is the tree head's. `at` is the time of the
    verification, `whole_at` that of the last one that started with the first entry.
    """

    tree_head: TreeHead
    subtrees: tuple[bytes, ...]
    chains: dict[str, Position]
    at: datetime
    whole_at: datetime

    @property
    def key(self) -> bytes:
        """The key of the governance chain, which signs the note."""
        return self.chains[GOVERNANCE].public_key or b""


def to_note(until: VerifiedUntil, private_key: Ed25519PrivateKey) -> str:
    """Write the signed note, which `from_note` reads."""
    head = until.tree_head
    fields: dict[str, Any] = {
        "size": head.size,
        "root": head.root.hex(),
        "seq": head.seq,
        "head": head.head.hex(),
        "subtrees": [digest.hex() for digest in until.subtrees],
        "chains": {
            name: [one.seq, one.hash.hex(), (one.public_key or b"").hex()] for name, one in until.chains.items()
        },
        "at": until.at.isoformat(),
        "whole_at": until.whole_at.isoformat(),
    }
    text = f"{head.origin}{_PURPOSE}\n{rfc8785.dumps(fields).decode()}\n"
    public_key = private_key.public_key().public_bytes_raw()
    signature = b64encode(key_id(KEY_NAME, public_key) + private_key.sign(text.encode())).decode()
    return f"{text}\n— {KEY_NAME} {signature}\n"


def from_note(note: str, tenant: uuid.UUID) -> VerifiedUntil:
    """Read a note of the tenant's ledger. Raises NotVerifiedError, also for a wrong signature or root."""
    text, _, signature = note.partition("\n\n")
    origin, _, line = text.partition("\n")
    if origin != origin_of(tenant) + _PURPOSE:
        raise NotVerifiedError("it is about another ledger")
    try:
        fields = json.loads(line)
        tree_head = TreeHead(
            origin_of(tenant), fields["size"], bytes_of(fields["root"]), fields["seq"], bytes_of(fields["head"])
        )
        until = VerifiedUntil(
            tree_head,
            tuple(bytes_of(digest) for digest in fields["subtrees"]),
            {
                name: Position(seq, bytes_of(digest), bytes_of(key))
                for name, (seq, digest, key) in fields["chains"].items()
            },
            datetime.fromisoformat(fields["at"]),
            datetime.fromisoformat(fields["whole_at"]),
        )
        root = Frontier(tree_head.size, until.subtrees).root()
        governance = until.chains[GOVERNANCE]
        signed = b64decode(signature.removeprefix(f"— {KEY_NAME} ").strip(), validate=True)
    except (binascii.Error, AttributeError, KeyError, TypeError, ValueError) as error:
        raise NotVerifiedError(f"it cannot be read ({error})") from None
    if root != tree_head.root or (governance.seq, governance.hash) != (tree_head.seq, tree_head.head):
        raise NotVerifiedError("it contradicts itself")
    if signed[:4] != key_id(KEY_NAME, until.key) or not is_signed(f"{text}\n".encode(), signed[4:], until.key):
        raise NotVerifiedError("it is not signed by the ledger's key")
    return until
