"""The page where people answer their invitations."""

from uuid import UUID

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse

from governance.http.statuses import status_of
from governance.identity import invitations
from governance.identity.invitations import Invited
from governance.models import User
from governance.refusals import NotFound, Refusal, within_savepoint


class InvitationPages:
    """The page of the admin site where people answer their invitations; it needs no tenant. A GET changes nothing."""

    def open_invitations(self, request: HttpRequest) -> list[Invited]:
        """The invitations of the request's user; looked up once per request."""
        if not hasattr(request, "_open_invitations"):
            user = request.user
            known = isinstance(user, User) and user.is_active and not user.has_one_time_password
            request._open_invitations = invitations.invitations_of(user) if known else []  # type: ignore[attr-defined,arg-type] # kept on the request; `known` means a User
        return request._open_invitations  # type: ignore[attr-defined,no-any-return] # as set above

    def invitations(self, request: HttpRequest) -> HttpResponse:
        """GET lists the invitations; POST accepts or declines one and lists the others."""
        status = 200
        if request.method == "POST":
            try:
                with within_savepoint():
                    _answer(request)
            except NotFound:
                raise Http404 from None
            except Refusal as refusal:
                messages.error(request, refusal.detail)
                status = status_of(refusal)
            else:
                return redirect(reverse("admin:choose_tenant"))
        context = {
            **self.each_context(request),  # type: ignore[attr-defined] # of the admin site that this is mixed into
            "title": "Invitations",
            "invitations": self.open_invitations(request),
        }
        return TemplateResponse(request, "admin/governance/account/invitations.html", context, status=status)


def _answer(request: HttpRequest) -> None:
    user = request.user
    assert isinstance(user, User)  # noqa: S101 (admin_view refuses anonymous users)
    try:
        invitation_id = UUID(request.POST.get("invitation", ""))
    except ValueError:
        raise invitations.NoSuchInvitation from None
    if request.POST.get("answer") == "accept":
        invitations.accept_invitation(user, invitation_id)
        messages.success(request, "You accepted the invitation. Choose the tenant to work in.")
    else:
        invitations.decline_invitation(user, invitation_id)
        messages.success(request, "You declined the invitation.")
