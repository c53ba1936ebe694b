"""Verifying what is new in the ledger when somebody asks for it. The worker does it: a web server holds no connection
that reads past row security."""

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
    # robust: readiness reports a broker that is away
    transaction.on_commit(ask, robust=True)
    return Done(
        "The worker verifies what is new. This page shows the result in a moment.", next_url=reverse("admin:index")
    )


VERIFY = Act(
    "verify",
    "Verify what is new",
    "The worker verifies the entries, rows and words since the last tree head that a verification confirmed. It does so"
    " every hour, and verifies the whole ledger every night.",
    _verify,
    may=lambda principal: principal.reads_all_edits,
)
