"""What readiness finds in a real database."""

import threading
from datetime import timedelta
from typing import Any

import django.db
import pytest
import time_machine
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from django.db import connection, connections, transaction
from django.utils import timezone

from memory_project.readiness import database
from memory_project.readiness.database import Database
from memory_project.readiness.outcomes import Outcome
from tests.ledger.tampering import append
from tests.readiness.asking import outcomes_of

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "owner"])


def found(of: Database | None = None) -> dict[str, Outcome]:
    return outcomes_of(of or Database())


def test_every_check_is_asked() -> None:
    """That all of them pass is for test_fresh_stack.py: here, other tests have left tenants with alarms and keys."""
    assert list(found()) == ["database", "migrations", "writing", "signing key", "ledger", "clock"]


def test_each_round_has_a_connection_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.ensure_connection()
    found()
    # a server that takes no more connections: the kept one of this thread answers
    monkeypatch.setitem(connection.settings_dict, "PORT", "1")
    assert connection.is_usable()
    outcomes = found()
    assert {outcome.detail for outcome in outcomes.values()} == {"cannot be reached, or accepts no more connections"}
    assert not any(outcome.lasts for outcome in outcomes.values())


def test_a_database_that_takes_no_writes_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**connection.settings_dict["OPTIONS"], "options": "-c default_transaction_read_only=on"}
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
    assert found()["database"] == Outcome("failed", "the database accepts no writes")


def test_a_missing_migration_is_named_and_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "last_migrations", lambda: [("memory", "9999_of_tomorrow")])
    assert found()["migrations"] == Outcome("failed", "not applied: memory.9999_of_tomorrow", lasts=True)


def test_a_full_disk_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    full = "DO $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END $$"
    monkeypatch.setattr(database, "PROBE", full)
    assert found()["writing"] == Outcome("failed", "the disk of the database is full")


def test_the_check_writes_a_file_and_flushes_the_log() -> None:
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_insert_lsn()")
        (before,) = cursor.fetchone()
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("EXPLAIN (ANALYZE, BUFFERS, FORMAT TEXT) SELECT probe_writing()")
        plan = " ".join(row[0] for row in cursor.fetchall())
    assert "temp" in plan
    with connections["owner"].cursor() as cursor:
        cursor.execute("SELECT pg_current_wal_flush_lsn() > %s::pg_lsn", [before])
        assert cursor.fetchone() == (True,)


def pem(key: Ed25519PrivateKey) -> str:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def test_a_key_that_signs_no_chain_is_refused_for_good(world: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    append(world)
    monkeypatch.setenv("SUTURE_SIGNING_KEY", pem(Ed25519PrivateKey.generate()))
    outcome = found()["signing key"]
    assert (outcome.status, outcome.lasts) == ("failed", True)
    assert "check_ledger" in outcome.detail


def test_a_key_that_cannot_be_read_is_refused_for_good_without_its_path(
    world: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    append(world)
    monkeypatch.setenv("SUTURE_SIGNING_KEY_FILE", "/nowhere/ledger.key")
    outcome = found()["signing key"]
    assert (outcome.status, outcome.lasts) == ("failed", True)
    assert "/nowhere" not in outcome.detail


def test_keys_of_some_chains_that_are_missing_degrade(world: Any) -> None:
    append(world)
    append(world, chain="agent:alice")
    other = Ed25519PrivateKey.generate()
    with connections["owner"].cursor() as cursor:
        cursor.execute(
            "UPDATE governance_chain SET public_key = %s WHERE tenant_id = %s AND name = 'governance'",
            [other.public_key().public_bytes_raw(), world.tenant_id],
        )
    outcome = found()["signing key"]
    assert outcome.status == "degraded"
    assert "check_ledger" in outcome.detail


@pytest.mark.parametrize(
    ("shift", "words"), [(timedelta(hours=-1), "3600 s behind"), (timedelta(hours=1), "s ahead of")]
)
def test_a_wrong_clock_of_this_node_degrades(shift: timedelta, words: str) -> None:
    with time_machine.travel(timezone.now() + shift):
        outcome = found()["clock"]
    assert outcome.status == "degraded"
    assert words in outcome.detail


def test_it_knows_the_databases_time_whatever_this_nodes_clock_says() -> None:
    of = Database()
    assert of.now() is None
    right = timezone.now().timestamp()
    with time_machine.travel(timezone.now() - timedelta(hours=1)):
        found(of)
    now = of.now()
    assert now is not None
    assert abs(now - right) < 600


def test_a_lock_ends_the_round_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "STATEMENT_MILLISECONDS", 50)
    with transaction.atomic("owner"), connections["owner"].cursor() as cursor:
        cursor.execute("LOCK TABLE django_migrations")
        outcome = found()["migrations"]
    assert outcome == Outcome("failed", "OperationalError (SQLSTATE 57014)")


def test_a_limit_that_ends_requests_sooner_holds_for_the_checks_too(monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**connection.settings_dict["OPTIONS"], "options": "-c statement_timeout=500ms"}
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
    monkeypatch.setattr(database, "PROBE", "SELECT pg_sleep(2)")
    assert found()["writing"] == Outcome("failed", "OperationalError (SQLSTATE 57014)")


@pytest.mark.parametrize("limit", ["0", "10min"])
def test_the_checks_end_sooner_than_requests(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**connection.settings_dict["OPTIONS"], "options": f"-c statement_timeout={limit}"}
    monkeypatch.setitem(connection.settings_dict, "OPTIONS", options)
    monkeypatch.setattr(database, "STATEMENT_MILLISECONDS", 500)
    monkeypatch.setattr(database, "PROBE", "SELECT pg_sleep(2)")
    assert found()["writing"] == Outcome("failed", "OperationalError (SQLSTATE 57014)")


def test_what_hangs_in_the_database_is_interrupted() -> None:
    of = Database()
    waits = threading.Event()
    errors: list[Exception] = []

    def hang() -> None:
        try:
            with of.asked(), connections["default"].cursor() as cursor:
                waits.set()
                cursor.execute("SELECT pg_sleep(600)")
        except django.db.OperationalError as error:
            errors.append(error)

    thread = threading.Thread(target=hang)
    thread.start()
    waits.wait()
    while thread.is_alive():  # the statement may not have begun
        of.interrupt()
        thread.join(0.05)
    assert len(errors) == 1
