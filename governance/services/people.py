"""People: their roles in a tenant, and their accounts, which all tenants of the server share."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from django.db import transaction

from governance.models import Membership, User
from governance.principals import Principal
from governance.refusals import Conflict, Forbidden, Invalid, NotFound, register_constraint
from governance.services import ledger
from governance.services.names import checked_name


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


class NotAMember(NotFound):
    """There is no such person with a role in this tenant."""


class LastAdmin(Conflict):
    """The tenant's last admin stays. Make somebody else an admin first."""


register_constraint("governance_user_username_key", NameIsKnown)


@dataclass(frozen=True, slots=True)
class Added:
    """Who was added. `password` is good until its owner chooses another; empty for a person who had one."""

    user: User
    password: str = ""


def make_account(name: str, *, has_one_time_password: bool) -> Added:
    """An account with a password of ours, without a role: whoever makes it gives one. Raises InvalidName."""
    password = secrets.token_urlsafe(12)
    user = User.objects.create_user(
        checked_name(name), password=password, is_staff=True, has_one_time_password=has_one_time_password
    )
    return Added(user, password)


@transaction.atomic
def grant_role(user: User, role: str, *, actor: Principal) -> bool:
    """Give a user a role in the actor's tenant, also one that was withdrawn; False when they hold it already.

    Raises ManagedByAdmins, OwnRole.
    """
    actor.require_manager()
    admins = Membership.objects.filter(tenant_id=actor.tenant_id, role=Membership.Role.ADMIN, is_active=True)
    # Whoever makes a tenant may be its first admin.
    if user.id == actor.id and admins.exists():
        raise OwnRole
    membership, created = Membership.objects.get_or_create(tenant_id=actor.tenant_id, user=user, role=role)
    rows = Membership.objects.filter(tenant_id=actor.tenant_id, id=membership.id, is_active=False)
    granted = created or bool(rows.update(is_active=True))
    if granted:
        ledger.record("role.granted", actor=actor, metadata={"user": str(user.id), "role": role})
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
        added = make_account(name, has_one_time_password=True)
        ledger.record("person.added", actor=actor, metadata=_named(added.user))
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
    if user.id == actor.id:
        raise OwnRole
    held = Membership.objects.filter(tenant_id=actor.tenant_id, role=role, is_active=True)
    # Two admins who withdraw each other wait here: the second finds itself no more, and only one left.
    holders = set(held.select_for_update().order_by("id").values_list("user_id", flat=True))
    if user.id not in holders:
        raise NotAMember
    if role == Membership.Role.ADMIN and not User.objects.filter(id__in=holders - {user.id}, is_active=True).exists():
        raise LastAdmin
    held.filter(user=user).update(is_active=False)
    ledger.record("role.withdrawn", actor=actor, metadata={"user": str(user.id), "role": role})


def _named(user: User) -> dict[str, str]:
    return {"user": str(user.id), "name": user.username}
