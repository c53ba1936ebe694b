"""Invitations add the owner of an existing account to a tenant, if the owner accepts.

The inviting admin gets the same answer whether the account exists or not (docs/decisions/0016-invitations.md).
"""

import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from governance.acting import gate
from governance.acting.changes import change
from governance.acting.credentials import PersonCredential
from governance.acting.principals import Principal
from governance.identity import db
from governance.identity.people import NoRole
from governance.ledger import appending
from governance.models import Invitation, User
from governance.refusals import Conflict, Invalid, NotFound, of_name, register_constraint

_USERNAME = re.compile(r"[\w.@+-]{1,150}", re.ASCII)


class InvalidUsername(Invalid):
    """A username has 1 to 150 characters: letters, digits, and @ . + - _"""


class IsMember(Conflict):
    """This person is already in this tenant. Grant them the role on their page."""


class InvitedTwice(Conflict):
    """Another admin invited this person a moment ago. See the list of invitations."""


class NoSuchInvitation(NotFound):
    """You have no invitation with this id."""


class InvitationNotOpen(Conflict):
    """This invitation was answered or withdrawn, has expired, or is older than a reset of your account by another
    person. Ask an admin of the tenant for a new one."""


register_constraint("is_member", IsMember)
register_constraint("invitation_pending_once", InvitedTwice)
register_constraint("no_such_invitation", NoSuchInvitation)
register_constraint("invitation_not_open", InvitationNotOpen)


@dataclass(frozen=True, slots=True)
class Invited:
    """An open invitation of a person."""

    id: uuid.UUID
    tenant_slug: str
    roles: tuple[str, ...]
    inviter: str
    expires_at: datetime


@transaction.atomic
def invite(username: str, roles: Sequence[str], *, actor: Principal) -> Invitation:
    """Invite the owner of the account `username` to roles in the actor's tenant, replacing an earlier invitation. Does
    not reveal whether the account exists.

    Raises ManagedByAdmins, NoRole, InvalidUsername, OwnRole, IsMember, InvitedTwice.
    """
    actor.require_manager()
    if not roles:
        raise NoRole
    if not _USERNAME.fullmatch(username):
        raise InvalidUsername
    wanted = sorted(set(roles))
    made = change(db.invite_person, actor=actor, name=username, roles=wanted)
    assert made.invitation_id is not None  # noqa: S101 (it is, without a refusal)
    invitation = Invitation.objects.get(tenant_id=actor.tenant_id, id=made.invitation_id)
    expires_at = invitation.expires_at.isoformat()
    metadata = {**_metadata(invitation.id, username), "roles": wanted, "expires_at": expires_at}
    appending.record("person.invited", actor=actor, metadata=metadata)
    return invitation


@transaction.atomic
def withdraw_invitation(invitation: Invitation, *, actor: Principal) -> None:
    """Withdraw an unanswered invitation. Raises ManagedByAdmins, InvitationNotOpen."""
    actor.require_manager()
    change(db.withdraw_invitation, actor=actor, invitation=invitation.id)
    appending.record("invitation.withdrawn", actor=actor, metadata=_metadata(invitation.id, invitation.username))


@transaction.atomic
def invitations_of(user: User) -> list[Invited]:
    """The invitations that `user` can accept now, by tenant."""
    found = db.list_invitations(token=PersonCredential(user.id).token())
    return [Invited(one.id, one.tenant_slug, tuple(one.roles), one.inviter, one.expires_at) for one in found]


@transaction.atomic
def accept_invitation(user: User, invitation_id: uuid.UUID) -> None:
    """Accept an invitation and its roles, with entries in the tenant's ledger. Raises NoSuchInvitation,
    InvitationNotOpen."""
    answered = _answer(user, invitation_id, accepts=True)
    assert answered.tenant is not None  # noqa: S101 (it is, without a refusal)
    assert answered.granted is not None  # noqa: S101 (as above)
    before = gate.acting_in()
    member = Principal(answered.tenant, "human", user.id, user.username, credential=PersonCredential(user.id))
    metadata = {**_metadata(invitation_id, user.username), "user": str(user.id)}
    appending.record("invitation.accepted", actor=member, metadata=metadata)
    for role in answered.granted:
        appending.record("role.granted", actor=member, metadata={"user": str(user.id), "role": role})
    if before is not None:
        gate.act_as(before)


@transaction.atomic
def decline_invitation(user: User, invitation_id: uuid.UUID) -> None:
    """Decline an invitation; its tenant sees this. Raises NoSuchInvitation, InvitationNotOpen."""
    _answer(user, invitation_id, accepts=False)


def _answer(user: User, invitation_id: uuid.UUID, *, accepts: bool) -> db.AnsweredInvitation:
    token = PersonCredential(user.id).token()
    answered = db.answer_invitation(token=token, invitation=invitation_id, accepts=accepts)
    if answered.refusal:
        raise of_name(answered.refusal)
    return answered


def _metadata(invitation_id: uuid.UUID, username: str) -> dict[str, str]:
    return {"invitation": str(invitation_id), "name": username}
