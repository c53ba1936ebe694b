"""Cosignatures of witnesses on tree heads (C2SP tlog-cosignature, Ed25519), and the keys by which they are verified."""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from suture_verify.notes import NoteSignature, SignedNote, TreeHead
from suture_verify.signatures import KEY_SIZE, SIGNATURE_SIZE, is_signed

#: The bytes that say what a key signs: notes, or cosignatures.
NOTES, COSIGNATURES = 0x01, 0x04

_TIME_SIZE = 8
_LATEST = 2**63 - 1
_NAME = re.compile(r"[^\s+]{1,100}")


class MalformedKey(ValueError):  # noqa: N818 (somebody else's text is at fault, not the program)
    """The text is not a verifier key; the message says why."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public Ed25519 key with its name, written `<name>+<key id>+<base64>` as C2SP signed-note says."""

    name: str
    public: bytes
    algorithm: int = COSIGNATURES

    @property
    def key_id(self) -> bytes:
        """The four bytes by which a signature line names the key."""
        return sha256(self.name.encode() + b"\n" + bytes([self.algorithm]) + self.public).digest()[:4]

    def __str__(self) -> str:
        material = base64.b64encode(bytes([self.algorithm]) + self.public).decode()
        return f"{self.name}+{self.key_id.hex()}+{material}"


def parse_key(text: str, algorithm: int = COSIGNATURES) -> VerifierKey:
    """The verifier key that a text is, which must be one for `algorithm`. Raises MalformedKey."""
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
    """The cosignature of a witness on a tree head, at a time in seconds since the epoch."""
    verifier = VerifierKey(name, key.public_key().public_bytes_raw())
    signature = at.to_bytes(_TIME_SIZE, "big") + key.sign(_message(tree_head, at))
    return NoteSignature(name, verifier.key_id, signature)


def cosigned_at(note: SignedNote, key: VerifierKey) -> int | None:
    """When the witness with this key cosigned the note, in seconds since the epoch; None if it did not."""
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
    """Witnesses, and how many of them must have cosigned a tree head for it to be believed."""

    keys: tuple[VerifierKey, ...]
    needed: int

    @classmethod
    def of(cls, keys: Sequence[str], needed: int | None) -> "Quorum | None":
        """The quorum of these verifier keys, all of them where `needed` is None; None without keys. Raises
        MalformedKey, also for keys that come twice and a number that they cannot reach."""
        if not keys:
            if needed is not None:
                raise MalformedKey("a number of witnesses needs their keys")
            return None
        parsed = tuple(map(parse_key, keys))
        if len({key.public for key in parsed}) < len(parsed):
            raise MalformedKey("one key is given twice, and counts once")
        if not 1 <= (needed or len(parsed)) <= len(parsed):
            raise MalformedKey(f"{needed} of {len(parsed)} witnesses cannot be needed")
        return cls(parsed, needed or len(parsed))

    def witnesses_of(self, note: SignedNote) -> list[str]:
        """The names of the witnesses that cosigned a note."""
        return [key.name for key in self.keys if cosigned_at(note, key) is not None]
