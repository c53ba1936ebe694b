"""Rounds: the answer says within the deadline what hangs, and repeats what a round found for a short while."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import django.db
import psycopg
import pytest

from memory_project.readiness import rounds
from memory_project.readiness.outcomes import Degraded, NotReady, Outcome, outcome_of
from memory_project.readiness.rounds import Readiness, Report, report_of

pytestmark = pytest.mark.pure

UNKNOWN = Outcome("failed", "no answer within 0.02 s")


class Echo:
    """A server that hangs while `free` is not set."""

    def __init__(self) -> None:
        self.free = threading.Event()
        self.free.set()
        self.interrupted = threading.Event()
        self.answer: str | Exception = "fine"
        self.asks = 0

    @property
    def checks(self) -> Mapping[str, Callable[[], str]]:
        return {"first": lambda: "always", "second": self.check}

    @contextmanager
    def asked(self) -> Iterator[None]:
        self.asks += 1
        yield

    def interrupt(self) -> None:
        self.interrupted.set()
        self.free.set()

    def check(self) -> str:
        self.free.wait()
        if self.interrupted.is_set():
            raise django.db.OperationalError("cut off")
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.fixture
def echo() -> Iterator[Echo]:
    made = Echo()
    yield made
    made.free.set()


@pytest.fixture(autouse=True)
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """No result is repeated, and what hangs is sure to miss the deadline."""
    monkeypatch.setattr(rounds, "FRESH", -1.0)
    monkeypatch.setattr(rounds, "STALE", -1.0)


def hang(echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    echo.free.clear()
    monkeypatch.setattr(rounds, "DEADLINE", 0.02)


def go_on(echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    echo.free.set()
    monkeypatch.setattr(rounds, "DEADLINE", 60.0)


def in_a_loop(test: Callable[[], Any]) -> None:
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, test()).result()


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "DEADLINE", 60.0)


def test_it_works(echo: Echo) -> None:
    async def test() -> None:
        report = await Readiness([echo]).report()
        assert report == Report("ok", {"first": Outcome("ok", "always"), "second": Outcome("ok", "fine")}, None)

    in_a_loop(test)


def test_what_hangs_is_told_and_what_answered_before_it_too(echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        readiness = Readiness([echo])
        hang(echo, monkeypatch)
        for _ in range(3):
            report = await readiness.report()
            assert report.status == "unavailable"
            assert report.checks["second"] == UNKNOWN
        assert report.checks["first"] == Outcome("ok", "always")
        assert echo.asks == 1  # no second round piles up behind the first
        go_on(echo, monkeypatch)
        assert (await readiness.report()).status == "ok"

    in_a_loop(test)


def test_other_servers_answer_while_one_hangs(echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(Echo):
        @property
        def checks(self) -> Mapping[str, Callable[[], str]]:
            return {"other": self.check}

    async def test() -> None:
        echo.free.clear()
        monkeypatch.setattr(rounds, "DEADLINE", 1.0)
        report = await Readiness([echo, Other()]).report()
        assert report.checks["other"] == Outcome("ok", "fine")

    in_a_loop(test)


def test_while_a_round_is_slow_the_last_one_is_told_for_a_while(echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        readiness = Readiness([echo])
        await readiness.report()
        hang(echo, monkeypatch)
        monkeypatch.setattr(rounds, "STALE", 60.0)
        assert (await readiness.report()).status == "ok"
        monkeypatch.setattr(rounds, "STALE", -1.0)
        assert (await readiness.report()).status == "unavailable"

    in_a_loop(test)


def test_what_was_found_a_moment_ago_is_told_without_asking(echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        readiness = Readiness([echo])
        monkeypatch.setattr(rounds, "FRESH", 60.0)
        await readiness.report()
        await readiness.report()
        assert echo.asks == 1

    in_a_loop(test)


def test_a_round_that_takes_too_long_is_broken_off(echo: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> None:
        readiness = Readiness([echo])
        hang(echo, monkeypatch)
        await readiness.report()
        assert not echo.interrupted.is_set()
        monkeypatch.setattr(rounds, "MAX_SECONDS", -1.0)
        await readiness.report()
        assert echo.interrupted.is_set()
        monkeypatch.setattr(rounds, "DEADLINE", 60.0)
        report = await readiness.report()
        assert report.checks["second"].detail == "cannot be reached, or accepts no more connections"

    in_a_loop(test)


@pytest.mark.parametrize(
    ("answer", "status", "retry_after"),
    [
        ("fine", "ok", None),
        (Degraded("somewhat"), "degraded", None),
        (NotReady("away"), "unavailable", 5),
        (NotReady("wrong role", lasts=True), "unavailable", None),
    ],
)
def test_another_try_is_asked_for_only_where_it_may_help(
    echo: Echo, answer: str | Exception, status: str, retry_after: int | None
) -> None:
    async def test() -> None:
        echo.answer = answer
        report = await Readiness([echo]).report()
        assert (report.status, report.retry_after) == (status, retry_after)

    in_a_loop(test)


def test_a_lasting_failure_counts_whatever_else_fails() -> None:
    checks = {"a": Outcome("failed", "away"), "b": Outcome("failed", "wrong role", lasts=True)}
    assert report_of(checks).retry_after is None


def test_a_servers_error_is_told_without_its_words() -> None:
    refused = django.db.OperationalError("host=secret password=secret")
    assert outcome_of(refused) == Outcome("failed", "cannot be reached, or accepts no more connections")
    wrapped = django.db.ProgrammingError("secret")
    wrapped.__cause__ = psycopg.errors.InsufficientPrivilege("secret")
    assert outcome_of(wrapped) == Outcome("failed", "ProgrammingError (SQLSTATE 42501)")
    assert outcome_of(OSError("/secret")) == Outcome("failed", "OSError")


def test_a_change_is_logged_once_with_what_is_not_well(echo: Echo, caplog: pytest.LogCaptureFixture) -> None:
    async def test() -> None:
        readiness = Readiness([echo])
        await readiness.report()
        echo.answer = NotReady("away")
        await readiness.report()
        await readiness.report()
        echo.answer = "fine"
        await readiness.report()

    with caplog.at_level("INFO", "suture.readiness"):
        in_a_loop(test)
    assert [record.getMessage() for record in caplog.records] == ["readiness: unavailable", "readiness: ok again"]
    assert caplog.records[0].__dict__["checks"] == {"second": "away"}
