"""What an admin may do to people: add them, give and take roles. Each act is one call of a service."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from governance.admin.fields import known_field, name_field
from governance.admin.manage import Act, ActForm, Asked, Done
from governance.models import Membership
from governance.principals import Principal
from governance.services import people

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
    told = f"{name} is {roles}. With this they log in once, and then choose a password of their own."
    return Done(told, added.password, "Their one-time password")


def _grant(principal: Principal, user: Any, asked: Asked) -> Done:
    if not people.grant_role(user, asked["role"], actor=principal):
        raise people.AlreadySo
    return Done(f"{user.username} is {asked['role']} from now on.")


def _withdraw(principal: Principal, membership: Membership, asked: Asked) -> Done:
    people.withdraw_role(membership.user, membership.role, actor=principal)
    return Done(f"{membership.user.username} is {membership.role} no more.")


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
    applies=lambda user, principal: user.id != principal.id,
)
WITHDRAW = Act(
    "withdraw",
    "Withdraw",
    "They lose the role with their next request. It can be granted again.",
    _withdraw,
    applies=lambda membership, principal: membership.is_active and membership.user_id != principal.id,
    is_grave=True,
)
