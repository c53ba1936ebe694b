"""A second factor: a code of an authenticator (RFC 6238), or a recovery code if it is lost."""

import secrets
import uuid
from collections.abc import Iterable

import django_otp
from django.db import transaction

from governance.acting import gate
from governance.acting.credentials import PersonCredential
from governance.acting.principals import Principal
from governance.identity import db
from governance.identity.changes import person_fields
from governance.ledger import appending
from governance.models import Authenticator, RecoveryCodes, User

RECOVERY_CODES = 10
SECRET_BYTES = 20  # as RFC 4226 recommends


def is_set_up(user: User) -> bool:
    """Whether `user` needs a code to log in."""
    return bool(Authenticator.objects.filter(user=user, confirmed=True).exists())


def recovery_codes_left(user: User) -> int:
    """The number of unused recovery codes."""
    return sum(device.token_set.count() for device in RecoveryCodes.objects.filter(user=user))


def pending(user: User) -> Authenticator | None:
    """The unconfirmed authenticator of `user`."""
    waiting: Authenticator | None = Authenticator.objects.filter(user=user, confirmed=False).first()
    return waiting


@transaction.atomic
def begin(user: User) -> None:
    """Generate a secret for the authenticator of `user`, replacing an unconfirmed one. Does nothing if the second
    factor is on."""
    secret = Authenticator.seal(secrets.token_bytes(SECRET_BYTES), user.id)
    db.begin_second_factor(token=_token(user), key=secret)


@transaction.atomic
def confirm(user: User, code: str) -> list[str] | None:
    """Turn on the second factor with a first code of the authenticator. Returns the recovery codes, to be shown once,
    or None if the code is wrong. The ledger of each tenant where the person has a role records it."""
    device = pending(user)
    if device is None or is_set_up(user) or not device.verify_token(code):
        return None
    codes = _new_codes()
    confirmed = db.confirm_second_factor(token=_token(user), codes=codes)
    if not confirmed.was_done:
        return None
    _record(confirmed.tenants, "person.second_factor_on", user)
    return codes


@transaction.atomic
def renew_recovery_codes(user: User, code: str) -> list[str] | None:
    """Replace the recovery codes and return the new ones; None if `code` is wrong."""
    if not verify(user, code):
        return None
    codes = _new_codes()
    db.renew_recovery_codes(token=_token(user), codes=codes)
    return codes


@transaction.atomic
def turn_off(user: User, code: str) -> bool:
    """Turn off the second factor; False if `code` is wrong. The ledger of each tenant where the person has a role
    records it."""
    if not verify(user, code):
        return False
    removed = db.turn_off_second_factor(token=_token(user))
    _record(removed.tenants, "person.second_factor_off", user)
    return removed.was_done


def verify(user: User, code: str) -> bool:
    """Whether `code` is valid now. Each code works once; wrong codes delay the next try, longer each time."""
    code = code.strip().replace(" ", "")
    kind = Authenticator if code.isascii() and code.isdigit() else RecoveryCodes
    devices = kind.objects.filter(user=user, confirmed=True)
    return any(django_otp.verify_token(user, device.persistent_id, code) for device in devices)


def _record(tenants: Iterable[uuid.UUID], type: str, user: User) -> None:
    """Append one entry in each tenant, by the person, and then restore the previous actor."""
    before = gate.acting_in()
    for tenant_id in tenants:
        themselves = Principal(tenant_id, "human", user.id, user.username, credential=PersonCredential(user.id))
        appending.record(type, actor=themselves, metadata=person_fields(user))
    if before is not None:
        gate.act_as(before)


def _token(user: User) -> str:
    return PersonCredential(user.id).token()


def _new_codes() -> list[str]:
    # letters first, to tell a recovery code from one of the authenticator's
    return [f"r{secrets.token_hex(5)}" for _ in range(RECOVERY_CODES)]
