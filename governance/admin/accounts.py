"""Pages about a person's account: password, second factor, and the lockout page."""

from base64 import b32encode
from typing import Any

import segno
from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.template.response import TemplateResponse
from django.templatetags.static import static
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django_otp.plugins.otp_totp.models import TOTPDevice
from unfold.forms import AdminOwnPasswordChangeForm

from governance.admin.fields import code_field
from governance.identity import passwords, second_factor
from governance.models import User

EXPIRED = "This one-time password has expired. Ask the person who gave it to you for a new one."
WRONG_CODE = "This code is wrong or has already been used. Wait a moment before you try again."


class CodeForm(forms.Form):
    code = code_field(label="Code from your authenticator app, or a recovery code")


class PasswordForm(AdminOwnPasswordChangeForm):  # type: ignore[misc] # Unfold has no types
    """Change the password. The old one is refused: if it was a one-time password, another person knows it."""

    def clean(self) -> dict[str, Any]:
        """Raise ValidationError for the current password, and for one that Django's validators refuse."""
        cleaned: dict[str, Any] = super().clean()
        if cleaned.get("new_password1") and cleaned["new_password1"] == cleaned.get("old_password"):
            self.add_error("new_password1", "This is your current password. Choose a different one.")
        return cleaned

    def save(self, commit: bool = True) -> User:
        """Change the password, acting as the logged-in person."""
        user: User = self.user
        passwords.change_password(user, self.cleaned_data["new_password1"])
        return user


class AccountPages:
    """The pages of the admin site about the person's account. A GET changes nothing."""

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """GET shows the form; POST changes the password."""
        view = PasswordChangeView.as_view(
            form_class=PasswordForm,
            success_url=reverse("admin:password_change_done"),
            extra_context={**self.each_context(request), **(extra_context or {})},  # type: ignore[attr-defined] # of the admin site that this is mixed into
        )
        return view(request)  # type: ignore[return-value] # typed as Django's base class

    def second_factor(self, request: HttpRequest) -> HttpResponse:
        """GET shows the second factor; POST begins or confirms its setup, renews the recovery codes or turns it off."""
        user = request.user
        assert isinstance(user, User)  # noqa: S101 (admin_view refuses anonymous users)
        codes: list[str] | None = None
        status = 200
        if request.method == "POST":
            act, code = request.POST.get("act"), request.POST.get("code", "")[:32]
            done: Any = None
            if act == "begin":
                if not second_factor.is_set_up(user):
                    second_factor.begin(user)
                return redirect(reverse("admin:second_factor"))
            if act == "confirm":
                done = codes = second_factor.confirm(user, code)
            elif act == "renew":
                done = codes = second_factor.renew_recovery_codes(user, code)
            elif act == "off":
                done = second_factor.turn_off(user, code)
            if not done:
                status = 400
                messages.error(request, WRONG_CODE)
            elif act == "off":
                messages.success(request, "The second factor is off. You now log in with your password only.")
                return redirect(reverse("admin:second_factor"))
        device = second_factor.pending(user)
        context = {
            **self.each_context(request),  # type: ignore[attr-defined] # of the admin site that this is mixed into
            "title": "Second factor",
            "is_set_up": second_factor.is_set_up(user),
            "left": second_factor.recovery_codes_left(user),
            "codes": codes,
            "form": CodeForm(),
            "qr": _qr_of(device) if device else None,
            "secret": _secret_of(device) if device else None,
        }
        return TemplateResponse(request, "admin/governance/account/second_factor.html", context, status=status)


def _secret_of(device: TOTPDevice) -> str:
    """The secret in groups of four, for manual entry."""
    text = b32encode(device.bin_key).decode().rstrip("=")
    return " ".join(text[start : start + 4] for start in range(0, len(text), 4))


def _qr_of(device: TOTPDevice) -> SafeString:
    """The secret as an SVG QR code, black on white in both themes."""
    svg = segno.make(device.config_url, error="m").svg_inline(scale=5, border=4, dark="#000", light="#fff")
    return mark_safe(svg)  # noqa: S308 (drawn by segno: paths and numbers, no text of a user)


def locked_out(request: HttpRequest, *_: Any, **__: Any) -> HttpResponse:
    """The page after too many wrong passwords (settings.AXES_LOCKOUT_CALLABLE)."""
    minutes = int(settings.AXES_COOLOFF_TIME.total_seconds() // 60)
    answer = render(request, "admin/governance/account/locked_out.html", {"minutes": minutes}, status=429)
    answer.headers["Retry-After"] = str(minutes * 60)
    return answer


def favicon(request: HttpRequest) -> str:
    """The icon in the browser's tab."""
    return static("governance/favicon.svg")
