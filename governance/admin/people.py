"""Actions of admins on people and invitations, and of superusers on accounts. Each is one call of a service."""

from typing import Any

from django import forms
from unfold.widgets import UnfoldAdminCheckboxSelectMultipleWidget, UnfoldAdminSelectWidget

from governance.acting.principals import Principal
from governance.admin.fields import LOG_IN_WITH_IT, THEIR_PASSWORD, name_field, username_field
from governance.admin.manage import Act, ActForm, CleanedData, Done
from governance.identity import identities, invitations, people, second_factor
from governance.models import Invitation, Membership, User

ROLES = (
    "Reviewers decide edits. Auditors can read everything but change nothing. Admins are reviewers who also manage the"
    " tenant."
)


class RoleForm(ActForm):
    role = forms.ChoiceField(choices=Membership.Role.choices, widget=UnfoldAdminSelectWidget)


class PersonForm(ActForm):
    name = name_field("Name")
    roles = forms.MultipleChoiceField(
        choices=Membership.Role.choices,
        help_text=ROLES,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["name"].help_text += f". They log in as NAME@{self.principal.tenant_slug}."


class InvitationForm(ActForm):
    username = username_field()
    roles = forms.MultipleChoiceField(
        choices=Membership.Role.choices,
        help_text=ROLES,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
    )


def _add(principal: Principal, row: Any, data: CleanedData) -> Done:
    added = people.add_person(data["name"], data["roles"], actor=principal)
    message = f"{added.user.username} is {', '.join(data['roles'])}. {LOG_IN_WITH_IT}"
    return Done(message, added.password, THEIR_PASSWORD)


def _invite(principal: Principal, row: Any, data: CleanedData) -> Done:
    made = invitations.invite(data["username"], data["roles"], actor=principal)
    return Done(
        f"If {made.username} is a username on this server, its owner now sees the invitation in the admin, and can"
        f" accept it until {made.expires_at:%Y-%m-%d %H:%M} UTC."
    )


def _withdraw_invitation(principal: Principal, invitation: Invitation, data: CleanedData) -> Done:
    invitations.withdraw_invitation(invitation, actor=principal)
    return Done(f"The invitation of {invitation.username} was withdrawn.")


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


def _is_of_tenant(user: User, principal: Principal) -> bool:
    return _is_another(user, principal) and user.made_in_id == principal.tenant_id


def _may_be_let_in(user: User, principal: Principal) -> bool:
    return user.is_active and (_is_another if principal.is_superuser else _is_member)(user, principal)


def _lets_people_in(principal: Principal) -> bool:
    return principal.is_superuser or principal.may_manage


ADD = Act(
    "add-person",
    "Add a person",
    "This creates an account of this tenant, with the roles that you choose and a one-time password. The next page"
    " shows the password once: give it to the person. If the person already has an account, invite them instead.",
    _add,
    PersonForm,
)
INVITE = Act(
    "invite",
    "Invite a person",
    "For a person who already has an account on this server, created elsewhere. Tell them to accept in their account"
    " menu under Invitations; then they get the roles. The page does not reveal whether the account exists.",
    _invite,
    InvitationForm,
)
WITHDRAW_INVITATION = Act(
    "withdraw",
    "Withdraw",
    "The person can no longer accept the invitation. You can invite them again.",
    _withdraw_invitation,
    applies=lambda invitation, _: invitation.is_open,
    is_destructive=True,
)
GRANT = Act(
    "grant-role",
    "Grant a role",
    ROLES,
    _grant,
    RoleForm,
    applies=lambda user, principal: _is_member(user, principal) or _is_of_tenant(user, principal),
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
