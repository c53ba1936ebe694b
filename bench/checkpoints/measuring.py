"""The part `checkpoints`: a database, a web server and a directory of its own, and states of 5 MiB over HTTP."""

import http.client
import json
import os
import random
import statistics
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from bench import database, tenants, webserver
from bench.corpus import Corpus
from bench.product import leave_database, use_database
from memory.checkpoints.members import MAX_BYTES, MIB

DATABASE = "suture_bench_checkpoints"
#: What is promised of a state of 5 MiB: the 95th percentile in ms.
SAVE_MS, RESTORE_MS = 150.0, 100.0
STATE_BYTES = 5 * MIB
WARMING = 3

Rows = list[dict[str, Any]]


class Agent:
    """An agent over one connection that stays open."""

    def __init__(self, port: int, key: str) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: bytes = b"") -> bytes:
        """The answer to a request, which must succeed."""
        self._connection.request(method, f"/api/v1/{path}", body, self._headers)
        response = self._connection.getresponse()
        answer = response.read()
        if response.status >= http.client.MULTIPLE_CHOICES:
            raise RuntimeError(f"{method} {path}: {response.status} {answer[:500].decode(errors='replace')}")
        return answer

    def save(self, session: str, body: bytes) -> str:
        """Make a checkpoint; answers its id."""
        return str(json.loads(self.ask("POST", f"sessions/{session}/checkpoints", body))["id"])

    def restore(self, checkpoint: str) -> bytes:
        """Restore a checkpoint; answers the JSON."""
        return self.ask("POST", f"checkpoints/{checkpoint}/restore", b"{}")


def measure(runs: int, checkpoints: int, say: Callable[[str], None]) -> Rows:
    """The figures of `runs` states of 5 MiB saved and restored by one agent, of the largest state that there may be,
    and of `checkpoints` of 5 MiB in one tenant."""
    database.create(DATABASE)
    try:
        key = _key()
        with tempfile.TemporaryDirectory(prefix="suture-bench-") as root, _settings(root, checkpoints):
            variables = {**database.environment(DATABASE), **_variables(root, checkpoints)}
            with webserver.running(webserver.default(), variables) as port:
                agent = Agent(port, key)
                say("saving and restoring states of 5 MiB")
                rows = _one_by_one(agent, runs)
                say("saving and restoring a state of 64 MiB")
                rows += _largest(agent)
                say(f"saving {checkpoints:,} states of 5 MiB")
                rows += _many(agent, checkpoints, Path(root))
    finally:
        leave_database()
        database.drop(DATABASE)
    return rows


def _variables(root: str, checkpoints: int) -> dict[str, str]:
    return {
        "SECRET_KEY": uuid.uuid4().hex,
        "CHECKPOINT_ROOT": root,
        "CHECKPOINT_KEEP": str(max(1, checkpoints // 2)),
        "CHECKPOINT_QUOTA_MIB": str(1024 * 1024),
    }


@contextmanager
def _settings(root: str, checkpoints: int) -> Iterator[None]:
    """This process prunes, in the same directory."""
    from django.conf import settings
    from django.test.utils import override_settings

    directory = {"BACKEND": "memory.checkpoints.storage.DirectoryStorage", "OPTIONS": {"location": root}}
    with override_settings(
        STORAGES={**settings.STORAGES, "checkpoints": directory}, CHECKPOINT_KEEP=max(1, checkpoints // 2)
    ):
        yield


def _key() -> str:
    use_database(DATABASE)
    with database.owner(DATABASE) as connection:
        tenant = tenants.provision(tenants.LARGE, connection)
    return tenant.issue_key()


def state(size: int, number: int = 0) -> bytes:
    """A body of about this many bytes: messages, events with ids and vectors, and variables, as agents have them."""
    corpus, chance = Corpus(f"state {number}", 1_000_000), random.Random(number)
    messages: list[dict[str, Any]] = []
    events: list[dict[str, Any]] = []
    written = 0
    while written < size:
        messages.append({"id": str(uuid.UUID(int=chance.getrandbits(128))), "role": "user", "content": corpus.text()})
        events.append(
            {"event": "tool", "at": chance.random(), "vector": [chance.random() for _ in range(8)], "ok": True}
        )
        written += len(json.dumps(messages[-1])) + len(json.dumps(events[-1])) + 4
    fields = {"repl_state": {f"x{n}": n for n in range(100)}, "messages": messages, "trajectory_events": events}
    return json.dumps({**fields, "cost_so_far": 1.25}).encode()


def _one_by_one(agent: Agent, runs: int) -> Rows:
    bodies = [state(STATE_BYTES, number) for number in range(4)]
    saved, restored, reported = [], [], []
    for number in range(runs + WARMING):
        body = bodies[number % len(bodies)]
        made, seconds = _timed(partial(agent.save, f"one-{number}", body))
        saved.append(seconds)
        restored.append(_timed(partial(agent.restore, made))[1])
        turn = b'{"turn": 1, ' + body[1:]
        reported.append(_timed(partial(agent.ask, "PUT", f"sessions/t-{number}/turn", turn))[1])
    return [
        _row("save a state of 5 MiB", saved[WARMING:], SAVE_MS),
        _row("restore a state of 5 MiB", restored[WARMING:], RESTORE_MS),
        _row("report a turn with a state of 5 MiB, no checkpoint due", reported[WARMING:], None),
    ]


def _largest(agent: Agent) -> Rows:
    body = json.dumps({"working_memory": "0123456789abcdef" * (MAX_BYTES // 16 - 64)}).encode()
    made, saving = _timed(lambda: agent.save("largest", body))
    restoring = _timed(lambda: agent.restore(made))[1]
    return [_row("save a state of 64 MiB", [saving], None), _row("restore a state of 64 MiB", [restoring], None)]


def _many(agent: Agent, checkpoints: int, root: Path) -> Rows:
    from memory.checkpoints import removing

    bodies = [state(STATE_BYTES, number) for number in range(8)]
    ids = []
    saved = []
    for number in range(checkpoints):
        made, seconds = _timed(partial(agent.save, "many", bodies[number % len(bodies)]))
        ids.append(made)
        saved.append(seconds)
    stored = sum(path.stat().st_size for path in (root).rglob("*.zst")) / MIB
    chosen = random.Random(0).sample(ids, min(30, len(ids)))
    restored = [_timed(partial(agent.restore, one))[1] for one in chosen]
    listed = [_timed(lambda: agent.ask("GET", "sessions/many/checkpoints?limit=50"))[1] for _ in range(30)]
    pruned, pruning = _timed(lambda: (removing.prune(), removing.delete_files()))
    return [
        _row(f"save the last of {checkpoints:,} states of 5 MiB", saved[-50:], SAVE_MS),
        _row(f"restore one of {checkpoints:,}", restored, RESTORE_MS),
        _row(f"list 50 of {checkpoints:,}", listed, None),
        {"case": f"prune {pruned[0]:,} and delete their files", "figure": round(pruning, 2), "unit": "s", "goal": ""},
        {"case": f"all files of {checkpoints:,}", "figure": round(stored), "unit": "MiB", "goal": ""},
        {"case": "processors", "figure": os.cpu_count() or 0, "unit": "", "goal": ""},
    ]


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What the work answers, and how many seconds it took."""
    started = time.perf_counter()
    found = work()
    return found, time.perf_counter() - started


def _row(case: str, seconds: list[float], goal_ms: float | None) -> dict[str, Any]:
    ordered = sorted(one * 1000 for one in seconds)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return {
        "case": f"{case}, p95",
        "figure": round(p95, 1),
        "unit": "ms",
        "goal": "" if goal_ms is None else f"{goal_ms:g}",
        "p50_ms": round(statistics.median(ordered), 1),
        "runs": len(ordered),
    }
