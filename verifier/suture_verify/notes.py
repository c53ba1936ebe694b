"""Tree heads of a tenant's ledger as signed notes (C2SP signed-note and tlog-checkpoint).

In a file of notes, each note is followed by an empty line:

    suture/<tenant>
    <leaves in the tree>
    <root, base64>
    governance <seq> <hash of that entry, base64>

    — suture <key hash and signature, base64>

"""

import base64
import binascii
import json
import re
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from suture_verify.entries import GOVERNANCE, HASH_SIZE
from suture_verify.signatures import is_signed

#: The name of the signing key on a note's signature line.
KEY_NAME = "suture"

_ED25519 = b"\x01"
_KEY_ID_SIZE = 4
_NUMBER = re.compile(r"0|[1-9][0-9]{0,18}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class MalformedNote(ValueError):  # noqa: N818 (bad input, not a bug)
    """The text is not a signed note of a tree head; the message gives the line and the reason."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line, self.reason = line, reason


def origin_of(tenant: uuid.UUID) -> str:
    """Return the origin line of a tenant's tree heads."""
    return f"suture/{tenant}"


@dataclass(frozen=True, slots=True)
class TreeHead:
    """The state of a ledger: the size and root of its tree, the number and hash of its last governance entry."""

    origin: str
    size: int
    root: bytes
    seq: int
    head: bytes

    @property
    def text(self) -> str:
        """The signed lines."""
        root, head = (base64.b64encode(digest).decode() for digest in (self.root, self.head))
        return f"{self.origin}\n{self.size}\n{root}\n{GOVERNANCE} {self.seq} {head}\n"


@dataclass(frozen=True, slots=True)
class NoteSignature:
    """One signature line: the key's name, the first four bytes of its hash, and the signature."""

    name: str
    key_id: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A tree head with its signatures, which are not verified yet."""

    tree_head: TreeHead
    signatures: tuple[NoteSignature, ...]

    @property
    def text(self) -> str:
        """The whole note, as in a file of notes."""
        return f"{self.tree_head.text}\n{self.signature_lines}\n"

    @property
    def signature_lines(self) -> str:
        """The lines of its signatures."""
        return "".join(
            f"— {line.name} {base64.b64encode(line.key_id + line.signature).decode()}\n" for line in self.signatures
        )

    def verify(self, public_keys: Iterable[bytes]) -> bytes | None:
        """Return the first of the public keys (32 bytes each) that signed the note; None if none did."""
        text = self.tree_head.text.encode()
        for key in public_keys:
            wanted = (KEY_NAME, key_id(KEY_NAME, key))
            for line in self.signatures:
                if (line.name, line.key_id) == wanted and is_signed(text, line.signature, key):
                    return key
        return None


def key_id(name: str, public_key: bytes) -> bytes:
    """Return the four bytes that identify an Ed25519 key on a signature line."""
    return sha256(name.encode() + b"\n" + _ED25519 + public_key).digest()[:_KEY_ID_SIZE]


def sign_note(tree_head: TreeHead, private_key: Ed25519PrivateKey) -> str:
    """Sign a tree head, and return the note for appending to a file of notes."""
    public_key = private_key.public_key().public_bytes_raw()
    signature = private_key.sign(tree_head.text.encode())
    return SignedNote(tree_head, (NoteSignature(KEY_NAME, key_id(KEY_NAME, public_key), signature),)).text


def parse_kept(text: str) -> list[SignedNote]:
    """Parse kept notes: a file of notes, or the API's JSON answer for its last tree head, with the note in `note`.
    Raises MalformedNote."""
    if not text.lstrip().startswith("{"):
        return parse_notes(text)
    try:
        note = json.loads(text)["note"]
    except (ValueError, KeyError, RecursionError):
        note = None
    if not isinstance(note, str):
        raise MalformedNote(1, "neither a signed note nor JSON that contains one")
    return parse_notes(note)


def parse_notes(text: str) -> list[SignedNote]:
    """Parse the notes of a file, in order, and ignore empty lines between them. Raises MalformedNote."""
    lines = text.split("\n")
    notes, at = [], 0
    while at < len(lines):
        if not lines[at]:
            at += 1
            continue
        note, at = _parse_note(lines, at)
        notes.append(note)
    return notes


def parse_signature_lines(text: str) -> list[NoteSignature]:
    """Parse the signature lines in a witness's answer. Raises MalformedNote."""
    found = []
    for number, line in enumerate(text.removesuffix("\n").split("\n"), 1):
        found.append(_parse_signature(line, number))
    return found


def _parse_signature(line: str, number: int) -> NoteSignature:
    dash, _, rest = line.partition(" ")
    name, _, encoded = rest.partition(" ")
    if dash != "—" or not name or not encoded:
        raise MalformedNote(number, "not a signature line ('— <key name> <base64>')")
    # Any length is allowed, because a witness may add a signature with an unknown algorithm.
    signed = _decoded(encoded, number, "signature")
    return NoteSignature(name, signed[:_KEY_ID_SIZE], signed[_KEY_ID_SIZE:])


def _decoded(text: str, number: int, what: str) -> bytes:
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        found = b""
    # Each value has exactly one text, but base64 ignores some bits of the last character.
    if not found or base64.b64encode(found).decode() != text:
        raise MalformedNote(number, f"the {what} is not base64")
    return found


def _parse_note(lines: list[str], start: int) -> tuple[SignedNote, int]:
    """Parse the note that starts at an index of `lines`; also return the index after it."""

    def line(offset: int, what: str) -> str:
        if start + offset >= len(lines):
            raise MalformedNote(start + offset, f"the note ends before its {what}")
        if _CONTROL.search(lines[start + offset]):
            raise MalformedNote(start + offset + 1, "a control character")
        return lines[start + offset]

    def number(text: str, offset: int, what: str) -> int:
        if not _NUMBER.fullmatch(text):
            raise MalformedNote(start + offset + 1, f"the {what} is not a whole number")
        return int(text)

    def digest(text: str, offset: int, what: str) -> bytes:
        found = _decoded(text, start + offset + 1, what)
        if len(found) != HASH_SIZE:
            raise MalformedNote(start + offset + 1, f"the {what} is not {HASH_SIZE} bytes long")
        return found

    origin = line(0, "origin")
    size = number(line(1, "size"), 1, "size")
    root = digest(line(2, "root"), 2, "root")
    head = line(3, "head").split(" ")
    if len(head) != 3 or head[0] != GOVERNANCE:
        raise MalformedNote(start + 4, f"not '{GOVERNANCE} <seq> <hash>'")
    seq = number(head[1], 3, "sequence number")
    tree_head = TreeHead(origin, size, root, seq, digest(head[2], 3, "hash of the entry"))
    if line(4, "empty line before the signature"):
        raise MalformedNote(start + 5, "no empty line between the text and its signature")
    at, signatures = 5, []
    while start + at < len(lines) and line(at, "signature"):
        signatures.append(_parse_signature(line(at, "signature"), start + at + 1))
        at += 1
    if not signatures:
        raise MalformedNote(min(start + at + 1, len(lines)), "the note has no signature")
    return SignedNote(tree_head, tuple(signatures)), start + at
