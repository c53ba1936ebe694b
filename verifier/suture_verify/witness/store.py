"""The files of a witness: its key, and for each log the note that it cosigned last. A witness answers only after the
note is on the disk."""

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
    """A file of the witness cannot be read, or another witness uses the directory; the message says which."""


class Store:
    """The directory of one witness, held until the process ends."""

    def __init__(self, folder: Path) -> None:
        """Open the directory, and make it if it does not exist. Raises Unusable, OSError."""
        self._folder = folder
        self._notes = folder / "notes"
        self._notes.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.close()
            raise Unusable(f"Another witness works in {folder}.") from None

    def close(self) -> None:
        """Let another witness use the directory."""
        os.close(self._lock)

    def key(self) -> Ed25519PrivateKey:
        """The witness's key, made at the first call. Raises Unusable, also where notes are there and the key is not:
        a new key would be another witness."""
        file = self._folder / KEY_FILE
        if not file.exists():
            if any(self._notes.iterdir()):
                raise Unusable(f"{file} is not there, and this witness has cosigned already. Put it back.")
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
        """The note of a log that was cosigned last; None if there is none. Raises Unusable: a
        witness that has lost it does not know what it has cosigned."""
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
        """Put a note onto the disk, in place of the one before. Raises OSError."""
        _write(self.file_of(sha256(note.tree_head.origin.encode()).hexdigest()), note.text.encode())

    def file_of(self, digest: str) -> Path:
        """The file of the log whose origin has this SHA-256, in hexadecimal digits."""
        return self._notes / f"{digest}.txt"


def _write(file: Path, data: bytes) -> None:
    """Write a file whole or not at all, and onto the disk (mode 0600)."""
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
