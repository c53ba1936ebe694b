"""Verify new ledger entries on request. The worker does it: the web server has no connection that bypasses row
security."""

from functools import partial
from typing import Any

from django.db import transaction
from django.urls import reverse

from governance import tasks
from governance.acting.principals import Principal
from governance.admin.manage import Act, CleanedData, Done

#: Seconds after which a request that no worker took is dropped.
_EXPIRES = 600


def _verify(principal: Principal, row: Any, data: CleanedData) -> Done:
    ask = partial(tasks.verify_recent_of.apply_async, [str(principal.tenant_id)], expires=_EXPIRES)
    # robust: readiness reports an unreachable broker
    transaction.on_commit(ask, robust=True)
    return Done(
        "The worker verifies new entries. This page will show the result soon.", next_url=reverse("admin:index")
    )


VERIFY = Act(
    "verify",
    "Verify new entries",
    "The worker verifies the entries, rows and texts since the last confirmed tree head. It also does this every hour,"
    " and verifies the whole ledger every night.",
    _verify,
    may=lambda principal: principal.reads_all_edits,
)
