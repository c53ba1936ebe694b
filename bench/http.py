"""Requests per second and their latency through the real web server, with some callers at once."""

import uuid
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

from bench import database, load, webserver
from bench.product import leave_database, use_database
from bench.tenants import LARGE, tenant_of
from bench.timing import milliseconds

CALLERS = 4
#: Into how many parts the time of a server is divided where several are called in turn.
TURNS = 5
#: What servers are compared by: a write and a read that the database answers quickly.
COMPARED = ("record 1 event", "search, rare term")


@dataclass(frozen=True, slots=True)
class _Target:
    """A running web server, and the key and the chunks to ask it with."""

    server: str
    port: int
    key: str
    ids: Sequence[str]


def measure(names: Sequence[str], seconds: float) -> list[list[dict[str, Any]]]:
    """Every scenario for `seconds` each on the server that `make up` starts, for each of the databases, which are
    changed. They are called in turn, so that what else the machine does meanwhile disturbs all of them alike."""
    server = webserver.default()
    with ExitStack() as stack:
        targets = [_start(stack, server, name, *_prepare(name)) for name in names]
        return _rows_of(targets, load.SCENARIOS, seconds)


def compare(name: str, seconds: float) -> list[dict[str, Any]]:
    """The scenarios `COMPARED`, called in turn, on every server and setting to choose from. The database `name` is
    changed."""
    prepared = _prepare(name)
    with ExitStack() as stack:
        targets = [_start(stack, server, name, *prepared) for server in webserver.to_compare()]
        rows = [row for rows in _rows_of(targets, COMPARED, seconds) for row in rows]
    return sorted(rows, key=lambda row: (row["case"], -row["per_second"]))


def _start(stack: ExitStack, server: webserver.WebServer, name: str, key: str, ids: list[str]) -> _Target:
    port = stack.enter_context(webserver.running(server, _variables(name)))
    return _Target(server.name, port, key, ids)


def _rows_of(targets: Sequence[_Target], scenarios: Iterable[str], seconds: float) -> list[list[dict[str, Any]]]:
    rows: list[list[dict[str, Any]]] = [[] for _ in targets]
    turns = TURNS if len(targets) > 1 else 1
    with load.processes(CALLERS) as pool:
        for scenario in scenarios:
            done: list[list[load.Called]] = [[] for _ in targets]
            for turn in range(turns):
                for target, called in zip(targets, done, strict=True):
                    called += load.call_together(pool, _callers(target, scenario, seconds / turns, turn, turns))
            for target, called, own in zip(targets, done, rows, strict=True):
                own.append(_row(target.server, scenario, called))
    return rows


def _prepare(name: str) -> tuple[str, list[str]]:
    """A new key of the generated agent, and ids of chunks that it may see, never edited."""
    use_database(name)
    from governance import gate
    from memory.models import EffectiveChunk

    tenant = tenant_of(name, LARGE)
    key = tenant.issue_key()
    with gate.tenant(tenant.id):
        seen = EffectiveChunk.objects.filter(
            tenant_id=tenant.id, edits_applied=0, is_retracted=False, sensitivity__in=["none", "low"]
        )
        ids = [str(chunk_id) for chunk_id in seen.order_by("ts").values_list("id", flat=True)[:20_000]]
    leave_database()
    return key, ids


def _variables(name: str) -> dict[str, str]:
    return {**database.environment(name), "SECRET_KEY": uuid.uuid4().hex}


def _callers(target: _Target, scenario: str, seconds: float, turn: int, turns: int) -> list[load.Caller]:
    return [
        load.Caller(target.port, target.key, scenario, seconds, place, CALLERS * turns, tuple(target.ids))
        for place in range(CALLERS * turn, CALLERS * (turn + 1))
    ]


def _row(server: str, scenario: str, done: list[load.Called]) -> dict[str, Any]:
    for one in done:
        if one.refused:
            raise SystemExit(one.refused)
    taken = [second for one in done for second in one.seconds]
    return {
        "server": server,
        "case": scenario,
        # each caller waits for its answer: together they make this many a second
        "per_second": round(CALLERS * len(taken) / sum(taken), 1),
        "ms": milliseconds(taken),
        "requests": len(taken),
        "goal_p95_ms": load.SCENARIOS[scenario],
        "callers": CALLERS,
    }
