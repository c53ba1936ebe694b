"""The header `Idempotency-Key`: a change that is sent twice is done once."""

import hashlib
import re
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, cast

from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from governance import idempotency
from governance.acting import gate
from governance.acting.principals import Principal
from governance.http import on_behalf, receipts
from governance.http.rendering import JSONRenderer
from governance.http.sessions import HEADER as SESSION_HEADER
from governance.refusals import Fault, Invalid

HEADER = "Idempotency-Key"
VISIBLE_ASCII = re.compile(r"[\x21-\x7e]{1,200}")


class InvalidIdempotencyKey(Invalid):
    """Idempotency-Key must be 1 to 200 visible ASCII characters."""


class IdempotentMixin(APIView):
    """Make the methods that change something answer a repeated `Idempotency-Key` with the stored answer. Must be the
    first base class.

    The key, the change and the answer are one transaction (ATOMIC_REQUESTS): a refused or failed request
    leaves no key. Only 2xx answers are stored: ids and statuses, never memory text. A read-only POST sets
    `stores_response = False`: then only its fingerprint is kept, and the answer is computed again. Of other answers,
    `not_stored` names the members with text, which `with_text` reads again.
    """

    stores_response: bool = True
    not_stored: ClassVar[frozenset[str]] = frozenset()

    def with_text(self, answer: dict[str, Any]) -> dict[str, Any]:
        """A stored answer with the members that were not stored."""
        return answer

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate and check permission as usual; with a key, run the method for this request once."""
        super().initial(request, *args, **kwargs)
        key = request.headers.get(HEADER)
        if key is None or request.method is None or request.method in SAFE_METHODS:
            return
        if VISIBLE_ASCII.fullmatch(key) is None:
            detail = InvalidIdempotencyKey.__doc__ or ""
            raise InvalidIdempotencyKey(errors=[Fault(header=HEADER, detail=detail, code=InvalidIdempotencyKey.code)])
        if isinstance(request.user, Principal):
            handler = request.method.lower()  # dispatch looks it up next
            # the fingerprint now: a subclass may read the body before the method
            setattr(self, handler, partial(self._change_once, key, _fingerprint(request), getattr(self, handler)))

    def _change_once(
        self, key: str, fingerprint: bytes, change: Callable[..., Response], request: Request, *args: Any, **kwargs: Any
    ) -> Response:
        actor = cast(Principal, request.user)
        try:
            with gate.entered():
                return idempotency.once(
                    actor, key, fingerprint, partial(_done, change, request, *args, **kwargs),
                    answer_of=self._answer_of,
                )  # fmt: skip
        except idempotency.DoneBefore as before:
            answer = self.with_text(before.answer.body) if self.not_stored else before.answer.body
            return Response(answer, before.answer.status, headers={"Idempotent-Replay": "true"})

    def _answer_of(self, response: Response) -> idempotency.Answer | None:
        if not self.stores_response:
            return None
        data = response.data
        if self.not_stored:
            data = {name: value for name, value in data.items() if name not in self.not_stored}
        # Rendered first: the answer may hold UUIDs and datetimes.
        return idempotency.Answer(response.status_code, (JSONRenderer().render(data) or b"null").decode())


def _done(change: Callable[..., Response], request: Request, *args: Any, **kwargs: Any) -> Response:
    response = change(request, *args, **kwargs)
    if receipts.HEADER in request.headers:
        receipts.take(request, response)  # before the answer is stored: a retry gets the receipt too
    return response


def _fingerprint(request: Request) -> bytes:
    """SHA-256 of method, path with query, session, named principal and raw body. The parser can still read the
    body after this."""
    django_request = request._request
    session = request.headers.get(SESSION_HEADER, "")
    line = f"{django_request.method}\n{django_request.get_full_path()}\n{session}\n".encode()
    if (named := request.headers.get(on_behalf.HEADER)) is not None:
        line += f"{on_behalf.HEADER}: {named}\n".encode()
    return hashlib.sha256(line + django_request.body).digest()
