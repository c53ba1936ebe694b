"""The parts over HTTP: latency of four callers, events and amends per second, and a tenant beside a busy one."""

import itertools
import random
import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

from bench import load
from bench.corpus import SUBJECT, TERMS, Corpus
from bench.generate import READER, Tenant, edit
from bench.report import Rows

#: The unit of the ratios: a request that does not use the database.
NOTHING = "nothing (/healthz)"
#: The promise for four callers: the 95th percentile in ms. Requests that change data come last.
CALLERS = 4
P95: dict[str, int | None] = {
    NOTHING: None,
    "search, rare term": 100,
    "search, common term": 100,
    "search, a question": 120,
    "list 50 of a subject": 50,
    "get 50 chunks": 50,
    "recall": 80,
    "bootstrap with a question": 80,
    "context bundle, 65,000 tokens": 120,
    "create a capsule": 50,
    "record 1 event": 40,
    "capture a memory": 60,
    "amend a chunk": 50,
}
#: Events in a request, and the promise per second, for two clients; and for 16 writers in one tenant.
INGEST = {"record 1,000 events": (1_000, 3_500), "record 100 events": (100, None), "record 1 event": (1, None)}
CLIENTS, WRITERS, AMENDS = 2, 16, 400
#: Callers of a busy tenant, what they do, and the highest permitted slowdown of another tenant.
HOT_CALLERS, BESIDE, FAIRNESS = 64, ("search, common term", "amend a chunk"), 2.0
#: The number of turns into which the time of fairness is divided, half of them without the busy tenant; and how often
#: the callers reconnect in each: the kernel chooses the process of a connection, and two callers in one process wait
#: for each other.
TURNS, CONNECTIONS = 6, 4


def callers(case: str, number: int, ids: Sequence[str], chunks: int, turn: int = 0) -> list[load.Caller]:
    """Callers of a case. In each turn they draw other values, and edit other chunks."""
    return [_caller(case, number * turn + place, ids, chunks) for place in range(number)]


def _caller(case: str, place: int, ids: Sequence[str], chunks: int) -> load.Caller:
    corpus, chance = Corpus(place, chunks), random.Random(f"{case} {place}")
    to_edit = itertools.cycle(chance.sample(ids, len(ids)))

    def search(query: str, limit: int = 50) -> load.Request:
        return "POST", "chunks/search", {"query": query, "limit": limit}

    def record(number: int) -> load.Request:
        return "POST", "events/batch", {"events": [corpus.event() for _ in range(number)]}

    def bundle() -> load.Request:
        about = {"subject_type": SUBJECT[0], "subject_id": corpus.subject(), "session_id": f"session-{place}"}
        query = f"{TERMS['rare'][0]} {TERMS['medium'][0]}"
        return "POST", "acb/build", {**about, "channel": "private", "query": query}

    def capsule() -> load.Request:
        about = {"subject_type": SUBJECT[0], "subject_id": corpus.subject(), "scope": "user"}
        lent = {"audience_agent_ids": [READER], "items": {"chunks": chance.sample(ids, 5)}}
        return "POST", "capsules", {**about, **lent}

    draw: Callable[[], load.Request] = {
        NOTHING: lambda: ("GET", "/healthz", None),
        "search, rare term": lambda: search(TERMS["rare"][0]),
        "search, common term": lambda: search(TERMS["common"][0]),
        "search, a question": lambda: search(corpus.question(), 10),
        "list 50 of a subject": lambda: (
            "GET",
            f"chunks?subject_type={SUBJECT[0]}&subject_id={SUBJECT[1]}&limit=50",
            None,
        ),
        "get 50 chunks": lambda: ("POST", "chunks/get", {"chunk_ids": chance.sample(ids, 50)}),
        "recall": lambda: ("POST", "tools/memory_recall", {"query": corpus.question()}),
        "bootstrap with a question": lambda: (
            "POST",
            "context/bootstrap",
            {"session_id": f"session-{place}", "query": corpus.question()},
        ),
        "context bundle, 65,000 tokens": bundle,
        "create a capsule": capsule,
        "record 1 event": lambda: ("POST", "events", corpus.event()),
        "record 100 events": lambda: record(100),
        "record 1,000 events": lambda: record(1_000),
        "capture a memory": lambda: (
            "POST",
            "captures",
            {
                "session_id": f"session-{place}",
                "source": {"type": "HookDescription", "hook_type": "UserPromptSubmit"},
                "content": corpus.text(),
            },
        ),
        "amend a chunk": lambda: edit("amend", next(to_edit), corpus),
    }[case]
    while True:
        yield draw()


def p95(port: int, tenant: Tenant, seconds: float) -> Rows:
    """Each request by four callers for `seconds`."""
    rows: Rows = []
    for case, goal in P95.items():
        taken = load.call(port, tenant.agent, callers(case, CALLERS, tenant.ids, tenant.chunks), seconds)
        ms = percentiles(taken)
        of_nothing = rows[0]["p50_ms"] if rows else ms["p50_ms"]
        ratio = round(ms["p50_ms"] / of_nothing, 1)
        per_second = round(CALLERS * len(taken) / sum(taken))
        kept = "" if goal is None else verdict(ms["p95_ms"] <= goal)
        rows.append({"case": case, **ms, "goal": goal, "kept": kept, "times_nothing": ratio, "per_second": per_second})
    return rows


def ingest(port: int, tenant: Tenant, seconds: float) -> Rows:
    """Events per second by two clients, each with one request in progress."""
    return [_rate(port, tenant, seconds, case, CLIENTS, *of) for case, of in INGEST.items()]


def amends(port: int, tenant: Tenant, seconds: float) -> Rows:
    """Amends per second of one tenant by sixteen writers."""
    return [_rate(port, tenant, seconds, "amend a chunk", WRITERS, 1, AMENDS)]


def _rate(
    port: int, tenant: Tenant, seconds: float, case: str, number: int, size: int, goal: int | None
) -> dict[str, Any]:
    taken = load.call(port, tenant.agent, callers(case, number, tenant.ids, tenant.chunks, 1), seconds)
    rate = round(size * number * len(taken) / sum(taken))
    kept = "" if goal is None else verdict(rate >= goal)
    return {"case": case, "callers": number, "per_second": rate, "goal": goal, "kept": kept, **percentiles(taken)}


def fairness(port: int, hot: Tenant, tenant: Tenant, seconds: float) -> Rows:
    """The latency of four callers of a tenant beside 64 of another, alternating with their latency alone."""
    rows = []
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        pool.submit(_call_hot, port, hot, BESIDE[0], 0, 0).result()  # so that the process runs
        for case in BESIDE:
            taken: tuple[list[float], list[float]] = ([], [])
            for turn in range(TURNS):
                part = 2 * seconds / TURNS
                others = None
                if turn % 2:
                    others = pool.submit(_call_hot, port, hot, case, turn, part + 2)
                    time.sleep(1)
                for number in range(CONNECTIONS):
                    asking = callers(
                        "search, common term", CALLERS, tenant.ids, tenant.chunks, CONNECTIONS * turn + number
                    )
                    taken[turn % 2].extend(load.call(port, tenant.agent, asking, part / CONNECTIONS))
                if others is not None:
                    others.result()
            alone, beside = percentiles(taken[0]), percentiles(taken[1])
            ratio = round(beside["p95_ms"] / alone["p95_ms"], 2)
            rows.append(
                {
                    "case": f"search, common term, beside {HOT_CALLERS} callers ({case})",
                    "ratio": ratio,
                    "goal": FAIRNESS,
                    "kept": verdict(ratio <= FAIRNESS),
                    **{f"alone_{name}": value for name, value in alone.items()},
                    **{f"beside_{name}": value for name, value in beside.items()},
                }
            )
    return rows


def _call_hot(port: int, hot: Tenant, case: str, turn: int, seconds: float) -> int:
    return len(load.call(port, hot.agent, callers(case, HOT_CALLERS, hot.ids, hot.chunks, turn), seconds))


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Median and 95th percentile in ms, and the number of requests."""
    ordered = sorted(seconds)
    p95 = ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))]
    return {"p50_ms": round(statistics.median(ordered) * 1000, 2), "p95_ms": round(p95 * 1000, 2), "runs": len(ordered)}


def verdict(is_kept: bool) -> str:
    """The result of a goal, for the tables."""
    return "kept" if is_kept else "missed"
