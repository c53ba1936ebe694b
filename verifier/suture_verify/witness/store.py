"""The files of a witness: its key, and the last cosigned note of each log. A witness answers only after the note is on
disk."""

import fcntl
import os
import tempfile
from hashlib import sha256
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from suture_verify.notes import MalformedNote, SignedNote, parse_notes

KEY_FILE = "witness.key"


class Unusable(Exception):  # noqa: N818 (for the operator)
    """A file of the witness cannot be read, or another witness uses the directory; the message gives the reason."""


class Store:
    """The directory of one witness, locked until the process ends."""

    def __init__(self, folder: Path) -> None:
        """Open the directory, and create it if it does not exist. Raises Unusable, OSError."""
        self._folder = folder
        self._notes = folder / "notes"
        self._notes.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise Unusable(f"Another witness uses {folder}.") from None

    def close(self) -> None:
        """Unlock the directory."""
        os.close(self._lock)

    def key(self) -> Ed25519PrivateKey:
        """Return the witness's key, and create it on the first call. Raises Unusable, also if there are notes but no
        key, because a new key would be another witness."""
        file = self._folder / KEY_FILE
        if not file.exists():
            if any(self._notes.iterdir()):
                raise Unusable(f"{file} is missing, although this witness has cosigned notes. Restore it.")
            made = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            _write(file, made)
        try:
            key = load_pem_private_key(file.read_bytes(), password=None)
        except (ValueError, UnsupportedAlgorithm):
            raise Unusable(f"{file} is not a private key in PEM.") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise Unusable(f"{file} is not an Ed25519 key.")
        return key

    def last(self, origin: str) -> SignedNote | None:
        """Return the last cosigned note of a log; None if there is none. Raises Unusable if it is damaged, because the
        witness then does not know its last cosignature."""
        file = self.file_of(sha256(origin.encode()).hexdigest())
        try:
            notes = parse_notes(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (UnicodeDecodeError, MalformedNote):
            notes = []
        if len(notes) != 1 or notes[0].tree_head.origin != origin:
            raise Unusable(f"{file} is damaged.")
        return notes[0]

    def keep(self, note: SignedNote) -> None:
        """Write a note to disk, and replace the previous one. Raises OSError."""
        _write(self.file_of(sha256(note.tree_head.origin.encode()).hexdigest()), note.text.encode())

    def file_of(self, digest: str) -> Path:
        """Return the file of the log whose origin has this SHA-256 (hexadecimal)."""
        return self._notes / f"{digest}.txt"


def _write(file: Path, data: bytes) -> None:
    """Write a file atomically and durably (mode 0600)."""
    descriptor, name = tempfile.mkstemp(prefix=".", dir=file.parent)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    directory = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)
