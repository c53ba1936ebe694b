"""The second factors of django-otp. The web may only record that one was used or tried.

Only gate functions create a factor, change its secret, or turn it on or off.
"""

import uuid
from typing import Any, ClassVar

from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from governance.encryption import decrypt, encrypt

#: The columns that verifying a code writes (governance/sql/0002_rights.up.sql grants them).
TRIED = ("throttling_failure_timestamp", "throttling_failure_count", "last_used_at")


class Authenticator(TOTPDevice):  # type: ignore[misc] # django-otp has no types
    """The authenticator of a person; saving writes only TRIED. The database has its secret encrypted."""

    TRIED: ClassVar = (*TRIED, "last_t", "drift")

    @classmethod
    def seal(cls, secret: bytes, user_id: uuid.UUID) -> str:
        """Encrypt the secret of a person for `key`. Raises EncryptionKeyMissing."""
        return encrypt(secret, belongs_to=f"totp:{user_id}")

    @property
    def bin_key(self) -> bytes:
        """The secret. Raises EncryptionKeyMissing."""
        return decrypt(self.key, belongs_to=f"totp:{self.user_id}")

    class Meta:
        proxy = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the columns that verifying a code changes."""
        super().save(*args, **{**kwargs, "update_fields": self.TRIED})


class RecoveryCodes(StaticDevice):  # type: ignore[misc] # as above
    """The recovery codes of a person. A used code is deleted."""

    class Meta:
        proxy = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save the columns that verifying a code changes."""
        super().save(*args, **{**kwargs, "update_fields": TRIED})
