"""Entries signed by this server: only their signed bytes are trusted, not the columns next to them."""

import uuid
from collections.abc import Iterator
from typing import Any

from governance.ledger.keyring import keys as signing_keys
from governance.models import Entry as EntryRow
from suture_verify.entries import GOVERNANCE, Entry, MalformedEntry, parse_entry
from suture_verify.signatures import is_signed

#: Entries to read: some of them may have no valid signature.
AT_MOST = 10


def signed_entries(
    tenant_id: uuid.UUID, type: str, *, newest_first: bool = False, **conditions: Any
) -> Iterator[Entry]:
    """The first entries of one type in the governance chain that are signed with a key of this node; `conditions`
    filter their rows. Called within the tenant. Raises SigningKeyUnusable."""
    publics = [key.public for key in signing_keys()]
    rows = EntryRow.objects.filter(tenant_id=tenant_id, chain__name=GOVERNANCE, type=type, **conditions)
    rows = rows.order_by("-id" if newest_first else "id")  # like the index on the type
    for canonical, signature in rows.values_list("canonical", "signature")[:AT_MOST]:
        message = bytes(canonical)
        if not any(is_signed(message, bytes(signature), public) for public in publics):
            continue
        try:
            entry = parse_entry(message)
        except MalformedEntry:
            continue
        if (entry.tenant, entry.chain, entry.type) == (str(tenant_id), GOVERNANCE, type):
            yield entry
