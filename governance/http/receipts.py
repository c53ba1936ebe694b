"""The header `X-Receipt`: the answer includes a receipt for the recorded rows."""

from django.db import connection
from rest_framework.request import Request
from rest_framework.response import Response

from governance.acting.principals import Principal
from governance.ledger import receipts

HEADER = "X-Receipt"


def take(request: Request, response: Response) -> None:
    """Sign the rows that the request has recorded so far. If it asks for the receipt, and the answer is an object, add
    it as `receipt`. Raises SigningKeyMissing."""
    actor = getattr(request, "_user", None)
    if not isinstance(actor, Principal) or not connection.in_atomic_block:
        return
    receipt = receipts.take(actor)
    if receipt is not None and HEADER in request.headers and isinstance(response.data, dict):
        response.data.setdefault("receipt", receipt.as_json())
