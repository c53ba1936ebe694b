"""A second factor: a code of an authenticator (RFC 6238), or one of the recovery codes kept for its loss."""

import secrets
from base64 import b32encode

import django_otp
import segno
from django.db import transaction
from django.utils.safestring import SafeString, mark_safe
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
    if not verify(user, code):
        return False
    TOTPDevice.objects.filter(user=user).delete()
    StaticDevice.objects.filter(user=user).delete()
    return True


def verify(user: User, code: str) -> bool:
    """Whether `code` is right now. Each code is good once; wrong ones make the next wait, longer each time."""
    code = code.strip().replace(" ", "")
    kind = TOTPDevice if code.isascii() and code.isdigit() else StaticDevice
    devices = kind.objects.filter(user=user, confirmed=True)
    return any(django_otp.verify_token(user, device.persistent_id, code) for device in devices)


def secret_of(device: TOTPDevice) -> str:
    """The secret as an authenticator takes it by hand, in groups of four."""
    text = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def qr_of(device: TOTPDevice) -> SafeString:
    """The secret as an SVG that an authenticator scans, black on white in either theme."""
    svg = segno.make(device.config_url, error="m").svg_inline(scale=5, border=4, dark="#000", light="#fff")
    return mark_safe(svg)  # noqa: S308 (drawn by segno: paths and numbers, no text of anybody's)


def _new_recovery_codes(user: User) -> list[str]:
    StaticDevice.objects.filter(user=user).delete()
    device = StaticDevice.objects.create(user=user, name="recovery codes", confirmed=True)
    # letters first: a recovery code is never taken for one of the authenticator's
    codes = [f"r{secrets.token_hex(5)}" for _ in range(RECOVERY_CODES)]
    for code in codes:
        device.token_set.create(token=code)
    return codes
