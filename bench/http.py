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
#: How many memories of its own the agent has at first.
COMMITTED = 200
#: What servers are compared by: a write and a read that the database answers quickly.
COMPARED = ("record 1 event", "search, rare term")


@dataclass(frozen=True, slots=True)
class Target:
    """A running web server, and the key and the chunks to ask it with."""

    server: str
    port: int
    key: str
    ids: Sequence[str] = ()


def measure(names: Sequence[str], seconds: float) -> list[list[dict[str, Any]]]:
    """Every scenario for `seconds` each on the server that `make up` starts, for each of the databases, which are
    changed. They are called in turn, so that what else the machine does meanwhile disturbs all of them alike."""
    server = webserver.default()
    with ExitStack() as stack:
        targets = [_start(stack, server, name, *prepare(name)) for name in names]
        return rows_of(targets, load.SCENARIOS, seconds)


def measure_agents(name: str, seconds: float) -> list[dict[str, Any]]:
    """The requests of an agent's own memory, for one caller and for `CALLERS` at once. The database `name` is changed:
    the agent gets blocks and memories first."""
    with ExitStack() as stack:
        target = _start(stack, webserver.default(), name, *prepare(name))
        _remember(target)
        return [
            {**row, "case": f"{row['case']}, {callers} caller{'s' * (callers > 1)}"}
            for callers in (1, CALLERS)
            for row in rows_of([target], load.OF_AGENTS, seconds, callers)[0]
        ]


def _remember(target: Target) -> None:
    """Give the agent its four blocks and some memories of its own, by requests."""
    for label in ("persona", "user_profile", "goals", "knowledge"):
        load.post(target.port, target.key, "tools/block_update", {"label": label, "content": f"My {label} is short."})
    for number in range(COMMITTED):
        load.post(target.port, target.key, "tools/memory_commit", {"content": f"Customer {number} prefers tea."})


def compare(name: str, seconds: float) -> list[dict[str, Any]]:
    """The scenarios `COMPARED`, called in turn, on every server and setting to choose from. The database `name` is
    changed."""
    prepared = prepare(name)
    with ExitStack() as stack:
        targets = [_start(stack, server, name, *prepared) for server in webserver.to_compare()]
        rows = [row for rows in rows_of(targets, COMPARED, seconds) for row in rows]
    return sorted(rows, key=lambda row: (row["case"], -row["per_second"]))


def _start(stack: ExitStack, server: webserver.WebServer, name: str, key: str, ids: list[str]) -> Target:
    port = stack.enter_context(webserver.running(server, variables(name)))
    return Target(server.name, port, key, ids)


def rows_of(
    targets: Sequence[Target], scenarios: Iterable[str], seconds: float, callers: int = CALLERS
) -> list[list[dict[str, Any]]]:
    """A row for each scenario, called for `seconds`, of each of the targets."""
    rows: list[list[dict[str, Any]]] = [[] for _ in targets]
    turns = TURNS if len(targets) > 1 else 1
    with load.processes(callers) as pool:
        for scenario in scenarios:
            done: list[list[load.Called]] = [[] for _ in targets]
            for turn in range(turns):
                for target, called in zip(targets, done, strict=True):
                    called += load.call_together(
                        pool, _callers(target, scenario, seconds / turns, turn, turns, callers)
                    )
            for target, called, own in zip(targets, done, rows, strict=True):
                own.append(_row(target.server, scenario, called, callers))
    return rows


def prepare(name: str) -> tuple[str, list[str]]:
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


def variables(name: str) -> dict[str, str]:
    """What a web server needs in its environment to work on the database `name`. Its limit is checked, and is so high
    that no machine comes to it."""
    return {**database.environment(name), "SECRET_KEY": uuid.uuid4().hex, "RATE_LIMIT_KEY": "1000000000/minute"}


def _callers(target: Target, scenario: str, seconds: float, turn: int, turns: int, callers: int) -> list[load.Caller]:
    return [
        load.Caller(target.port, target.key, scenario, seconds, place, callers * turns, tuple(target.ids))
        for place in range(callers * turn, callers * (turn + 1))
    ]


def _row(server: str, scenario: str, done: list[load.Called], callers: int) -> dict[str, Any]:
    for one in done:
        if one.refused:
            raise SystemExit(one.refused)
    taken = [second for one in done for second in one.seconds]
    return {
        "server": server,
        "case": scenario,
        # each caller waits for its answer: together they make this many a second
        "per_second": round(callers * len(taken) / sum(taken), 1),
        "ms": milliseconds(taken),
        "requests": len(taken),
        "goal_p95_ms": {**load.SCENARIOS, **load.OF_AGENTS}.get(scenario),
        "callers": callers,
    }
