"""`python -m bench`: what governed memory costs, measured on a generated database (`make bench ARGS="..."`)."""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from bench import servers, sizes
from bench.tenants import KINDS

#: In the order in which they are measured: what changes the data most comes last.
PARTS = (
    *(
        "limits",
        "read",
        "inline",
        "callers",
        "retrieval",
        "http",
        "usage",
        "agents",
        "write",
        "capsules",
        "ledger",
        "receipts",
        "admin",
        "tenants",
    ),
    *("p95", "fairness", "rates", "amends", "ingest", "space", "sealing", "promotion", "capture", "checkpoints"),
)
#: What compares with tables, or asks for meanings, that the largest size does not have.
NEED_MEANING = frozenset({"read", "retrieval", "usage", "agents"})


def options_of(arguments: list[str] | None) -> argparse.Namespace:
    """What the command line asks for. Raises SystemExit for what cannot be measured."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--size", choices=sizes.NAMED, default="100k", help="chunks of the huge tenant, a tenth of it edits"
    )
    parser.add_argument("--chunks", type=int, help="its chunks, instead of --size")
    parser.add_argument("--edits", type=int, help="its approved edits, instead of a tenth")
    parser.add_argument("--tenants", type=int, default=3, help="tenants in all, the others small (3)")
    parser.add_argument(
        "--recorded", type=int, default=sizes.MOST_RECORDED, help="most chunks that are recorded, the others copied"
    )
    parser.add_argument("--words-only", action="store_true", help="no vectors of meaning: faster to generate")
    parser.add_argument("--idle-tenants", type=int, default=10_000, help="tenants of the part `sealing` (10000)")
    parser.add_argument("--runs", type=int, default=30, help="runs of each query, at least (30)")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each HTTP scenario (5)")
    parser.add_argument("--files", type=int, default=2_000, help="Markdown files that are indexed (2000)")
    parser.add_argument("--checkpoints", type=int, default=1_000, help="checkpoints of 5 MiB in one tenant (1000)")
    parser.add_argument(
        "--only", nargs="+", choices=PARTS, help="these parts; limits, capture and checkpoints need no data"
    )
    parser.add_argument(
        "--callers", type=int, nargs="+", default=[1, 4, 16, 64], help="of the part `callers` (1 4 16 64)"
    )
    parser.add_argument("--beside-tenth", action="store_true", help="a tenth of the size in turn with it, for growth")
    parser.add_argument("--compare-servers", action="store_true", help="web servers and their settings, too")
    parser.add_argument(
        "--keep", action="store_true", help="keep the generated databases for the next time, and measure copies"
    )
    parser.add_argument("--results", type=Path, help="where the figures go as JSON (bench/results)")
    options = parser.parse_args(arguments)
    options.chunks = options.chunks or sizes.NAMED[options.size]
    if options.edits is None:
        options.edits = options.chunks // 10
    if options.tenants < len(KINDS) or options.idle_tenants < 1:
        parser.error("at least 3 tenants, and an idle one")
    options.copies = -(-options.chunks // max(1, options.recorded))
    options.has_meaning = options.copies == 1 and not options.words_only
    if not options.has_meaning and (needing := NEED_MEANING.intersection(options.only or ())):
        parser.error(f"{', '.join(sorted(needing))} needs vectors of meaning, which this database does not have")
    if options.copies > sizes.MOST_COPIES or options.chunks % options.copies or options.edits % options.copies:
        parser.error(
            f"what is recorded is there {options.copies} times: that divides neither chunks nor edits, or is more than"
            f" {sizes.MOST_COPIES}"
        )
    if options.chunks < (1000 if options.beside_tenth else 100):
        parser.error("at least 100 chunks, also for the tenth")
    if options.edits < 0 or options.runs < 3 or options.seconds <= 0 or options.files < 1 or options.checkpoints < 1:
        parser.error("no negative number of edits, at least 3 runs, a file, a checkpoint and some time")
    return options


def main(arguments: list[str] | None = None) -> int:
    options = options_of(arguments)
    with servers.running():
        # a file or a pipe has no width
        _measure(options, Console(width=None if sys.stdout.isatty() else 140))
    return 0


def _measure(options: argparse.Namespace, console: Console) -> None:
    results: dict[str, Any]
    # The settings find their servers in the environment, which is complete only now.
    from bench import (
        admin,
        callers,
        capsules,
        database,
        fairness,
        generate,
        growth,
        http,
        inline,
        ledger,
        newcomer,
        product,
        promised,
        rates,
        read,
        receipts,
        report,
        retrieval,
        write,
    )
    from bench.promotion import measuring as promotion
    from bench.usage import measuring as usage

    chosen = "-".join(options.only or ["all"])
    if options.only and _WITHOUT_DATA.keys() >= set(options.only):
        results = {"before": report.surroundings()}
        results |= {part: _WITHOUT_DATA[part](options, console) for part in options.only}
        results["after"] = report.surroundings()
        console.print(f"The figures are in {report.save(chosen, results, options.results)}")
        return
    size = sizes.Size(options.chunks, options.edits, options.tenants, options.has_meaning, options.copies)
    names = [
        _generated(one, options.keep, console.print) for one in ([size.tenth] if options.beside_tenth else []) + [size]
    ]
    full = names[-1]
    results = {
        "database": full,
        "chunks": options.chunks,
        "edits": options.edits,
        "tenants": options.tenants,
        "tables": generate.describe(full),
        "before": report.surroundings(),
    }
    parts = options.only or [part for part in PARTS if options.has_meaning or part not in NEED_MEANING]
    if "limits" in parts:
        results["limits"] = _limits(options, console)
    if "read" in parts:
        *tenth, results["read"] = read.measure(names, options.runs)
        report.show_read(console, results["read"])
        for rows in tenth:
            results["read_tenth"] = rows
            results["read_growth"] = growth.compare(rows, results["read"], "governed_ms")
            report.show_growth(console, results["read_growth"], "governed reading in the database")
    if "inline" in parts:
        results["inline"] = inline.measure(full, options.runs)
        report.show_inline(console, results["inline"])
    if "callers" in parts:
        results["callers"] = callers.measure(full, options.seconds, options.callers)
        report.show_callers(console, results["callers"])
    if "retrieval" in parts:
        results["retrieval"] = retrieval.measure(full, options.runs)
        report.show_figures(console, results["retrieval"], "Retrieval: what is found, and what it takes")
    if {"http", "capsules", "p95"} & set(parts):
        for name in names:
            console.print(f"{capsules.make(name):,} capsules in {name}")
    if "http" in parts:
        *tenth, results["http"] = http.measure(names, options.seconds)
        report.show_http(console, results["http"])
        for rows in tenth:
            results["http_tenth"] = rows
            results["http_growth"] = growth.compare(rows, results["http"], "ms")
            report.show_growth(console, results["http_growth"], "requests of four callers")
    if "usage" in parts:
        results["usage"] = usage.measure(full, options.seconds, console.print)
        report.show_figures(console, results["usage"], "Access tracking")
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
        results["ledger"] = ledger.measure(full, options.runs, options.seconds, options.chunks)
        report.show_figures(console, results["ledger"], "The ledger")
    if "receipts" in parts:
        results["receipts"] = receipts.measure(full, options.runs)
        report.show_figures(console, results["receipts"], "Receipts")
    if "admin" in parts:
        results["admin"] = admin.measure(full, options.runs)
        report.show_pages(console, results["admin"])
    if "tenants" in parts:
        results["tenants"] = newcomer.measure(full, options.runs)
        report.show_figures(console, results["tenants"], "Tenants that are new, and many tenants")
    promises: dict[str, tuple[str, Callable[[], list[dict[str, Any]]]]] = {
        "p95": ("Latency of four callers", lambda: promised.p95(full, options.seconds)),
        "fairness": ("A tenant beside a hot one", lambda: fairness.measure(full, options.seconds)),
        "rates": ("What the rate limits cost", lambda: rates.measure(full, options.seconds)),
        "amends": ("Amends of one hot tenant", lambda: promised.amends(full, options.seconds)),
        "ingest": ("Events of two clients", lambda: promised.ingest(full, options.seconds)),
        "space": ("Space", lambda: promised.space(full, options.chunks)),
        "sealing": ("Sealing of idle tenants", lambda: promised.sealing(full, options.idle_tenants, console.print)),
    }
    for part, (title, measured) in promises.items():
        if part in parts:
            results[part] = measured()
            report.show_figures(console, results[part], title)
    if "promotion" in parts:
        results["promotion"] = promotion.measure(full, console.print)
        report.show_figures(console, results["promotion"], "Promotion")
    if "capture" in parts:
        results["capture"] = _capture(options, console)
    if "checkpoints" in parts:
        results["checkpoints"] = _checkpoints(options, console)
    if options.compare_servers:
        results["servers"] = http.compare(full, options.seconds)
        report.show_http(console, results["servers"], "Web servers, four callers (ms)")
    results["after"] = report.surroundings()
    path = report.save(chosen, results, options.results)
    console.print(f"The figures are in {path}")
    product.leave_database()
    for name in names:
        database.drop(name)


def _limits(options: argparse.Namespace, console: Console) -> list[dict[str, Any]]:
    from bench import product, report

    product.set_up()
    from bench import limits

    figures = limits.measure()
    report.show_figures(console, figures, "The largest inputs, CPU time")
    return figures


def _capture(options: argparse.Namespace, console: Console) -> dict[str, list[dict[str, Any]]]:
    from bench import report
    from bench.capture import measuring

    figures = measuring.measure(options.runs, options.seconds, options.files, console.print)
    report.show_hooks(console, figures["hooks"])
    report.show_figures(console, figures["throughput"], "Captured memories")
    report.show_figures(console, figures["watching"], "Watching Markdown files")
    return figures


def _checkpoints(options: argparse.Namespace, console: Console) -> list[dict[str, Any]]:
    from bench import product, report

    product.set_up()
    from bench.checkpoints import measuring

    figures = measuring.measure(options.runs, options.checkpoints, console.print)
    report.show_figures(console, figures, "Checkpoints")
    return figures


#: The parts that work on no generated database.
_WITHOUT_DATA: dict[str, Callable[[argparse.Namespace, Console], Any]] = {
    "limits": _limits,
    "capture": _capture,
    "checkpoints": _checkpoints,
}


def _generated(size: sizes.Size, keep: bool, say: Callable[[str], None]) -> str:
    """The name of a database of that size that may be changed, and is dropped when all is measured.

    With `keep` it is a copy, migrated: what was generated stays as it was generated. Raises SystemExit where the disk
    has not the room.
    """
    from bench import database, generate, product

    if not (keep and database.is_current(size.name)):
        database.drop_family(size.name)  # so that its room counts as free
        say(f"{size.name}: {sizes.require_room(size.bytes_needed, copies=2 if keep else 1)}")
        generate.generate(size, say)
        product.leave_database()
    elif keep:
        sizes.require_room(size.bytes_needed)
    return product.copy_of(size.name) if keep else size.name


if __name__ == "__main__":
    raise SystemExit(main())
