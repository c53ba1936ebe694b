"""`python -m bench`: what governed memory costs, measured on a generated database (`make bench ARGS="..."`)."""

import argparse
import sys
from pathlib import Path
from typing import Any

from rich.console import Console

from bench import servers


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000, help="chunks of the large tenant (100000)")
    parser.add_argument("--edits", type=int, default=10_000, help="its approved edits (10000)")
    parser.add_argument("--runs", type=int, default=30, help="runs of each query, at least (30)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each HTTP scenario (5)")
    parser.add_argument("--only", choices=("read", "write", "http"), help="this part alone")
    parser.add_argument("--compare-servers", action="store_true", help="web servers and their settings, too")
    parser.add_argument("--keep", action="store_true", help="keep the generated database, and reuse it next time")
    parser.add_argument("--results", type=Path, help="where the figures go as JSON (bench/results)")
    options = parser.parse_args(arguments)
    if options.chunks < 100 or options.edits < 0 or options.runs < 3 or options.seconds <= 0:
        parser.error("at least 100 chunks, no negative number of edits, 3 runs and some time")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    with servers.running():
        # a file or a pipe has no width of its own
        _measure(options, Console(width=None if sys.stdout.isatty() else 140))
    return 0


def _measure(options: argparse.Namespace, console: Console) -> None:
    # The settings find their servers in the environment, which is complete only now.
    from bench import database, generate, http, product, read, report, write

    name = database.name_of(options.chunks, options.edits)
    if not (options.keep and database.exists(name)):
        database.drop_outdated(options.chunks, options.edits)
        generate.generate(name, options.chunks, options.edits, console.print)
    results: dict[str, Any] = {
        "database": name,
        "chunks": options.chunks,
        "edits": options.edits,
        "tables": generate.describe(name),
        "before": report.surroundings(),
    }
    parts = [options.only] if options.only else ["read", "write", "http"]
    if "read" in parts:
        results["read"] = read.measure(name, options.runs)
        report.show_read(console, results["read"])
    changed = name
    if options.keep and (options.compare_servers or parts != ["read"]):
        # what is measured below changes the data; the kept database stays as generated
        product.leave_database()
        changed = f"{name}_changed"
        database.create(changed, template=name)
    if "write" in parts:
        results["write"] = write.measure(changed, options.runs)
        report.show_write(console, results["write"])
    if "http" in parts:
        results["http"] = http.measure(changed, options.seconds)
        report.show_http(console, results["http"])
    if options.compare_servers:
        results["servers"] = http.compare(changed, options.seconds)
        report.show_http(console, results["servers"], "Web servers, four callers (ms)")
    results["after"] = report.surroundings()
    path = report.save(options.only or "all", results, options.results)
    console.print(f"The figures are in {path}")
    product.leave_database()
    for done in {changed, name} if not options.keep else {changed} - {name}:
        database.drop(done)


if __name__ == "__main__":
    raise SystemExit(main())
