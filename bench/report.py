"""The tables on the screen, and the same figures as a file."""

import json
import os
import platform
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.literal import TIMEOUT_SECONDS

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
    """Raw and governed side by side, and the specification's view for scale."""
    table = Table(
        title="Reading in the database: gate functions against raw SQL, and the specification's view (medians, ms)"
    )
    table.add_column("query")
    columns = (
        *("raw", "governed", "ratio", "goal", "words inline", "ratio", "rows", "runs"),
        *("spec. view", "runs"),
    )
    for column in columns:
        table.add_column(column, justify="right")
    for row in rows:
        view = row["literal"]
        table.add_row(
            row["case"],
            f"{row['raw_apart_ms']['p50']:.2f}",
            f"{row['governed_ms']['p50']:.2f}",
            f"{row['ratio']:.2f}",
            _kept(row["ratio"], row["goal"]),
            f"{row['raw_ms']['p50']:.2f}",
            f"{row['ratio_to_words_inline']:.2f}",
            f"{row['rows']['raw']} / {row['rows']['governed']}",
            str(row["runs"]),
            f"[red]not in {TIMEOUT_SECONDS} s[/red]" if view["p50_ms"] is None else f"{view['p50_ms']:,.2f}",
            str(view["runs"]),
        )
    console.print(table)


def show_inline(console: Console, rows: Rows) -> None:
    """The gate and the table written by hand, for each kind of tenant."""
    table = Table(title="Gate functions against one table written by hand, words inline (ms)")
    table.add_column("tenant")
    table.add_column("question")
    for column in ("by hand p50", "p95", "governed p50", "p95", "ratio (p50)", "goal", "rows", "runs"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row["tenant"],
            row["case"],
            *(f"{row[side][figure]:.2f}" for side in ("raw_ms", "governed_ms") for figure in ("p50", "p95")),
            f"{row['ratio']:.2f}",
            _kept(row["ratio"], row["goal"]),
            f"{row['rows']['raw']} / {row['rows']['governed']}",
            str(row["runs"]),
        )
    console.print(table)


def show_callers(console: Console, rows: Rows) -> None:
    """The product over HTTP and the bare caller of the same gate functions."""
    table = Table(title="Over HTTP: the product, and a bare asyncpg caller of the same gate functions (ms)")
    table.add_column("request")
    of_each = ("per second", "p50", "p95", "database: CPU", "share (%)")
    for column in ("callers", *of_each, "bare: per second", *of_each[1:], "ratio (per second)"):
        table.add_column(column, justify="right")
    table.add_column("goal", justify="right")
    for row in rows:
        table.add_row(
            row["case"],
            str(row["callers"]),
            *(
                told
                for side in ("product", "bare")
                for told in (
                    f"{row[side]['per_second']:,.0f}",
                    f"{row[side]['ms']['p50']:.1f}",
                    f"{row[side]['ms']['p95']:.1f}",
                    f"{row[side]['database_ms']:.2f}",
                    f"{row[side]['database_share']:.0f}",
                )
            ),
            f"{row['ratio']:.2f}",
            _reached(row["ratio"], row["goal"]),
        )
    console.print(table)


def _reached(measured: float, goal: float | None) -> str:
    if goal is None:
        return ""
    return f">= {goal:g}" if measured >= goal else f"[red]>= {goal:g} missed[/red]"


def _kept(measured: float, goal: float | None) -> str:
    if goal is None:
        return ""
    return f"<= {goal:g}" if measured <= goal else f"[red]<= {goal:g} missed[/red]"


def show_growth(console: Console, rows: Rows, of: str) -> None:
    """The same work at a tenth of the size and at all of it."""
    table = Table(title=f"Growth: {of} at a tenth of the size and at full size (ms)")
    table.add_column("case")
    for column in ("tenth p50", "p95", "full p50", "p95", "growth p50", "goal (p50)", "growth p95"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row["case"],
            *(f"{row[size][figure]:.2f}" for size in ("small_ms", "full_ms") for figure in ("p50", "p95")),
            f"{row['growth_p50']:.2f}",
            _kept(row["growth_p50"], row["goal"]),
            f"{row['growth_p95']:.2f}",
        )
    console.print(table)


def show_write(console: Console, rows: Rows) -> None:
    table = Table(title="Writing through the services, one process (ms per call)")
    table.add_column("call")
    for column in ("p50", "p95", "rows per second", "the ledger's part, p50", "goal", "runs"):
        table.add_column(column, justify="right")
    for row in rows:
        in_ledger, goal = row["ledger_ms"], row["ledger_goal_p50_ms"]
        table.add_row(
            row["case"],
            f"{row['ms']['p50']:.2f}",
            f"{row['ms']['p95']:.2f}",
            f"{row['per_second']:,.0f}",
            f"{in_ledger['p50']:.2f}" if in_ledger else "none",
            _kept(in_ledger["p50"], goal) if in_ledger else "",
            str(row["runs"]),
        )
    console.print(table)


def show_http(console: Console, rows: Rows, title: str = "Requests, all callers together (ms)") -> None:
    table = Table(title=title)
    table.add_column("server")
    table.add_column("request")
    for column in ("p50", "p95", "goal (p95)", "per second", "requests"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row["server"],
            row["case"],
            f"{row['ms']['p50']:.1f}",
            f"{row['ms']['p95']:.1f}",
            _kept(row["ms"]["p95"], row["goal_p95_ms"]),
            f"{row['per_second']:,.0f}",
            f"{row['requests']:,}",
        )
    console.print(table)


def show_figures(console: Console, rows: Rows, title: str) -> None:
    """Single figures with their units and goals; what a row says besides them stands under `more`."""
    table = Table(title=title)
    table.add_column("measured")
    for column in ("figure", "unit", "goal"):
        table.add_column(column, justify="right")
    table.add_column("more")
    for row in rows:
        more = {name: value for name, value in row.items() if name not in {"case", "figure", "unit", "goal"}}
        told = ", ".join(f"{name.replace('_', ' ')} {value:,}" for name, value in more.items())
        table.add_row(row["case"], f"{row['figure']:,}", row["unit"], row["goal"], told)
    console.print(table)


def show_pages(console: Console, rows: Rows) -> None:
    """Pages of the admin: server time and statements."""
    table = Table(title="Pages of the admin, server time (ms)")
    table.add_column("page")
    for column in ("p50", "p95", "goal", "statements", "runs"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row["case"],
            f"{row['ms']['p50']:.1f}",
            f"{row['ms']['p95']:.1f}",
            _kept(row["ms"]["p95"], row["goal_p95_ms"]),
            str(row["statements"]),
            str(row["runs"]),
        )
    console.print(table)


def show_hooks(console: Console, rows: Rows) -> None:
    """Hooks: wall time of the whole process, and the longest beside what the agent waits."""
    table = Table(title="Hooks of a coding agent, whole processes (ms)")
    table.add_column("hook")
    for column in ("p50", "p95", "goal (p95)", "longest", "agent's limit", "CPU time, p50", "in the spool", "runs"):
        table.add_column(column, justify="right")
    for row in rows:
        table.add_row(
            row["case"],
            f"{row['ms']['p50']:,.1f}",
            f"{row['ms']['p95']:,.1f}",
            _kept(row["ms"]["p95"], row["goal_p95_ms"]),
            f"{row['ms']['max']:,.1f}",
            _kept(row["ms"]["max"], row["agent_limit_ms"]),
            f"{row['cpu_ms']:.1f}",
            str(row["spooled"]),
            str(row["runs"]),
        )
    console.print(table)
