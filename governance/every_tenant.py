"""Work that is done tenant by tenant, each by itself."""

import logging
import uuid
from collections.abc import Callable, Collection, Sized
from typing import TypeVar

from governance import gate

Rows = TypeVar("Rows", bound=Sized)

logger = logging.getLogger("suture.tenants")


def in_every_tenant(
    work: Callable[[uuid.UUID], int],
    *,
    complaint: str,
    in_batches: bool = False,
    among: Collection[uuid.UUID] | None = None,
) -> tuple[int, list[Exception]]:
    """Do `work`, which answers a number, for each tenant, or for those `among`; answers the sum and what was raised.
    `in_batches`: again for the same tenant until it answers 0.

    A failure in one tenant does not stop the others: it is logged as `complaint`, which has a %s for the tenant's
    slug.
    """
    total = 0
    failures: list[Exception] = []
    for slug, tenant_id in gate.tenants().items():
        if among is not None and tenant_id not in among:
            continue
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
    """The form of every job on rows: in each tenant, batch after batch until nothing is claimed, `claim` rows and
    `finish` them in one transaction. Returns how many rows there were.

    `claim` answers a bounded batch under `FOR UPDATE SKIP LOCKED`, so that the job may run twice at once, and be killed
    at any point. A failure in one tenant does not stop the others; the first one is raised after all
    were tried.
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
