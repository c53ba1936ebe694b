"""Fields and texts that several forms share."""

from typing import Any

from django import forms
from django.conf import settings
from django.template.defaultfilters import pluralize
from unfold.widgets import (
    UnfoldAdminSelectWidget,
    UnfoldAdminTextareaWidget,
    UnfoldAdminTextInputWidget,
    UnfoldBooleanWidget,
)

from governance.edits import policies
from governance.text import NAME, REASON, TextRule

#: The heading above a one-time password.
THEIR_PASSWORD = "Their one-time password"  # noqa: S105 (its heading)
_DAYS = settings.ONE_TIME_PASSWORD_LASTS.days
LOG_IN_WITH_IT = (
    f"They can log in with it once, within {_DAYS} day{pluralize(_DAYS)}, and must then choose a new password."
)
#: The value is not text in a language.
_AS_TYPED = {"autocapitalize": "off", "spellcheck": "false"}


class TextField(forms.CharField):
    """Text of one kind (`governance.text`), unchanged except for line ends, which browsers convert."""

    def __init__(self, rule: TextRule, **options: Any) -> None:
        self.rule = rule
        # The length is for the page; the rule checks it, with the same error text as the API.
        super().__init__(max_length=rule.max_length, strip=options.pop("strip", False), **options)
        self.validators = []

    def to_python(self, value: Any) -> str:
        return with_plain_line_ends(super().to_python(value) or "")

    def validate(self, value: str) -> None:
        super().validate(value)
        if value and (fault := self.rule.fault_in(value)):
            raise forms.ValidationError(fault)


def with_plain_line_ends(text: str) -> str:
    """`text` with the line ends that it had before a browser converted them."""
    return text.replace("\r\n", "\n")


def reason_field(rule: TextRule = REASON, **options: Any) -> TextField:
    """A field for a reason. With `rule` REMARK it is optional."""
    options = {
        "help_text": "The ledger records the reason.",
        "strip": True,
        "required": not rule.may_be_empty,
        **options,
    }
    return TextField(rule, widget=UnfoldAdminTextareaWidget(attrs={"rows": 2}), **options)


def code_field(**options: Any) -> forms.CharField:
    """A code of an authenticator, or a recovery code."""
    widget = UnfoldAdminTextInputWidget(attrs={"autocomplete": "one-time-code", **_AS_TYPED})
    return forms.CharField(max_length=32, widget=widget, **options)


def name_field(label: str) -> TextField:
    """A field for the name of a tenant, an agent or a person; the service checks it."""
    widget = UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", **_AS_TYPED})
    return TextField(NAME, label=label, strip=True, help_text="1 to 50 characters: a-z, 0-9, - and _", widget=widget)


def username_field() -> forms.CharField:
    """A field for the username of an account, which may not exist; the service checks it."""
    widget = UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", **_AS_TYPED})
    help_text = "The name with which they log in, such as carla or carla@acme."
    return forms.CharField(max_length=150, label="Their username", help_text=help_text, widget=widget)


def known_field() -> forms.BooleanField:
    """Whether the first admin of a new tenant has an account. Without this question, a stranger with the same name
    could get the role."""
    return forms.BooleanField(
        label="This person already has an account on this server",
        required=False,
        help_text="A username belongs to one person in all tenants of this server. They keep their password.",
        widget=UnfoldBooleanWidget,
    )


def preset_field() -> forms.ChoiceField:
    """A preset of the approval policy."""
    return forms.ChoiceField(
        choices=[(name, name) for name in policies.PRESETS],
        help_text="standard: people's edits apply at once, and agents' edits only if they refine memory; strict: every"
        " edit needs another person's approval; open: every edit applies at once.",
        widget=UnfoldAdminSelectWidget,
    )
