"""Liveness, readiness and metrics. Everybody can read them, so they show no address, secret or tenant."""

import functools
import os
import time
from collections.abc import Callable

import redis
from django.db import Error as DatabaseFailure
from django.db import connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST, REGISTRY, CollectorRegistry, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from governance.ledger import keyring, standing
from memory.embedding import configured
from memory.embedding import standing as embedding
from memory_project import tasks

HEARTBEAT_LIMIT_SECONDS = 60


class NotReady(Exception):  # noqa: N818 (an answer, not an error)
    """A check's reason, in words fit for the public."""


class Degraded(Exception):  # noqa: N818 (an answer, not an error)
    """Requests are served, and somebody has to look at something; in words fit for the public."""


# None of these views may need a database to begin: ATOMIC_REQUESTS would fail before they could say so.


@transaction.non_atomic_requests
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """The process is alive."""
    return JsonResponse({"status": "ok"})


@transaction.non_atomic_requests
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 if the server can answer requests, even if a part is degraded, else 503; with the result of each check."""
    checks = {
        name: _outcome(check)
        for name, check in (
            ("database", check_database),
            ("migrations", check_migrations),
            ("broker", check_broker),
            ("worker", check_worker),
            ("signing key", check_signing_key),
            ("ledger", check_ledger),
            ("embedding", check_embedding),
        )
    }
    found = {outcome["status"] for outcome in checks.values()}
    status = "unavailable" if "failed" in found else "degraded" if "degraded" in found else "ok"
    return JsonResponse({"status": status, "checks": checks}, status=503 if status == "unavailable" else 200)


@transaction.non_atomic_requests
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """Prometheus text, of all the node's processes when PROMETHEUS_MULTIPROC_DIR is set."""
    registry = REGISTRY
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_LATEST)


def _outcome(check: Callable[[], str]) -> dict[str, str]:
    try:
        return {"status": "ok", "detail": check()}
    except Degraded as reason:
        return {"status": "degraded", "detail": str(reason)}
    except NotReady as reason:
        return {"status": "failed", "detail": str(reason)}
    except (DatabaseFailure, redis.RedisError, OSError) as error:
        # The class alone: messages name hosts and users.
        return {"status": "failed", "detail": type(error).__name__}


def check_database() -> str:
    """The database answers, and to a role that row security binds."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user")
        (unbound,) = cursor.fetchone()
    if unbound:
        raise NotReady("connected as a role that goes around row security")
    return "reachable"


def check_migrations() -> str:
    """Everything in this release's migrations is applied."""
    applied = MigrationRecorder(connection).applied_migrations()
    missing = [node for node in _last_migrations() if node not in applied]
    if missing:
        raise NotReady("not applied: " + ", ".join(f"{app}.{name}" for app, name in sorted(missing)))
    return "applied"


def load() -> None:
    """Read this release's migrations, with which the first request for readiness would compare the database."""
    _last_migrations()


@functools.cache
def _last_migrations() -> list[tuple[str, str]]:
    return list(MigrationLoader(None).graph.leaf_nodes())


def check_broker() -> str:
    """The broker answers a ping."""
    with tasks.connect() as client:
        client.ping()
    return "reachable"


def check_worker() -> str:
    """A worker was alive within the last minute."""
    with tasks.connect() as client:
        beat = client.get(tasks.HEARTBEAT_KEY)
    if beat is None:
        raise NotReady("no worker has reported")
    age = time.time() - float(beat)
    if age > HEARTBEAT_LIMIT_SECONDS:
        raise NotReady(f"the last worker reported {age:.0f} s ago")
    return f"reported {max(age, 0):.0f} s ago"


def check_signing_key() -> str:
    """The key that signs the ledger can be read: without it nothing is written."""
    try:
        keyring.current()
    except keyring.SigningKeyUnusable:
        raise NotReady("cannot be read") from None
    return "readable"


def check_ledger() -> str:
    """The ledger of every tenant is sealed and published: nothing in it shows that somebody changed it."""
    if alarms := standing.count_alarms():
        tenants = "1 tenant" if alarms == 1 else f"{alarms} tenants"
        raise Degraded(f"of {tenants} nothing is sealed or published: see manage.py check_ledger")
    return "sealed and published"


def check_embedding() -> str:
    """Memory is embedded, and the provider answers; without it, search finds by words alone."""
    if configured.configured() is None:
        return "off"
    if (reason := embedding.failure()) is not None:
        raise Degraded(f"the provider fails, and search finds by words alone: {reason}")
    run = embedding.last_run()
    if run is None:
        return "nothing was embedded in the last hour"
    if run.isolated:
        raise Degraded(f"{run.isolated} chunks could not be embedded: see manage.py embed --progress")
    return f"{run.waiting} chunks wait" + (f", {run.per_second:g} embedded a second" if run.per_second else "")
