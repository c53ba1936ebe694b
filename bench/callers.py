"""The part `callers`: reads over HTTP with 1, 4, 16 and 64 callers, of the product and, in turn in the same run on the
same database, of a bare asyncpg caller of the same gate functions (`bench.floor`).

Both sides wait for the same work of PostgreSQL. What it takes of the processors is measured too: where it is the most
of a request, no caller can be much faster than another.
"""

import os
import random
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any

from bench import connections, database, http, webserver
from bench.corpus import SUBJECT, TERMS
from bench.timing import milliseconds

#: What is promised of a search with so many callers: so many times the requests a second of the bare caller.
GOAL, GOAL_CALLERS = 1.3, 4
#: Into how many parts the time of a case is divided, half of them each side's.
TURNS = 4
FOUND, LISTED, GOT = 20, 50, 50


def measure(name: str, seconds: float, numbers: Sequence[int]) -> list[dict[str, Any]]:
    """A row for each request and each of the `numbers` of callers; each side is called for `seconds`. The database
    `name` is changed by what the product notes of the reads."""
    key, ids = http.prepare(name)
    variables = http.variables(name)
    rows = []
    with ExitStack() as stack:
        product = stack.enter_context(webserver.running(webserver.default(), variables))
        bare = stack.enter_context(webserver.running(_bare(), variables))
        for callers in numbers:
            for case, draw in _requests(ids).items():
                taken: dict[int, list[float]] = {product: [], bare: []}
                in_database = {product: 0.0, bare: 0.0}
                for turn in range(TURNS):
                    for port in (product, bare) if turn % 2 else (bare, product):
                        draws = [partial(draw, random.Random(f"{turn} {place}")) for place in range(callers)]
                        before = database.processor_seconds(name)
                        taken[port] += connections.call(port, key, draws, seconds / TURNS)
                        after = database.processor_seconds(name)
                        in_database[port] += sum(spent - before.get(pid, 0) for pid, spent in after.items())
                sides = {
                    side: _side(taken[port], callers, in_database[port])
                    for side, port in (("product", product), ("bare", bare))
                }
                ratio = sides["product"]["per_second"] / sides["bare"]["per_second"]
                is_promised = case.startswith("search") and callers == GOAL_CALLERS
                rows.append(
                    {
                        "case": case,
                        "callers": callers,
                        **sides,
                        "ratio": round(ratio, 2),
                        "goal": GOAL if is_promised else None,
                    }
                )
    return rows


def _bare() -> webserver.WebServer:
    """The bare caller behind the server that `make up` starts, with as many workers."""
    made_up = webserver.default()
    command = [
        "bench.floor:application" if part == "memory_project.asgi:application" else part for part in made_up.command
    ]
    if command == list(made_up.command):
        raise SystemExit("The web server of `make up` serves another application than memory_project.asgi.")
    return webserver.WebServer("bare asyncpg", tuple(command), {"PYTHONPATH": str(webserver.ROOT)})


def _side(taken: list[float], callers: int, in_database: float) -> dict[str, Any]:
    """`database_ms` is what a request takes of the processor in PostgreSQL, the requests that warm up counted with it;
    `database_share` is that of all processors, in percent, while the callers call."""
    # each caller waits for its answer: together they make this many a second
    per_second = callers * len(taken) / sum(taken)
    database_ms = 1000 * in_database / (len(taken) + TURNS * callers * connections.WARMING)
    return {
        "per_second": round(per_second, 1),
        "ms": milliseconds(taken),
        "database_ms": round(database_ms, 3),
        "database_share": round(database_ms * per_second / 10 / (os.cpu_count() or 1), 1),
        "requests": len(taken),
    }


def _requests(ids: list[str]) -> dict[str, Callable[[random.Random], connections.Request]]:
    """The requests, with values drawn for each; both sides search by words alone."""

    def search(term: str, _: random.Random) -> connections.Request:
        return "POST", "chunks/search", {"query": term, "limit": FOUND, "mode": "keyword"}

    def get(chance: random.Random) -> connections.Request:
        return "POST", "chunks/get", {"chunk_ids": chance.sample(ids, min(GOT, len(ids)))}

    def listed(_: random.Random) -> connections.Request:
        return "GET", f"chunks?subject_type={SUBJECT[0]}&subject_id={SUBJECT[1]}&limit={LISTED}", None

    def timeline(chance: random.Random) -> connections.Request:
        return "GET", f"chunks/{chance.choice(ids)}/timeline?window_seconds=3600&limit={GOT}", None

    return {
        **{f"search, {kind} term, top {FOUND}": partial(search, term) for kind, (term, _) in TERMS.items()},
        f"list {LISTED} of a subject": listed,
        f"get {GOT} random ids": get,
        f"timeline, {GOT}": timeline,
    }
