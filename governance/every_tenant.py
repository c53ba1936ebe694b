"""Run work in every tenant, one tenant at a time."""

import logging
import time
import uuid
from collections.abc import Callable, Collection, Sized
from typing import TypeVar

from governance.acting import gate

Rows = TypeVar("Rows", bound=Sized)

logger = logging.getLogger("suture.tenants")


def in_every_tenant(
    work: Callable[[uuid.UUID], int],
    *,
    complaint: str,
    in_batches: bool = False,
    among: Collection[uuid.UUID] | None = None,
    afterwards: Collection[uuid.UUID] = (),
    seconds: float = 0.0,
) -> tuple[int, list[Exception]]:
    """Call `work`, which returns a number, for each tenant, or those in `among`. Returns the sum and the exceptions.
    `in_batches`: repeat for the same tenant until it returns 0. The tenants in `afterwards` come last, and wait for a
    later call if the others take longer than `seconds`.

    A failure in one tenant does not stop the others: it is logged as `complaint`, which has a %s for the tenant's
    slug.
    """
    total = 0
    failures: list[Exception] = []
    if among is not None and not among and not afterwards:
        return total, failures
    tenants = sorted(gate.tenants().items(), key=lambda named: named[1] in afterwards)
    until = None
    for slug, tenant_id in tenants:
        if among is not None and tenant_id not in among and tenant_id not in afterwards:
            continue
        if tenant_id in afterwards:
            until = until or time.monotonic() + seconds
            if time.monotonic() > until:
                break
        try:
            while done := work(tenant_id):
                total += done
                if not in_batches:
                    break
        except Exception as failure:
            logger.exception(complaint, slug)
            failures.append(failure)
    return total, failures


def claim_in_every_tenant(
    claim: Callable[[uuid.UUID], Rows], finish: Callable[[uuid.UUID, Rows], object], *, complaint: str
) -> int:
    """In each tenant, `claim` a batch of rows and `finish` it in one transaction, until no rows are left. Returns the
    number of rows.

    `claim` locks its batch with `FOR UPDATE SKIP LOCKED`, so that the job may run twice at once, and be killed at any
    point. A failure in one tenant does not stop the others; the first one is raised after all were tried.
    """

    def batch(tenant_id: uuid.UUID) -> int:
        with gate.job(tenant_id, "jobs"):
            rows = claim(tenant_id)
            if rows:
                finish(tenant_id, rows)
            return len(rows)

    done, failures = in_every_tenant(batch, complaint=complaint, in_batches=True)
    if failures:
        raise failures[0]
    return done
