"""The secrets that all nodes of a database share. The database has their fingerprints, so that a node with different
secrets is detected before it logs everyone out, fails to read second factors, or signs chains that others cannot
continue.
"""

import hashlib
import hmac
import secrets
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.conf import settings

from governance.ledger import db, keyring
from governance.models import Chain
from governance.refusals import Conflict

_SCRYPT = {"n": 2**14, "r": 8, "p": 1}


class OtherSecrets(Conflict):
    """This node has different secrets from those of its database."""


@dataclass(frozen=True, slots=True)
class Secret:
    """A shared secret: its variable, its file in SUTURE_HOME, this node's values (the one in use first), the functions
    to hash them and to compare them with a fingerprint, and how to change it on purpose."""

    name: str
    variable: str
    file: str
    values: Callable[[], Sequence[bytes]]
    fingerprint: Callable[[bytes], str]
    matches: Callable[[bytes, str], bool]
    to_change: str


def _hashed(value: bytes) -> str:
    # An operator may have chosen a weak SECRET_KEY: the hash is salted and slow.
    salt = secrets.token_bytes(16)
    return f"{salt.hex()}:{hashlib.scrypt(value, salt=salt, **_SCRYPT).hex()}"


def _is_hash_of(value: bytes, fingerprint: str) -> bool:
    salt, _, known = fingerprint.partition(":")
    return hmac.compare_digest(hashlib.scrypt(value, salt=bytes.fromhex(salt), **_SCRYPT).hex(), known)


def _public_keys() -> list[bytes]:
    keys = keyring.keys(using="owner")
    return [key.public for key in keys]


SECRETS = (
    Secret(
        "secret_key",
        "SECRET_KEY",
        "secret_key",
        lambda: [settings.SECRET_KEY.encode()],
        _hashed,
        _is_hash_of,
        "`manage.py check_secrets --replace secret_key` on the node that has the new one, then give it to the others",
    ),
    Secret(
        "encryption_key",
        "SUTURE_ENCRYPTION_KEYS",
        "encryption_key",
        lambda: settings.ENCRYPTION_KEYS,
        _hashed,
        _is_hash_of,
        "put the new one before the old one on all nodes, then `manage.py check_secrets --replace encryption_key`",
    ),
    Secret(
        "signing_key",
        "SUTURE_SIGNING_KEY",
        "ledger.key",
        _public_keys,
        keyring.fingerprint,
        lambda public, fingerprint: keyring.fingerprint(public) == fingerprint,
        "`manage.py rotate_signing_key`",
    ),
)
NAMES = tuple(one.name for one in SECRETS)


def require_same() -> None:
    """Compare this node's secrets with the fingerprints in the database, as its owner. Raises OtherSecrets, which lists
    the differing ones, where to find the right ones, and how to change them on purpose."""
    known = {one.name: one for one in db.shared_secrets.on("owner")()}
    wrong = []
    for secret in SECRETS:
        noted = known.get(secret.name)
        if noted is None or _is_same(secret, noted.fingerprint):
            continue
        wrong.append(
            f"- {secret.variable}, by default {settings.SUTURE_HOME}/{secret.file}: copy it from {noted.origin}, which"
            f" stored it on {noted.noted_at:%Y-%m-%d}. To change it on purpose: {secret.to_change}."
        )
    if wrong:
        raise OtherSecrets("This node has different secrets from the other nodes of its database:\n" + "\n".join(wrong))


def _is_same(secret: Secret, fingerprint: str) -> bool:
    try:
        values = secret.values()
    except keyring.SigningKeyUnusable:  # it is missing, and no other was created
        return False
    # A process that may not read a secret has no value, and does not use it.
    return not values or any(secret.matches(value, fingerprint) for value in values)


def note(names: Sequence[str] = NAMES, *, replaces: bool = False) -> None:
    """Store the fingerprints of this node's secrets in the database, as its owner. Existing ones stay, unless this
    `replaces` them. A signing key that no chain uses is not stored if chains use other keys. Raises
    SigningKeyUnusable."""
    known = {one.name for one in db.shared_secrets.on("owner")()}
    origin = f"{socket.gethostname()}:{settings.SUTURE_HOME}"
    for secret in SECRETS:
        if secret.name not in names or (secret.name in known and not replaces):
            continue
        values = secret.values()
        if values and (secret.name != "signing_key" or _may_sign(values[0])):
            db.note_shared_secret.on("owner")(
                name=secret.name, fingerprint=secret.fingerprint(values[0]), origin=origin, replaces=replaces
            )


def _may_sign(public: bytes) -> bool:
    chains = Chain.objects.using("owner").filter(public_key__isnull=False)
    return not chains.exists() or chains.filter(public_key=public).exists()
