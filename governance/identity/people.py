"""People: their roles in a tenant, and their accounts, which all tenants of the server share."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from governance.acting.changes import change
from governance.acting.principals import Principal
from governance.identity import db
from governance.identity.changes import named, record_wherever
from governance.identity.names import checked_name
from governance.ledger import appending
from governance.models import User
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint


class NothingToChange(Conflict):
    """This changes nothing: it is already in this state."""


class OwnRole(Forbidden):
    """You cannot change your own roles. Ask another admin."""


class NoRole(Invalid):
    """Choose at least one role. A person without a role cannot log in to the tenant."""


class NameIsTaken(Conflict):
    """An account with this name was already made here. If you mean its owner, grant them a role on their page.
    Otherwise choose another name."""


class NeedsInvitation(Forbidden):
    """This person has no role in this tenant, and their account was not made in it. Invite them: they get the role when
    they accept."""


class PersonInactive(Conflict):
    """This person's account is deactivated."""


class ManagedBySuperusers(Forbidden):
    """Only a superuser can deactivate or activate an account, because it belongs to the whole server."""


class OwnAccount(Forbidden):
    """You cannot deactivate your own account. Ask another superuser."""


class OwnSecrets(Forbidden):
    """To change your own password or second factor, use the account menu."""


class OpensMore(Forbidden):
    """This account is not this tenant's alone: it was made elsewhere, or it has or had access to another tenant. Only a
    superuser can give it a one-time password or turn off its second factor."""


class NoSecondFactor(Conflict):
    """This account has no second factor to turn off."""


class LastSuperuser(Conflict):
    """You cannot deactivate the last active superuser of the server."""


class NotAMember(NotFound):
    """This person has no role in this tenant."""


class LastAdmin(Conflict):
    """You cannot remove the last admin of the tenant. Make another person an admin first."""


register_constraint("governance_user_username_key", NameIsTaken)
register_constraint("needs_invitation", NeedsInvitation)
register_constraint("nothing_to_change", NothingToChange)
register_constraint("own_role", OwnRole)
register_constraint("person_inactive", PersonInactive)
register_constraint("managed_by_superusers", ManagedBySuperusers)
register_constraint("own_account", OwnAccount)
register_constraint("own_secrets", OwnSecrets)
register_constraint("opens_more", OpensMore)
register_constraint("no_second_factor", NoSecondFactor)
register_constraint("last_superuser", LastSuperuser)
register_constraint("not_a_member", NotAMember)
register_constraint("last_admin", LastAdmin)


@dataclass(frozen=True, slots=True)
class Added:
    """Who was added. `password` is good until its owner chooses another, or it expires; empty for a person who had
    one."""

    user: User
    password: str = ""


def make_account(name: str, *, has_one_time_password: bool, actor: Principal) -> Added:
    """An account with a password of ours, without a role: the caller gives one, and appends the entry that the
    account owes (person.added; by the operator role.granted). Its username is `name` within the tenant's namespace,
    `name@slug`; the operator, and the superuser who makes a tenant, give names of the server. Raises ManagedByAdmins,
    InvalidName, NameIsTaken."""
    actor.require_manager()
    password = secrets.token_urlsafe(12)
    until = timezone.now() + settings.ONE_TIME_PASSWORD_LASTS if has_one_time_password else None
    user_id = change(
        db.make_account, actor=actor, name=checked_name(name), password=make_password(password), one_time_until=until
    )
    return Added(User.objects.get(id=user_id), password)


@transaction.atomic
def grant_role(user: User, role: str, *, actor: Principal) -> bool:
    """Give a user a role in the actor's tenant, also one that was withdrawn; False when they hold it already.

    An admin gives roles to members and to accounts that were made in the tenant; others they invite. Raises
    ManagedByAdmins, NeedsInvitation, OwnRole (except for the superuser who creates a tenant, who may be its first
    admin).
    """
    actor.require_manager()
    granted = change(db.grant_role, actor=actor, user=user.id, role=role).was_granted
    if granted:
        appending.record("role.granted", actor=actor, metadata={"user": str(user.id), "role": role})
    return granted


@transaction.atomic
def add_person(name: str, roles: Sequence[str], *, actor: Principal) -> Added:
    """Make an account for somebody new, with roles in the actor's tenant and a password to be changed at the first
    login. Somebody who has an account is invited instead (governance.identity.invitations).

    Raises ManagedByAdmins, NoRole, InvalidName, NameIsTaken.
    """
    actor.require_manager()
    if not roles:
        raise NoRole
    added = make_account(name, has_one_time_password=True, actor=actor)
    appending.record("person.added", actor=actor, metadata=named(added.user))
    for role in roles:
        grant_role(added.user, role, actor=actor)
    return added


@transaction.atomic
def withdraw_role(user: User, role: str, *, actor: Principal) -> None:
    """Take a role from a member, from their next request on. Raises ManagedByAdmins, OwnRole, NotAMember, LastAdmin."""
    actor.require_manager()
    change(db.withdraw_role, actor=actor, user=user.id, role=role)
    appending.record("role.withdrawn", actor=actor, metadata={"user": str(user.id), "role": role})


@transaction.atomic
def deactivate_person(user: User, *, actor: Principal) -> None:
    """End an account on the whole server: no login, its sessions end and its keys are refused, in every tenant from
    now on. Its roles and keys stay, for when it is activated again. The ledger of each tenant where the person has a
    role says so.

    Raises ManagedBySuperusers, OwnAccount, LastSuperuser, NothingToChange.
    """
    _require_superuser(actor)
    changed = change(db.set_account_active, actor=actor, user=user.id, active=False)
    record_wherever(changed.tenants, "person.deactivated", user, actor=actor)


@transaction.atomic
def activate_person(user: User, *, actor: Principal) -> None:
    """Let a deactivated account log in again, with the roles and keys that it has. The ledger of each tenant where the
    person has a role says so. Raises ManagedBySuperusers, NothingToChange.
    """
    _require_superuser(actor)
    changed = change(db.set_account_active, actor=actor, user=user.id, active=True)
    record_wherever(changed.tenants, "person.activated", user, actor=actor)


@transaction.atomic
def give_one_time_password(user: User, *, actor: Principal) -> str:
    """A new password for somebody who forgot theirs, to be changed at the first login; returned here and nowhere else.
    The old one is void, and the sessions that use it end. The ledger of each tenant where the person has a role says
    so.

    A superuser gives one to anybody else. An admin gives one only to a member whose account was made in the admin's
    tenant and never had a role in another: with the password of others they could enter a tenant that is not theirs,
    now or when somebody grants a role there again. Raises ManagedByAdmins, OwnSecrets, PersonInactive, NotAMember,
    OpensMore.
    """
    _require_superuser_or_manager(actor)
    password = secrets.token_urlsafe(12)
    until = timezone.now() + settings.ONE_TIME_PASSWORD_LASTS
    given = change(db.give_password, actor=actor, user=user.id, password=make_password(password), until=until)
    record_wherever(given.tenants, "person.password_given", user, actor=actor)
    return password


@transaction.atomic
def turn_off_second_factor(user: User, *, actor: Principal) -> None:
    """Let somebody who lost their authenticator and their recovery codes log in with the password alone; their open
    sessions end. The ledger of each tenant where the person has a role says so.

    For whom, see give_one_time_password, whose refusals it raises; and NoSecondFactor.
    """
    _require_superuser_or_manager(actor)
    removed = change(db.remove_second_factor, actor=actor, user=user.id)
    record_wherever(removed.tenants, "person.second_factor_off", user, actor=actor)


def _require_superuser(actor: Principal) -> None:
    if not actor.is_superuser:
        raise ManagedBySuperusers


def _require_superuser_or_manager(actor: Principal) -> None:
    if not actor.is_superuser:
        actor.require_manager()
