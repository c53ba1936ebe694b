"""A PostgreSQL that is stopped with its connections open, as by a frozen machine: nobody waits for it for long."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest

from governance.database import connection_timeouts
from governance.database.connection_timeouts import WatchedConnection
from memory_project.stack.processes import processes_in

pytestmark = pytest.mark.stack


@contextmanager
def frozen(postgres) -> Iterator[None]:
    stopped = processes_in(postgres.home / "pg18", "postgres")
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)


@pytest.fixture(autouse=True)
def nobody_is_patient(monkeypatch):
    monkeypatch.setattr(connection_timeouts, "SILENCE", 0.2)
    monkeypatch.setattr(connection_timeouts, "_paused", {})


def test_a_statement_ends_and_its_connection_is_thrown_away(postgres, monkeypatch):
    monkeypatch.setattr(connection_timeouts, "ANSWER", 0.5)
    connection = WatchedConnection.connect(postgres.url(), autocommit=True)
    with frozen(postgres), pytest.raises(psycopg.OperationalError, match="does not answer"):
        connection.execute("SELECT 1")
    assert connection.closed


def test_a_connection_is_refused_in_time_and_the_next_one_at_once(postgres, monkeypatch):
    monkeypatch.setattr(connection_timeouts, "PAUSE", 60)
    with frozen(postgres):
        with pytest.raises(psycopg.errors.ConnectionTimeout):
            WatchedConnection.connect(postgres.url(), connect_timeout=2)
        with pytest.raises(psycopg.OperationalError, match="did not answer a moment ago"):
            WatchedConnection.connect(postgres.url(), connect_timeout=2)
    monkeypatch.setattr(connection_timeouts, "_paused", {})
    with WatchedConnection.connect(postgres.url()) as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_statement_that_only_takes_long_goes_on(postgres, monkeypatch):
    asked = []
    answers = connection_timeouts.answers
    monkeypatch.setattr(connection_timeouts, "ANSWER", 60)

    def noted(of):
        asked.append(answers(of))
        return asked[-1]

    monkeypatch.setattr(connection_timeouts, "answers", noted)
    with WatchedConnection.connect(postgres.url()) as connection:
        assert connection.execute("SELECT 1 FROM pg_sleep(1)").fetchone() == (1,)
    assert asked
    assert all(asked)


def test_the_url_has_the_last_word(postgres):
    with WatchedConnection.connect(f"{postgres.url()}?connect_timeout=7") as connection:
        found = connection.info.get_parameters()
    assert found["connect_timeout"] == "7"
    assert found["tcp_user_timeout"] == str(connection_timeouts.DEFAULTS["tcp_user_timeout"])
