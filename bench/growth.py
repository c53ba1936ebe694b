"""What ten times the memory makes of the same work: figures of two databases side by side."""

from typing import Any

#: The project's promise: ten times the memory takes at most this many times as long, in the median.
GOAL = 1.5

Rows = list[dict[str, Any]]


def compare(small: Rows, full: Rows, taken: str) -> Rows:
    """One row for each case of both; `taken` is the key of its milliseconds."""
    return [
        {
            "case": after["case"],
            "small_ms": before[taken],
            "full_ms": after[taken],
            "growth_p50": round(after[taken]["p50"] / before[taken]["p50"], 2),
            "growth_p95": round(after[taken]["p95"] / before[taken]["p95"], 2),
            "goal": GOAL,
        }
        for before, after in zip(small, full, strict=True)
    ]
