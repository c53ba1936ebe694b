"""Fields and words that several forms share."""

from typing import Any

from django import forms
from django.conf import settings
from django.template.defaultfilters import pluralize
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget, UnfoldBooleanWidget

from governance.edits import policies

#: What a page says of a one-time password that it shows.
THEIR_PASSWORD = "Their one-time password"  # noqa: S105 (its heading)
_DAYS = settings.ONE_TIME_PASSWORD_LASTS.days
LOG_IN_WITH_IT = (
    f"With this they log in once, within {_DAYS} day{pluralize(_DAYS)}, and then choose a password of their own."
)
#: What is typed here is no word of a language.
_AS_TYPED = {"autocapitalize": "off", "spellcheck": "false"}


def code_field(**options: Any) -> forms.CharField:
    """A code of an authenticator, or a recovery code."""
    widget = UnfoldAdminTextInputWidget(attrs={"autocomplete": "one-time-code", **_AS_TYPED})
    return forms.CharField(max_length=32, widget=widget, **options)


def name_field(label: str) -> forms.CharField:
    """The name of a tenant, an agent or a person; the service checks it."""
    widget = UnfoldAdminTextInputWidget(attrs={"autocomplete": "off", **_AS_TYPED})
    return forms.CharField(label=label, max_length=50, help_text="1 to 50 of a-z, 0-9, - and _", widget=widget)


def known_field() -> forms.BooleanField:
    """Whether a name is somebody's whom the server knows: else it would be anybody's who happens to bear it."""
    return forms.BooleanField(
        label="They have an account on this server",
        required=False,
        help_text="A name is one person on this server, whatever the tenant. They keep their password.",
        widget=UnfoldBooleanWidget,
    )


def preset_field() -> forms.ChoiceField:
    """A preset of the approval policy."""
    return forms.ChoiceField(
        choices=[(name, name) for name in policies.PRESETS],
        help_text="standard: people apply directly, agents only what refines; strict: every edit waits for another"
        " person; open: everything applies directly.",
        widget=UnfoldAdminSelectWidget,
    )
