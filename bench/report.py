"""Prints tables, and writes the same results to a file."""

import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

Rows = list[dict[str, Any]]
RESULTS = Path(__file__).resolve().parent / "results"
#: A file or a pipe has no width.
CONSOLE = Console(width=None if sys.stdout.isatty() else 160)


def surroundings() -> dict[str, Any]:
    """The machine, and its load from other processes."""
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "processors": os.cpu_count(),
        "machine": platform.machine(),
        "python": platform.python_version(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
    }


def show(title: str, rows: Rows) -> None:
    """Print rows with the same keys as a table."""
    table = Table(title=title)
    for number, column in enumerate(rows[0] if rows else ()):
        table.add_column(column.replace("_", " "), justify="right" if number else "left")
    for row in rows:
        table.add_row(*(_told(value) for value in row.values()))
    CONSOLE.print(table)


def _told(value: Any) -> str:
    return "" if value is None else f"{value:,}" if isinstance(value, int | float) else str(value)


def save(name: str, results: dict[str, Any], directory: Path | None = None) -> None:
    """Write `<name>-<timestamp>.json` into `directory` (bench/results), and print its path."""
    directory = directory or RESULTS
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"{name}-{datetime.now(UTC):%Y%m%dT%H%M%S}.json"
    path.write_text(json.dumps(results, indent=1, default=str) + "\n")
    CONSOLE.print(f"The results are in {path}")
