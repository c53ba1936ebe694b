"""Samples of the stack's resources and backlogs, and whether they grew."""

import re
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.report import Rows
from bench.stack import Stack

#: The backlogs of jobs, with the statements that count them.
BACKLOGS = {
    "chunks without their vector of words": "SELECT count(*) FROM memory_pendingcontext",
    "chunks to be embedded": "SELECT count(*) FROM memory_embeddingitem WHERE state = 'waiting'",
    "chunks whose promotion is due": "SELECT count(*) FROM memory_promotiondue WHERE due_at <= now()",
    "events without a leaf": (
        "SELECT count(*) FROM memory_event e WHERE NOT EXISTS"
        " (SELECT FROM governance_leaf l WHERE l.tenant_id = e.tenant_id AND l.row_id = e.id AND l.kind = 'event')"
    ),
}
CONNECTIONS, FILES, MEMORY = "connections to PostgreSQL", "open files of the web server", "MiB of "
#: The share of a run that warms caches and pools, and is ignored.
WARMING = 0.25
#: Permitted growth from the first to the last third of the rest: a share, plus MiB of memory, or connections or files.
#: Smaller differences are normal for allocators and pools.
SHARE, MIB, PIECES = 0.10, 24.0, 4


@dataclass(frozen=True, slots=True)
class Sample:
    """One sample: seconds since the start, resources and backlogs."""

    at: float
    taken: dict[str, float]
    waiting: dict[str, int]


def look(stack: Stack, began: float) -> Sample:
    """Take a sample of the running stack."""
    taken: defaultdict[str, float] = defaultdict(float)
    for process in stack.processes():
        try:
            kind = process.environ().get("SUTURE_PROCESS") or process.name()
            taken[MEMORY + kind] += _anonymous(process)
            taken[FILES] += process.num_fds() if kind == "web" else 0
        except (psutil.NoSuchProcess, ProcessLookupError, FileNotFoundError):
            continue
    with stack.connect() as connection:

        def count(query: str) -> int:
            return int(connection.execute(query.encode()).fetchall()[0][0])

        taken[CONNECTIONS] = count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()")
        waiting = {name: count(query) for name, query in BACKLOGS.items()}
    return Sample(round(time.monotonic() - began, 1), dict(taken), waiting)


def _anonymous(process: psutil.Process) -> float:
    """Anonymous memory of a process in MiB, without PostgreSQL's shared buffers, which fill up to their size."""
    rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss_Anon: +([0-9]+) kB$", rollup, re.MULTILINE)
    if found is None:
        raise SystemExit("This kernel does not report anonymous memory (Pss_Anon in smaps_rollup).")
    return int(found[1]) / 1024


def judged(samples: Sequence[Sample], seconds: float) -> Rows:
    """For each resource: the medians of the first and the last third of the run after the warm-up, and whether the last
    is larger than permitted. Raises ValueError for fewer than three samples after the warm-up."""
    steady = [one for one in samples if one.at >= WARMING * seconds]
    third = len(steady) // 3
    if not third:
        raise ValueError("The run is too short: use more minutes, or sample more often.")
    rows: Rows = []
    for name in sorted({name for one in steady for name in one.taken}):
        first, last = (
            statistics.median(one.taken.get(name, 0) for one in part) for part in (steady[:third], steady[-third:])
        )
        limit = first * (1 + SHARE) + (MIB if name.startswith(MEMORY) else PIECES)
        rows.append({"taken": name, "first": round(first, 1), "last": round(last, 1), "limit": round(limit, 1)})
    return rows
