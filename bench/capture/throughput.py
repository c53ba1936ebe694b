"""How many memories a second the server captures, each by itself or some in a request, with and without embeddings."""

from typing import Any

from bench import load
from bench.http import CALLERS, Target, rows_of


def measure(target: Target, seconds: float) -> list[dict[str, Any]]:
    """A figure for each kind of request, for one caller and for `CALLERS` at once, each for `seconds`."""
    return [
        {
            "case": f"{row['case']}, {callers} caller{'s' * (callers > 1)}",
            "figure": round(row["per_second"] * load.OF_CAPTURES[row["case"]], 1),
            "unit": "memories/s",
            "goal": "",
            "p50_ms": row["ms"]["p50"],
            "p95_ms": row["ms"]["p95"],
            "requests": row["requests"],
        }
        for callers in (1, CALLERS)
        for row in rows_of([target], load.OF_CAPTURES, seconds, callers)[0]
    ]
