"""Rounds of checks: each server is checked in its own thread, against a deadline."""

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from memory_project.readiness.outcomes import Degraded, NotReady, Outcome, outcome_of

logger = logging.getLogger("suture.readiness")

#: Seconds for which answers repeat the results of a round.
FRESH = 1.0
#: Maximum seconds that an answer waits for a round.
DEADLINE = 0.8
#: While a round takes longer than DEADLINE, answers repeat the previous results if they are at most this many seconds
#: old.
STALE = 5.0
#: Seconds after which a round is aborted.
MAX_SECONDS = 4.0

RETRY_AFTER_SECONDS = 5


class Server(Protocol):
    """A server and its checks."""

    @property
    def checks(self) -> Mapping[str, Callable[[], str]]:
        """The checks. Each returns a description, or raises Degraded, NotReady or an error of its server."""

    def asked(self) -> AbstractContextManager[None]:
        """Set up what the checks of a round need: a connection."""

    def interrupt(self) -> None:
        """Make the current round fail. Called from another thread; must not block."""


@dataclass
class _Round:
    began: float = field(default_factory=time.monotonic)
    ended: float = 0.0
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    done: "Future[None]" = field(default_factory=Future)


class Group:
    """The checks of one server, in the order in which they run. For one event loop."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._latest: _Round | None = None
        #: The previous round, which has ended.
        self._finished: _Round | None = None

    async def outcomes(self) -> dict[str, Outcome]:
        """The outcomes of the checks, at most FRESH seconds old; waits at most DEADLINE seconds."""
        latest = self._latest
        if latest is None or (latest.done.done() and time.monotonic() - latest.ended > FRESH):
            self._finished, self._latest = latest, _Round()
            latest = self._latest
            threading.Thread(target=self._run, args=(latest,), name="readiness", daemon=True).start()
        await asyncio.wait([asyncio.wrap_future(latest.done)], timeout=DEADLINE)
        return latest.outcomes if latest.done.done() else self._outcomes_meanwhile(latest)

    def _outcomes_meanwhile(self, running: _Round) -> dict[str, Outcome]:
        now = time.monotonic()
        if now - running.began > MAX_SECONDS:
            self._server.interrupt()
        if self._finished is not None and now - self._finished.ended < STALE:
            return self._finished.outcomes
        unknown = Outcome("failed", f"no answer within {DEADLINE:g} s")
        found = dict(running.outcomes)
        return {name: found.get(name, unknown) for name in self._server.checks}

    def _run(self, running: _Round) -> None:
        try:
            with self._server.asked():
                for name, check in self._server.checks.items():
                    running.outcomes[name] = _outcome(check)
        except Exception as error:
            for name in self._server.checks:
                running.outcomes.setdefault(name, outcome_of(error))
        finally:
            running.ended = time.monotonic()
            running.done.set_result(None)


def _outcome(check: Callable[[], str]) -> Outcome:
    """The outcome of a check. Raises errors of the server: the remaining checks would fail too."""
    try:
        return Outcome("ok", check())
    except (Degraded, NotReady) as reason:
        return outcome_of(reason)


@dataclass(frozen=True, slots=True)
class Report:
    """The outcomes of all checks. `retry_after`: seconds until a retry may succeed, None if it cannot."""

    status: Literal["ok", "degraded", "unavailable"]
    checks: dict[str, Outcome]
    retry_after: int | None

    def content(self) -> dict[str, Any]:
        """The body of the response."""
        checks = {name: {"status": found.status, "detail": found.detail} for name, found in self.checks.items()}
        return {"status": self.status, "checks": checks}


class Readiness:
    """The readiness of this process: the checks of all its servers. For one event loop."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self._groups = [Group(server) for server in servers]
        self._told: str | None = None

    async def report(self) -> Report:
        """Run the checks; takes at most a second, even if a server hangs."""
        checks: dict[str, Outcome] = {}
        for found in await asyncio.gather(*(group.outcomes() for group in self._groups)):
            checks |= found
        report = report_of(checks)
        self._log(report)
        return report

    def _log(self, report: Report) -> None:
        """Log changes of the status, with the failed checks."""
        if report.status == self._told:
            return
        before, self._told = self._told, report.status
        reasons = {name: found.detail for name, found in report.checks.items() if found.status != "ok"}
        if reasons:
            logger.warning("readiness: %s", report.status, extra={"checks": reasons})
        elif before is not None:
            logger.info("readiness: %s again", report.status)


def report_of(checks: dict[str, Outcome]) -> Report:
    """The report of these outcomes."""
    failures = [found for found in checks.values() if found.status == "failed"]
    if failures:
        lasts = any(found.lasts for found in failures)
        return Report("unavailable", checks, None if lasts else RETRY_AFTER_SECONDS)
    is_degraded = any(found.status == "degraded" for found in checks.values())
    return Report("degraded" if is_degraded else "ok", checks, None)
