"""Creating a tenant: a page for superusers that needs no tenant."""

from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from governance import refusals
from governance.admin import unsent
from governance.admin.fields import LOG_IN_WITH_IT, THEIR_PASSWORD, known_field, name_field, preset_field
from governance.http.statuses import status_of
from governance.identity import identities
from governance.models import User
from governance.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Page:
    """The label and explanation of an act's page."""

    label: str
    explanation: str
    is_destructive: bool = False


MAKE_TENANT = Page(
    "Create a tenant",
    "A tenant has its own memory, people, agents and ledger. The ledger records that you created it. Its first admin"
    " adds the other people. If the first admin is new, the next page shows a one-time password once: give it to them."
    " You can enter the tenant yourself, and its ledger records this.",
)


class NewTenantForm(forms.Form):
    slug = name_field("Name")
    policy = preset_field()
    admin = name_field("Username of its first admin")
    is_known = known_field()


class TenantPages:
    """The pages of the admin site outside a tenant."""

    def make_tenant(self, request: HttpRequest) -> HttpResponse:
        """GET asks for a name, a policy and the first admin; POST creates the tenant. The form needs no token against
        repetition: a second time, the name is taken. Raises PermissionDenied for anyone but superusers."""
        user = request.user
        if not (isinstance(user, User) and user.is_superuser):
            raise PermissionDenied
        if request.method not in ("GET", "HEAD", "POST"):
            return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
        kept = unsent.take(request)
        typed = request.POST if request.method == "POST" else kept.data if kept else None
        form = NewTenantForm(typed)
        status = 200
        if request.method == "POST":
            status = 400
            if form.is_valid():
                try:
                    with refusals.within_savepoint():
                        added = identities.make_tenant(**form.cleaned_data, actor=user)
                except Refusal as refusal:
                    form.add_error(None, refusal.detail)
                    status = status_of(refusal)
                else:
                    return self._tenant_made(request, form.cleaned_data, added.password)
        author = unsent.author_token(user.id)
        context = {"act": MAKE_TENANT, "form": form, "back": reverse("admin:choose_tenant"), "author": author}
        return self._tenant_page(request, "admin/governance/manage/act.html", context, status)

    def _tenant_made(self, request: HttpRequest, asked: dict[str, Any], password: str) -> HttpResponse:
        made = (
            f"The tenant {asked['slug']} was created with the policy {asked['policy']}. {asked['admin']} is its admin"
        )
        if not password:
            messages.success(request, f"{made}, and logs in as before.")
            return redirect("admin:choose_tenant")
        done = {
            "message": f"{made}. {LOG_IN_WITH_IT}",
            "secret": password,
            "secret_label": THEIR_PASSWORD,
        }
        context = {"done": done, "back": reverse("admin:choose_tenant")}
        return self._tenant_page(request, "admin/governance/manage/secret.html", context)

    def _tenant_page(
        self, request: HttpRequest, template: str, context: dict[str, Any], status: int = 200
    ) -> HttpResponse:
        context = {**self.each_context(request), "title": MAKE_TENANT.label, **context}  # type: ignore[attr-defined] # of the admin site that this is mixed into
        return TemplateResponse(request, template, context, status=status)
