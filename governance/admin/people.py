"""The acts of admins on people of the tenant, and of superusers on accounts. Each act is one call of a service."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from governance.admin.fields import LOG_IN_WITH_IT, THEIR_PASSWORD, known_field, name_field
from governance.admin.manage import Act, ActForm, CleanedData, Done
from governance.identity import identities, people, second_factor
from governance.identity.principals import Principal
from governance.models import Membership, User

ROLES = (
    "Reviewers decide edits. Auditors read everything and change nothing. Admins do what reviewers do and manage"
    " the tenant."
)


class RoleForm(ActForm):
    role = forms.ChoiceField(choices=Membership.Role.choices, widget=UnfoldAdminSelectWidget)


class PersonForm(ActForm):
    name = name_field("Username")
    roles = forms.MultipleChoiceField(
        choices=Membership.Role.choices,
        help_text=ROLES,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )
    is_known = known_field()


def _add(principal: Principal, row: Any, data: CleanedData) -> Done:
    name, roles = data["name"], ", ".join(data["roles"])
    added = people.add_person(name, data["roles"], is_known=data["is_known"], actor=principal)
    if not added.password:
        return Done(f"{name} is now {roles} in this tenant and logs in as before.")
    return Done(f"{name} is {roles}. {LOG_IN_WITH_IT}", added.password, THEIR_PASSWORD)


def _grant(principal: Principal, user: User, data: CleanedData) -> Done:
    if not people.grant_role(user, data["role"], actor=principal):
        raise people.NothingToChange
    return Done(f"{user.username} is now {data['role']}.")


def _withdraw(principal: Principal, membership: Membership, data: CleanedData) -> Done:
    people.withdraw_role(membership.user, membership.role, actor=principal)
    return Done(f"{membership.user.username} is no longer {membership.role}.")


def _remove(principal: Principal, user: User, data: CleanedData) -> Done:
    identities.remove_person(user, actor=principal)
    return Done(f"{user.username} no longer has a role or a key in this tenant.")


def _give_password(principal: Principal, user: User, data: CleanedData) -> Done:
    password = people.give_one_time_password(user, actor=principal)
    return Done(f"The old password of {user.username} no longer works. {LOG_IN_WITH_IT}", password, THEIR_PASSWORD)


def _turn_off_factor(principal: Principal, user: User, data: CleanedData) -> Done:
    people.turn_off_second_factor(user, actor=principal)
    return Done(f"{user.username} now logs in with the password only.")


def _deactivate(principal: Principal, user: User, data: CleanedData) -> Done:
    people.deactivate_person(user, actor=principal)
    return Done(f"The account {user.username} is deactivated in every tenant of this server.")


def _activate(principal: Principal, user: User, data: CleanedData) -> Done:
    people.activate_person(user, actor=principal)
    return Done(f"The account {user.username} is active again.")


def _is_another(user: User, principal: Principal) -> bool:
    return user.id != principal.id


def _is_member(user: User, principal: Principal) -> bool:
    return _is_another(user, principal) and any(one.is_active for one in user.memberships.all())


def _may_be_let_in(user: User, principal: Principal) -> bool:
    return user.is_active and (_is_another if principal.is_superuser else _is_member)(user, principal)


def _lets_people_in(principal: Principal) -> bool:
    return principal.is_superuser or principal.may_manage


ADD = Act(
    "add-person",
    "Add a person",
    "They can log in to this tenant with the roles that you give them. A new person gets a one-time password. The next"
    " page shows it once: give it to them.",
    _add,
    PersonForm,
)
GRANT = Act(
    "grant-role",
    "Grant a role",
    ROLES,
    _grant,
    RoleForm,
    applies=_is_another,
)
WITHDRAW = Act(
    "withdraw",
    "Withdraw",
    "They lose the role at their next request. You can grant it again.",
    _withdraw,
    applies=lambda membership, principal: membership.is_active and membership.user_id != principal.id,
    is_destructive=True,
)
REMOVE = Act(
    "remove",
    "Remove from this tenant",
    "They lose every role in this tenant at their next request, and their keys of this tenant are revoked permanently."
    " Their account stays, because other tenants may use it. You can add them again.",
    _remove,
    applies=_is_member,
    is_destructive=True,
)
GIVE_PASSWORD = Act(
    "one-time-password",
    "Give a one-time password",
    "For a person who forgot their password. The old password stops working at once, and every session that uses it"
    " ends."
    " The next page shows the new password once: give it to them.",
    _give_password,
    applies=_may_be_let_in,
    is_destructive=True,
    may=_lets_people_in,
)
SWITCH_OFF_FACTOR = Act(
    "second-factor-off",
    "Turn off the second factor",
    "For a person who lost their authenticator app and their recovery codes. From now on, they log in with their"
    " password"
    " only. Their open sessions end.",
    _turn_off_factor,
    applies=lambda user, principal: _may_be_let_in(user, principal) and second_factor.is_set_up(user),
    is_destructive=True,
    may=_lets_people_in,
)
DEACTIVATE = Act(
    "deactivate",
    "Deactivate the account",
    "This affects every tenant of the server, at once. Nobody can log in with the account, its open sessions end, and"
    " its"
    " keys are refused. Its records stay. You can activate the account again, with its roles and keys.",
    _deactivate,
    applies=lambda user, principal: user.is_active and _is_another(user, principal),
    is_destructive=True,
    may=lambda principal: principal.is_superuser,
)
ACTIVATE = Act(
    "activate",
    "Activate the account",
    "This affects every tenant of the server. They can log in with their old password, roles and keys again.",
    _activate,
    applies=lambda user, _: not user.is_active,
    may=lambda principal: principal.is_superuser,
)
