"""The part `fairness`: what four callers of one tenant wait, alone and beside 64 callers of another."""

import multiprocessing
import time
from multiprocessing.synchronize import Event
from typing import Any

from bench import connections, http, load, webserver
from bench.product import leave_database, use_database
from bench.tenants import SMALL, tenant_of
from bench.timing import milliseconds

#: Callers of the tenant that is measured, and of the other one.
CALLERS, HOT_CALLERS = 4, 64
#: The 95th percentile beside the other tenant is at most so many times that alone.
GOAL = 2.0
#: What the measured tenant asks, and what the other one does meanwhile.
ASKED = "search, common term"
BESIDE = ("search, common term", "amend a chunk")
#: Into how many parts the time of each case is divided, half of them alone; and how often the callers connect again in
#: each. The kernel chooses the process of a connection: two callers in one process wait for each other, alone too.
TURNS, CONNECTIONS = 6, 4
#: Seconds until the hot callers are all at work.
_BEGUN = 1.0


def measure(name: str, seconds: float) -> list[dict[str, Any]]:
    """A row for each of BESIDE, `seconds` alone and `seconds` beside. The database `name` is changed."""
    hot_key, ids = http.prepare(name)
    use_database(name)
    key = tenant_of(name, SMALL).issue_key()
    leave_database()
    with webserver.running(webserver.default(), http.variables(name)) as port:
        return [_row(case, *_measured(port, key, hot_key, tuple(ids), case, seconds)) for case in BESIDE]


def _measured(
    port: int, key: str, hot_key: str, ids: tuple[str, ...], case: str, seconds: float
) -> tuple[list[float], list[float], int]:
    """Seconds of each request alone and beside, in turn, and how many requests the hot tenant made."""
    alone: list[float] = []
    beside: list[float] = []
    hot = 0
    for turn in range(TURNS):
        if turn % 2:
            with _Hot(port, hot_key, ids, case, turn) as others:
                beside += _call(port, key, seconds / TURNS * 2, turn)
            hot += others.requests
        else:
            alone += _call(port, key, seconds / TURNS * 2, turn)
    return alone, beside, hot


def _call(port: int, key: str, seconds: float, turn: int) -> list[float]:
    taken = []
    for part in range(CONNECTIONS):
        first = CALLERS * (CONNECTIONS * turn + part)
        draws = [
            load.requests_of(load.Caller(port, key, ASKED, seconds, first + place, 1, ())) for place in range(CALLERS)
        ]
        taken += connections.call(port, key, draws, seconds / CONNECTIONS)
    return taken


class _Hot:
    """The callers of the hot tenant, in a process of their own, while the context is open."""

    def __init__(self, port: int, key: str, ids: tuple[str, ...], case: str, turn: int) -> None:
        context = multiprocessing.get_context("spawn")
        self.requests = 0
        self._ends = context.Event()
        self._begins = context.Event()
        self._answers = context.Queue()
        self._process = context.Process(
            target=_call_hot,
            args=(port, key, ids, case, turn, self._begins, self._ends, self._answers),
            daemon=True,
        )

    def __enter__(self) -> "_Hot":
        self._process.start()
        if not self._begins.wait(60):
            raise SystemExit("the callers of the hot tenant did not start")
        time.sleep(_BEGUN)
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self.requests = self._answers.get(timeout=120)
        self._process.join(60)


def _call_hot(
    port: int, key: str, ids: tuple[str, ...], case: str, turn: int, begins: Event, ends: Event, answers: Any
) -> None:
    """Call in short rounds until told to end; answers the number of requests."""
    draws = [
        load.requests_of(load.Caller(port, key, case, 0, HOT_CALLERS * turn + place, HOT_CALLERS * TURNS, ids))
        for place in range(HOT_CALLERS)
    ]
    begins.set()
    answers.put(connections.call_until(port, key, draws, ends.is_set, are_writes=load.is_write(case)))


def _row(case: str, alone: list[float], beside: list[float], hot: int) -> dict[str, Any]:
    first, second = milliseconds(alone), milliseconds(beside)
    ratio = second["p95"] / first["p95"]
    return {
        "case": f"{ASKED}, {CALLERS} callers, beside {HOT_CALLERS} of another tenant ({case})",
        "figure": round(ratio, 2),
        "unit": "times its p95 alone",
        "goal": f"<= {GOAL} {'kept' if ratio <= GOAL else 'missed'}",
        "alone_p95_ms": first["p95"],
        "beside_p95_ms": second["p95"],
        "alone_p50_ms": first["p50"],
        "beside_p50_ms": second["p50"],
        "requests": len(alone) + len(beside),
        "hot_requests": hot,
    }
