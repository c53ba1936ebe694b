"""The admin site: login, permissions and the tenant of a session."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from csp.constants import UNSAFE_EVAL
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from unfold.forms import AuthenticationForm as UnfoldAuthenticationForm
from unfold.sites import UnfoldAdminSite

from governance.acting import gate
from governance.acting.credentials import PersonCredential
from governance.acting.principals import Principal
from governance.admin import sessions, unsent
from governance.admin.accounts import EXPIRED, WRONG_CODE, AccountPages
from governance.admin.fields import code_field
from governance.admin.home import home_of
from governance.admin.invitations import InvitationPages
from governance.admin.tenants import MAKE_TENANT, TenantPages
from governance.http.pages import error_page
from governance.http.statuses import status_of
from governance.identity import db, identities, invitations, passwords, second_factor
from governance.ledger import appending, receipts
from governance.models import User
from governance.refusals import Fault, Invalid, Refusal

#: Where the session keeps the chosen tenant's id. Memberships are checked again at every request.
SESSION_KEY = "tenant"
#: The tenant that a superuser entered without a role in it; its ledger records that.
ENTERED_WITHOUT_ROLE_KEY = "looked_into"
#: A superuser may read every tenant. To decide there, they need a role like anyone else.
SUPERUSER_ROLES = frozenset({"auditor"})

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class TenantAccess:
    """A tenant that a user may enter, with their roles in it."""

    tenant_id: uuid.UUID
    tenant_slug: str
    roles: frozenset[str]


def list_memberships(user_id: uuid.UUID) -> list[TenantAccess]:
    """The tenants in which a user is active, by slug. Needs no tenant, since row security would hide them."""
    roles: dict[tuple[uuid.UUID, str], set[str]] = {}
    for held in db.list_memberships(token=PersonCredential(user_id).token()):
        roles.setdefault((held.tenant_id, held.tenant_slug), set()).add(held.role)
    return [TenantAccess(tenant_id, slug, frozenset(names)) for (tenant_id, slug), names in roles.items()]


def tenant_accesses_of(user: User) -> list[TenantAccess]:
    """The tenants that `user` may enter: those of their memberships and, for a superuser, all others read-only."""
    accesses = list_memberships(user.id)
    if user.is_superuser:
        own = {access.tenant_id for access in accesses}
        others = {
            slug: tenant_id
            for slug, tenant_id in gate.tenants(PersonCredential(user.id)).items()
            if tenant_id not in own
        }
        accesses += [TenantAccess(tenant_id, slug, SUPERUSER_ROLES) for slug, tenant_id in others.items()]
    return accesses


def principal_in(request: HttpRequest) -> Principal | None:
    """The principal in the entered tenant; None on pages that need no tenant."""
    return getattr(request, "principal", None)


def principal_of(request: HttpRequest) -> Principal:
    """The principal in the entered tenant. Raises PermissionDenied outside a tenant."""
    principal = principal_in(request)
    if principal is None:
        raise PermissionDenied
    return principal


class LoginForm(UnfoldAuthenticationForm):  # type: ignore[misc] # Unfold has no types
    """Login requires a role in a tenant, not Django's staff flag, and a code if a second factor is set up."""

    code = code_field(required=False, label="Code (if you have set up a second factor)")

    def clean_username(self) -> str:
        """The username. Raises ValidationError for one that is too long for the database."""
        name: str = self.cleaned_data["username"]
        longest = User._meta.get_field("username").max_length or 0
        if len(name) > longest:
            raise ValidationError(f"A username has at most {longest} characters.", code="too_long")
        return name

    def confirm_login_allowed(self, user: User) -> None:
        """Raises ValidationError for an inactive user, one without a tenant or an invitation (unless they may create
        the first tenant), an expired one-time password and a missing code."""
        passwords.renew_hash(user, self.cleaned_data["password"])
        AuthenticationForm.confirm_login_allowed(self, user)
        if not (user.is_superuser or tenant_accesses_of(user) or invitations.invitations_of(user)):
            raise ValidationError("This account has no role in any tenant.", code="no_tenant")
        if user.one_time_password_until is not None and user.one_time_password_until <= timezone.now():
            raise ValidationError(EXPIRED, code="expired")
        if not second_factor.is_set_up(user):
            return
        code = self.cleaned_data.get("code", "")
        if not code:
            raise ValidationError("Enter a code from your authenticator app, or a recovery code.", code="code_needed")
        try:
            is_right = second_factor.verify(user, code)
        except Refusal as refusal:
            raise ValidationError(refusal.detail, code=refusal.code) from None
        if not is_right:
            raise ValidationError(WRONG_CODE, code="wrong_code")


class SutureAdminSite(AccountPages, InvitationPages, TenantPages, UnfoldAdminSite):  # type: ignore[misc] # Unfold has no types
    """Every page runs within one tenant, chosen at login and checked again at every request."""

    login_form = LoginForm
    login_template = "admin/governance/account/login.html"
    index_template = "admin/governance/index.html"
    index_title = "Home"

    def tenant_accesses(self, request: HttpRequest) -> list[TenantAccess]:
        """The tenants that the request's user may enter; looked up once per request."""
        if not hasattr(request, "_tenant_accesses"):
            user = request.user
            known = isinstance(user, User) and user.is_active
            request._tenant_accesses = tenant_accesses_of(user) if known else []  # type: ignore[attr-defined,arg-type] # kept on the request; `known` means a User
        return request._tenant_accesses  # type: ignore[attr-defined,no-any-return] # as set above

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(self.tenant_accesses(request)) or _is_superuser(request) or bool(self.open_invitations(request))

    def current_access(self, request: HttpRequest) -> TenantAccess | None:
        """The session's tenant if the user may still enter it, or else their only tenant, or None."""
        accesses = self.tenant_accesses(request)
        wish = request.session.get(SESSION_KEY)
        for access in accesses:
            if str(access.tenant_id) == wish and (
                _has_role(access) or request.session.get(ENTERED_WITHOUT_ROLE_KEY) == wish
            ):
                return access
        # A superuser enters a tenant without a role only by choosing it.
        only = len(accesses) == 1 and _has_role(accesses[0])
        return accesses[0] if only else None

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Run `view` within the session's tenant, or ask for one first.

        ATOMIC_REQUESTS has opened a transaction. The page is rendered inside it, because a lazy relation in a template
        would find no rows outside. The ledger's entries are appended after that.
        """
        inner: View = super().admin_view(view, cacheable)
        needs_no_tenant = view in (
            self.choose_tenant,
            self.make_tenant,
            self.logout,
            self.password_change,
            self.password_change_done,
            self.i18n_javascript,
            self.second_factor,
            self.invitations,
        )

        @wraps(inner)
        @appending.held_back()
        def within_tenant(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            _log_out_if_expired(request)
            if _must_change_password(request) and view not in (self.password_change, self.logout, self.i18n_javascript):
                return _redirect_to_password_change(request)
            principal: Principal | None = None
            try:
                if self.has_permission(request):
                    access = self.current_access(request)
                    if access is not None:
                        principal = self._enter(request, access)
                        appending.hold_back(principal)
                    elif not needs_no_tenant:
                        return self._ask_for_tenant(request)
                elif page := unsent.keep(request):
                    return redirect_to_login(page, reverse("admin:login"))
                require_no_nul(request)
                response = inner(request, *args, **kwargs)
                if isinstance(response, TemplateResponse) and not response.is_rendered:
                    response.render()
                let_unfold_evaluate(response)
                if principal is not None:
                    receipts.take(principal)
                appending.append_held()
            except Refusal as refusal:
                transaction.set_rollback(not refusal.keeps_record)
                if principal is not None:
                    receipts.take(principal)
                return refusal_page(request, refusal)
            return _with_page(request, response)

        return within_tenant

    def _enter(self, request: HttpRequest, access: TenantAccess) -> Principal:
        principal = Principal(
            tenant_id=access.tenant_id,
            tenant_slug=access.tenant_slug,
            kind="human",
            id=request.user.id,  # type: ignore[arg-type] # admin_view refuses anonymous users
            name=request.user.get_username(),
            roles=access.roles,
            is_superuser=_is_superuser(request),
            credential=PersonCredential(request.user.id),  # type: ignore[arg-type] # as above
        )
        gate.act_as(principal)
        request.principal = principal  # type: ignore[attr-defined] # as the API does: who acts travels with the request
        return principal

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The login form."""
        response: HttpResponse = super().login(request, extra_context)
        let_unfold_evaluate(response)
        return response

    def item_view(self, view: Callable[[HttpRequest], HttpResponse]) -> View:
        """Run `view`, which decides several edits, outside a transaction: it opens one for each with
        `gate.acting_as()`. In a single transaction, the lists of two people could deadlock."""

        @wraps(view)
        def checked(request: HttpRequest) -> HttpResponseBase:
            with transaction.atomic():
                _log_out_if_expired(request)
                if _must_change_password(request):
                    return _redirect_to_password_change(request)
                access = self.current_access(request) if self.has_permission(request) else None
                if access is None:
                    return self._ask_for_tenant(request)  # which first asks for a login if necessary
                self._enter(request, access)
            try:
                require_no_nul(request)
            except Refusal as refusal:
                return refusal_page(request, refusal)
            response = view(request)
            let_unfold_evaluate(response)
            return _with_page(request, response)

        return transaction.non_atomic_requests(never_cache(csrf_protect(checked)))

    def _ask_for_tenant(self, request: HttpRequest) -> HttpResponse:
        chooser = reverse("admin:choose_tenant")
        onward = request.get_full_path() if request.method == "GET" else unsent.keep(request)
        if onward:
            chooser += "?" + urlencode({"next": onward})
        if not self.has_permission(request):
            return redirect_to_login(onward or reverse("admin:index"), reverse("admin:login"))
        return redirect(chooser)

    def get_urls(self) -> list[URLPattern]:
        chooser = path("tenant/", self.admin_view(self.choose_tenant), name="choose_tenant")
        maker = path("tenant/make/", self.admin_view(self.make_tenant), name="make_tenant")
        factor = path("second-factor/", self.admin_view(self.second_factor), name="second_factor")
        invited = path("invitations/", self.admin_view(self.invitations), name="invitations")
        return [chooser, maker, factor, invited, *super().get_urls()]

    def choose_tenant(self, request: HttpRequest) -> HttpResponse:
        """GET lists the user's tenants; POST enters one and redirects to `next`. Answers 404 for any other tenant."""
        onward = request.POST.get("next") or request.GET.get("next") or ""
        if not url_has_allowed_host_and_scheme(onward, {request.get_host()}, require_https=request.is_secure()):
            onward = reverse("admin:index")
        if request.method == "POST":
            chosen = request.POST.get("tenant")
            access = next((access for access in self.tenant_accesses(request) if str(access.tenant_id) == chosen), None)
            if access is None:
                raise Http404
            self._enter(request, access)
            if not _has_role(access):
                identities.record_entered(actor=principal_of(request))
                request.session[ENTERED_WITHOUT_ROLE_KEY] = chosen
            request.session[SESSION_KEY] = chosen
            return redirect(onward)
        context = {
            **self.each_context(request),
            "title": "Choose a tenant",
            "accesses": self.tenant_accesses(request),
            "current": principal_in(request),
            "invitation_count": len(self.open_invitations(request)),
            "make_tenant": MAKE_TENANT if _is_superuser(request) else None,
            "next": onward,
            "is_nav_sidebar_enabled": False,
        }
        return TemplateResponse(request, "admin/governance/choose_tenant.html", context)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Hide the sidebar without a tenant, since it would have no links."""
        context: dict[str, Any] = super().each_context(request)
        if principal_in(request) is None:
            context["is_nav_sidebar_enabled"] = False
        return context

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The home page: pending edits for this person, and the state of memory and its ledger."""
        waiting = {"invitation_count": len(self.open_invitations(request))}
        context = {**home_of(principal_of(request)), **waiting, **(extra_context or {})}
        return super().index(request, context)  # type: ignore[no-any-return] # Unfold has no types


def let_unfold_evaluate(response: HttpResponseBase) -> None:
    """Allow 'unsafe-eval' on an Unfold page, because Alpine evaluates the expressions of its templates."""
    if isinstance(response, TemplateResponse):
        response._csp_update = {"script-src": [UNSAFE_EVAL]}  # type: ignore[attr-defined] # django-csp reads it there


def require_no_nul(request: HttpRequest) -> None:
    """Raise Invalid for a NUL character in the address or the form, naming the parameter or the field. PostgreSQL
    refuses it, and lists and forms do not check for it."""
    for data, place in ((request.GET, "parameter"), (request.POST, "field")):
        for name, values in data.lists():
            if any("\0" in text for text in (name, *values)):
                detail = f"The {place} {name.replace(chr(0), '')[:100]!r} contains the NUL character."
                raise Invalid(errors=[Fault(parameter=name, detail=detail)])


def refusal_page(request: HttpRequest, refusal: Refusal) -> HttpResponse:
    """The page of a refusal that is not shown in a form."""
    return error_page(request, status_of(refusal), refusal.detail, faults=[fault["detail"] for fault in refusal.errors])


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The page for a form of another session (settings.CSRF_FAILURE_VIEW), opened before a login or logout, or in a
    browser without cookies. What was typed is kept."""
    if page := unsent.keep(request):
        return redirect(page)
    detail = (
        "Nothing was changed. You opened the form before you logged in or out, or your browser does not store cookies."
        " Go back, reload the page, and submit the form again."
    )
    return error_page(request, 403, detail, title="This form is out of date")


def _with_page(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    """Give an answer with a status but no body the page of that status."""
    if not isinstance(response, HttpResponseNotAllowed):
        return response
    page = error_page(request, response.status_code)
    page.headers["Allow"] = response.headers["Allow"]
    return page


def _has_role(access: TenantAccess) -> bool:
    return access.roles is not SUPERUSER_ROLES


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_superuser


def _log_out_if_expired(request: HttpRequest) -> None:
    if request.user.is_authenticated and not sessions.touch(request.session, at=timezone.now()):
        logout(request)


def _must_change_password(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.has_one_time_password


def _redirect_to_password_change(request: HttpRequest) -> HttpResponse:
    messages.warning(request, "Your one-time password is valid for one login only. Choose a new password.")
    return redirect("admin:password_change")


site = SutureAdminSite(name="admin")
