"""What the stack takes and what waits in it, looked at every few seconds; and whether it grew."""

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
CONNECTIONS, FILES, MEMORY = "connections to PostgreSQL", "open files of the web server", "MiB of "
#: The first part of a run warms caches and pools, and tells nothing of growth.
WARMING = 0.25
#: The last third of what comes after may take so much more than the first third: as a share, and so many MiB of memory,
#: connections or files besides. Smaller differences are the allocators' and the pools' own movement.
SHARE, MIB, PIECES = 0.10, 24.0, 4


@dataclass(frozen=True, slots=True)
class Sample:
    """One look: seconds since the start, what is taken, and what waits."""

    at: float
    taken: dict[str, float]
    waiting: dict[str, int]


def look(stack: Stack, began: float) -> Sample:
    """One sample of the running stack."""
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
    """MiB of a process that are no file's, and of PostgreSQL no shared buffers: these fill up to their size."""
    rollup = Path(f"/proc/{process.pid}/smaps_rollup").read_text()
    found = re.search(r"^Pss_Anon: +([0-9]+) kB$", rollup, re.MULTILINE)
    if found is None:
        raise SystemExit("This kernel does not say how much memory is anonymous (Pss_Anon in smaps_rollup).")
    return int(found[1]) / 1024


def judged(samples: Sequence[Sample], seconds: float) -> Rows:
    """For all that is taken: the medians of the first and of the last third of the run after its warming, and whether
    the last is larger than allowed. Raises ValueError for fewer than three samples after the warming."""
    steady = [one for one in samples if one.at >= WARMING * seconds]
    third = len(steady) // 3
    if not third:
        raise ValueError("The run is too short for its samples: give it more minutes, or look more often.")
    rows: Rows = []
    for name in sorted({name for one in steady for name in one.taken}):
        first, last = (
            statistics.median(one.taken.get(name, 0) for one in part) for part in (steady[:third], steady[-third:])
        )
        limit = first * (1 + SHARE) + (MIB if name.startswith(MEMORY) else PIECES)
        rows.append({"taken": name, "first": round(first, 1), "last": round(last, 1), "limit": round(limit, 1)})
    return rows
