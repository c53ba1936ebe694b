"""`make profile REQUEST=search`: where the time of one request goes, in the code that runs.

Requests are answered in this process by the whole of Django, as the web server has it: middleware, REST framework,
services and database. pyinstrument samples where Python is, and each round trip to the database is timed with the
function that it calls. What the web server itself takes, and the way of the answer, is not in it.
"""

import argparse
import io
import logging
import re
import statistics
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import servers, sizes
from bench.corpus import SUBJECT, TERMS

WARMING = 20
#: Seconds between two samples.
INTERVAL = 0.0002
#: The requests that are drawn, by their names in bench/load.py.
DRAWN = {"bundle": "context bundle, 65,000 tokens", "record": "record 1 event", "amend": "amend a chunk"}
REQUESTS = ("search", "list", "get", "timeline", *DRAWN)
_ROOT = Path(__file__).resolve().parents[1]
#: Layers by the beginning of a file's path below the clone or site-packages; the first that fits.
_LAYERS = {
    "memory_project/db/": "database driver and waiting",
    "psycopg": "database driver and waiting",
    "django/db/": "Django's database layer",
    "governance/database/": "calls of SQL functions",
    "rest_framework/": "REST framework",
    "drf_spectacular/": "REST framework",
    "governance/http/": "our views: authentication, parsing, answers",
    "memory/api/": "our views: authentication, parsing, answers",
    "memory_project/": "our middleware and log",
    "memory/usage/": "access tracking",
    "governance/": "our services",
    "memory/": "our services",
    "capsules/": "our services",
    "django/": "Django: middleware, routing, requests",
    "csp/": "Django: middleware, routing, requests",
    "axes/": "Django: middleware, routing, requests",
    "whitenoise/": "Django: middleware, routing, requests",
    "redis/": "Valkey",
}
_CALLED = re.compile(r"\b(?:FROM|LATERAL|SELECT|CALL)\s+(\w+)\s*\(", re.IGNORECASE)


@dataclass(slots=True)
class Profile:
    """Seconds of each request; of all together, seconds by layer; and seconds of each round trip by what it asks."""

    seconds: list[float] = field(default_factory=list)
    layers: Counter[str] = field(default_factory=Counter)
    trips: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="make profile", description=__doc__)
    parser.add_argument("--request", choices=REQUESTS, default="search")
    parser.add_argument("--size", choices=sizes.NAMED, help="of the generated database, instead of --chunks")
    parser.add_argument("--chunks", type=int, default=10_000, help="of the generated database, which is kept (10000)")
    parser.add_argument("--number", type=int, default=300, help="of requests (300)")
    parser.add_argument("--tree", action="store_true", help="also the calls of Python, as pyinstrument prints them")
    options = parser.parse_args(arguments)
    if options.number < 1 or options.chunks < 100:
        parser.error("at least a request, and 100 chunks")
    chunks = sizes.NAMED[options.size] if options.size else options.chunks
    with servers.running():
        _profile(options.request, sizes.Size(chunks, chunks // 10, has_meaning=False), options.number, options.tree)
    return 0


def _profile(request: str, size: sizes.Size, number: int, has_tree: bool) -> None:
    from bench import database, generate, product

    if not database.is_current(size.name):
        print(f"{size.name}: {sizes.require_room(size.bytes_needed)}")
        generate.generate(size, print)
    copy = product.copy_of(size.name)
    try:
        profile, tree = measure(copy, request, number)
    finally:
        product.leave_database()
        database.drop(copy)
    console = Console(width=None if sys.stdout.isatty() else 140)
    show(console, request, profile)
    if has_tree:
        console.print(tree, markup=False, highlight=False)


def measure(name: str, request: str, number: int) -> tuple[Profile, str]:
    """Answer `number` requests of the database `name`, half of them timed without the profiler, half with it. Returns
    what they took, and the calls as text. Raises SystemExit for an answer that is no success."""
    from bench import http, load
    from bench.product import use_database

    key, ids = http.prepare(name)
    use_database(name)
    from django.conf import settings
    from django.test import Client
    from pyinstrument import Profiler

    asked: dict[str, Callable[[int], tuple[str, str, Any]]] = {
        "search": lambda _: ("POST", "chunks/search", {"query": TERMS["rare"][0], "limit": 20, "mode": "keyword"}),
        "list": lambda _: ("GET", f"chunks?subject_type={SUBJECT[0]}&subject_id={SUBJECT[1]}&limit=50", None),
        "get": lambda n: ("POST", "chunks/get", {"chunk_ids": [ids[(n * 50 + i) % len(ids)] for i in range(50)]}),
        "timeline": lambda n: ("GET", f"chunks/{ids[n % len(ids)]}/timeline?window_seconds=3600&limit=50", None),
    }
    if request in DRAWN:
        draw = load.requests_of(load.Caller(0, key, DRAWN[request], 0, 0, 1, tuple(ids)))
        asked[request] = lambda _: draw()
    host = next((one for one in settings.ALLOWED_HOSTS if one not in {"*", ""}), "localhost").lstrip(".")
    client = Client(headers={"Authorization": f"Bearer {key}", "Host": host})

    def send(place: int) -> float:
        method, path, body = asked[request](place)
        more = {"Idempotency-Key": f"profile-{time.time_ns()}"} if request in ("record", "amend") else {}
        started = time.perf_counter()
        answer = client.generic(
            method, f"/api/v1/{path}", _json(body), "application/json", secure=not settings.DEBUG, headers=more
        )
        seconds = time.perf_counter() - started
        if answer.status_code >= 300:
            raise SystemExit(f"{method} {path} was answered with {answer.status_code}: {answer.content[:500]!r}")
        return seconds

    _log_to_nowhere()
    profile = Profile()
    for place in range(WARMING):
        send(place)
    with _timed(profile.trips):
        profile.seconds = [send(WARMING + place) for place in range(number)]
    profiler = Profiler(interval=INTERVAL)
    with profiler:
        for place in range(number):
            send(WARMING + number + place)
    session = profiler.last_session
    assert session is not None
    frame = session.root_frame(trim_stem=False)
    if frame is not None:
        _add(profile.layers, frame, "the profiler")
    return profile, profiler.output_text(color=False)


def show(console: Console, request: str, profile: Profile) -> None:
    """Print the two tables."""
    number = len(profile.seconds)
    whole = statistics.median(profile.seconds) * 1000
    sampled = sum(profile.layers.values())
    table = Table(title=f"Where {request} is: {whole:.2f} ms in the median of {number} requests, without the profiler")
    table.add_column("layer")
    for column in ("ms a request, with the profiler", "share (%)"):
        table.add_column(column, justify="right")
    for layer, spent in profile.layers.most_common():
        table.add_row(layer, f"{spent / number * 1000:.3f}", f"{100 * spent / sampled:.1f}")
    console.print(table)
    table = Table(title="Round trips to the database")
    table.add_column("asks")
    for column in ("a request", "p50 (ms)", "ms a request"):
        table.add_column(column, justify="right")
    for asks, seconds in sorted(profile.trips.items(), key=lambda one: -sum(one[1])):
        table.add_row(
            asks,
            f"{len(seconds) / number:.2f}",
            f"{statistics.median(seconds) * 1000:.3f}",
            f"{sum(seconds) / number * 1000:.3f}",
        )
    trips = [second for seconds in profile.trips.values() for second in seconds]
    table.add_row("all", f"{len(trips) / number:.2f}", "", f"{sum(trips) / number * 1000:.3f}")
    console.print(table)


def asks(sql: str) -> str:
    """What a statement asks, in a word or two: the functions that it calls, or its beginning."""
    called = dict.fromkeys(_CALLED.findall(sql))
    return ", ".join(f"{name}()" for name in called) or " ".join(sql.split()[:3])[:40]


def _log_to_nowhere() -> None:
    """Keep the request log from the terminal: it takes its time, and is not shown."""
    for name in ("", *logging.root.manager.loggerDict):
        for handler in logging.getLogger(name).handlers:
            if isinstance(handler, logging.StreamHandler):
                handler.setStream(io.StringIO())


@contextmanager
def _timed(trips: dict[str, list[float]]) -> Iterator[None]:
    """Within the block every statement of Django's connections adds its seconds to `trips`."""
    from django.db import connections

    def timed(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]) -> Any:
        started = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            trips[asks(sql)].append(time.perf_counter() - started)

    with ExitStack() as stack:
        for alias in connections:
            stack.enter_context(connections[alias].execute_wrapper(timed))
        yield


def _add(layers: Counter[str], frame: Any, parent: str) -> None:
    """Add a frame's own seconds to its layer. The seconds of Python's standard library and of built-in functions count
    for the layer of the caller."""
    layer = parent
    if frame.file_path and (found := layer_of(frame.file_path)):
        layer = found
    layers[layer] += frame.time - sum(child.time for child in frame.children)
    for child in frame.children:
        if child.is_synthetic:
            layers[layer] += child.time
        else:
            _add(layers, child, layer)


def layer_of(file: str) -> str | None:
    """The layer of a file; None for one of Python's own library."""
    for root in ("site-packages/", f"{_ROOT}/"):
        if root in file:
            below = file.rpartition(root)[2]
            return next(
                (layer for beginning, layer in _LAYERS.items() if below.startswith(beginning)), "other packages"
            )
    return None


def _json(body: Any) -> bytes:
    import orjson

    return b"" if body is None else orjson.dumps(body)


if __name__ == "__main__":
    raise SystemExit(main())
