"""The header `X-Session-Id`: the session that the caller names for a request."""

from rest_framework.request import Request

from governance import text
from governance.refusals import Fault, Invalid
from suture_client.text.masking import mask

HEADER = "X-Session-Id"


class InvalidSessionId(Invalid):
    """X-Session-Id must be 1 to 200 characters in UTF-8, without control characters."""


def session_of(request: Request) -> str | None:
    """The session that the header names; None without it. Raises InvalidSessionId."""
    given = request.headers.get(HEADER)
    if given is None:
        return None
    try:
        session_id = given.encode("latin-1").decode()  # WSGI has the bytes of a header as Latin-1
    except UnicodeError:
        raise _refused("The value is not UTF-8.") from None
    if fault := text.IDENTIFIER.fault_in(session_id):
        raise _refused(fault)
    if kinds := mask(session_id)[1]:
        raise _refused(f"This identifier contains a secret ({', '.join(sorted(kinds))}). Use another one.")
    return session_id


def _refused(detail: str) -> InvalidSessionId:
    return InvalidSessionId(
        f"{HEADER}: {detail}", errors=[Fault(header=HEADER, detail=detail, code=InvalidSessionId.code)]
    )
