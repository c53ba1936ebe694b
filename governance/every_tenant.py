"""Work that is done tenant by tenant, each by itself."""

import logging
import uuid
from collections.abc import Callable

from governance import gate

logger = logging.getLogger("suture.tenants")


def in_every_tenant(
    work: Callable[[uuid.UUID], int], *, complaint: str, in_batches: bool = False
) -> tuple[int, list[Exception]]:
    """Do `work`, which answers a number, for each tenant; answers the sum and what was raised. `in_batches`: again for
    the same tenant until it answers 0.

    One tenant's failure is its own: it is logged as `complaint`, which has a %s for the tenant's slug, and the others
    have their turn.
    """
    total = 0
    failures: list[Exception] = []
    for slug, tenant_id in gate.tenants().items():
        try:
            while done := work(tenant_id):
                total += done
                if not in_batches:
                    break
        except Exception as failure:
            logger.exception(complaint, slug)
            failures.append(failure)
    return total, failures
