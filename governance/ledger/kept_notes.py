"""The tree heads that a verification compares a ledger with: those that somebody kept, and all that were published."""

import uuid
from collections.abc import Iterator, Sequence
from datetime import timedelta

from django.conf import settings

from governance.database.clock import database_now
from governance.ledger import published_tree_heads
from suture_verify.findings import ROWS, Kind
from suture_verify.notes import SignedNote
from suture_verify.verified_until import VerifiedUntil
from suture_verify.verifier import Verifier


def notes(
    verifier: Verifier,
    tenant_id: uuid.UUID,
    trusted: Sequence[SignedNote],
    since: VerifiedUntil | None = None,
    *,
    extent: int,
) -> Iterator[SignedNote]:
    """The trusted notes, then all in the first `extent` bytes of those that were published; with `since`, those of no
    smaller trees than it has. Reports what cannot be read, and that there is none where one has to be."""

    def damaged(line: int, reason: str) -> None:
        path = published_tree_heads.path_of(tenant_id)
        detail = f"line {line} of the published tree heads ({path}) cannot be read: {reason}"
        verifier.findings.add(Kind.MALFORMED, ROWS, None, detail)

    has_any = bool(trusted)
    yield from trusted
    size = since.tree_head.size if since else 0
    for note in published_tree_heads.every(tenant_id, damaged, size=size, extent=extent):
        has_any = True
        yield note
    # what was confirmed is a tree head that was published
    sealed_at = since.at if since else verifier.first_sealed_at
    if has_any or sealed_at is None:
        return
    known, least = ("confirmed", f" of {size} rows or more") if since else ("first sealed", "")
    # A seal is published by the run that made it.
    if database_now() - sealed_at > timedelta(seconds=settings.SEAL_LAG_SECONDS):
        verifier.findings.add(
            Kind.NO_TREE_HEADS,
            ROWS,
            None,
            f"the ledger was {known} at {sealed_at:%Y-%m-%d %H:%M:%S%z}, and there is no tree head{least} in"
            f" {published_tree_heads.path_of(tenant_id)}. If they are kept on another node, verify with"
            " --trusted-tree-head",
        )
