"""A second factor: a code of an authenticator (RFC 6238), or one of the recovery codes kept for its loss."""

import secrets

import django_otp
from django.db import transaction
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice

from governance.models import User

RECOVERY_CODES = 10
_NAME = "second factor"


def is_set_up(user: User) -> bool:
    """Whether logging in asks `user` for a code."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def recovery_codes_left(user: User) -> int:
    """How many recovery codes were not used yet."""
    return sum(device.token_set.count() for device in StaticDevice.objects.filter(user=user))


def pending(user: User) -> TOTPDevice | None:
    """The authenticator that `user` began to set up and has not confirmed."""
    return TOTPDevice.objects.filter(user=user, confirmed=False).first()


@transaction.atomic
def begin(user: User) -> None:
    """Make a new secret for `user` to put into an authenticator; an earlier unconfirmed one is void."""
    TOTPDevice.objects.filter(user=user, confirmed=False).delete()
    TOTPDevice.objects.create(user=user, name=_NAME, confirmed=False)


@transaction.atomic
def confirm(user: User, code: str) -> list[str] | None:
    """Switch the second factor on with a first code of the authenticator; answers the recovery codes, to be shown
    once, or None where the code is wrong."""
    device = pending(user)
    if device is None or is_set_up(user) or not device.verify_token(code):
        return None
    device.confirmed = True
    device.save()
    return _new_recovery_codes(user)


@transaction.atomic
def renew_recovery_codes(user: User, code: str) -> list[str] | None:
    """New recovery codes in place of the old ones; None where `code` is wrong."""
    return _new_recovery_codes(user) if verify(user, code) else None


@transaction.atomic
def switch_off(user: User, code: str) -> bool:
    """Log in with the password alone from now on; False where `code` is wrong."""
    return verify(user, code) and remove(user)


def remove(user: User) -> bool:
    """Delete the authenticator of `user`, also one that waits for its first code, and the recovery codes; False where
    logging in asked for no code."""
    was_set_up = is_set_up(user)
    TOTPDevice.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    return was_set_up


def verify(user: User, code: str) -> bool:
    """Whether `code` is right now. Each code is good once; wrong ones make the next wait, longer each time."""
    code = code.strip().replace(" ", "")
    kind = TOTPDevice if code.isascii() and code.isdigit() else StaticDevice
    devices = kind.objects.filter(user=user, confirmed=True)
    return any(django_otp.verify_token(user, device.persistent_id, code) for device in devices)


def _new_recovery_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery codes", confirmed=True)
    # letters first: a recovery code is never taken for one of the authenticator's
    codes = [f"r{secrets.token_hex(5)}" for _ in range(RECOVERY_CODES)]
    for code in codes:
        device.token_set.create(token=code)
    return codes
