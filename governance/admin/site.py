"""The admin site: who gets in, and in which tenant a session works."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme, urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_protect
from unfold.forms import AuthenticationForm as UnfoldAuthenticationForm
from unfold.sites import UnfoldAdminSite

from governance import gate
from governance.admin import sessions
from governance.admin.accounts import EXPIRED, WRONG_CODE, AccountPages
from governance.admin.fields import code_field
from governance.admin.home import home_of
from governance.admin.tenants import MAKE_TENANT, TenantPages
from governance.identity import calls, identities, passwords, second_factor
from governance.identity.credentials import PersonCredential
from governance.identity.principals import Principal
from governance.models import User

#: Where the session keeps the chosen tenant's id. It is a wish: memberships decide at every request.
SESSION_KEY = "tenant"
#: The tenant that a superuser without a role of their own entered; its ledger says so.
LOOKED_INTO_KEY = "looked_into"
#: A superuser looks on in every tenant; to decide there, even they need a role.
SUPERUSER_ROLES = frozenset({"auditor"})

View = Callable[..., HttpResponseBase]


@dataclass(frozen=True, slots=True)
class Seat:
    """A tenant that a user may enter, and as what."""

    tenant_id: uuid.UUID
    tenant_slug: str
    roles: frozenset[str]


def list_memberships(user_id: uuid.UUID) -> list[Seat]:
    """The tenants in which a user is active, by slug. Needs no tenant: row security would hide them all."""
    roles: dict[tuple[uuid.UUID, str], set[str]] = {}
    for held in calls.list_memberships(token=PersonCredential(user_id).token()):
        roles.setdefault((held.tenant_id, held.tenant_slug), set()).add(held.role)
    return [Seat(tenant_id, slug, frozenset(names)) for (tenant_id, slug), names in roles.items()]


def seats_of(user: User) -> list[Seat]:
    """Where `user` may work: the tenants of their memberships, and for a superuser every other one to look at."""
    seats = list_memberships(user.id)
    if user.is_superuser:
        own = {seat.tenant_id for seat in seats}
        others = {
            slug: tenant_id
            for slug, tenant_id in gate.tenants(PersonCredential(user.id)).items()
            if tenant_id not in own
        }
        seats += [Seat(tenant_id, slug, SUPERUSER_ROLES) for slug, tenant_id in others.items()]
    return seats


def principal_in(request: HttpRequest) -> Principal | None:
    """Who acts in the entered tenant, or None on the pages that need none."""
    return getattr(request, "principal", None)


def principal_of(request: HttpRequest) -> Principal:
    """Who acts in the entered tenant. Raises PermissionDenied outside of one."""
    principal = principal_in(request)
    if principal is None:
        raise PermissionDenied
    return principal


class LoginForm(UnfoldAuthenticationForm):  # type: ignore[misc] # Unfold has no types
    """What counts is a role in a tenant, not Django's staff flag; and a code, where a second factor is set up."""

    code = code_field(required=False, label="Code (if you have set up a second factor)")

    def confirm_login_allowed(self, user: User) -> None:
        """Raises ValidationError for an inactive user, for one without a tenant, unless they may make the first, for an
        expired one-time password and for one without their code."""
        passwords.renew_hash(user, self.cleaned_data["password"])
        AuthenticationForm.confirm_login_allowed(self, user)
        if not user.is_superuser and not seats_of(user):
            raise ValidationError("This account has no role in any tenant.", code="no_tenant")
        if user.one_time_password_until is not None and user.one_time_password_until <= timezone.now():
            raise ValidationError(EXPIRED, code="expired")
        if not second_factor.is_set_up(user):
            return
        code = self.cleaned_data.get("code", "")
        if not code:
            raise ValidationError("Enter the code of your authenticator, or a recovery code.", code="code_needed")
        if not second_factor.verify(user, code):
            raise ValidationError(WRONG_CODE, code="wrong_code")


class SutureAdminSite(AccountPages, TenantPages, UnfoldAdminSite):  # type: ignore[misc] # Unfold has no types
    """Every page runs within one tenant, chosen at login and checked again at every request."""

    login_form = LoginForm
    login_template = "admin/governance/account/login.html"
    index_template = "admin/governance/index.html"
    index_title = "Home"

    def seats(self, request: HttpRequest) -> list[Seat]:
        """Where the request's user may work; looked up once a request."""
        if not hasattr(request, "_seats"):
            user = request.user
            known = isinstance(user, User) and user.is_active
            request._seats = seats_of(user) if known else []  # type: ignore[attr-defined,arg-type] # kept on the request; `known` means a User
        return request._seats  # type: ignore[attr-defined,no-any-return] # as set above

    def has_permission(self, request: HttpRequest) -> bool:
        return bool(self.seats(request)) or _is_superuser(request)

    def seat(self, request: HttpRequest) -> Seat | None:
        """The session's tenant while it is the user's; the only one they have; otherwise None."""
        seats = self.seats(request)
        wish = request.session.get(SESSION_KEY)
        for seat in seats:
            if str(seat.tenant_id) == wish and (_is_own(seat) or request.session.get(LOOKED_INTO_KEY) == wish):
                return seat
        # Looking into a tenant that is not their own is a superuser's choice, never a default.
        only = len(seats) == 1 and _is_own(seats[0])
        return seats[0] if only else None

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Run `view` within the session's tenant, or ask for one first.

        ATOMIC_REQUESTS has opened the transaction around this callable. The page is rendered here, inside of it: a
        lazy relation in a template would find no rows outside.
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
        )

        @wraps(inner)
        def within_tenant(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            _end_if_over(request)
            if _owes_a_password(request) and view not in (self.password_change, self.logout, self.i18n_javascript):
                return _ask_for_password(request)
            if self.has_permission(request):
                seat = self.seat(request)
                if seat is not None:
                    self._enter(request, seat)
                elif not needs_no_tenant:
                    return self._ask_for_tenant(request)
            response = inner(request, *args, **kwargs)
            if isinstance(response, TemplateResponse) and not response.is_rendered:
                response.render()
            return response

        return within_tenant

    def _enter(self, request: HttpRequest, seat: Seat) -> None:
        principal = Principal(
            tenant_id=seat.tenant_id,
            tenant_slug=seat.tenant_slug,
            kind="human",
            id=request.user.id,  # type: ignore[arg-type] # admin_view lets nobody anonymous get here
            name=request.user.get_username(),
            roles=seat.roles,
            is_superuser=_is_superuser(request),
            credential=PersonCredential(request.user.id),  # type: ignore[arg-type] # as above
        )
        gate.act_as(principal)
        request.principal = principal  # type: ignore[attr-defined] # as the API does: who acts travels with the request

    def item_view(self, view: Callable[[HttpRequest], HttpResponse]) -> View:
        """Run `view`, which decides several things, outside of a transaction: it opens one for each with
        `gate.acting_as()`. In one for all, two people's lists would wait for each other's rows for ever."""

        @wraps(view)
        def checked(request: HttpRequest) -> HttpResponseBase:
            with transaction.atomic():
                _end_if_over(request)
                if _owes_a_password(request):
                    return _ask_for_password(request)
                seat = self.seat(request) if self.has_permission(request) else None
                if seat is None:
                    return self._ask_for_tenant(request)  # which asks for a login first, where that is missing
                self._enter(request, seat)
            return view(request)

        return transaction.non_atomic_requests(never_cache(csrf_protect(checked)))

    def _ask_for_tenant(self, request: HttpRequest) -> HttpResponse:
        chooser = reverse("admin:choose_tenant")
        if request.method == "GET":
            chooser += "?" + urlencode({"next": request.get_full_path()})
        return redirect(chooser)

    def get_urls(self) -> list[URLPattern]:
        chooser = path("tenant/", self.admin_view(self.choose_tenant), name="choose_tenant")
        maker = path("tenant/make/", self.admin_view(self.make_tenant), name="make_tenant")
        factor = path("second-factor/", self.admin_view(self.second_factor), name="second_factor")
        return [chooser, maker, factor, *super().get_urls()]

    def choose_tenant(self, request: HttpRequest) -> HttpResponse:
        """GET offers the user's tenants, POST takes one and goes on to `next`; one not theirs is a 404."""
        onward = request.POST.get("next") or request.GET.get("next") or ""
        if not url_has_allowed_host_and_scheme(onward, {request.get_host()}, require_https=request.is_secure()):
            onward = reverse("admin:index")
        if request.method == "POST":
            chosen = request.POST.get("tenant")
            seat = next((seat for seat in self.seats(request) if str(seat.tenant_id) == chosen), None)
            if seat is None:
                raise Http404
            self._enter(request, seat)
            if not _is_own(seat):
                identities.note_entered(actor=principal_of(request))
                request.session[LOOKED_INTO_KEY] = chosen
            request.session[SESSION_KEY] = chosen
            return redirect(onward)
        context = {
            **self.each_context(request),
            "title": "Choose a tenant",
            "seats": self.seats(request),
            "current": principal_in(request),
            "make_tenant": MAKE_TENANT if _is_superuser(request) else None,
            "next": onward,
            "is_nav_sidebar_enabled": False,
        }
        return TemplateResponse(request, "admin/governance/choose_tenant.html", context)

    def each_context(self, request: HttpRequest) -> dict[str, Any]:
        """Outside of a tenant there is nothing for a sidebar to lead to."""
        context: dict[str, Any] = super().each_context(request)
        if principal_in(request) is None:
            context["is_nav_sidebar_enabled"] = False
        return context

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """The home page: what waits for this person, and how memory and its ledger stand."""
        context = {**home_of(principal_of(request)), **(extra_context or {})}
        return super().index(request, context)  # type: ignore[no-any-return] # Unfold has no types


def _is_own(seat: Seat) -> bool:
    return seat.roles is not SUPERUSER_ROLES


def _is_superuser(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_superuser


def _end_if_over(request: HttpRequest) -> None:
    if request.user.is_authenticated and not sessions.goes_on(request.session, at=timezone.now()):
        logout(request)


def _owes_a_password(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.has_one_time_password


def _ask_for_password(request: HttpRequest) -> HttpResponse:
    messages.warning(
        request, "Your password was good for one login: somebody else has seen it. Choose one of your own."
    )
    return redirect("admin:password_change")


site = SutureAdminSite(name="admin")
