"""`python -m bench`: what governed memory costs, measured on a generated database (`make bench ARGS="..."`)."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from bench import servers

#: In the order in which they are measured: what changes the data most comes last.
PARTS = ("limits", "read", "retrieval", "http", "agents", "write", "capsules", "ledger", "admin", "tenants")


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--chunks", type=int, default=100_000, help="chunks of the large tenant (100000)")
    parser.add_argument("--edits", type=int, default=10_000, help="its approved edits (10000)")
    parser.add_argument("--runs", type=int, default=30, help="runs of each query, at least (30)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each HTTP scenario (5)")
    parser.add_argument("--only", choices=PARTS, help="this part alone; limits needs no generated data")
    parser.add_argument("--beside-tenth", action="store_true", help="a tenth of the size in turn with it, for growth")
    parser.add_argument("--compare-servers", action="store_true", help="web servers and their settings, too")
    parser.add_argument(
        "--keep", action="store_true", help="keep the generated databases for the next time, and measure copies"
    )
    parser.add_argument("--results", type=Path, help="where the figures go as JSON (bench/results)")
    options = parser.parse_args(arguments)
    if options.chunks < (1000 if options.beside_tenth else 100):
        parser.error("at least 100 chunks, also for the tenth")
    if options.edits < 0 or options.runs < 3 or options.seconds <= 0:
        parser.error("no negative number of edits, at least 3 runs and some time")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = _options(arguments)
    with servers.running():
        # a file or a pipe has no width
        _measure(options, Console(width=None if sys.stdout.isatty() else 140))
    return 0


def _measure(options: argparse.Namespace, console: Console) -> None:
    # The settings find their servers in the environment, which is complete only now.
    from bench import (
        admin,
        capsules,
        database,
        generate,
        growth,
        http,
        ledger,
        newcomer,
        product,
        read,
        report,
        retrieval,
        write,
    )

    if options.only == "limits":
        console.print(f"The figures are in {report.save('limits', {'limits': _limits(console)}, options.results)}")
        return
    sizes = [(options.chunks, options.edits)]
    if options.beside_tenth:
        sizes.insert(0, (options.chunks // 10, options.edits // 10))
    names = [_generated(chunks, edits, options.keep, console.print) for chunks, edits in sizes]
    full = names[-1]
    results: dict[str, Any] = {
        "database": full,
        "chunks": options.chunks,
        "edits": options.edits,
        "tables": generate.describe(full),
        "before": report.surroundings(),
    }
    parts = [options.only] if options.only else list(PARTS)
    if "limits" in parts:
        results["limits"] = _limits(console)
    if "read" in parts:
        *tenth, results["read"] = read.measure(names, options.runs)
        report.show_read(console, results["read"])
        for rows in tenth:
            results["read_tenth"] = rows
            results["read_growth"] = growth.compare(rows, results["read"], "governed_ms")
            report.show_growth(console, results["read_growth"], "governed reading in the database")
    if "retrieval" in parts:
        results["retrieval"] = retrieval.measure(full, options.runs)
        report.show_figures(console, results["retrieval"], "Retrieval: what is found, and what it takes")
    if {"http", "capsules"} & set(parts):
        for name in names:
            console.print(f"{capsules.make(name):,} capsules in {name}")
    if "http" in parts:
        *tenth, results["http"] = http.measure(names, options.seconds)
        report.show_http(console, results["http"])
        for rows in tenth:
            results["http_tenth"] = rows
            results["http_growth"] = growth.compare(rows, results["http"], "ms")
            report.show_growth(console, results["http_growth"], "requests of four callers")
    if "agents" in parts:
        results["agents"] = http.measure_agents(full, options.seconds)
        report.show_http(console, results["agents"], "An agent's own memory (ms)")
    if "write" in parts:
        results["write"] = write.measure(full, options.runs)
        report.show_write(console, results["write"])
    if "capsules" in parts:
        results["capsules"] = [row for name in names for row in capsules.measure_expiry(name)]
        report.show_figures(console, results["capsules"], "Capsules")
    if "ledger" in parts:
        results["ledger"] = ledger.measure(full, options.runs, options.seconds)
        report.show_figures(console, results["ledger"], "The ledger")
    if "admin" in parts:
        results["admin"] = admin.measure(full, options.runs)
        report.show_pages(console, results["admin"])
    if "tenants" in parts:
        results["tenants"] = newcomer.measure(full, options.runs)
        report.show_figures(console, results["tenants"], "Tenants that are new, and many tenants")
    if options.compare_servers:
        results["servers"] = http.compare(full, options.seconds)
        report.show_http(console, results["servers"], "Web servers, four callers (ms)")
    results["after"] = report.surroundings()
    path = report.save(options.only or "all", results, options.results)
    console.print(f"The figures are in {path}")
    product.leave_database()
    for name in names:
        database.drop(name)


def _limits(console: Console) -> list[dict[str, Any]]:
    from bench import product, report

    product.set_up()
    from bench import limits

    figures = limits.measure()
    report.show_figures(console, figures, "The largest inputs, CPU time")
    return figures


def _generated(chunks: int, edits: int, keep: bool, say: Callable[[str], None]) -> str:
    """The name of a database of these sizes that may be changed, and is dropped when all is measured.

    With `keep` it is a copy, migrated: what was generated stays as it was generated.
    """
    from bench import database, generate, product

    name = database.name_of(chunks, edits)
    if not (keep and database.is_current(name)):
        generate.generate(name, chunks, edits, say)
        product.leave_database()
    if not keep:
        return name
    copy = f"{name}_measured"
    database.create(copy, template=name)
    return copy


if __name__ == "__main__":
    raise SystemExit(main())
