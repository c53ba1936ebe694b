"""What the stack takes and what waits in it, looked at every few seconds."""

import re
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import psycopg

from bench.stack import Stack

#: What a job still has to do, by the statement that counts it.
BACKLOGS = {
    "chunks whose words in context are missing": "SELECT count(*) FROM memory_pendingcontext",
    "chunks to be embedded": "SELECT count(*) FROM memory_embeddingitem WHERE state = 'waiting'",
    "chunks whose promotion is due": "SELECT count(*) FROM memory_promotiondue WHERE due_at <= now()",
    "events without a leaf": (
        "SELECT count(*) FROM memory_event e WHERE NOT EXISTS"
        " (SELECT FROM governance_leaf l WHERE l.tenant_id = e.tenant_id AND l.row_id = e.id AND l.kind = 'event')"
    ),
}
#: By the database: of the sessions of other roles, their kind is not shown to this one.
_CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Sample:
    """One look: seconds since the start, MiB of memory by kind of process, connections to PostgreSQL, open files of
    the web server, and what waits."""

    at: float
    memory: dict[str, float]
    connections: int
    files: int
    waiting: dict[str, int]


def look(stack: Stack, began: float) -> Sample:
    """One sample of the running stack."""
    memory: defaultdict[str, float] = defaultdict(float)
    files = 0
    for process in stack.processes():
        try:
            kind = _kind(process)
            memory[kind] += (_anonymous(process) if kind == "PostgreSQL" else process.memory_full_info().pss) / _MIB
            files += process.num_fds() if kind == "web" else 0
        except (psutil.NoSuchProcess, ProcessLookupError, FileNotFoundError):
            continue
    with stack.connect() as connection:
        connections = _count(connection, _CONNECTIONS)
        waiting = {name: _count(connection, query) for name, query in BACKLOGS.items()}
    return Sample(round(time.monotonic() - began, 1), dict(memory), connections, files, waiting)


def errors(stack: Stack) -> list[str]:
    """The lines of the logs that tell of an error."""
    found = []
    for log in sorted((stack.home / "log").glob("*.log*")):
        lines = log.read_text(errors="replace").splitlines()
        found += [f"{log.name}: {line[:3000]}" for line in lines if '"ERROR"' in line or '"CRITICAL"' in line]
    return found


def _anonymous(process: psutil.Process) -> int:
    """Bytes of a process of PostgreSQL that are not its shared buffers: these fill up to their size, which is set, and
    count as a process's own as long as no other has used the same page."""
    rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss_Anon: +([0-9]+) kB$", rollup, re.MULTILINE)
    if found is None:
        raise SystemExit("This kernel does not say how much memory is anonymous (Pss_Anon in smaps_rollup).")
    return int(found[1]) * 1024


def _count(connection: "psycopg.Connection[tuple[Any, ...]]", query: str) -> int:
    rows = connection.execute(query.encode()).fetchall()
    return int(rows[0][0])


def _kind(process: psutil.Process) -> str:
    command = " ".join(process.cmdline())
    kinds = {"granian": "web", "celery": "beat" if " beat" in command else "worker", "postgres": "PostgreSQL"}
    kinds |= {"valkey": "Valkey", "capture.entry": "watch", "memory_project.stack": "supervisor"}
    return next((kind for word, kind in kinds.items() if word in command or word in process.name()), "other")
