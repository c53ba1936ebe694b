"""`python -m bench`: measures the promises about requests and about reading governed memory, on a generated database
(`make bench ARGS="..."`)."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import gates, governed, report
from bench.beside import chart, measuring
from bench.generate import SIZES, generated
from bench.stack import UNLIMITED, NotStarted, Stack

#: In the order of measuring: the parts that change the data most come last.
PARTS = {
    "governed": "Gate functions against a handwritten table with inline text",
    "beside": "Beside others, one caller: p50 / p95 in ms (times Suture's p50)",
    "p95": f"Over HTTP, {gates.CALLERS} callers",
    "fairness": "A tenant beside a busy one",
    "amends": "Amends of one tenant",
    "ingest": "Events of two clients",
}


def main(arguments: list[str] | None = None) -> int:
    """Measure, print tables, and write the results to a file."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--size", choices=SIZES, default="100k", help="chunks of the tenant; a tenth as many edits")
    parser.add_argument("--chunks", type=int, help="number of chunks, instead of --size")
    parser.add_argument("--only", nargs="+", choices=PARTS, help="measure only these parts")
    parser.add_argument("--seconds", type=float, default=5.0, help="seconds for each case over HTTP (5)")
    parser.add_argument(
        "--runs", type=int, default=30, help="minimum runs of each query of `governed` and `beside` (30)"
    )
    parser.add_argument("--place", type=Path, help="a directory to keep the generated data for the next run")
    parser.add_argument("--svg", type=Path, help="a file for the chart of `beside`")
    parser.add_argument("--results", type=Path, help="directory for the results as JSON (bench/results)")
    options = parser.parse_args(arguments)
    chunks = options.chunks or SIZES[options.size]
    if chunks < 1_000 or options.seconds <= 0 or options.runs < 3:
        parser.error("needs at least 1,000 chunks, 3 runs and a positive time")
    parts = list(PARTS) if options.only is None else options.only
    if "beside" in parts and (told := measuring.missing()):
        if options.only == ["beside"]:
            raise SystemExit(told)
        report.CONSOLE.print(f"Skipped: {told}")
        parts.remove("beside")
    results: dict[str, Any] = {"chunks": chunks, "before": report.surroundings()}
    stack = Stack(UNLIMITED, options.place)
    try:
        large, small = generated(stack, chunks, report.CONSOLE.print)
        measured: dict[str, Callable[[], report.Rows]] = {
            "governed": lambda: governed.measure(stack, large, options.runs),
            "beside": lambda: measuring.measure(stack, large, options.runs, report.CONSOLE.print),
            "p95": lambda: gates.p95(stack.port, large, options.seconds),
            "fairness": lambda: gates.fairness(stack.port, large, small, options.seconds),
            "amends": lambda: gates.amends(stack.port, large, options.seconds),
            "ingest": lambda: gates.ingest(stack.port, large, options.seconds),
        }
        for part, title in PARTS.items():
            if part in parts:
                results[part] = measured[part]()
                report.show(title, measuring.table(results[part]) if part == "beside" else results[part])
        if "beside" in parts:
            results["compared"] = measuring.versions(stack)
            if options.svg:
                options.svg.write_text(
                    chart.svg(results["beside"], f"{chunks:,} chunks, one caller: median in ms, and times Suture's")
                )
    except NotStarted as printed:
        raise SystemExit(f"The stack did not start: {printed}") from None
    finally:
        stack.stop()
        if not options.place:
            stack.remove()
    report.save("bench", {**results, "after": report.surroundings()}, options.results)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
