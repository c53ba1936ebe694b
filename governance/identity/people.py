"""People: their roles in a tenant, and their accounts, which all tenants of the server share."""

import secrets
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone

from governance import gate
from governance.identity import calls, second_factor
from governance.identity.names import checked_name
from governance.identity.principals import Principal
from governance.ledger import appending
from governance.models import Membership, User
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


@dataclass(frozen=True, slots=True)
class Added:
    """Who was added. `password` is good until its owner chooses another, or it expires; empty for a person who had
    one."""

    user: User
    password: str = ""


def make_account(name: str, *, has_one_time_password: bool) -> Added:
    """An account with a password of ours, without a role: whoever makes it gives one. Raises InvalidName."""
    user = User(username=checked_name(name), is_staff=True)
    password = _set_password_of_ours(user, is_one_time=has_one_time_password)
    user.save(force_insert=True)
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
        added = make_account(name, has_one_time_password=True)
        appending.record("person.added", actor=actor, metadata=_named(added.user))
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
    appending.record("role.withdrawn", actor=actor, metadata={"user": str(user.id), "role": role})


@transaction.atomic
def deactivate_person(user: User, *, actor: Principal) -> None:
    """End an account on the whole server: no login, its sessions end and its keys are refused, in every tenant from
    now on. Its roles and keys stay, for when it is activated again. The ledger of each tenant where the person has a
    role says so.

    Raises ManagedBySuperusers, OwnAccount, LastSuperuser, AlreadySo.
    """
    _require_superuser(actor)
    if user.id == actor.id:
        raise OwnAccount
    # Two superusers who deactivate each other wait here: the second finds only one left.
    concerned = Q(id=user.id) | Q(is_superuser=True, is_active=True)
    locked = list(User.objects.select_for_update().filter(concerned).order_by("id"))
    if not any(one.is_superuser and one.is_active for one in locked if one.id != user.id):
        raise LastSuperuser
    opened = _opened_by(user, actor)
    ended = User.objects.filter(id=user.id, is_active=True)
    if not ended.update(is_active=False, sessions_ended=F("sessions_ended") + 1):
        raise AlreadySo
    _record_wherever(opened, "person.deactivated", user, actor=actor)


@transaction.atomic
def activate_person(user: User, *, actor: Principal) -> None:
    """Let a deactivated account log in again, with the roles and keys that it has. The ledger of each tenant where the
    person has a role says so. Raises ManagedBySuperusers, AlreadySo.
    """
    _require_superuser(actor)
    if not User.objects.filter(id=user.id, is_active=False).update(is_active=True):
        raise AlreadySo
    _record_wherever(_opened_by(user, actor), "person.activated", user, actor=actor)


@transaction.atomic
def give_one_time_password(user: User, *, actor: Principal) -> str:
    """A new password for somebody who forgot theirs, to be changed at the first login; returned here and nowhere else.
    The old one is void, and whoever is logged in with it is logged out. The ledger of each tenant where the person has
    a role says so.

    A superuser gives one to anybody else, an admin to whose account opens the admin's tenant and nothing besides: with
    the password of another they could enter a tenant that is not theirs. Raises ManagedByAdmins, OwnSecrets,
    PersonInactive, NotAMember, OpensMore.
    """
    locked, opened = _lock_account(user, actor)
    password = _set_password_of_ours(locked, is_one_time=True)
    locked.sessions_ended += 1
    locked.save(update_fields=["password", "one_time_password_until", "sessions_ended"])
    _record_wherever(opened, "person.password_given", locked, actor=actor)
    return password


@transaction.atomic
def switch_off_second_factor(user: User, *, actor: Principal) -> None:
    """Let somebody who lost their authenticator and their recovery codes log in with the password alone; whoever is
    logged in as them is logged out. The ledger of each tenant where the person has a role says so.

    For whom, see give_one_time_password, whose refusals it raises; and NoSecondFactor.
    """
    locked, opened = _lock_account(user, actor)
    if not second_factor.remove(locked):
        raise NoSecondFactor
    locked.sessions_ended += 1
    locked.save(update_fields=["sessions_ended"])
    _record_wherever(opened, "person.second_factor_off", locked, actor=actor)


def _lock_account(user: User, actor: Principal) -> tuple[User, set[uuid.UUID]]:
    """The account, held to the end of the transaction, and the tenants that it opens; for somebody who may let another
    into it."""
    if not actor.is_superuser:
        actor.require_manager()
    if user.id == actor.id:
        raise OwnSecrets
    # Whoever gives them a first role in another tenant waits here.
    locked = User.objects.select_for_update().get(id=user.id)
    if not locked.is_active:
        raise PersonInactive
    opened = _opened_by(locked, actor)
    if actor.is_superuser:
        return locked, opened
    if actor.tenant_id not in opened:
        raise NotAMember
    if locked.is_superuser or opened != {actor.tenant_id}:
        raise OpensMore
    return locked, opened


def _set_password_of_ours(user: User, *, is_one_time: bool) -> str:
    password = secrets.token_urlsafe(12)
    user.set_password(password)
    if is_one_time:
        user.one_time_password_until = timezone.now() + settings.ONE_TIME_PASSWORD_LASTS
    return password


def _require_superuser(actor: Principal) -> None:
    if not actor.is_superuser:
        raise ManagedBySuperusers


def _opened_by(user: User, actor: Principal) -> set[uuid.UUID]:
    """The tenants where a person has a role: none while their account is not active."""
    gate.act_as(actor)
    return set(calls.tenants_opened_by(tenant=actor.tenant_id, user=user.id))


def _record_wherever(tenants: Iterable[uuid.UUID], type: str, user: User, *, actor: Principal) -> None:
    """One entry in the ledger of each tenant, and in the one that the actor acts from: an act on somebody without any
    role leaves its entry too. In one order: the heads of the chains stay locked."""
    for tenant_id in sorted({*tenants, actor.tenant_id}):
        with gate.visiting(actor, tenant_id) as there:
            appending.record(type, actor=there, metadata=_named(user))


def _named(user: User) -> dict[str, str]:
    return {"user": str(user.id), "name": user.username}
