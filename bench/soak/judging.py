"""Whether a soak went well: no error, no growth of memory or connections, and backlogs that are worked off."""

import statistics
from collections.abc import Sequence
from typing import Any

from bench.soak.sampling import Sample

#: The first part of a run warms caches and pools, and tells nothing of growth.
WARMING = 0.25
#: The last third of what comes after may take so much more than the first third: as a share, and so many MiB of memory,
#: connections or files besides. Smaller differences are the allocators' and the pools' own movement.
SHARE, MIB, PIECES = 0.10, 24.0, 4

Rows = list[dict[str, Any]]


def growth(samples: Sequence[Sample], seconds: float) -> Rows:
    """For each kind of process its memory, and the connections and files: the medians of the first and of the last
    third of the run after its warming, and whether the last is larger than allowed. Raises ValueError for fewer than
    three samples after the warming."""
    steady = [one for one in samples if one.at >= WARMING * seconds]
    third = len(steady) // 3
    if not third:
        raise ValueError("The run is too short for its samples: give it more minutes, or look more often.")
    first, last = steady[:third], steady[-third:]
    kinds = sorted({kind for one in steady for kind in one.memory})
    rows = [
        _row(f"memory of {kind}", "MiB", [s.memory.get(kind, 0.0) for s in first], _memory(last, kind), MIB)
        for kind in kinds
    ]
    rows.append(
        _row("connections to PostgreSQL", "", [s.connections for s in first], [s.connections for s in last], PIECES)
    )
    rows.append(_row("open files of the web server", "", [s.files for s in first], [s.files for s in last], PIECES))
    return rows


def _memory(samples: Sequence[Sample], kind: str) -> list[float]:
    return [one.memory.get(kind, 0.0) for one in samples]


def _row(name: str, unit: str, first: Sequence[float], last: Sequence[float], allowed: float) -> dict[str, Any]:
    before, after = statistics.median(first), statistics.median(last)
    limit = before * (1 + SHARE) + allowed
    return {
        "measured": name,
        "unit": unit,
        "first": round(before, 1),
        "last": round(after, 1),
        "limit": round(limit, 1),
        "is_kept": after <= limit,
    }
