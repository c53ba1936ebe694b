"""The tree heads published outside the database, and the check of the database against them (docs/ledger.md).

Every seal publishes a signed note to `SUTURE_HOME/tree_heads/<tenant>.txt`, which only grows. If the database lacks
entries or rows that the last note covers, it was restored from an older backup or truncated, and all writes are
refused.
"""

import os
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf import settings

from governance.models import Entry, MerkleTree
from governance.refusals import Halted
from suture_verify.entries import GOVERNANCE
from suture_verify.notes import MalformedNote, SignedNote, TreeHead, parse_notes

#: Longer than any note, so the last bytes of the file contain the last note.
TAIL_BYTES = 4096
_OPENING = b"suture/"
_SIGNATURE = "— ".encode()
#: A note is complete if the line of its first signature is; the cosignatures of witnesses follow.
_LAST_LINE = re.compile(rb"^\xe2\x80\x94 [^\n]*\n", re.MULTILINE)


class TreeHeadsUnreadable(Halted):
    """The file of published tree heads cannot be read."""


class LedgerIsBehind(Halted):
    """The database is behind the last published tree head."""


#: Tenants whose ledger this process has compared with their last tree head.
_compared: set[uuid.UUID] = set()


def path_of(tenant_id: uuid.UUID) -> Path:
    """The tenant's file of published notes."""
    return Path(settings.SUTURE_HOME) / "tree_heads" / f"{tenant_id}.txt"


def last(tenant_id: uuid.UUID) -> SignedNote | None:
    """The newest note of the tenant's file. Raises TreeHeadsUnreadable, saying what to do."""
    path = path_of(tenant_id)
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - TAIL_BYTES))
            tail = file.read()
        # The tail may begin inside a note: begin with the next one.
        begin = 0 if size <= TAIL_BYTES else tail.find(b"\n" + _OPENING) + 1
        notes = parse_notes(tail[begin : len(tail) - torn_bytes(tail)].decode())
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError, MalformedNote) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise TreeHeadsUnreadable(
            f"The file of published tree heads {path} cannot be read ({reason}), so the server refuses all writes."
            " Restore it from a copy, or move it away. Anyone who has a copy of it can still compare."
        ) from None
    return notes[-1] if notes else None


def extent(tenant_id: uuid.UUID) -> int:
    """The current size in bytes of the tenant's file of notes. Raises TreeHeadsUnreadable."""
    try:
        return path_of(tenant_id).stat().st_size
    except FileNotFoundError:
        return 0
    except OSError as error:
        raise _unreadable(tenant_id, error) from None


def every(
    tenant_id: uuid.UUID, damaged: Callable[[int, str], None], *, size: int = 0, extent: int
) -> Iterator[SignedNote]:
    """The notes in the first `extent` bytes of the tenant's file whose trees have at least `size` leaves, in order.
    Calls `damaged` with the line, from 1, and the reason for each unreadable note. An incomplete note at the end is
    ignored. Raises TreeHeadsUnreadable."""
    try:
        with path_of(tenant_id).open("rb") as file:
            piece: list[bytes] = []
            begin = 1
            for number, line in enumerate(file, 1):
                extent -= len(line)
                if extent < 0:
                    break
                if line.startswith(_OPENING) and piece:
                    if not _is_smaller(piece, size):
                        yield from _parsed(piece, begin, damaged)
                    piece, begin = [], number
                piece.append(line)
            if not torn_bytes(b"".join(piece)) and not _is_smaller(piece, size):
                yield from _parsed(piece, begin, damaged)
    except FileNotFoundError:
        return
    except OSError as error:
        raise _unreadable(tenant_id, error) from None


def _unreadable(tenant_id: uuid.UUID, error: OSError) -> TreeHeadsUnreadable:
    return TreeHeadsUnreadable(
        f"The file of published tree heads {path_of(tenant_id)} cannot be read ({error.strerror})."
    )


def _is_smaller(piece: list[bytes], size: int) -> bool:
    """Whether the second line of a note names a smaller tree: this is faster than parsing the whole note."""
    stated = piece[1].strip() if size and len(piece) > 1 else b""
    return stated.isdigit() and len(stated) < 20 and int(stated) < size


def _parsed(piece: list[bytes], begin: int, damaged: Callable[[int, str], None]) -> list[SignedNote]:
    try:
        return parse_notes(b"".join(piece).decode())
    except MalformedNote as error:
        damaged(begin + error.line - 1, error.reason)
    except UnicodeDecodeError:
        damaged(begin, "it is not UTF-8")
    return []


def torn_bytes(tail: bytes) -> int:
    """The number of bytes of an incomplete note or cosignature that a crash left at the end of a file of notes."""
    ends = [found.end() for found in _LAST_LINE.finditer(tail)]
    rest = tail[ends[-1] if ends else 0 :].lstrip(b"\n")
    begins = (_OPENING, _SIGNATURE) if ends else (_OPENING,)
    return len(rest) if any(rest.startswith(begin) or begin.startswith(rest) for begin in begins) else 0


def require_not_behind(tenant_id: uuid.UUID) -> None:
    """Compare the tenant's ledger with its last published tree head, once per process and tenant.

    Raises LedgerIsBehind and TreeHeadsUnreadable, saying what to do. Called within the tenant.
    """
    if tenant_id in _compared:
        return
    note = last(tenant_id)
    if note is not None and (lacking := missing_of(tenant_id, note.tree_head)):
        raise LedgerIsBehind(
            f"The database {lacking}, which the last published tree head covers ({path_of(tenant_id)}), so the server"
            " refuses all writes. It was restored from an older backup, or records were deleted or changed. Restore a"
            " newer backup. To accept the loss instead, move that file away. Anyone who has a copy of it can still"
            " detect the loss."
        )
    _compared.add(tenant_id)


def missing_of(tenant_id: uuid.UUID, tree_head: TreeHead) -> str:
    """A description of what the tenant's ledger lacks compared with a tree head; empty if it lacks nothing."""
    hashes = Entry.objects.filter(tenant_id=tenant_id, chain__name=GOVERNANCE, seq=tree_head.seq)
    found = hashes.values_list("hash", flat=True).first()
    if found is None:
        return f"has no entry {tree_head.seq} of the {GOVERNANCE} chain"
    if bytes(found) != tree_head.head:
        return f"has a different entry {tree_head.seq} of the {GOVERNANCE} chain"
    tree = MerkleTree.objects.filter(tenant_id=tenant_id).first()
    if tree is None or tree.size < tree_head.size:
        return f"has fewer than {tree_head.size} sealed rows"
    return ""
