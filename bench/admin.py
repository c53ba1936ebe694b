"""What the admin's pages cost the server, on a generated database, which is changed: a logged-in reviewer asks in this
process, through all of the middleware, without the network."""

import itertools
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from bench.product import AGENT, use_database
from bench.tenants import LARGE, REVIEWER, Tenant, tenant_of
from bench.timing import milliseconds

if TYPE_CHECKING:
    from django.test import Client

#: Edits that wait for a person, beside those that were applied.
PENDING = 1000
BATCH = 200
WARMING = 3
#: What is promised of a page: the 95th percentile in ms.
GOAL_MS = 200.0


def measure(name: str, runs: int, pending: int = PENDING) -> list[dict[str, Any]]:
    """With `pending` edits that wait: rows of case, ms, the statements of one page, runs and goal."""
    use_database(name)
    tenant = tenant_of(name, LARGE)
    edits = itertools.cycle(_propose(tenant, pending))
    chunk = _pending_target(tenant)
    client = logged_in(tenant)
    from governance import figures

    figures.roll_up(tenant.id)
    pages: dict[str, Callable[[], str]] = {
        "home": lambda: "/admin/",
        "review queue": lambda: "/admin/governance/edit/",
        "review queue, all pending": lambda: "/admin/governance/edit/?status=pending",
        "all edits": lambda: "/admin/governance/edit/?status=all",
        "review page of an edit": lambda: f"/admin/governance/edit/{next(edits)}/change/",
        "ledger entries": lambda: "/admin/governance/entry/",
        "entries that mention an agent": lambda: f"/admin/governance/entry/?mentions={AGENT}",
        "verdicts": lambda: "/admin/governance/verdict/",
        "story of a chunk": lambda: f"/admin/governance/entry/story/{chunk}/",
        "chunks": lambda: "/admin/memory/effectivechunk/",
        "memory browser": lambda: f"/admin/memory/effectivechunk/browse/?agent={tenant.agent_id}&channel=private",
    }
    return [_timed(case, client, address, max(runs, 20)) for case, address in pages.items()]


def _timed(case: str, client: "Client", address: Callable[[], str], runs: int) -> dict[str, Any]:
    for _ in range(WARMING):
        _open(client, address())
    counts = {_statements(client, address()) for _ in range(2)}
    seconds = []
    for _ in range(runs):
        where = address()
        started = time.perf_counter()
        _open(client, where)
        seconds.append(time.perf_counter() - started)
    return {
        "case": case,
        "ms": milliseconds(seconds),
        "statements": "-".join(str(count) for count in sorted(counts)),
        "runs": runs,
        "goal_p95_ms": GOAL_MS,
    }


def _open(client: "Client", address: str) -> None:
    response = client.get(address)
    if response.status_code != 200:
        raise SystemExit(f"{address} answered {response.status_code}.")


def _statements(client: "Client", address: str) -> int:
    """How many statements one page asks, over all connections."""
    from django.db import connections

    seen: list[str] = []

    def note(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        seen.append(sql)
        return execute(sql, params, many, context)

    with ExitStack() as stack:
        for alias in connections:
            stack.enter_context(connections[alias].execute_wrapper(note))
        _open(client, address)
    return len(seen)


def logged_in(tenant: Tenant) -> "Client":
    """The reviewer's browser, in the large tenant: they have a role in the small one too."""
    from django.conf import settings
    from django.test import Client

    from governance.models import User

    client = Client(SERVER_NAME=settings.ALLOWED_HOSTS[0])
    client.force_login(User.objects.get(username=REVIEWER), "django.contrib.auth.backends.ModelBackend")
    if client.post("/admin/tenant/", {"tenant": str(tenant.id)}).status_code != 302:
        raise SystemExit("The reviewer of the bench cannot enter the large tenant.")
    return client


def _propose(tenant: Tenant, pending: int) -> list[uuid.UUID]:
    """So many retracts by the agent, which wait for a person."""
    from governance import edits, gate
    from memory.models import EffectiveChunk

    with gate.tenant(tenant.id):
        targets = EffectiveChunk.objects.filter(
            tenant_id=tenant.id, is_retracted=False, sensitivity__in=["none", "low"]
        ).order_by("id")
        ids = list(targets.values_list("id", flat=True)[:pending])
    proposed: list[uuid.UUID] = []
    for batch in _batches(ids):
        drafts = [
            edits.Proposal(target_type="chunk", target_id=target, op="retract", reason="bench", patch=edits.Patch())
            for target in batch
        ]
        with gate.tenant(tenant.id):
            items = edits.propose_edits(drafts, actor=tenant.agent).items
        proposed += [item.outcome.edit_id for item in items if item.outcome]
    return proposed


def _pending_target(tenant: Tenant) -> uuid.UUID:
    from governance import gate
    from governance.models import Edit

    with gate.tenant(tenant.id):
        return Edit.objects.filter(tenant_id=tenant.id, state__status="pending").values_list("target_id", flat=True)[0]


def _batches(ids: list[uuid.UUID]) -> Iterator[list[uuid.UUID]]:
    for first in range(0, len(ids), BATCH):
        yield ids[first : first + BATCH]
