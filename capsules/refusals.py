"""Refusals of capsules. The access log records refused access."""

import uuid
from typing import NoReturn

from governance.acting.principals import Principal
from governance.ledger import access
from governance.models import AccessRecord
from governance.refusals import Conflict, Forbidden, Invalid, NotFound


class CapsuleDoesNotFit(Invalid):
    """The capsule names items or agents that cannot be in it."""


class NoSuchCapsule(NotFound):
    """This capsule does not exist."""


class NotInAudience(Forbidden):
    """You may not read this capsule. Only its author, its audience and people with a role may."""

    keeps_record = True


class CapsuleIsRevoked(Forbidden):
    """This capsule was revoked. Ask its author for a new one."""

    keeps_record = True


class CapsuleHasExpired(Forbidden):
    """This capsule has expired. Ask its author for a new one."""

    keeps_record = True


class NotForwardable(Forbidden):
    """The author of this capsule does not allow forwarding."""

    keeps_record = True


class NotYourCapsule(Forbidden):
    """You may not revoke this capsule. Only its author and admins may."""

    keeps_record = True


class UsageNotYours(Forbidden):
    """You may not see how this capsule was used. Only its author and people with a role may."""

    keeps_record = True


class CapsuleIsOver(Conflict):
    """This capsule has expired, so you cannot revoke it."""


#: The refusals by the names that the gate's functions return.
_REFUSALS: dict[str, type[Forbidden]] = {
    "outside": NotInAudience,
    "revoked": CapsuleIsRevoked,
    "expired": CapsuleHasExpired,
    "not_forwardable": NotForwardable,
    "not_yours": NotYourCapsule,
    "usage": UsageNotYours,
}


def refuse(reason: str, action: str, capsule_id: uuid.UUID, *, actor: Principal) -> NoReturn:
    """Record in the access log that `action` was refused, and raise the refusal. For a capsule that does not exist,
    raises NoSuchCapsule without an access record."""
    if reason == "unknown":
        raise NoSuchCapsule
    access.log(
        action,
        actor=actor,
        target_type="capsule",
        target_id=capsule_id,
        outcome=AccessRecord.Outcome.REFUSED,
        details={"refusal": reason},
    )
    raise _REFUSALS[reason]
