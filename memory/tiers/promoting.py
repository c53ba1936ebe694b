"""The job that promotes memory: it evaluates memory that changed since its last run or became due by time."""

import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from governance.acting import gate
from governance.acting.credentials import OperatorCredential, system
from governance.acting.principals import Principal
from governance.every_tenant import in_every_tenant
from governance.ledger import appending
from memory.tiers import db
from memory.tiers.entry_types import draft_of

#: Chunks to evaluate in a transaction.
BATCH = 2_000
#: Moves in a ledger entry: evaluate_promotions() in the database owes entries of this size.
MOVES_PER_ENTRY = 200


@dataclass(slots=True)
class Summary:
    """The result of a run: the numbers of chunks that it evaluated, that moved by tiers, and that stayed, by the
    criterion that was not met."""

    evaluated: int = 0
    moved: Counter[tuple[str, str]] = field(default_factory=Counter)
    stayed: Counter[str] = field(default_factory=Counter)


def promote(*, now: datetime | None = None, among: Iterable[uuid.UUID] | None = None, batch: int = BATCH) -> Summary:
    """Evaluate every chunk that is due at `now`, in every tenant or in those of `among`, and move those that meet the
    criteria of the next tier, each batch with its ledger entries. Runs may overlap, and be killed at any point. Raises
    the first tenant's failure after all have been tried."""
    moment = now or timezone.now()
    with transaction.atomic():
        due = set(db.tenants_to_promote(token=OperatorCredential("promotion").token(), now=moment))
    if among is not None:
        due &= set(among)
    summary = Summary()

    def queue(tenant_id: uuid.UUID) -> int:
        with gate.job(tenant_id, "promotion"):
            return db.requeue_promotions(tenant=tenant_id, limit=batch)

    def evaluate(tenant_id: uuid.UUID) -> int:
        with gate.job(tenant_id, "promotion"):
            evaluated = db.evaluate_promotions(tenant=tenant_id, now=moment, limit=batch)
            moves = [one for one in evaluated if one.moved_to]
            _record(moves, system(tenant_id, "promotion"))
        summary.evaluated += len(evaluated)
        summary.moved.update((one.tier, one.moved_to) for one in moves if one.moved_to)
        summary.stayed.update(one.failed for one in evaluated if one.failed)
        return len(evaluated)

    failures: list[Exception] = []
    for work in (queue, evaluate):
        failures += in_every_tenant(work, complaint="not all memory of %s was promoted", in_batches=True, among=due)[1]
    if failures:
        raise failures[0]
    return summary


def _record(moves: list[db.Evaluated], actor: Principal) -> None:
    """Append the entries of a batch, in the order in which the database owes them."""
    groups = [moves[start : start + MOVES_PER_ENTRY] for start in range(0, len(moves), MOVES_PER_ENTRY)]
    drafts = [
        draft_of([(one.chunk_id, one.tier, one.moved_to or "", one.evidence or "{}") for one in group], "automatic")
        for group in groups
    ]
    appending.record_all(drafts, actor=actor)
