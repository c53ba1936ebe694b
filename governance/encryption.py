"""Encryption of the few secrets that the database keeps: AES-256-GCM under a key that the database does not have.

The first of settings.ENCRYPTION_KEYS encrypts; all of them decrypt. To replace a key, put the new one first. A secret
is bound to its owner: it does not decrypt for any other.
"""

import base64
import secrets

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from django.conf import settings

from governance.refusals import Unavailable

_VERSION = "1"
_NONCE = 12  # bytes


class EncryptionKeyMissing(Unavailable):
    """The server does not have the key that this secret was encrypted with. Its operator must restore SUTURE_HOME's
    file encryption_key, or SUTURE_ENCRYPTION_KEYS."""


def encrypt(secret: bytes, *, belongs_to: str) -> str:
    """The encrypted secret as ASCII: 39 characters and four for every three bytes. Raises EncryptionKeyMissing."""
    if not settings.ENCRYPTION_KEYS:
        raise EncryptionKeyMissing
    nonce = secrets.token_bytes(_NONCE)
    sealed = nonce + AESGCM(settings.ENCRYPTION_KEYS[0]).encrypt(nonce, secret, belongs_to.encode())
    return _VERSION + base64.urlsafe_b64encode(sealed).decode().rstrip("=")


def decrypt(text: str, *, belongs_to: str) -> bytes:
    """Return the secret that `encrypt` encrypted. Raises EncryptionKeyMissing if no key decrypts it for this owner."""
    version, encoded = text[:1], text[1:]
    try:
        sealed = base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)) if version == _VERSION else b""
    except ValueError:  # not base64, or not ASCII
        sealed = b""
    for key in settings.ENCRYPTION_KEYS if len(sealed) > _NONCE else ():
        try:
            return AESGCM(key).decrypt(sealed[:_NONCE], sealed[_NONCE:], belongs_to.encode())
        except InvalidTag:
            continue
    raise EncryptionKeyMissing
