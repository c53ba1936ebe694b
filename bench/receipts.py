"""The part `receipts`: what signing adds to a request, by turns with and without it in one process. And receipts for
the rows that the bench loads past the server."""

import json
import statistics
import time
import uuid
from collections.abc import Callable
from typing import Any

from bench.corpus import Corpus
from bench.product import leave_database, use_database
from bench.tenants import LARGE, tenant_of

#: What is promised: so much more for a request, in ms, and so many percent more for a batch.
GOAL_MS, GOAL_PERCENT = 0.3, 5.0
_BATCH = 1_000
_AT_ONCE = 50_000


def measure(name: str, runs: int) -> list[dict[str, Any]]:
    """The rows, of the generated database `name`, which is changed: medians of what Django takes for a request."""
    use_database(name)
    from django.test import Client

    key = tenant_of(name, LARGE).issue_key()
    client = Client(headers={"Authorization": f"Bearer {key}", "Host": "localhost"})
    one = _by_turns(client, "/api/v1/events", _event, 20 * runs)
    batch = _by_turns(
        client, "/api/v1/events/batch", lambda corpus: {"events": [_event(corpus) for _ in range(_BATCH)]}, runs
    )
    leave_database()
    added = one[True] - one[False]
    percent = 100 * (batch[True] / batch[False] - 1)
    return [
        _row("a receipt, added to recording one event", added, "ms", added <= GOAL_MS, f"<= {GOAL_MS}", one),
        _row(
            f"receipts, added to recording {_BATCH:,} events",
            percent,
            "%",
            percent <= GOAL_PERCENT,
            f"<= {GOAL_PERCENT}",
            batch,
        ),
    ]  # fmt: skip


def _row(case: str, figure: float, unit: str, is_kept: bool, goal: str, of: dict[bool, float]) -> dict[str, Any]:
    return {
        "case": case, "figure": round(figure, 3), "unit": unit, "goal": f"{goal} {'kept' if is_kept else 'missed'}",
        "with_ms": round(of[True], 3), "without_ms": round(of[False], 3),
    }  # fmt: skip


def _event(corpus: Corpus) -> dict[str, Any]:
    return {
        "session_id": "receipts", "channel": "private", "actor_type": "agent", "actor_id": "bench", "kind": "message",
        "content": {"text": corpus.text()},
    }  # fmt: skip


def _events(corpus: Corpus) -> dict[str, Any]:
    return {"events": [_event(corpus) for _ in range(_BATCH)]}


def _by_turns(client: Any, path: str, body: Callable[[Corpus], Any], pairs: int) -> dict[bool, float]:
    """The median of milliseconds with receipts and without."""
    from governance.database import committing
    from governance.ledger import receipts

    corpus = Corpus("receipts", 1)
    taken: dict[bool, list[float]] = {True: [], False: []}
    signing = receipts.take
    try:
        for turn in range(2 * (pairs + 1)):
            is_signed = turn % 2 == 0
            receipts.take = signing if is_signed else _nothing
            committing.finish_with(receipts.take)
            sent = json.dumps(body(corpus))
            began = time.perf_counter()
            answer = client.post(
                path, sent, content_type="application/json", headers={"Idempotency-Key": uuid.uuid4().hex}
            )
            took = 1000 * (time.perf_counter() - began)
            if answer.status_code >= 300:
                raise SystemExit(f"the server answered {answer.status_code}: {answer.content[:500]!r}")
            if turn >= 2:  # the first of each loads what they need
                taken[is_signed].append(took)
    finally:
        receipts.take = signing
        committing.finish_with(signing)
    return {is_signed: statistics.median(values) for is_signed, values in taken.items()}


def _nothing(actor: Any) -> None:
    return None


def sign_loaded(tenant_id: uuid.UUID) -> None:
    """Sign receipts of all rows of a tenant that were loaded past the server: seals would not take them."""
    from django.db import connection

    from governance import gate
    from governance.ledger import calls, sealed

    for kind in sealed.kinds():
        while True:
            with gate.job(tenant_id, "seal"):
                ids = calls.rows_without_receipt(tenant=tenant_id, kind=kind.name, table=kind.table, limit=_AT_ONCE)
                if not ids:
                    break
                noted = f"{tenant_id} {kind.table} {','.join(map(str, ids))};"
                with connection.cursor() as cursor:  # as the trigger of the table notes them
                    cursor.execute("SELECT set_config('suture.recorded', %s, true)", [noted])
