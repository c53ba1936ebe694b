"""The base of every view of the API."""

from typing import Any, ClassVar

from rest_framework.request import Request
from rest_framework.views import APIView

from governance.http.filters import unknown_parameter
from governance.http.permissions import MayWrite
from governance.identity.principals import Principal
from governance.refusals import Fault, Invalid


class UnexpectedParameter(Invalid):
    """This request does not take this query parameter. Remove it. A POST reads its values from the body."""


class RepeatedParameter(Invalid):
    """A query parameter is repeated. Give it once."""


class GovernedView(APIView):
    """A view for anybody with a key: everybody may read, auditors may not write. `only_reads` marks a reading POST."""

    permission_classes = [MayWrite]
    only_reads = False
    #: Whether its GET reads parameters in the address, and refuses those that it does not know. No other request has
    #: any: `POST /erasures?dry_run=true` must not propose one.
    reads_query: ClassVar[bool] = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Who may, and with what in the address. Raises UnexpectedParameter, RepeatedParameter."""
        super().initial(request, *args, **kwargs)
        given = dict(request.query_params.lists())
        if given and not (self.reads_query and request.method in {"GET", "HEAD"}):
            raise UnexpectedParameter(errors=[unknown_parameter(name) for name in given])
        if repeated := [name for name, values in given.items() if len(values) > 1]:
            raise RepeatedParameter(
                errors=[
                    Fault(parameter=name, detail="This parameter is repeated.", code=RepeatedParameter.code)
                    for name in repeated
                ]
            )

    @property
    def principal(self) -> Principal:
        """Who acts, from the credential. Authentication has refused everybody else."""
        principal = self.request.user
        if not isinstance(principal, Principal):
            raise TypeError("a governed view was reached without a principal")
        return principal
