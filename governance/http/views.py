"""The base of every view of the API."""

from contextlib import ExitStack, nullcontext
from dataclasses import replace
from http import HTTPStatus
from typing import Any, ClassVar, cast

from django.db import Error as DatabaseFailure
from django.db import connection, transaction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from governance.acting import gate
from governance.acting.principals import Principal
from governance.database import read_context
from governance.http import on_behalf, receipts
from governance.http.authentication import KeyAuthentication
from governance.http.filters import unknown_parameter
from governance.http.permissions import MayWrite
from governance.http.sessions import session_of
from governance.ledger import appending
from governance.refusals import Fault, Invalid


class UnexpectedParameter(Invalid):
    """This request does not accept this query parameter. Remove it. A POST reads its values from the body."""


class RepeatedParameter(Invalid):
    """A query parameter is repeated. Give it once."""


class GovernedView(APIView):
    """A view for every key: all may read, auditors may not write. `only_reads` marks a POST that only reads."""

    permission_classes = [MayWrite]
    only_reads = False
    #: Whether its GET reads query parameters, and refuses unknown ones. All other requests refuse every parameter:
    #: `POST /erasures?dry_run=true` must not propose an erasure.
    reads_query: ClassVar[bool] = False
    #: The query parameters that every method accepts, because they identify the resource.
    query_names: ClassVar[frozenset[str]] = frozenset()
    #: Whether it only calls read-only functions of the database. Then it has no transaction: each call is one statement
    #: that looks up the key, opens the context and answers, which saves four round trips of five. Other queries go into
    #: gate.entered().
    enters_each_statement: bool = False
    #: The same for its GET only; its other methods have a transaction.
    gets_enter_each_statement: ClassVar[bool] = False
    #: Whether a key that must speak for principals has to name one here.
    needs_principal: ClassVar[bool] = True

    @classmethod
    def as_view(cls, **initkwargs: Any) -> Any:
        """The view function. `dispatch` opens its transaction, unless each statement enters."""
        return transaction.non_atomic_requests(super().as_view(**initkwargs))

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Answer the request. Its ledger entries are appended last (finalize_response)."""
        if self.gets_enter_each_statement and request.method in {"GET", "HEAD"}:
            self.enters_each_statement = True
        #: Whether a refusal rolls the request back.
        self.has_transaction = not self.enters_each_statement
        whole = transaction.atomic() if self.has_transaction else nullcontext()
        try:
            with whole, ExitStack() as self._entered, appending.held_back():
                return super().dispatch(request, *args, **kwargs)
        finally:
            read_context.end()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Check permissions, the session and the query parameters. Raises UnexpectedParameter, RepeatedParameter,
        InvalidSessionId, MalformedPrincipal, MustNamePrincipal, MayNotSpeakFor."""
        super().initial(request, *args, **kwargs)
        given = dict(request.query_params.lists())
        if not (self.reads_query and request.method in {"GET", "HEAD"}) and (given.keys() - self.query_names):
            raise UnexpectedParameter(
                errors=[unknown_parameter(name) for name in given if name not in self.query_names]
            )
        if repeated := [name for name, values in given.items() if len(values) > 1]:
            raise RepeatedParameter(
                errors=[
                    Fault(parameter=name, detail="This parameter is repeated.", code=RepeatedParameter.code)
                    for name in repeated
                ]
            )
        if (session_id := session_of(request)) is not None:
            request.user = replace(self.principal, session_id=session_id)  # type: ignore[assignment] # no user of Django
        if named := on_behalf.principal_named(request, self.principal, is_needed=self.needs_principal):
            request.user = replace(self.principal, on_behalf_of=named)  # type: ignore[assignment] # as above
            # one transaction for the whole request: a statement that enters by itself names nobody
            self._entered.enter_context(gate.entered())
            self.has_transaction = True
            gate.act_as(self.principal)
        if connection.in_atomic_block:
            appending.hold_back(self.principal)

    def handle_exception(self, exc: Exception) -> Response:
        """Answer with the problem for `exc`.

        The key is verified before any other problem is answered, unless the database has just failed. If the owner of
        the key has changed since this process cached it, the request is repeated with the new owner.
        """
        if not isinstance(exc, gate.KeyRefused | gate.OwnerChanged | DatabaseFailure):
            try:
                gate.require_verified()
            except (gate.KeyRefused, gate.OwnerChanged) as found:
                exc = found
        if not isinstance(exc, gate.OwnerChanged):
            return super().handle_exception(exc)
        read_context.end()
        try:
            return self._repeat()
        except Exception as failure:
            return super().handle_exception(failure)

    def _repeat(self) -> Response:
        request = self.request
        method = str(request.method).lower()
        vars(self).pop(method, None)  # IdempotentMixin sets its own
        found = KeyAuthentication().authenticate(request)
        request.user = found[0] if found else None  # type: ignore[assignment] # no user of Django
        self.initial(request, *self.args, **self.kwargs)
        return cast(Response, getattr(self, method)(request, *self.args, **self.kwargs))

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Append the receipt and the ledger entries before answering: if that fails, the request fails. Never answer
        before the database has verified the key."""
        try:
            if not self.enters_each_statement:
                receipts.take(request, response)
            appending.append_held()
        except Exception as failure:
            response = self.handle_exception(failure)
        how = read_context.entering()
        if how is not None and not how.is_verified and response.status_code < HTTPStatus.BAD_REQUEST:
            # the answer needed no statement, such as a person's core memory, which does not exist
            try:
                gate.require_verified()
            except Exception as failure:
                response = self.handle_exception(failure)
        return super().finalize_response(request, response, *args, **kwargs)

    @property
    def principal(self) -> Principal:
        """The actor, from the credential. Authentication has refused all others."""
        principal = self.request.user
        if not isinstance(principal, Principal):
            raise TypeError("a governed view was reached without a principal")
        return principal
