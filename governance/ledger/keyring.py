"""The server's signing keys (Ed25519, RFC 8032): the one that new chains pin, and older ones until chains are rotated.

They come from `SUTURE_SIGNING_KEY` or the file that `SUTURE_SIGNING_KEY_FILE` names: PEM private keys, the current one
first. Without either they are kept in `SUTURE_HOME/ledger.key` (mode 0600), made at the first start of the first node:
where the database has a key already, no other is made.
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
    """One key pair; `public` is the raw public key, 32 bytes."""

    private: Ed25519PrivateKey
    public: bytes

    def sign(self, message: bytes) -> bytes:
        """The signature of `message`, 64 bytes."""
        return self.private.sign(message)


def path() -> Path:
    """The file that holds the keys, unless the environment does."""
    named = os.environ.get("SUTURE_SIGNING_KEY_FILE")
    return Path(named) if named else Path(settings.SUTURE_HOME) / "ledger.key"


def is_ours() -> bool:
    """Whether the keys are in our own file, which we may write."""
    return not (os.environ.get("SUTURE_SIGNING_KEY") or os.environ.get("SUTURE_SIGNING_KEY_FILE"))


def keys(using: str = "default") -> list[SigningKey]:
    """All keys, the current one first; `using` is the connection that is asked before a first one is made. Raises
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
        # Read again when it was replaced: a rotation must reach processes that run.
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
    """The first key: what a rotation lets sign every chain."""
    return keys()[0]


def for_new_chain(using: str = "default") -> SigningKey:
    """The key that a new chain pins: the one that the database knows, or the current one until it knows one; `using`
    is the connection that is asked. Raises SigningKeyMissing where it is not here: a chain with another key could be
    continued by no other node."""
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
    """What the database knows a key by: the SHA-256 of its public key, in hexadecimal digits."""
    return hashlib.sha256(public).hexdigest()


def signer_of(public: bytes) -> SigningKey:
    """The key pair of a public key. Raises SigningKeyMissing, saying what to do."""
    for key in keys():
        if key.public == public:
            return key
    raise SigningKeyMissing(
        f"The ledger is signed with the key {public.hex()[:16]}, which is not in {_here()}. The server writes nothing"
        f" without it. "
        "Restore that key (docs/ledger.md). To change keys, use `manage.py rotate_signing_key`."
    )


def _here() -> str:
    return "SUTURE_SIGNING_KEY" if os.environ.get("SUTURE_SIGNING_KEY") else str(path())


def _require_none_known(file: Path, using: str) -> None:
    """Refuse to make a key where the database has one: what it signs could be continued by no other node."""
    try:
        known = db.known_signing_key.on(using)()
    except DatabaseFailure:
        raise SigningKeyUnusable(
            f"The signing key {file} is not there, and the database cannot be asked whether it has a key already."
        ) from None
    if known.is_pinned:
        origin = known.origin or "the node that signed it so far"
        raise SigningKeyUnusable(
            f"The signing key {file} is not there, and the ledger is signed already. No new key was made. Copy the key"
            f" from {origin}, or name its file in SUTURE_SIGNING_KEY_FILE."
        )


@contextmanager
def held() -> Iterator[None]:
    """Our own file, held against another rotation: of two at once, one would overwrite the key that the other made.

    Does nothing where the keys are the environment's.
    """
    if not is_ours():
        yield
        return
    current()  # the file is there from now on
    # The directory, since the file is replaced.
    directory = os.open(path().parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(directory, fcntl.LOCK_EX)
        yield
    finally:
        os.close(directory)


def replace() -> tuple[SigningKey, SigningKey]:
    """Make a new current key in our own file, keeping the present one behind it; answers (new, present).

    Called while the file is `held`. Raises SigningKeyUnusable where the keys are the environment's: there the operator
    puts the new one first.
    """
    if not is_ours():
        raise SigningKeyUnusable("The keys are in the environment. Put the new PEM before the current one there.")
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
    """Make the first key. Of several at once one wins: the link fails where the file is there already."""
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
    """Write a temporary file next to `file` (mode 0600), sync it to the disk and let the caller put it in place."""
    descriptor, name = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "w") as stream:
            if file.exists():  # its readers are the new one's: web and worker are not who runs a command
                present = file.stat()
                os.fchown(descriptor, present.st_uid, present.st_gid)
                os.fchmod(descriptor, stat.S_IMODE(present.st_mode))
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        yield fresh
        # A key that a chain has pinned must not be lost with the power.
        directory = os.open(file.parent, os.O_RDONLY | os.O_DIRECTORY)
        os.fsync(directory)
        os.close(directory)
    finally:
        fresh.unlink(missing_ok=True)
