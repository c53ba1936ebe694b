"""Medians of two ways to do the same, taken in turn, so that a noisy machine disturbs both alike."""

import itertools
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import psycopg

WARMING = 10  # plpgsql decides on a plan for good at the sixth execution
MOST_SECONDS = 5.0

_numbers = itertools.count()

#: A statement with its parameters.
Query = tuple[str, Any]


@dataclass(frozen=True, slots=True)
class Sample:
    """One run: seconds until all rows were received, seconds with their conversion to Python, and the last rows."""

    received: float
    converted: float
    rows: list[tuple[Any, ...]]


class Prepared:
    """Statements to run one after the other, prepared on the server with their parameters in them.

    So a run is the database's work and the way of the rows: no parsing, and no parameters to convert.
    """

    def __init__(self, connection: psycopg.Connection, queries: Sequence[Query]) -> None:
        self._connection = connection
        self._statements: list[bytes] = []
        client = psycopg.ClientCursor(connection)
        for query, parameters in queries:
            name = f"bench_{next(_numbers)}"
            connection.execute(f"PREPARE {name} AS {client.mogrify(query, parameters)}".encode())
            self._statements.append(f"EXECUTE {name}".encode())

    def run(self) -> Sample:
        """Run the statements once; the sample's rows are the last one's."""
        rows: list[tuple[Any, ...]] = []
        received = 0.0
        started = time.perf_counter()
        for statement in self._statements:
            sent = time.perf_counter()
            cursor = self._connection.execute(statement, prepare=False)
            received += time.perf_counter() - sent
            rows = cursor.fetchall()
        return Sample(received, time.perf_counter() - started, rows)


class Drawn:
    """A statement with other values each time, sent as psycopg sends it: parsed, and planned with its values."""

    def __init__(self, connection: psycopg.Connection, draw: Callable[[], Query]) -> None:
        self._cursor = psycopg.ClientCursor(connection)
        self._draw = draw

    def run(self) -> Sample:
        """Draw the next statement and run it."""
        query, parameters = self._draw()
        text = self._cursor.mogrify(query, parameters)
        sent = time.perf_counter()
        self._cursor.execute(text.encode(), prepare=False)
        received = time.perf_counter() - sent
        rows = self._cursor.fetchall()
        return Sample(received, time.perf_counter() - sent, rows)


class Runs(Protocol):
    """What can be run again and again."""

    def run(self) -> Sample:
        """Run once."""


def in_turn(raw: Runs, governed: Runs, runs: int) -> tuple[list[Sample], list[Sample]]:
    """At least `runs` samples of each, A B, B A, A B ...; up to twenty times as many in 5 s."""
    for _ in range(WARMING):
        raw.run()
        governed.run()
    samples: tuple[list[Sample], list[Sample]] = ([], [])
    started = time.perf_counter()
    for number in range(20 * runs):
        if number >= runs and time.perf_counter() - started > MOST_SECONDS:
            break
        for which in (0, 1) if number % 2 else (1, 0):
            samples[which].append((raw, governed)[which].run())
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
