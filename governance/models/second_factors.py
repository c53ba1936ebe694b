"""The second factors of django-otp, as the web may write them: that one was used or tried, and nothing else.

Whoever holds the web's connection cannot make a factor, change its secret or turn it on or off: gate functions do.
"""

import uuid
from typing import Any, ClassVar

from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from governance.encryption import decrypt, encrypt

#: What verifying a code writes (governance/sql/0002_rights.up.sql grants these columns).
TRIED = ("throttling_failure_timestamp", "throttling_failure_count", "last_used_at")


class Authenticator(TOTPDevice):  # type: ignore[misc] # django-otp has no types
    """The authenticator of a person, as verifying its codes writes it. The database has its secret encrypted."""

    TRIED: ClassVar = (*TRIED, "last_t", "drift")

    @classmethod
    def seal(cls, secret: bytes, user_id: uuid.UUID) -> str:
        """The secret as `key` keeps it, for that person. Raises EncryptionKeyMissing."""
        return encrypt(secret, belongs_to=f"totp:{user_id}")

    @property
    def bin_key(self) -> bytes:
        """The secret. Raises EncryptionKeyMissing."""
        return decrypt(self.key, belongs_to=f"totp:{self.user_id}")

    class Meta:
        proxy = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save what verifying a code changes."""
        super().save(*args, **{**kwargs, "update_fields": self.TRIED})


class RecoveryCodes(StaticDevice):  # type: ignore[misc] # as above
    """The recovery codes of a person, as verifying one writes them. A code that was used is deleted."""

    class Meta:
        proxy = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Save what verifying a code changes."""
        super().save(*args, **{**kwargs, "update_fields": TRIED})
