"""Actions on the tenant and its records. Each has a page that explains it; a POST performs it, once per form.

Admins manage, reviewers propose, auditors read. The service checks the permission, not the button.
"""

import hashlib
import re
import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from uuid import UUID

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.datastructures import MultiValueDict

from governance import idempotency, refusals
from governance.acting.principals import Principal
from governance.admin import unsent
from governance.admin.base import ReadOnlyAdmin
from governance.admin.site import principal_of
from governance.http.statuses import status_of
from governance.refusals import Conflict, Refusal

#: The form field that makes a form act once: a reload or a second click does not repeat the action.
ONCE = "once"
#: The cleaned data of an action's form.
CleanedData = Mapping[str, Any]
_TOKEN = re.compile(r"[\w-]{16,64}", re.ASCII)
_FINGERPRINT = hashlib.sha256(b"an act of the admin").digest()


class FormAlreadySent(Conflict):
    """This form was already sent, and its action was performed. Nothing was changed now."""


@dataclass(frozen=True, slots=True)
class Done:
    """The result of an action: the message to show on the row's page or at `next_url`. A `secret` is shown once, on the
    page that answers the POST."""

    message: str
    secret: str = ""
    secret_label: str = "The new key"  # noqa: S105 (a heading)
    next_url: str = ""


class ActForm(forms.Form):
    """The form of an action; most have no fields."""

    #: Whether the address may fill in the fields, which then shows what the form would do.
    fills_from_address: ClassVar = False

    #: The fields that few people need; the page folds them away under this title.
    folded: ClassVar[Sequence[str]] = ()
    folded_title: ClassVar = ""
    #: A template that shows what the form has found, below the form.
    found_template: ClassVar = ""

    def __init__(self, data: Any = None, *, row: Any = None, principal: Principal) -> None:
        super().__init__(data)
        self.row, self.principal = row, principal

    @property
    def open_fields(self) -> list[forms.BoundField]:
        """The fields that the page always shows."""
        return [field for field in self if field.name not in self.folded]

    @property
    def folded_fields(self) -> list[forms.BoundField]:
        """The fields that the page folds away."""
        return [self[name] for name in self.folded]

    @property
    def is_unfolded(self) -> bool:
        """Whether a folded field has a value or a fault, so that the page shows it."""
        return any(field.value() or field.errors for field in self.folded_fields)


@dataclass(frozen=True, slots=True)
class Act:
    """An action on a row of the list or, without a row, on the tenant."""

    name: str
    label: str
    explanation: str
    do: Callable[[Principal, Any, CleanedData], Done]
    form: Callable[..., ActForm] = ActForm
    applies: Callable[[Any, Principal], bool] = lambda row, principal: True
    is_destructive: bool = False
    may: Callable[[Principal], bool] = lambda principal: principal.may_manage


class ManagedAdmin(ReadOnlyAdmin):
    """A read-only list whose rows have actions, for people with permission."""

    list_acts: ClassVar[Sequence[Act]] = ()
    row_acts: ClassVar[Sequence[Act]] = ()

    def get_urls(self) -> list[URLPattern]:
        wrap = self.admin_site.admin_view
        return [
            *(path(f"{act.name}/", wrap(self._view_of(act)), name=self._name(act)) for act in self.list_acts),
            *(
                path(f"<uuid:object_id>/{act.name}/", wrap(self._view_of(act)), name=self._name(act))
                for act in self.row_acts
            ),
            *super().get_urls(),
        ]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        principal = principal_of(request)
        links = [(act, self._address(act)) for act in self.list_acts if act.may(principal)]
        context = {"acts": links, **self.list_context(request), **(extra_context or {})}
        return super().changelist_view(request, context)  # type: ignore[no-any-return] # Unfold has no types

    def list_context(self, request: HttpRequest) -> dict[str, Any]:
        """Additional context for the list's page."""
        return {}

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        row = self.get_or_404(request, object_id)
        context = {"acts": self.acts_on(row, principal_of(request)), **(extra_context or {})}
        return super().change_view(request, object_id, form_url, context)

    def acts_on(self, row: Any, principal: Principal) -> list[tuple[Act, str]]:
        """The actions that `principal` may perform on the row now, with their addresses."""
        return [
            (act, self._address(act, row))
            for act in self.row_acts
            if act.may(principal) and act.applies(row, principal)
        ]

    def story_of(self, row: Any) -> UUID | None:
        pk: UUID = row.pk
        return pk

    def label_of(self, row: Any) -> str:
        """The name of the row on an action's page."""
        return f"{self.opts.verbose_name} …{str(row.pk)[-8:]}"

    def _name(self, act: Act) -> str:
        return f"{self.opts.app_label}_{self.opts.model_name}_{act.name}"

    def _address(self, act: Act, row: Any = None) -> str:
        return reverse(f"admin:{self._name(act)}", args=[] if row is None else [row.pk])

    def _view_of(self, act: Act) -> Callable[..., HttpResponse]:
        def view(request: HttpRequest, object_id: UUID | None = None) -> HttpResponse:
            if request.method not in ("GET", "HEAD", "POST"):
                return HttpResponseNotAllowed(["GET", "HEAD", "POST"])
            principal = principal_of(request)
            if not act.may(principal):
                raise PermissionDenied
            row = None if object_id is None else self.get_or_404(request, str(object_id))
            return self._answer(request, act, row, principal)

        return view

    def _answer(self, request: HttpRequest, act: Act, row: Any, principal: Principal) -> HttpResponse:
        """GET shows the action's page; POST performs it. A refusal is shown on the page, with its status."""
        given: MultiValueDict[str, str] | None = request.POST if request.method == "POST" else None
        if given is None and request.GET and getattr(act.form, "fills_from_address", False):
            given = request.GET
        if kept := unsent.take(request):
            given = kept.data
        form = act.form(given, row=row, principal=principal)
        form.files = request.FILES
        once = request.POST.get(ONCE, "") if request.method == "POST" else secrets.token_urlsafe(16)
        status, is_already_sent = 200, False
        if request.method == "POST" and form.is_valid():
            try:
                done = _perform_once(act, principal, row, form.cleaned_data, once)
            except Refusal as refusal:
                form.add_error(None, refusal.detail)
                status, is_already_sent = status_of(refusal), isinstance(refusal, FormAlreadySent)
            else:
                return self._succeeded(request, act, row, done)
        elif request.method == "POST":
            status = 400
        context = {
            "act": act,
            "form": form,
            "label": "" if row is None else self.label_of(row),
            "back": self._back(row),
            "once": once,
            "author": unsent.author_token(principal.id),
            "new_form": request.path if is_already_sent else "",
        }
        return self._page(request, "admin/governance/manage/act.html", act, context, status)

    def _succeeded(self, request: HttpRequest, act: Act, row: Any, done: Done) -> HttpResponse:
        if done.secret:
            context = {"done": done, "back": self._back(row)}
            return self._page(request, "admin/governance/manage/secret.html", act, context)
        messages.success(request, done.message)
        return redirect(done.next_url or self._back(row))

    def _back(self, row: Any) -> str:
        base = f"admin:{self.opts.app_label}_{self.opts.model_name}"
        return reverse(f"{base}_changelist") if row is None else reverse(f"{base}_change", args=[row.pk])

    def _page(
        self, request: HttpRequest, template: str, act: Act, context: dict[str, Any], status: int = 200
    ) -> HttpResponse:
        context = {**self.admin_site.each_context(request), "opts": self.opts, "title": act.label, **context}
        return TemplateResponse(request, template, context, status=status)


def _perform_once(act: Act, principal: Principal, row: Any, data: CleanedData, once: str) -> Done:
    """Perform the action once, or change nothing. Raises FormAlreadySent, and the refusals of the service and the
    database."""
    if not _TOKEN.fullmatch(once):
        raise FormAlreadySent

    with refusals.within_savepoint():
        try:
            return idempotency.once(principal, f"form:{once}", _FINGERPRINT, lambda: act.do(principal, row, data))
        except idempotency.DoneBefore:
            raise FormAlreadySent from None
        except Refusal as refusal:
            if not refusal.keeps_record:
                raise
            kept = refusal  # raised inside the savepoint, it would roll back its own record
    raise kept
