"""What an admin may do to people of the tenant, and a superuser to accounts. Each act is one call of a service."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from governance.admin.fields import LOG_IN_WITH_IT, THEIR_PASSWORD, known_field, name_field
from governance.admin.manage import Act, ActForm, Asked, Done
from governance.identity import identities, people, second_factor
from governance.identity.principals import Principal
from governance.models import Membership, User

ROLES = "Reviewers decide edits, auditors read everything and change nothing, admins also manage the tenant."


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


def _add(principal: Principal, row: Any, asked: Asked) -> Done:
    name, roles = asked["name"], ", ".join(asked["roles"])
    added = people.add_person(name, asked["roles"], is_known=asked["is_known"], actor=principal)
    if not added.password:
        return Done(f"{name} is {roles} here from now on, and logs in as before.")
    return Done(f"{name} is {roles}. {LOG_IN_WITH_IT}", added.password, THEIR_PASSWORD)


def _grant(principal: Principal, user: User, asked: Asked) -> Done:
    if not people.grant_role(user, asked["role"], actor=principal):
        raise people.AlreadySo
    return Done(f"{user.username} is {asked['role']} from now on.")


def _withdraw(principal: Principal, membership: Membership, asked: Asked) -> Done:
    people.withdraw_role(membership.user, membership.role, actor=principal)
    return Done(f"{membership.user.username} is {membership.role} no more.")


def _remove(principal: Principal, user: User, asked: Asked) -> Done:
    identities.remove_person(user, actor=principal)
    return Done(f"{user.username} has no role and no key here any more.")


def _give_password(principal: Principal, user: User, asked: Asked) -> Done:
    password = people.give_one_time_password(user, actor=principal)
    return Done(f"The old password of {user.username} is void. {LOG_IN_WITH_IT}", password, THEIR_PASSWORD)


def _switch_off_factor(principal: Principal, user: User, asked: Asked) -> Done:
    people.switch_off_second_factor(user, actor=principal)
    return Done(f"The password of {user.username} alone logs them in.")


def _deactivate(principal: Principal, user: User, asked: Asked) -> Done:
    people.deactivate_person(user, actor=principal)
    return Done(f"The account {user.username} is deactivated, in every tenant of this server.")


def _activate(principal: Principal, user: User, asked: Asked) -> Done:
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
    "They log in to this tenant with the roles that you give them. Somebody new gets a one-time password: it is shown"
    " once, on the next page, for you to hand over.",
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
    "They lose the role with their next request. It can be granted again.",
    _withdraw,
    applies=lambda membership, principal: membership.is_active and membership.user_id != principal.id,
    is_grave=True,
)
REMOVE = Act(
    "remove",
    "Remove from this tenant",
    "They lose every role here with their next request, and their keys of this tenant are revoked, for good. Their"
    " account stays: other tenants may share it. They can be added again.",
    _remove,
    applies=_is_member,
    is_grave=True,
)
GIVE_PASSWORD = Act(
    "one-time-password",
    "Give a one-time password",
    "For somebody who forgot theirs. The old one is void at once, and whoever is logged in with it is logged out. The"
    " new one is shown once, on the next page, for you to hand over.",
    _give_password,
    applies=_may_be_let_in,
    is_grave=True,
    may=_lets_people_in,
)
SWITCH_OFF_FACTOR = Act(
    "second-factor-off",
    "Switch off the second factor",
    "For somebody who lost their authenticator and their recovery codes: their password alone logs them in from now on,"
    " and whoever is logged in as them is logged out.",
    _switch_off_factor,
    applies=lambda user, principal: _may_be_let_in(user, principal) and second_factor.is_set_up(user),
    is_grave=True,
    may=_lets_people_in,
)
DEACTIVATE = Act(
    "deactivate",
    "Deactivate the account",
    "On the whole server, in every tenant, at once: nobody logs in with it, its open sessions end, and its keys are"
    " refused. What they did stays, and the account can be activated again, with its roles and keys.",
    _deactivate,
    applies=lambda user, principal: user.is_active and _is_another(user, principal),
    is_grave=True,
    may=lambda principal: principal.is_superuser,
)
ACTIVATE = Act(
    "activate",
    "Activate the account",
    "On the whole server: they log in again with the password that they had, and have their roles and keys as before.",
    _activate,
    applies=lambda user, _: not user.is_active,
    may=lambda principal: principal.is_superuser,
)
