"""The tables on the screen, and the same figures as a file."""

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).resolve().parent / "results"
Rows = list[dict[str, Any]]


def surroundings() -> dict[str, Any]:
    """The machine, and how busy it was with other things."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


def save(name: str, results: dict[str, Any], directory: Path | None = None) -> Path:
    """Write `<name>-<timestamp>.json` into `directory` (bench/results) and return its path."""
    directory = directory or RESULTS
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%S}.json"
    path.write_text(json.dumps(results, indent=1, default=str) + "\n")
    return path


def show_read(console: Console, rows: Rows) -> None:
    table = Table(title="Reading in the database: gate functions against raw SQL (medians, ms)")
    table.add_column("query")
    columns = ("raw", "governed", "ratio", "goal", "raw, words inline", "ratio to that", "rows raw / governed", "runs")
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        goal = row["goal"]
        kept = "" if goal is None else f"<= {goal}" if row["ratio"] <= goal else f"[red]<= {goal} missed[/red]"
        table.add_row(
            row["case"],
            f"{row['raw_apart_ms']['p50']:.2f}",
            f"{row['governed_ms']['p50']:.2f}",
            f"{row['ratio']:.2f}",
            kept,
            f"{row['raw_ms']['p50']:.2f}",
            f"{row['ratio_to_words_inline']:.2f}",
            f"{row['rows']['raw']} / {row['rows']['governed']}",
            str(row["runs"]),
        )
    console.print(table)


def show_write(console: Console, rows: Rows) -> None:
    table = Table(title="Writing through the services, one process (ms per call)")
    table.add_column("call")
    for column in ("p50", "p95", "rows per second", "share of the ledger", "runs"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row["case"],
            f"{row['ms']['p50']:.2f}",
            f"{row['ms']['p95']:.2f}",
            f"{row['per_second']:,.0f}",
            f"{row['ledger_share']:.0%}",
            str(row["runs"]),
        )
    console.print(table)


def show_http(console: Console, rows: Rows, title: str = "Requests, all callers together (ms)") -> None:
    table = Table(title=title)
    table.add_column("server")
    table.add_column("request")
    for column in ("p50", "p95", "per second", "requests"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row["server"],
            row["case"],
            f"{row['ms']['p50']:.1f}",
            f"{row['ms']['p95']:.1f}",
            f"{row['per_second']:,.0f}",
            f"{row['requests']:,}",
        )
    console.print(table)
