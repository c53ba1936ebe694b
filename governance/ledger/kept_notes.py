"""The tree heads for a verification: trusted ones that were kept elsewhere, and all published ones."""

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
    """The trusted notes, then all in the first `extent` bytes of the published ones; with `since`, only those of trees
    at least as large. Reports unreadable notes, and a missing note if there must be one."""

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
    # a confirmed tree head was published
    sealed_at = since.at if since else verifier.first_sealed_at
    if has_any or sealed_at is None:
        return
    known, least = ("confirmed", f" of {size} rows or more") if since else ("first sealed", "")
    # The run that makes a seal also publishes it.
    if database_now() - sealed_at > timedelta(seconds=settings.SEAL_LAG_SECONDS):
        verifier.findings.add(
            Kind.NO_TREE_HEADS,
            ROWS,
            None,
            f"the ledger was {known} at {sealed_at:%Y-%m-%d %H:%M:%S%z}, but there is no tree head{least} in"
            f" {published_tree_heads.path_of(tenant_id)}. If they are kept on another node, verify with"
            " --trusted-tree-head",
        )
