"""The header `X-Receipt`: a request that has it gets the receipt of what it recorded with its answer."""

from django.db import connection
from rest_framework.request import Request
from rest_framework.response import Response

from governance.acting.principals import Principal
from governance.ledger import receipts

HEADER = "X-Receipt"


def take(request: Request, response: Response) -> None:
    """Sign what the request has recorded so far. If it asks for the receipt, and the answer is an object, the answer
    has it as `receipt`. Raises SigningKeyMissing."""
    # `request.user` would authenticate once more where that has failed
    actor = getattr(request, "_user", None)
    if not isinstance(actor, Principal) or not connection.in_atomic_block:
        return
    receipt = receipts.take(actor)
    if receipt is not None and HEADER in request.headers and isinstance(response.data, dict):
        response.data.setdefault("receipt", receipt.as_json())
