"""What proof costs: chained writes, sealing, proofs and verification, on a generated database, which is changed."""

import io
import multiprocessing
import random
import time
import uuid
from typing import Any
from unittest.mock import patch

from bench import database, loading, receipts
from bench.product import leave_database, use_database
from bench.tenants import provision, tenant_of
from bench.timing import milliseconds

WRITERS = 8
LEDGER = "bench-ledger"
#: Entries of the chain whose verification is timed.
ENTRIES = 50_000
#: Chunks of the tenant that is sealed and verified, at most; each has an event.
CHUNKS = 500_000
#: Rows of an hour, which a verification that begins with the last confirmed tree head looks at.
HOUR = 10_000
_EVENTS = 100
_BATCH = 1_000


def measure(name: str, runs: int, seconds: float, chunks: int) -> list[dict[str, Any]]:
    """Rows of case, figure, unit and goal, in the order in which they were measured. What is sealed and verified is a
    tenant with up to CHUNKS of so many `chunks`, without edits: those that the bench loads have no entries."""
    use_database(name)
    from governance.ledger import published

    own = _tenant("bench-chain-0")
    rows = [
        _writes(name, "1 writer, one tenant", [own], seconds),
        _writes(name, f"{WRITERS} writers, one tenant", [own] * WRITERS, seconds),
        _writes(
            name, f"{WRITERS} writers, a tenant each", [_tenant(f"bench-chain-{i}") for i in range(WRITERS)], seconds
        ),
    ]
    large = _loaded(name, min(chunks, CHUNKS))
    try:
        rows.append(_sealing(large))
        rows.append(_proofs(large, 10 * runs))
        rows += _verification_here(name, large)
    finally:
        # The database goes, and what it was copied from is behind its tree head: it would take no writes again.
        published.path_of(large).unlink(missing_ok=True)
    rows.append(_verification(own))
    return rows


def _loaded(name: str, chunks: int) -> uuid.UUID:
    """A tenant of its own with so many chunks, and receipts of all rows."""
    with database.owner(name) as connection:
        tenant = provision(LEDGER, connection)
    loading.load(loading.record_part, name, tenant, 7, chunks)
    receipts.sign_loaded(tenant.id)
    return tenant.id


def _row(case: str, figure: float, unit: str, goal: str = "", **more: Any) -> dict[str, Any]:
    return {"case": case, "figure": round(figure, 2), "unit": unit, "goal": goal, **more}


def _tenant(slug: str) -> uuid.UUID:
    from governance import gate
    from governance.identity import identities

    identities.provision(slug)
    return gate.tenants()[slug]


def _writes(name: str, case: str, tenants: list[uuid.UUID], seconds: float) -> dict[str, Any]:
    """Entries appended one by one, each in a transaction of its own, by as many processes as there are tenants."""
    leave_database()
    with multiprocessing.get_context("spawn").Pool(len(tenants)) as pool:
        counts = pool.starmap(append_for, [(name, tenant, seconds) for tenant in tenants], chunksize=1)
    use_database(name)
    return _row(f"chained writes, {case}", sum(counts) / seconds, "entries/s")


def append_for(name: str, tenant_id: uuid.UUID, seconds: float) -> int:
    """One writer's part; answers how many entries it appended."""
    use_database(name)
    from governance import gate
    from governance.identity.credentials import system
    from governance.ledger import appending

    _register_entry_type()
    actor = system(tenant_id, "bench")
    end = time.monotonic() + seconds
    appended = 0
    while time.monotonic() < end:
        with gate.tenant(tenant_id):
            appending.record("bench", actor=actor, metadata={"number": appended})
        appended += 1
    leave_database()
    return appended


def _register_entry_type() -> None:
    """Allow the entries that the bench appends."""
    from governance.ledger.entry_types import NUMBER, EntryType, Field, register

    register(EntryType("bench", "Bench", "the bench appends", (Field("number", NUMBER, "which one it is"),)))


def _sealing(tenant_id: uuid.UUID) -> dict[str, Any]:
    from governance.ledger import sealing, tree_heads

    started = time.perf_counter()
    sealed = sealing.seal_all(tenant_id)
    took = time.perf_counter() - started
    started = time.perf_counter()
    tree_heads.publish(tenant_id)
    published = time.perf_counter() - started
    return _row(
        f"sealing {sealed:,} rows",
        took,
        "s",
        rows_per_second=round(sealed / took),
        publishing_seconds=round(published, 1),
    )


def _proofs(tenant_id: uuid.UUID, runs: int) -> dict[str, Any]:
    from governance import gate
    from governance.identity.credentials import OperatorCredential
    from governance.identity.principals import Principal
    from governance.ledger import proofs
    from governance.models import Leaf, MerkleTree

    auditor = Principal(
        tenant_id=tenant_id,
        kind="human",
        id=uuid.uuid4(),
        name="bench",
        roles=frozenset({"auditor"}),
        credential=OperatorCredential("bench"),
    )
    chance = random.Random(0)
    with gate.tenant(tenant_id):
        size = MerkleTree.objects.get(tenant_id=tenant_id).size
        positions = [chance.randrange(size) for _ in range(runs)]
        wanted = list(Leaf.objects.filter(tenant_id=tenant_id, position__in=positions).values_list("kind", "row_id"))
    seconds = []
    for kind, row_id in wanted:
        started = time.perf_counter()
        with gate.tenant(tenant_id):
            proofs.inclusion(auditor, kind=kind, row_id=row_id)
        seconds.append(time.perf_counter() - started)
    took = milliseconds(seconds)
    return _row(f"inclusion proof among {size:,} rows, p95", took["p95"], "ms", "<= 20", p50=took["p50"])


def _verification_here(name: str, tenant_id: uuid.UUID) -> list[dict[str, Any]]:
    """Verification against the database: of everything that is sealed, and of the rows of an hour.

    Without the comparisons of what readers see: the edits of the generated tenant have no entries.
    """
    from governance.ledger import comparing, confirmed, sealing, tree_heads, verification

    with patch.object(comparing, "comparisons", dict):
        whole = verification.verify(tenant_id)
    if not whole.ok:
        raise SystemExit(f"The ledger of the bench does not verify: {whole.first}")
    _record(name, HOUR)
    sealing.seal_all(tenant_id)
    tree_heads.publish(tenant_id)
    hour = verification.verify(tenant_id, since=confirmed.last(tenant_id))
    if not hour.ok or not hour.leaves or hour.since is None:
        raise SystemExit(f"The last hour of the bench does not verify: {hour.first}")
    return [
        _row(
            f"verifying {whole.leaves:,} rows and {whole.entries:,} entries",
            whole.leaves / whole.seconds,
            "rows/s",
            ">= 20,000",
            seconds=round(whole.seconds, 1),
        ),
        _row(f"verifying {hour.leaves:,} new rows of {whole.leaves + hour.leaves:,}", hour.seconds, "s", "<= 2"),
    ]


def _record(name: str, rows: int) -> None:
    """Record so many new rows in the tenant: events, and a chunk of each."""
    from django.db import transaction

    from bench.corpus import Corpus
    from bench.product import draft_of
    from governance import gate
    from memory.services import recording

    key = tenant_of(name, LEDGER).issue_key()
    drafts = [draft_of(memory) for memory in Corpus("an hour", rows // 2).memories()]
    with transaction.atomic():
        actor = gate.authenticate(key)
    for first in range(0, len(drafts), _EVENTS):
        # ends with a receipt: rows without one are not sealed
        with gate.acting_as(actor):
            recording.record_events(drafts[first : first + _EVENTS], actor=actor)


def _verification(tenant_id: uuid.UUID) -> dict[str, Any]:
    """The offline verifier on an export of a long chain."""
    from governance import gate
    from governance.identity.credentials import system
    from governance.ledger import appending, exports
    from governance.proof.export import Header, write_export
    from governance.proof.verifier import verify_export

    _register_entry_type()
    actor = system(tenant_id, "bench")
    for first in range(0, ENTRIES, _BATCH):
        with gate.tenant(tenant_id):
            appending.record_all([appending.Draft("bench", {"number": first + i}) for i in range(_BATCH)], actor=actor)
    with gate.tenant(tenant_id):
        extent = exports.extent_of(tenant_id)
    from django.utils import timezone

    lines = write_export(Header(tenant_id, "bench", timezone.now()), exports.entries(tenant_id, extent), ())
    file = io.BytesIO("".join(lines).encode())
    started = time.perf_counter()
    report, _ = verify_export(file)
    took = time.perf_counter() - started
    if not report.ok:
        raise SystemExit(f"The chain of the bench does not verify: {report.first}")
    return _row(f"verifying an export of {report.entries:,} entries", report.entries / took, "entries/s", ">= 20,000")
