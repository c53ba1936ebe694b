"""Medians of two ways to do the same, taken in turn, so that a noisy machine disturbs both alike."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

WARMING = 10  # psycopg prepares a statement at its sixth execution; plpgsql decides on its plan at the sixth too
MOST_SECONDS = 8.0

Query = tuple[str, Sequence[Any]]
#: Statements run one after the other; each gets the rows of the one before to make its query from.
Steps = Sequence[Callable[[list[tuple[Any, ...]]], Query]]


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: seconds until all rows were received, seconds with their conversion to Python, and the last rows."""

    received: float
    converted: float
    rows: list[tuple[Any, ...]]


def run(connection: psycopg.Connection, steps: Steps) -> Sample:
    """Run the steps once."""
    rows: list[tuple[Any, ...]] = []
    received = 0.0
    started = time.perf_counter()
    for step in steps:
        query, parameters = step(rows)
        sent = time.perf_counter()
        cursor = connection.execute(query.encode(), parameters)
        received += time.perf_counter() - sent
        rows = cursor.fetchall()
    return Sample(received, time.perf_counter() - started, rows)


def in_turn(
    connection: psycopg.Connection, raw: Steps, governed: Steps, runs: int
) -> tuple[list[Sample], list[Sample]]:
    """At least `runs` samples of each, A B, B A, A B ...; ten times as many where that takes less than 8 s."""
    for _ in range(WARMING):
        run(connection, raw)
        run(connection, governed)
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    started = time.perf_counter()
    for number in range(10 * runs):
        if number >= runs and time.perf_counter() - started > MOST_SECONDS:
            break
        for which in (0, 1) if number % 2 else (1, 0):
            samples[which].append(run(connection, (raw, governed)[which]))
    return samples


def milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and the extremes, in ms."""
    ordered = sorted(seconds)
    return {
        "p50": round(statistics.median(ordered) * 1000, 3),
        "p95": round(ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))] * 1000, 3),
        "min": round(ordered[0] * 1000, 3),
        "max": round(ordered[-1] * 1000, 3),
    }
