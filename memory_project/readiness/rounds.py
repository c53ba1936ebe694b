"""Rounds of checks: each server is asked in a thread of its own, against a deadline, whatever hangs."""

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

#: For so many seconds, answers repeat what a round found.
FRESH = 1.0
#: How long an answer waits for a round.
DEADLINE = 0.8
#: While a round takes longer than that, answers repeat what the last one found, if it ended so many seconds ago or
#: less.
KEPT = 5.0
#: A round that takes longer is broken off.
LONGEST = 4.0

RETRY_AFTER_SECONDS = 5


class Server(Protocol):
    """A server, and what is checked about it."""

    @property
    def checks(self) -> Mapping[str, Callable[[], str]]:
        """Each answers what it found, or raises Degraded, NotReady or what its server raises."""

    def asked(self) -> AbstractContextManager[None]:
        """What the checks of a round need: a connection."""

    def interrupt(self) -> None:
        """Let the round that runs fail. Called from another thread, and must not wait."""


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
        #: The one before it, which has ended.
        self._finished: _Round | None = None

    async def outcomes(self) -> dict[str, Outcome]:
        """What the checks find now, or found at most FRESH seconds ago; within DEADLINE seconds."""
        latest = self._latest
        if latest is None or (latest.done.done() and time.monotonic() - latest.ended > FRESH):
            self._finished, self._latest = latest, _Round()
            latest = self._latest
            threading.Thread(target=self._run, args=(latest,), name="readiness", daemon=True).start()
        await asyncio.wait([asyncio.wrap_future(latest.done)], timeout=DEADLINE)
        return latest.outcomes if latest.done.done() else self._of_unfinished(latest)

    def _of_unfinished(self, running: _Round) -> dict[str, Outcome]:
        now = time.monotonic()
        if now - running.began > LONGEST:
            self._server.interrupt()
        if self._finished is not None and now - self._finished.ended < KEPT:
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
    """What a check found. Raises what its server raised: the others would fail too."""
    try:
        return Outcome("ok", check())
    except (Degraded, NotReady) as reason:
        return outcome_of(reason)


@dataclass(frozen=True, slots=True)
class Report:
    """What all checks found. `retry_after` seconds: when another try may succeed, None where it cannot."""

    status: Literal["ok", "degraded", "unavailable"]
    checks: dict[str, Outcome]
    retry_after: int | None

    def content(self) -> dict[str, Any]:
        """The body of the answer."""
        checks = {name: {"status": found.status, "detail": found.detail} for name, found in self.checks.items()}
        return {"status": self.status, "checks": checks}


class Readiness:
    """The readiness of this process, of which all its servers' checks are parts. For one event loop."""

    def __init__(self, servers: Sequence[Server]) -> None:
        self._groups = [Group(server) for server in servers]
        self._told: str | None = None

    async def report(self) -> Report:
        """What the checks find, within a second whatever hangs."""
        checks: dict[str, Outcome] = {}
        for found in await asyncio.gather(*(group.outcomes() for group in self._groups)):
            checks |= found
        report = report_of(checks)
        self._log(report)
        return report

    def _log(self, report: Report) -> None:
        """A line where the status has changed, with what is not well."""
        if report.status == self._told:
            return
        before, self._told = self._told, report.status
        reasons = {name: found.detail for name, found in report.checks.items() if found.status != "ok"}
        if reasons:
            logger.warning("readiness: %s", report.status, extra={"checks": reasons})
        elif before is not None:
            logger.info("readiness: %s again", report.status)


def report_of(checks: dict[str, Outcome]) -> Report:
    """The whole of which these are the parts."""
    failures = [found for found in checks.values() if found.status == "failed"]
    if failures:
        lasts = any(found.lasts for found in failures)
        return Report("unavailable", checks, None if lasts else RETRY_AFTER_SECONDS)
    is_degraded = any(found.status == "degraded" for found in checks.values())
    return Report("degraded" if is_degraded else "ok", checks, None)
