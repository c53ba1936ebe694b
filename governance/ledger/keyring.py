"""The server's signing keys (Ed25519, RFC 8032): the one that new chains pin, and older ones until chains are rotated.

They come from `SUTURE_SIGNING_KEY` or the file that `SUTURE_SIGNING_KEY_FILE` names: PEM private keys, the current one
first. Without either they are in `SUTURE_HOME/ledger.key` (mode 0600), created when the first node first starts. If the
database already has a key, no other is created.
"""

import fcntl
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
)
from django.conf import settings
from django.db import Error as DatabaseFailure

from governance.ledger import db
from governance.refusals import Halted

_PEM = re.compile(r"-----BEGIN PRIVATE KEY-----.*?-----END PRIVATE KEY-----\n?", re.DOTALL)


class SigningKeyUnusable(Halted):
    """The signing key cannot be read."""


class SigningKeyMissing(Halted):
    """The key that signs this chain is missing."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key pair; `public` is the raw public key, 32 bytes."""

    private: Ed25519PrivateKey
    public: bytes

    def sign(self, message: bytes) -> bytes:
        """The signature of `message`, 64 bytes."""
        return self.private.sign(message)


def path() -> Path:
    """The file with the keys, unless they are in the environment."""
    named = os.environ.get("SUTURE_SIGNING_KEY_FILE")
    return Path(named) if named else Path(settings.SUTURE_HOME) / "ledger.key"


def is_ours() -> bool:
    """Whether the keys are in our own file, which we may replace."""
    return not (os.environ.get("SUTURE_SIGNING_KEY") or os.environ.get("SUTURE_SIGNING_KEY_FILE"))


def keys(using: str = "default") -> list[SigningKey]:
    """All keys, the current one first; `using` is the connection to check before a first key is created. Raises
    SigningKeyUnusable, naming the source."""
    if given := os.environ.get("SUTURE_SIGNING_KEY"):
        return _parsed(given.replace("\\n", "\n"), "SUTURE_SIGNING_KEY")
    file = path()
    if is_ours() and not file.exists():
        _require_none_known(file, using)
        _make(file)
    try:
        state = file.stat()
        found = _read.get(file)
        # Reload a replaced file: a rotation must reach running processes.
        if found is None or found[0] != (state.st_mtime_ns, state.st_ino):
            found = _read[file] = ((state.st_mtime_ns, state.st_ino), _parsed(file.read_text(), str(file)))
    except OSError as error:
        raise SigningKeyUnusable(f"The signing key {file} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise SigningKeyUnusable(
            f"{file} is not a PEM file. Create a key with `openssl genpkey -algorithm ed25519`."
        ) from None
    return found[1]


_read: dict[Path, tuple[tuple[int, int], list[SigningKey]]] = {}


def current() -> SigningKey:
    """The first key, which signs every chain after a rotation."""
    return keys()[0]


def for_new_chain(using: str = "default") -> SigningKey:
    """The key that a new chain pins: the one known to the database over the connection `using`, or the current one if
    it knows none. Raises SigningKeyMissing if this node does not have it: other nodes could not continue a chain with
    another key."""
    known = db.known_signing_key.on(using)()
    if known.fingerprint is None:
        return keys(using)[0]
    for key in keys(using):
        if fingerprint(key.public) == known.fingerprint:
            return key
    raise SigningKeyMissing(
        f"New chains are signed with the key {known.fingerprint[:16]}, which is not in {_here()}. Copy the key from"
        f" {known.origin}, or change keys there with `manage.py rotate_signing_key`."
    )


def fingerprint(public: bytes) -> str:
    """The SHA-256 of a public key, in hexadecimal, by which the database identifies it."""
    return hashlib.sha256(public).hexdigest()


def signer_of(public: bytes) -> SigningKey:
    """The key pair of a public key. Raises SigningKeyMissing, saying what to do."""
    for key in keys():
        if key.public == public:
            return key
    raise SigningKeyMissing(
        f"The ledger is signed with the key {public.hex()[:16]}, which is not in {_here()}. Without it the server"
        " refuses all writes. "
        "Restore that key (docs/ledger.md). To change keys, use `manage.py rotate_signing_key`."
    )


def _here() -> str:
    return "SUTURE_SIGNING_KEY" if os.environ.get("SUTURE_SIGNING_KEY") else str(path())


def _require_none_known(file: Path, using: str) -> None:
    """Refuse to create a key if the database has one: other nodes could not continue chains with a new key."""
    try:
        known = db.known_signing_key.on(using)()
    except DatabaseFailure:
        raise SigningKeyUnusable(
            f"The signing key {file} is missing. No key was created, because the database, which may know one, cannot"
            " be reached."
        ) from None
    if known.is_pinned:
        origin = known.origin or "the node that has signed so far"
        raise SigningKeyUnusable(
            f"The signing key {file} is missing, but the ledger is already signed. No new key was created. Copy the key"
            f" from {origin}, or name its file in SUTURE_SIGNING_KEY_FILE."
        )


@contextmanager
def held() -> Iterator[None]:
    """Lock our own file against a concurrent rotation, which would overwrite the new key.

    Does nothing if the keys come from the environment.
    """
    if not is_ours():
        yield
        return
    current()  # creates a missing file
    # Lock the directory, since the file is replaced.
    directory = os.open(path().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def replace() -> tuple[SigningKey, SigningKey]:
    """Create a new current key in our own file, before the old one; returns (new, old).

    Called while the file is `held`. Raises SigningKeyUnusable if the keys come from the environment, where the operator
    must put the new one first.
    """
    if not is_ours():
        raise SigningKeyUnusable("The keys are in the environment. Put the new PEM key before the current one there.")
    present = current()
    made = Ed25519PrivateKey.generate()
    with _written(path(), _pem(made) + _pem(present.private)) as fresh:
        fresh.replace(path())
    return current(), present


def _parsed(text: str, source: str) -> list[SigningKey]:
    found = []
    for block in _PEM.findall(text):
        try:
            private = load_pem_private_key(block.encode(), password=None)
        except (ValueError, UnsupportedAlgorithm):
            raise SigningKeyUnusable(f"{source} contains a PEM block that is not a private key.") from None
        if not isinstance(private, Ed25519PrivateKey):
            raise SigningKeyUnusable(f"{source} contains a key that is not an Ed25519 key.")
        found.append(SigningKey(private, private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)))
    if not found:
        raise SigningKeyUnusable(
            f"{source} contains no PEM private key. Create one with `openssl genpkey -algorithm ed25519`."
        )
    return found


def _pem(key: Ed25519PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def _make(file: Path) -> None:
    """Create the first key. If several processes try, one wins: the link fails if the file exists."""
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with _written(file, _pem(Ed25519PrivateKey.generate())) as fresh:
            os.link(fresh, file)
    except FileExistsError:
        return
    except OSError as error:
        raise SigningKeyUnusable(f"The signing key {file} cannot be created: {error.strerror}.") from None


@contextmanager
def _written(file: Path, text: str) -> Iterator[Path]:
    """Write a temporary file next to `file` (mode 0600) and sync it to disk; the caller then moves it into place."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w") as stream:
            if file.exists():  # keep its owner: web and worker run as another user than a command
                present = file.stat()
                os.fchown(descriptor, present.st_uid, present.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(present.st_mode))
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        yield fresh
        # A power failure must not lose a key that a chain has pinned.
        directory = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(directory)
        os.close(directory)
    finally:
        fresh.unlink(missing_ok=True)
