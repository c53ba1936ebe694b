"""Verifying a tenant's ledger against the database that holds it."""

import logging
import uuid
from collections.abc import Callable, Sequence
from itertools import groupby, islice

from django.db import DatabaseError, connection, connections, transaction

from governance import gate
from governance.identity.credentials import system
from governance.ledger import appending, calls, comparing, exports, kept_notes, published, sealed
from governance.ledger.exports import PAGE
from governance.models import Chain, ErasedContent
from governance.proof.cosignatures import Quorum
from governance.proof.findings import Report
from governance.proof.notes import SignedNote
from governance.proof.verifier import Verifier
from governance.refusals import Unavailable

logger = logging.getLogger("suture.verification")

#: Beyond any number of an entry or a leaf; below the database's largest, so that the next one still is a number there.
_LARGEST = 2**63 - 2

#: The connection that reads past row security.
OWNER = "owner"

Progress = Callable[[str, int, int], None]


def verify(
    tenant_id: uuid.UUID,
    *,
    trusted: Sequence[SignedNote] = (),
    quorum: Quorum | None = None,
    progress: Progress = lambda *_: None,
) -> Report:
    """Verify entries, signatures, seals, sealed rows and words of a tenant, in one snapshot of the database, against
    all tree heads that were published and those that are `trusted`. The newest of them needs the cosignatures of the
    `quorum`.

    `progress` is called with what is being verified, how far, and of how many. What was found is recorded in the
    ledger too (`ledger.verified`), unless nothing can be written. Raises TreeHeadsUnreadable.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        gate.act_as(system(tenant_id, "verify_chain"))
        published.last(tenant_id)  # raises where the file cannot be read
        with Verifier(tenant_id) as verifier:
            _verify_entries(verifier, tenant_id, progress)
            _verify_leaves(verifier, tenant_id, progress)
            _verify_contents(verifier, tenant_id, progress)
            _compare(verifier, tenant_id, progress)
            report = verifier.finish(kept_notes.notes(verifier, tenant_id, trusted), quorum)
    _record(tenant_id, report)
    return report


def _compare(verifier: Verifier, tenant_id: uuid.UUID, progress: Progress) -> None:
    found = comparing.comparisons()
    if not found:
        return
    with transaction.atomic(using=OWNER):
        with connections[OWNER].cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        for done, (name, compare) in enumerate(found.items()):
            progress(name, done, len(found))
            compare(comparing.Comparison(tenant_id, OWNER, verifier.findings))


def _verify_entries(verifier: Verifier, tenant_id: uuid.UUID, progress: Progress) -> None:
    chains = list(Chain.objects.filter(tenant_id=tenant_id).order_by("name"))
    # All that there is, not only what the heads cover: something may have been put in behind them.
    extent = exports.Extent(tuple((chain.name, chain.id, _LARGEST) for chain in chains), _LARGEST)
    ids = {chain.name: chain.id for chain in chains}
    total = sum(chain.seq + 1 for chain in chains)
    done = 0
    for name, lines in groupby(exports.entries(tenant_id, extent), key=lambda line: line.chain):
        while page := list(islice(lines, PAGE)):
            for line in page:
                verifier.entry(*line)
            for differing in calls.check_entries(tenant=tenant_id, chain=ids[name], from_=page[0].seq, to=page[-1].seq):
                verifier.columns(name, differing)
            done += len(page)
            progress("entries", done, total)
    for chain in chains:
        verifier.head(chain.name, chain.seq, bytes(chain.head))


def _verify_leaves(verifier: Verifier, tenant_id: uuid.UUID, progress: Progress) -> None:
    kinds = {kind.name for kind in sealed.kinds()}
    total = exports.extent_of(tenant_id).size
    done = 0
    leaves = exports.leaves(tenant_id, exports.Extent((), _LARGEST))
    while page := list(islice(leaves, PAGE)):
        for leaf in page:
            verifier.leaf(*leaf)
            if leaf.kind not in kinds:
                verifier.row(leaf.position, None)
        for kind in kinds & {leaf.kind for leaf in page}:
            changed = calls.check_leaves(
                tenant=tenant_id, kind=kind, from_=page[0].position, until=page[-1].position + 1
            )
            lost = _lost(verifier, tenant_id, kind, [row.row_id for row in changed])
            for row in changed:
                if row.row_id not in lost:
                    verifier.row(row.leaf_position, row.now_hash)
        done += len(page)
        progress("sealed rows", done, total)


def _lost(verifier: Verifier, tenant_id: uuid.UUID, kind: str, rows: list[uuid.UUID]) -> set[uuid.UUID]:
    """The rows whose text was deleted without an erasure. Reports the missing texts to the verifier."""
    lost = calls.lost_contents(tenant=tenant_id, kind=kind, ids=rows) if rows else []
    for words in lost:
        verifier.content(words.lost_id, "missing")
    return {words.row_id for words in lost}


def _verify_contents(verifier: Verifier, tenant_id: uuid.UUID, progress: Progress) -> None:
    done = 0
    after: uuid.UUID | None = None
    while True:
        page = calls.check_contents(tenant=tenant_id, after=after, limit=PAGE)
        for content_id in page.altered or ():
            verifier.content(content_id, "altered")
        done, after = done + page.checked, page.last
        progress("words", done, done)
        if page.checked < PAGE:
            break
    # What was erased must be accounted for by a redaction, which is signed; its tombstone row is not.
    for content_id in ErasedContent.objects.filter(tenant_id=tenant_id).values_list("id", flat=True):
        verifier.content(content_id, "missing")


def _record(tenant_id: uuid.UUID, report: Report) -> None:
    first = report.first
    with gate.job(tenant_id, "verify_chain"):
        # for the home page, also where the ledger takes no entry
        calls.note_verification(tenant=tenant_id, findings=report.finding_count)
    try:
        with gate.job(tenant_id, "verify_chain"):
            appending.record(
                "ledger.verified",
                actor=system(tenant_id, "verify_chain"),
                metadata={
                    "entries": report.entries,
                    "leaves": report.leaves,
                    "erased": report.erased,
                    "findings": report.finding_count,
                    "first": f"{first.kind} in {first.chain} at {first.seq}" if first else None,
                },
            )
    except (Unavailable, DatabaseError) as error:
        # What was found matters more, and a ledger that was tampered with may not take another entry.
        logger.warning("the ledger could not record the verification: %s", type(error).__name__)
