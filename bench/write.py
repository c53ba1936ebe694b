"""What governing costs when writing: the product's services in one process; a key opens each transaction."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from bench.corpus import Corpus
from bench.product import draft_of, use_database
from bench.tenants import LARGE, tenant_of
from bench.timing import milliseconds

BATCH = 1000
CORPUS_SEED = 1000
#: What is promised of the ledger: it adds this much to an edit, in ms.
LEDGER_GOAL_MS = 2.0


def measure(name: str, runs: int) -> list[dict[str, Any]]:
    """Record and edit in the large tenant of the database `name`, which is changed by it."""
    use_database(name)
    from django.db import transaction

    from governance import edits, gate
    from memory.models import EffectiveChunk
    from memory.services import recording

    tenant = tenant_of(name, LARGE)
    drafts = [draft_of(memory) for memory in Corpus(CORPUS_SEED, 10 * runs + runs * BATCH).memories()]
    with gate.tenant(tenant.id):
        unedited = EffectiveChunk.objects.filter(tenant_id=tenant.id, edits_applied=0, sensitivity__in=["none", "low"])
        targets = list(unedited.values_list("id", flat=True)[: 20 * runs])
    key = tenant.issue_key()

    def record(count: int) -> Callable[[], None]:
        def one() -> None:
            batch = [drafts.pop() for _ in range(count)]
            with transaction.atomic():
                recording.record_events(batch, actor=gate.authenticate(key))

        return one

    def edit(op: str, patch: edits.Patch) -> Callable[[], None]:
        def one() -> None:
            with transaction.atomic():
                outcome = edits.propose_edit(
                    actor=gate.authenticate(key),
                    target_type="chunk",
                    target_id=targets.pop(),
                    op=op,
                    reason="bench",
                    patch=patch,
                )
            if outcome.status != "approved":
                raise SystemExit("The policy of the bench's tenant does not apply this edit at once.")

        return one

    new_text = Corpus(CORPUS_SEED, 1000).text()
    return [
        _timed("record_events, 1 event", record(1), 10 * runs - 2, 1),
        _timed(f"record_events, {BATCH} events", record(BATCH), runs - 2, BATCH),
        _timed("propose and apply an amend", edit("amend", edits.Patch(text=new_text)), 10 * runs - 2, 1),
        _timed(
            "propose and apply an attenuate",
            edit("attenuate", edits.Patch(importance_delta=Decimal("-0.1"))),
            10 * runs - 2,
            1,
        ),
    ]


def _timed(case: str, one: Callable[[], None], runs: int, rows: int) -> dict[str, Any]:
    for _ in range(2):
        one()
    seconds: list[float] = []
    with _ledger_timed() as in_ledger:
        for _ in range(max(1, runs)):
            started = time.perf_counter()
            one()
            seconds.append(time.perf_counter() - started)
    return {
        "case": case,
        "ms": milliseconds(seconds),
        "per_second": round(rows * len(seconds) / sum(seconds), 1),
        "ledger_ms": milliseconds(in_ledger) if in_ledger else None,
        "ledger_goal_p50_ms": LEDGER_GOAL_MS if in_ledger else None,
        "runs": len(seconds),
    }


@contextmanager
def _ledger_timed() -> Iterator[list[float]]:
    """Within the block every `ledger.record_all`, which `record` calls too, adds its seconds to the list."""
    from governance.ledger import appending

    recorded, seconds = appending.record_all, []

    def timed(drafts: Sequence[Any], **named: Any) -> Any:
        if not drafts:  # as for events, which seals cover
            return recorded(drafts, **named)
        started = time.perf_counter()
        try:
            return recorded(drafts, **named)
        finally:
            seconds.append(time.perf_counter() - started)

    appending.record_all = timed
    try:
        yield seconds
    finally:
        appending.record_all = recorded
