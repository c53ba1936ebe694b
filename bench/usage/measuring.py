"""The part `usage`: searches over HTTP with access tracking and without, by turns in one run, and the processor's time
of the two web servers; then how fast the job records what waits."""

import http.client
import json
import os
import random
import time
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bench import database, webserver
from bench.corpus import Corpus
from bench.product import leave_database, use_database
from bench.tenants import LARGE, tenant_of
from bench.timing import milliseconds

#: What is promised: so much more for a search, in ms at the 95th percentile, and in percent of the processor's time.
GOAL_MS, GOAL_CPU = 2.0, 5.0
#: How many results each kind of search asks for.
LIMITS = (10, 50, 200)
WARMING = 20

_APPLICATION, _UNTRACKED = "memory_project.asgi:application", "bench.usage.untracked:application"


@dataclass(frozen=True, slots=True, eq=False)
class _Server:
    """A running web server with one connection to it; `headers` go with each request."""

    pid: int
    connection: http.client.HTTPConnection
    headers: dict[str, str]

    def search(self, body: bytes) -> float:
        """Seconds until the whole answer is there. Raises SystemExit for a refusal."""
        began = time.perf_counter()
        self.connection.request("POST", "/api/v1/chunks/search", body, self.headers)
        answer = self.connection.getresponse()
        content = answer.read()
        taken = time.perf_counter() - began
        if answer.status != http.client.OK:
            raise SystemExit(f"a search was answered with {answer.status}: {content[:500]!r}")
        return taken

    def processor_seconds(self) -> float:
        """What its processes have used of the processor so far."""
        return sum(_used(place, self.pid) for place in Path("/proc").glob("[0-9]*/stat"))


def _used(place: Path, session: int) -> float:
    try:
        fields = place.read_text().rpartition(")")[2].split()
    except OSError:  # it has ended
        return 0.0
    # after the name: state, parent, group, session; 11 and 12 are the ticks in user and system mode
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK") if int(fields[3]) == session else 0.0


def measure(name: str, seconds: float, say: Callable[[str], None]) -> list[dict[str, Any]]:
    """The rows, of `seconds` for each number of results, in the generated database `name`."""
    use_database(name)
    key = tenant_of(name, LARGE).issue_key()
    leave_database()
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    variables = {**database.environment(name), "SECRET_KEY": uuid.uuid4().hex}
    tracked = replace(webserver.default(), variables={"WEB_WORKERS": "1"})
    untracked = replace(
        tracked, command=tuple(_UNTRACKED if part == _APPLICATION else part for part in tracked.command)
    )
    rows = []
    with ExitStack() as stack:
        servers = []
        for server, more in ((tracked, {"X-Session-Id": "bench"}), (untracked, {})):
            port, pid = stack.enter_context(webserver.started(server, variables))
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
            stack.callback(connection.close)
            servers.append(_Server(pid, connection, {**headers, **more}))
        for limit in LIMITS:
            say(f"searching for {limit} results with access tracking and without")
            rows += _compared(servers[0], servers[1], limit, seconds)
    return [*rows, _recording(name)]


def _compared(tracked: _Server, untracked: _Server, limit: int, seconds: float) -> list[dict[str, Any]]:
    corpus, chance = Corpus("usage", 1_000_000), random.Random(limit)
    taken: dict[_Server, list[float]] = {tracked: [], untracked: []}
    used: dict[_Server, float] = {}
    for warm in (True, False):
        if not warm:
            used = {one: one.processor_seconds() for one in taken}
        began, number = time.perf_counter(), 0
        while number < WARMING if warm else time.perf_counter() - began < seconds:
            query = corpus.question(chance)
            body = json.dumps({"query": query, "limit": limit, "mode": "keyword"}).encode()
            for one in (tracked, untracked) if number % 2 else (untracked, tracked):
                second = one.search(body)
                if not warm:
                    taken[one].append(second)
            number += 1
    cpu = {one: (one.processor_seconds() - used[one]) / len(taken[one]) * 1000 for one in taken}
    ms = {one: milliseconds(taken[one]) for one in taken}
    more_ms = round(ms[tracked]["p95"] - ms[untracked]["p95"], 3)
    # the system counts whole ticks, of which a few searches may take none
    more_cpu = round((cpu[tracked] / cpu[untracked] - 1) * 100, 1) if cpu[untracked] else 0.0
    case = f"a search for {limit} results"
    times = {
        f"{name}_{which}": ms[one][which]
        for name, one in (("with", tracked), ("without", untracked))
        for which in ("p50", "p95")
    }
    return [
        {
            "case": f"access tracking, added to {case} at p95",
            "figure": more_ms,
            "unit": "ms",
            "goal": f"<= {GOAL_MS:g} {'kept' if more_ms <= GOAL_MS else 'missed'}",
            **times,
            "searches": len(taken[tracked]),
        },
        {
            "case": f"access tracking, added to the processor's time of {case}",
            "figure": more_cpu,
            "unit": "%",
            "goal": f"<= {GOAL_CPU:g} {'kept' if more_cpu <= GOAL_CPU else 'missed'}",
            "with_ms": round(cpu[tracked], 2),
            "without_ms": round(cpu[untracked], 2),
        },
    ]


def _recording(name: str) -> dict[str, Any]:
    """How many deliveries a second the job records of what the searches left."""
    use_database(name)
    from memory.usage import deliveries

    began = time.perf_counter()
    recorded = deliveries.record_deliveries()
    taken = time.perf_counter() - began
    leave_database()
    return {
        "case": "deliveries recorded by the job",
        "figure": round(recorded / taken),
        "unit": "/s",
        "goal": "",
        "recorded": recorded,
    }
