"""Requests per second and their latency through the real web server, with some callers at once."""

import uuid
from contextlib import ExitStack
from typing import Any

from bench import database, load, webserver
from bench.generate import LARGE, tenant_of
from bench.product import AGENT, leave_database, use_database
from bench.timing import milliseconds

CALLERS = 4
#: Into how many parts the time of a compared server is divided.
TURNS = 5
#: What servers are compared by: a write and a read that the database answers quickly.
COMPARED = ("record 1 event", "search, rare term")


def measure(name: str, seconds: float) -> list[dict[str, Any]]:
    """Every scenario for `seconds` each on the server that `make up` starts. The database `name` is changed."""
    key, ids = _prepare(name)
    server = webserver.default()
    with webserver.running(server, _variables(name)) as port:
        return [_row(server.name, scenario, _call(port, key, scenario, seconds, ids, 0)) for scenario in load.SCENARIOS]


def compare(name: str, seconds: float) -> list[dict[str, Any]]:
    """The scenarios `COMPARED` on every server and setting to choose from. The database `name` is changed.

    All servers are started, and called in turn for a part of the time each: what else the machine does meanwhile
    disturbs all of them alike.
    """
    key, ids = _prepare(name)
    servers = webserver.to_compare()
    with ExitStack() as stack:
        ports = [stack.enter_context(webserver.running(server, _variables(name))) for server in servers]
        rows = []
        for scenario in COMPARED:
            done: dict[str, list[load.Called]] = {server.name: [] for server in servers}
            for turn in range(TURNS):
                for server, port in zip(servers, ports, strict=True):
                    done[server.name] += _call(port, key, scenario, seconds / TURNS, ids, turn)
            rows += [_row(server.name, scenario, done[server.name]) for server in servers]
    return sorted(rows, key=lambda row: (row["case"], -row["per_second"]))


def _prepare(name: str) -> tuple[str, list[str]]:
    """A new key of the generated agent, and ids of chunks that it may see, never edited."""
    use_database(name)
    from governance import gate
    from governance.models import Agent
    from governance.principals import system
    from governance.services import identities
    from memory.models import EffectiveChunk

    tenant = tenant_of(name, LARGE)
    with gate.tenant(tenant.id):
        agent = Agent.objects.get(tenant_id=tenant.id, slug=AGENT)
        key = identities.issue_key(actor=system(tenant.id, "bench"), agent=agent)
        seen = EffectiveChunk.objects.filter(
            tenant_id=tenant.id, edits_applied=0, is_retracted=False, sensitivity__in=["none", "low"]
        )
        ids = [str(chunk_id) for chunk_id in seen.order_by("ts").values_list("id", flat=True)[:20_000]]
    leave_database()
    return key, ids


def _variables(name: str) -> dict[str, str]:
    return {**database.environment(name), "SECRET_KEY": uuid.uuid4().hex}


def _call(port: int, key: str, scenario: str, seconds: float, ids: list[str], turn: int) -> list[load.Called]:
    callers = [
        load.Caller(port, key, scenario, seconds, CALLERS * turn + number, tuple(ids[number::CALLERS]))
        for number in range(CALLERS)
    ]
    done = load.call_together(callers)
    for one in done:
        if one.refused:
            raise SystemExit(one.refused)
    return done


def _row(server: str, scenario: str, done: list[load.Called]) -> dict[str, Any]:
    taken = [second for one in done for second in one.seconds]
    return {
        "server": server,
        "case": scenario,
        # each caller waits for its answer: together they make this many a second
        "per_second": round(CALLERS * len(taken) / sum(taken), 1),
        "ms": milliseconds(taken),
        "requests": len(taken),
        "callers": CALLERS,
    }
