"""People: their roles in a tenant, and their accounts, which the server's tenants share."""

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
from governance.identity.changes import person_fields, record_in_tenants
from governance.identity.names import checked_name
from governance.ledger import appending
from governance.models import User
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint


class NothingToChange(Conflict):
    """This changes nothing: the state is already as requested."""


class OwnRole(Forbidden):
    """You cannot change your own roles. Ask another admin."""


class NoRole(Invalid):
    """Choose at least one role. A person without a role cannot log in to the tenant."""


class NameIsTaken(Conflict):
    """An account with this name was already created here. If you mean its owner, grant them a role on their page.
    Otherwise choose another name."""


class NeedsInvitation(Forbidden):
    """This person has no role in this tenant, and their account was not created in it. Invite them: they get the role
    when they accept."""


class PersonInactive(Conflict):
    """This person's account is deactivated."""


class ManagedBySuperusers(Forbidden):
    """Only a superuser can deactivate or activate an account, because it belongs to the whole server."""


class OwnAccount(Forbidden):
    """You cannot deactivate your own account. Ask another superuser."""


class OwnSecrets(Forbidden):
    """To change your own password or second factor, use the account menu."""


class OpensMore(Forbidden):
    """This account was created in another tenant, or it has or had access to one. Only a superuser can give it a
    one-time password or turn off its second factor."""


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
    """A person who was added. `password` is valid until its owner chooses another or it expires; empty for a person who
    had one."""

    user: User
    password: str = ""


def make_account(name: str, *, has_one_time_password: bool, actor: Principal) -> Added:
    """Create an account with a generated password and no role: the caller grants one, and appends the required entry
    (person.added; for the operator role.granted). Its username is `name@slug`, in the tenant's namespace; the operator,
    and a superuser who creates a tenant, use `name` itself. Raises ManagedByAdmins, InvalidName, NameIsTaken."""
    actor.require_manager()
    password = secrets.token_urlsafe(12)
    until = timezone.now() + settings.ONE_TIME_PASSWORD_LASTS if has_one_time_password else None
    user_id = change(
        db.make_account, actor=actor, name=checked_name(name), password=make_password(password), one_time_until=until
    )
    return Added(User.objects.get(id=user_id), password)


@transaction.atomic
def grant_role(user: User, role: str, *, actor: Principal) -> bool:
    """Grant a user a role in the actor's tenant, also one that was withdrawn before; False if they already have it.

    An admin can grant roles to members and to accounts created in the tenant, and must invite others. Raises
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
    """Create an account for a new person, with roles in the actor's tenant and a password that they must change at the
    first login. Invite a person who has an account instead (governance.identity.invitations).

    Raises ManagedByAdmins, NoRole, InvalidName, NameIsTaken.
    """
    actor.require_manager()
    if not roles:
        raise NoRole
    added = make_account(name, has_one_time_password=True, actor=actor)
    appending.record("person.added", actor=actor, metadata=person_fields(added.user))
    for role in roles:
        grant_role(added.user, role, actor=actor)
    return added


@transaction.atomic
def withdraw_role(user: User, role: str, *, actor: Principal) -> None:
    """Withdraw a role from a member, from their next request on. Raises ManagedByAdmins, OwnRole, NotAMember,
    LastAdmin."""
    actor.require_manager()
    change(db.withdraw_role, actor=actor, user=user.id, role=role)
    appending.record("role.withdrawn", actor=actor, metadata={"user": str(user.id), "role": role})


@transaction.atomic
def deactivate_person(user: User, *, actor: Principal) -> None:
    """Deactivate an account on the whole server: it cannot log in, its sessions end and its keys are refused, in every
    tenant from now on. Its roles and keys stay for a later activation. The ledger of each tenant where the person has a
    role records it.

    Raises ManagedBySuperusers, OwnAccount, LastSuperuser, NothingToChange.
    """
    _require_superuser(actor)
    changed = change(db.set_account_active, actor=actor, user=user.id, active=False)
    record_in_tenants(changed.tenants, "person.deactivated", user, actor=actor)


@transaction.atomic
def activate_person(user: User, *, actor: Principal) -> None:
    """Activate a deactivated account, with its existing roles and keys. The ledger of each tenant where the person has
    a role records it. Raises ManagedBySuperusers, NothingToChange.
    """
    _require_superuser(actor)
    changed = change(db.set_account_active, actor=actor, user=user.id, active=True)
    record_in_tenants(changed.tenants, "person.activated", user, actor=actor)


@transaction.atomic
def give_one_time_password(user: User, *, actor: Principal) -> str:
    """Set a new password for a person who forgot theirs, and return it once. They must change it at the first login.
    The old password stops working, and its sessions end. The ledger of each tenant where the person has a role records
    it.

    A superuser can give one to any other person. An admin can give one only to a member whose account was created in
    the admin's tenant and never had a role in another: with other passwords the admin could enter a foreign tenant, now
    or after a role is granted there again. Raises ManagedByAdmins, OwnSecrets, PersonInactive, NotAMember, OpensMore.
    """
    _require_superuser_or_manager(actor)
    password = secrets.token_urlsafe(12)
    until = timezone.now() + settings.ONE_TIME_PASSWORD_LASTS
    given = change(db.give_password, actor=actor, user=user.id, password=make_password(password), until=until)
    record_in_tenants(given.tenants, "person.password_given", user, actor=actor)
    return password


@transaction.atomic
def turn_off_second_factor(user: User, *, actor: Principal) -> None:
    """Turn off the second factor of a person who lost their authenticator and recovery codes; their open sessions end.
    The ledger of each tenant where the person has a role records it.

    The same people may do this as in give_one_time_password. Raises its refusals, and NoSecondFactor.
    """
    _require_superuser_or_manager(actor)
    removed = change(db.remove_second_factor, actor=actor, user=user.id)
    record_in_tenants(removed.tenants, "person.second_factor_off", user, actor=actor)


def _require_superuser(actor: Principal) -> None:
    if not actor.is_superuser:
        raise ManagedBySuperusers


def _require_superuser_or_manager(actor: Principal) -> None:
    if not actor.is_superuser:
        actor.require_manager()
