"""People: their roles in a tenant, and their accounts, which all tenants of the server share."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.utils import timezone

from governance.identity import calls
from governance.identity.changes import change, named, record_wherever
from governance.identity.names import checked_name
from governance.identity.principals import Principal
from governance.ledger import appending
from governance.models import User
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint


class AlreadySo(Conflict):
    """Nothing to change: it is so already."""


class OwnRole(Forbidden):
    """Nobody changes their own roles. Ask another admin."""


class NoRole(Invalid):
    """Choose a role: without one nobody gets in."""


class NameIsKnown(Conflict):
    """A person of this name is on this server already. If it is them, say so: they keep their password."""


class NoSuchPerson(NotFound):
    """Nobody on this server has this name."""


class PersonInactive(Conflict):
    """This person's account was deactivated."""


class ManagedBySuperusers(Forbidden):
    """An account is the whole server's: only a superuser deactivates or activates it."""


class OwnAccount(Forbidden):
    """Nobody deactivates their own account. Ask another superuser."""


class OwnSecrets(Forbidden):
    """Your own password and second factor are yours to change: in the menu at your name."""


class OpensMore(Forbidden):
    """This account opens more than this tenant. Only a superuser gives it a password or switches its second factor
    off."""


class NoSecondFactor(Conflict):
    """There is no second factor to switch off."""


class LastSuperuser(Conflict):
    """The server's last active superuser stays."""


class NotAMember(NotFound):
    """There is no such person with a role in this tenant."""


class LastAdmin(Conflict):
    """The tenant's last admin stays. Make somebody else an admin first."""


register_constraint("governance_user_username_key", NameIsKnown)
register_constraint("already_so", AlreadySo)
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
    """An account with a password of ours, without a role: whoever makes it gives one, and appends the entry that the
    account owes (person.added; by the operator role.granted). Raises ManagedByAdmins, InvalidName."""
    actor.require_manager()
    password = secrets.token_urlsafe(12)
    until = timezone.now() + settings.ONE_TIME_PASSWORD_LASTS if has_one_time_password else None
    user_id = change(
        calls.make_account, actor=actor, name=checked_name(name), password=make_password(password), one_time_until=until
    )
    return Added(User.objects.get(id=user_id), password)


@transaction.atomic
def grant_role(user: User, role: str, *, actor: Principal) -> bool:
    """Give a user a role in the actor's tenant, also one that was withdrawn; False when they hold it already.

    Raises ManagedByAdmins, OwnRole (but for whoever makes a tenant, who may be its first admin).
    """
    actor.require_manager()
    granted = change(calls.grant_role, actor=actor, user=user.id, role=role).was_granted
    if granted:
        appending.record("role.granted", actor=actor, metadata={"user": str(user.id), "role": role})
    return granted


@transaction.atomic
def add_person(name: str, roles: Sequence[str], *, is_known: bool, actor: Principal) -> Added:
    """Give somebody roles in the actor's tenant. `is_known` says that they have an account on this server, which other
    tenants may share; else one is made, with a password to be changed at the first login.

    Raises ManagedByAdmins, NoRole, InvalidName, NoSuchPerson, NameIsKnown, PersonInactive, OwnRole, AlreadySo.
    """
    actor.require_manager()
    if not roles:
        raise NoRole
    added = _account_of(name, is_known=is_known, actor=actor)
    granted = [role for role in roles if grant_role(added.user, role, actor=actor)]
    if not granted:
        raise AlreadySo
    return added


def _account_of(name: str, *, is_known: bool, actor: Principal) -> Added:
    """The account of somebody known, or one made for somebody new, which the actor's ledger tells."""
    user = User.objects.filter(username=checked_name(name)).first()
    if user is None:
        if is_known:
            raise NoSuchPerson
        added = make_account(name, has_one_time_password=True, actor=actor)
        appending.record("person.added", actor=actor, metadata=named(added.user))
        return added
    if not is_known:
        raise NameIsKnown
    if not user.is_active:
        raise PersonInactive
    return Added(user)


@transaction.atomic
def withdraw_role(user: User, role: str, *, actor: Principal) -> None:
    """Take a role from a member, from their next request on. Raises ManagedByAdmins, OwnRole, NotAMember, LastAdmin."""
    actor.require_manager()
    change(calls.withdraw_role, actor=actor, user=user.id, role=role)
    appending.record("role.withdrawn", actor=actor, metadata={"user": str(user.id), "role": role})


@transaction.atomic
def deactivate_person(user: User, *, actor: Principal) -> None:
    """End an account on the whole server: no login, its sessions end and its keys are refused, in every tenant from
    now on. Its roles and keys stay, for when it is activated again. The ledger of each tenant where the person has a
    role says so.

    Raises ManagedBySuperusers, OwnAccount, LastSuperuser, AlreadySo.
    """
    _require_superuser(actor)
    changed = change(calls.set_account_active, actor=actor, user=user.id, active=False)
    record_wherever(changed.tenants, "person.deactivated", user, actor=actor)


@transaction.atomic
def activate_person(user: User, *, actor: Principal) -> None:
    """Let a deactivated account log in again, with the roles and keys that it has. The ledger of each tenant where the
    person has a role says so. Raises ManagedBySuperusers, AlreadySo.
    """
    _require_superuser(actor)
    changed = change(calls.set_account_active, actor=actor, user=user.id, active=True)
    record_wherever(changed.tenants, "person.activated", user, actor=actor)


@transaction.atomic
def give_one_time_password(user: User, *, actor: Principal) -> str:
    """A new password for somebody who forgot theirs, to be changed at the first login; returned here and nowhere else.
    The old one is void, and whoever is logged in with it is logged out. The ledger of each tenant where the person has
    a role says so.

    A superuser gives one to anybody else, an admin to whose account opens the admin's tenant and nothing besides: with
    the password of another they could enter a tenant that is not theirs. Raises ManagedByAdmins, OwnSecrets,
    PersonInactive, NotAMember, OpensMore.
    """
    _require_superuser_or_manager(actor)
    password = secrets.token_urlsafe(12)
    until = timezone.now() + settings.ONE_TIME_PASSWORD_LASTS
    given = change(calls.give_password, actor=actor, user=user.id, password=make_password(password), until=until)
    record_wherever(given.tenants, "person.password_given", user, actor=actor)
    return password


@transaction.atomic
def switch_off_second_factor(user: User, *, actor: Principal) -> None:
    """Let somebody who lost their authenticator and their recovery codes log in with the password alone; whoever is
    logged in as them is logged out. The ledger of each tenant where the person has a role says so.

    For whom, see give_one_time_password, whose refusals it raises; and NoSecondFactor.
    """
    _require_superuser_or_manager(actor)
    removed = change(calls.remove_second_factor, actor=actor, user=user.id)
    record_wherever(removed.tenants, "person.second_factor_off", user, actor=actor)


def _require_superuser(actor: Principal) -> None:
    if not actor.is_superuser:
        raise ManagedBySuperusers


def _require_superuser_or_manager(actor: Principal) -> None:
    if not actor.is_superuser:
        actor.require_manager()
