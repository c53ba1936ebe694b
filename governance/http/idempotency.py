"""`Idempotency-Key`: a POST that is sent twice is done once."""

import hashlib
import re
import uuid
from typing import Any, Protocol, cast

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from governance import idempotency
from governance.http.rendering import JSONRenderer
from governance.refusals import Fault, Invalid, Refusal

_VISIBLE_ASCII = re.compile(r"[\x21-\x7e]{1,200}")


class InvalidIdempotencyKey(Invalid):
    """Idempotency-Key must be 1 to 200 visible ASCII characters."""


class _Actor(Protocol):
    """What `request.user` is after authentication by key."""

    tenant_id: uuid.UUID
    id: uuid.UUID


class _AnsweredBefore(Exception):  # noqa: N818 (leaves `initial()` with an answer; nothing went wrong)
    def __init__(self, claim: idempotency.Claim) -> None:
        self.claim = claim


class IdempotentMixin(APIView):
    """Makes `post` answer a repeated `Idempotency-Key` with the stored answer. Goes first among the bases.

    The key, the change and the answer are one transaction (ATOMIC_REQUESTS): a refused or failed request
    leaves no key. Only 2xx answers are stored: ids and statuses, never memory text. A read-only POST sets
    `stores_response = False`: then only its fingerprint is kept, and the answer is computed again.
    """

    stores_response: bool = True
    _claim: idempotency.Claim | None = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Authenticate and check permission as ever, then claim the key."""
        super().initial(request, *args, **kwargs)
        key = request.headers.get("Idempotency-Key")
        if key is None or request.method != "POST":
            return
        if _VISIBLE_ASCII.fullmatch(key) is None:
            detail = InvalidIdempotencyKey.__doc__ or ""
            raise InvalidIdempotencyKey(errors=[Fault(header="Idempotency-Key", detail=detail)])
        actor = cast(_Actor | None, request.user)
        if actor is None:
            return
        claim = idempotency.claim_key(
            tenant_id=actor.tenant_id, actor_id=actor.id, key=key, fingerprint=_fingerprint(request)
        )
        if claim.status is not None:
            raise _AnsweredBefore(claim)
        self._claim = claim

    def handle_exception(self, exc: Exception) -> Response:
        """Answer a replay; everything else as ever, which also rolls the claim back."""
        if isinstance(exc, _AnsweredBefore):
            return Response(exc.claim.answer, exc.claim.status, headers={"Idempotent-Replay": "true"})
        if not (isinstance(exc, Refusal) and exc.keeps_record):
            self._claim = None  # rolled back; else it is released with the answer
        return super().handle_exception(exc)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        """Keep the answer of a request that was done, in its transaction."""
        claim, self._claim = self._claim, None
        if claim is not None:
            if not 200 <= response.status_code < 300:
                idempotency.release_key(claim)
            elif self.stores_response:
                # Rendered first: the answer may hold UUIDs and datetimes.
                answer = (JSONRenderer().render(response.data) or b"null").decode()
                idempotency.store_answer(claim, status=response.status_code, answer=answer)
        return super().finalize_response(request, response, *args, **kwargs)


def _fingerprint(request: Request) -> bytes:
    """SHA-256 of method, path with query, and raw body, which the parser can still read after this."""
    django_request = request._request
    line = f"{django_request.method}\n{django_request.get_full_path()}\n".encode()
    return hashlib.sha256(line + django_request.body).digest()
