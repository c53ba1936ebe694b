"""Requests to a witness and its checks (C2SP tlog-witness, add-checkpoint), without network and disk. A request is:

old <size of the tree head that the witness cosigned last>
<hashes of the consistency proof, base64>

<the new note>
"""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass

from suture_verify.entries import HASH_SIZE
from suture_verify.merkle import verify_consistency
from suture_verify.notes import MalformedNote, SignedNote, TreeHead, parse_notes

#: The most hashes of a proof, more than any tree needs.
MAX_HASHES = 63
SIZE_TYPE = "text/x.tlog.size"

_OLD = re.compile(r"old (0|[1-9][0-9]{0,18})")


class Refusal(Exception):  # noqa: N818 (an answer, not an error)
    """The witness does not cosign; the message gives the reason. `status` is the HTTP status."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


class SizeMismatch(Refusal):
    """The proof does not start at the tree that the witness cosigned last."""

    def __init__(self, size: int) -> None:
        super().__init__(409, f"{size}\n")


@dataclass(frozen=True, slots=True)
class Request:
    """A new note, with a proof that its tree extends the first `old` leaves that the witness has seen."""

    old: int
    proof: tuple[bytes, ...]
    note: SignedNote

    @property
    def text(self) -> str:
        """The body of the request."""
        hashes = "".join(f"{base64.b64encode(node).decode()}\n" for node in self.proof)
        return f"old {self.old}\n{hashes}\n{self.note.text.removesuffix(chr(10))}"


def parse_request(text: str) -> Request:
    """Parse the body of a request. Raises Refusal (400)."""
    head, separator, rest = text.partition("\n\n")
    first, *hashes = head.split("\n")
    old = _OLD.fullmatch(first)
    if not separator or old is None:
        raise Refusal(400, "The body must start with 'old <size>', a proof and an empty line.")
    if len(hashes) > MAX_HASHES:
        raise Refusal(400, f"The proof has more than {MAX_HASHES} hashes.")
    try:
        notes = parse_notes(rest)
    except MalformedNote as error:
        raise Refusal(400, f"The note cannot be read: {error}.") from None
    if len(notes) != 1:
        raise Refusal(400, "The body must have exactly one note.")
    return Request(int(old[1]), tuple(map(_hash, hashes)), notes[0])


def _hash(text: str) -> bytes:
    try:
        found = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        found = b""
    if len(found) != HASH_SIZE:
        raise Refusal(400, f"A hash of the proof is not {HASH_SIZE} bytes in base64.")
    return found


def require_signed(request: Request, log_keys: Sequence[bytes], origin_prefix: str) -> None:
    """Refuse a note with an unknown origin (404) or without a signature by a key of the log (403)."""
    if not request.note.tree_head.origin.startswith(origin_prefix):
        raise Refusal(404, "This witness does not know the log.")
    if request.note.verify(log_keys) is None:
        raise Refusal(403, "No key of the log that this witness knows signed the note.")


def require_consistent(request: Request, seen: TreeHead | None) -> None:
    """Refuse a tree head that does not extend the last cosigned one (None: none yet): with 409 if the request starts
    elsewhere, with 422 if the proof fails."""
    new, size = request.note.tree_head, seen.size if seen else 0
    if request.old > new.size:
        raise Refusal(400, "The old size is larger than the new one.")
    if request.old != size:
        raise SizeMismatch(size)
    if seen is None or size == 0:
        if request.proof:
            raise Refusal(422, "A proof from an empty tree must be empty.")
    elif new.size == size and new.root != seen.root:
        raise SizeMismatch(size)
    elif not verify_consistency(size, new.size, seen.root, new.root, request.proof):
        raise Refusal(422, "The proof does not show that the tree extends the last cosigned one.")
    # Not required by C2SP: a number must always name the same entry.
    if seen is not None and new.seq == seen.seq and new.head != seen.head:
        raise Refusal(422, f"Entry {new.seq} differs from the one in the last cosigned note.")
