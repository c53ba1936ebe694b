"""Shared memory of several people, measured on the episodes of GateMem (`make eval ARGS="--gatemem DIR"`).

The data is not part of the project: pass its path.
"""

import time
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bench import report
from bench.gatemem.episodes import Episode, rates, read
from bench.gatemem.mappings import MAPPINGS
from bench.gatemem.measuring import BASELINES, SIZES, measure
from bench.stack import Stack

__all__ = ["evaluate", "read"]


def evaluate(stack: Stack, episodes: Sequence[Episode], ways: Sequence[str]) -> dict[str, Any]:
    """Measure the ways of sharing memory whose name contains one of `ways`; prints and returns the figures."""
    names = [name for name in (*MAPPINGS, *BASELINES) if any(part.strip() in name for part in ways)]
    started = time.monotonic()
    measured = measure(stack, episodes, names)
    figures = {
        name: {
            size: rates(
                [(one.kind, one.verdict) for one in measured.judged if (one.memory, one.tokens) == (name, size)]
            )
            for size in SIZES
        }
        for name in names
    }
    rows: report.Rows = [
        {"memory": name, **{f"{size:,} tokens": _row(of_name[size]) for size in SIZES}}
        for name, of_name in figures.items()
    ]
    report.show(f"gatemem: {len(episodes)} episodes (U / A / F / MGS)", rows)
    return {
        "episodes": len(episodes),
        "figures": figures,
        "values": dict(measured.values),
        "seconds": time.monotonic() - started,
        "checkpoints": [asdict(one) for one in measured.judged],
    }


def _row(found: dict[str, float]) -> str:
    return " / ".join(f"{found[name]:.3f}" for name in ("U", "A", "F", "MGS"))
