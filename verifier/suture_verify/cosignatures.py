"""Cosignatures of witnesses on tree heads (C2SP tlog-cosignature, Ed25519), and their verifier keys."""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from suture_verify.notes import NoteSignature, SignedNote, TreeHead
from suture_verify.signatures import KEY_SIZE, SIGNATURE_SIZE, is_signed

#: The algorithm bytes of keys for notes and for cosignatures.
NOTES, COSIGNATURES = 0x01, 0x04

_TIME_SIZE = 8
_LATEST = 2**63 - 1
_NAME = re.compile(r"[^\s+]{1,100}")


class MalformedKey(ValueError):  # noqa: N818 (bad input, not a bug)
    """The text is not a verifier key; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public Ed25519 key with its name, written `<name>+<key id>+<base64>` (C2SP signed-note)."""

    name: str
    public: bytes
    algorithm: int = COSIGNATURES

    @property
    def key_id(self) -> bytes:
        """The four bytes that identify the key on a signature line."""
        return sha256(self.name.encode() + b"\n" + bytes([self.algorithm]) + self.public).digest()[:4]

    def __str__(self) -> str:
        material = base64.b64encode(bytes([self.algorithm]) + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{material}"


def parse_key(text: str, algorithm: int = COSIGNATURES) -> VerifierKey:
    """Parse a verifier key for `algorithm`. Raises MalformedKey."""
    name, *parts = text.strip().split("+", 2)
    if len(parts) != 2 or not _NAME.fullmatch(name):
        raise MalformedKey("a verifier key is <name>+<key id>+<base64>")
    try:
        material = base64.b64decode(parts[1], validate=True)
    except (binascii.Error, ValueError):
        raise MalformedKey("its last part is not base64") from None
    if len(material) != 1 + KEY_SIZE or material[0] != algorithm:
        raise MalformedKey(f"it is not an Ed25519 key for {'cosignatures' if algorithm == COSIGNATURES else 'notes'}")
    key = VerifierKey(name, material[1:], algorithm)
    if key.key_id.hex() != parts[0]:
        raise MalformedKey("its key id does not belong to its name and key")
    return key


def cosign(tree_head: TreeHead, key: Ed25519PrivateKey, name: str, at: int) -> NoteSignature:
    """Cosign a tree head, at a time in seconds since the epoch."""
    verifier = VerifierKey(name, key.public_key().public_bytes_raw())
    signature = at.to_bytes(_TIME_SIZE, "big") + key.sign(_message(tree_head, at))
    return NoteSignature(name, verifier.key_id, signature)


def cosigned_at(note: SignedNote, key: VerifierKey) -> int | None:
    """Return when the witness with this key cosigned the note, in seconds since the epoch; None if it did not."""
    for line in note.signatures:
        if (line.name, line.key_id) != (key.name, key.key_id) or len(line.signature) != _TIME_SIZE + SIGNATURE_SIZE:
            continue
        at = int.from_bytes(line.signature[:_TIME_SIZE], "big")
        if at <= _LATEST and is_signed(_message(note.tree_head, at), line.signature[_TIME_SIZE:], key.public):
            return at
    return None


def _message(tree_head: TreeHead, at: int) -> bytes:
    return f"cosignature/v1\ntime {at}\n{tree_head.text}".encode()


@dataclass(frozen=True, slots=True)
class Quorum:
    """Witnesses, and the number of them that must have cosigned a tree head."""

    keys: tuple[VerifierKey, ...]
    needed: int

    @classmethod
    def of(cls, keys: Sequence[str], needed: int | None) -> "Quorum | None":
        """Build a quorum of these verifier keys (all of them if `needed` is None); None without keys. Raises
        MalformedKey, also for repeated keys and an unreachable number."""
        if not keys:
            if needed is not None:
                raise MalformedKey("the number of witnesses was given without their keys")
            return None
        parsed = tuple(map(parse_key, keys))
        if len({key.public for key in parsed}) < len(parsed):
            raise MalformedKey("a key is given twice")
        if not 1 <= (needed or len(parsed)) <= len(parsed):
            raise MalformedKey(f"{needed} of {len(parsed)} witnesses is not possible")
        return cls(parsed, needed or len(parsed))

    def witnesses_of(self, note: SignedNote) -> list[str]:
        """Return the names of the witnesses that cosigned a note."""
        return [key.name for key in self.keys if cosigned_at(note, key) is not None]
