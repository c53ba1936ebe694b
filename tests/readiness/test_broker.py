"""What readiness finds in a real broker."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.cache import cache

from governance.ledger import status
from memory_project import tasks
from memory_project.readiness import broker
from memory_project.readiness.broker import Broker
from memory_project.readiness.outcomes import Outcome
from tests.readiness.asking import outcomes_of

pytestmark = pytest.mark.stack


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A connection to the broker, in which no worker of another test reports."""
    monkeypatch.setattr(tasks, "HEARTBEAT_KEY", "suture:tests:heartbeat")
    monkeypatch.setattr(status, "_SEALED_UNTIL", "tests:sealed-until")
    monkeypatch.setattr(broker, "check_embedding", lambda: "off")
    with tasks.connect() as connected:
        yield connected
        connected.delete(tasks.HEARTBEAT_KEY)
        cache.delete(status._SEALED_UNTIL)


@pytest.fixture
def now(client: Any) -> float:
    seconds, _ = client.time()
    return float(seconds)


def test_it_works(client: Any, now: float) -> None:
    tasks.beat_heart()
    status.note_sealed(datetime.fromtimestamp(now, UTC))
    outcomes = outcomes_of(Broker(lambda: now))
    assert {outcome.status for outcome in outcomes.values()} == {"ok"}
    assert outcomes["worker"].detail.startswith("last heartbeat ")


def test_no_worker_has_reported_within_a_minute(client: Any) -> None:
    assert outcomes_of(Broker(lambda: None))["worker"] == Outcome("failed", "no heartbeat in the last 60 s")
    tasks.beat_heart()
    assert 0 < client.ttl(tasks.HEARTBEAT_KEY) <= 60  # by the broker's clock: no node's clock counts


def test_a_broker_that_takes_no_writes_is_told(client: Any) -> None:
    before = client.config_get("min-replicas-to-write")
    client.config_set("min-replicas-to-write", 1)
    try:
        outcomes = outcomes_of(Broker(lambda: None))
    finally:
        client.config_set("min-replicas-to-write", before["min-replicas-to-write"])
    assert outcomes["broker"].status == "failed"


def test_a_broker_that_is_away_is_told(client: Any, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    outcomes = outcomes_of(Broker(lambda: None))
    assert {outcome.status for outcome in outcomes.values()} == {"failed"}
    assert "127.0.0.1" not in str(outcomes)


def test_a_broker_whose_clock_is_not_the_databases_degrades(client: Any, now: float) -> None:
    outcome = outcomes_of(Broker(lambda: now - 3600))["broker"]
    assert outcome.status == "degraded"
    assert "ahead of the database's" in outcome.detail


def test_a_long_lag_of_the_seals_degrades(client: Any, now: float, settings: Any) -> None:
    tasks.beat_heart()
    status.note_sealed(datetime.fromtimestamp(now - settings.SEAL_LAG_SECONDS - 10, UTC))
    outcome = outcomes_of(Broker(lambda: now))["seals"]
    assert outcome == Outcome("degraded", "some records of the last 130 s are not sealed")


def test_no_run_of_sealing_counts_from_when_it_is_missed(client: Any, settings: Any) -> None:
    tasks.beat_heart()
    of = Broker(lambda: None)
    assert outcomes_of(of)["seals"] == Outcome("ok", "no run has ended yet")
    settings.SEAL_LAG_SECONDS = -1
    assert outcomes_of(of)["seals"].status == "degraded"
