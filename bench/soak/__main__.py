"""`python -m bench.soak`: a day's load, or that of some minutes (`make soak MINUTES=60`)."""

import argparse
import csv
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import report
from bench.corpus import Corpus
from bench.soak import judging, sampling, tenants
from bench.stack import NotStarted, Stack
from memory_project.stack.processes import die_with_parent

#: The users of the default: of every kind at least one in each tenant (bench/soak/users.py has their weights).
LEAST = 20
#: How many files are in the watched directory, and how often one of them changes, in seconds.
FILES, FILE_EVERY = 20, 15.0
#: How long the jobs may take to work off what waits when the load has ended, in seconds.
DRAINING = 600.0
#: So many lines of the logs are shown at most.
FINDINGS_OF_LOGS = 10


def main(arguments: list[str] | None = None) -> int:
    """Returns 0 where the soak went well, 1 where it did not."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="of load (60; a day has 1440)")
    parser.add_argument("--users", type=int, default=LEAST, help=f"users at once ({LEAST}, which is the least)")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two looks at the stack (10)")
    parser.add_argument("--results", type=Path, help="where the figures go as JSON (bench/results)")
    options = parser.parse_args(arguments)
    if options.minutes <= 0 or options.every <= 0 or options.users < LEAST:
        parser.error(f"some time, and at least {LEAST} users: of every kind one in each tenant")
    console = Console(width=None if sys.stdout.isatty() else 140)
    with tempfile.TemporaryDirectory(prefix="suture-soak-") as made:
        place = Path(made)
        (watched := place / "watched").mkdir()
        stack = Stack({"SUTURE_WATCH": str(watched)})
        try:
            stack.start()
            results = _soak(stack, place, options, console.print)
        except NotStarted as printed:
            raise SystemExit(f"The stack did not start: {printed}") from None
        finally:
            stack.stop()
            stack.remove()
    _show(console, results)
    console.print(f"The figures are in {report.save('soak', results, options.results)}")
    return 1 if results["findings"] else 0


def _soak(stack: Stack, place: Path, options: argparse.Namespace, say: Callable[[str], None]) -> dict[str, Any]:
    seconds = options.minutes * 60
    samples: list[sampling.Sample] = []
    began = time.monotonic()
    say(f"{options.users} users for {options.minutes:g} minutes")
    ended = threading.Event()
    writer = threading.Thread(target=_change_files, args=(place / "watched", ended))
    writer.start()
    try:
        with _locust(stack, place, options.users, seconds) as load:
            while load.poll() is None:
                samples.append(sampling.look(stack, began))
                time.sleep(options.every)
        if load.returncode not in (0, 1):  # 1: some requests failed
            raise SystemExit(f"Locust ended with {load.returncode}: {(place / 'locust').read_text()[-2000:]}")
        requests, failures = _stats(place)
    finally:
        ended.set()
        writer.join()
    say("waiting until the jobs have worked off what waits")
    left, drained = _drain(stack, began)
    say("verifying")
    findings = [f"{one['name']}: {one['failures']} of {one['requests']} failed" for one in requests if one["failures"]]
    findings += [f"{one['error']} ({one['times']} times)" for one in failures]
    findings += [f"in the log: {line}" for line in sampling.errors(stack)[:FINDINGS_OF_LOGS]]
    findings += [f"still waiting after {DRAINING:.0f} s: {count} {name}" for name, count in left.items() if count]
    for command in ("verify_effective", "verify_chain"):
        done = stack.manage(command)
        if done.returncode:
            findings.append(f"{command} found a fault: {(done.stdout + done.stderr)[-1500:]}")
    growth = judging.growth(samples, seconds)
    findings += [
        f"{one['measured']} grew from {one['first']:g} to {one['last']:g} {one['unit']}".rstrip()
        for one in growth
        if not one["is_kept"]
    ]
    return {
        "surroundings": report.surroundings(),
        "minutes": options.minutes,
        "users": options.users,
        "requests": requests,
        "growth": growth,
        "drained_seconds": drained,
        "most_waiting": {name: max(one.waiting[name] for one in samples) for name in sampling.BACKLOGS},
        "findings": findings,
        "samples": [asdict(one) for one in samples],
    }


def _locust(stack: Stack, place: Path, users: int, seconds: float) -> "subprocess.Popen[bytes]":
    """The load, in a process of its own: Locust replaces the sockets of the process that it runs in."""
    keys = place / "keys.json"
    keys.write_text(json.dumps(tenants.provision(stack)))
    state = place / "hooks"
    state.mkdir()
    command = [
        *(sys.executable, "-m", "locust", "-f", str(Path(__file__).with_name("users.py")), "--headless"),
        *("--host", stack.site, "--users", str(users), "--spawn-rate", "2", "--run-time", f"{seconds:.0f}s"),
        *("--stop-timeout", "60", "--csv", str(place / "load"), "--loglevel", "WARNING", "--only-summary"),
    ]
    with (place / "locust").open("wb") as printed:
        return subprocess.Popen(
            command,
            cwd=report.RESULTS.parents[1],
            env={**os.environ, "SOAK_KEYS": str(keys), "SOAK_STATE": str(state)},
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=printed,
            preexec_fn=die_with_parent(signal.SIGTERM),
        )


def _stats(place: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What Locust counted: a row for each request, and one for each way in which some failed."""
    with (place / "load_stats.csv").open(newline="") as file:
        requests = [
            {
                "name": row["Name"],
                "requests": int(row["Request Count"]),
                "failures": int(row["Failure Count"]),
                "per_second": round(float(row["Requests/s"]), 2),
                "p50_ms": float(row["50%"]),
                "p95_ms": float(row["95%"]),
                "p99_ms": float(row["99%"]),
            }
            for row in csv.DictReader(file)
            if row["Name"] != "Aggregated" and int(row["Request Count"])
        ]
    with (place / "load_failures.csv").open(newline="") as file:
        failures = [{"error": row["Error"], "times": int(row["Occurrences"])} for row in csv.DictReader(file)]
    return requests, failures


def _change_files(directory: Path, ended: threading.Event) -> None:
    """Write files into the watched directory, and change or delete one of them now and then."""
    chance, corpus = random.Random("files"), Corpus("files", 1_000_000)
    for number in range(FILES):
        _write(directory / f"{number}.md", corpus)
    while not ended.wait(FILE_EVERY):
        file = directory / f"{chance.randrange(FILES)}.md"
        if file.exists() and chance.random() < 0.1:
            file.unlink()
        else:
            _write(file, corpus)


def _write(file: Path, corpus: Corpus) -> None:
    file.write_text(f"# {file.stem}\n\n" + "\n\n".join(f"{corpus.text()}." for _ in range(30)))


def _drain(stack: Stack, began: float) -> tuple[dict[str, int], float | None]:
    """What waits after DRAINING seconds at most, and after how many seconds nothing did, or None."""
    started = time.monotonic()
    while True:
        waiting = sampling.look(stack, began).waiting
        passed = time.monotonic() - started
        if not any(waiting.values()):
            return waiting, round(passed, 1)
        if passed > DRAINING:
            return waiting, None
        time.sleep(2)


def _show(console: Console, results: dict[str, Any]) -> None:
    table = Table(title="Requests (ms)")
    columns = ("name", "requests", "failures", "per_second", "p50_ms", "p95_ms", "p99_ms")
    for column in columns:
        table.add_column(column.replace("_", " "), justify="left" if column == "name" else "right")
    for row in results["requests"]:
        table.add_row(*(f"{row[column]:,}" if column != "name" else row[column] for column in columns))
    console.print(table)
    table = Table(title="What the stack takes: medians of the first and of the last third after warming")
    for column in ("measured", "first", "last", "limit", "unit"):
        table.add_column(column, justify="left" if column == "measured" else "right")
    for row in results["growth"]:
        table.add_row(row["measured"], f"{row['first']:g}", f"{row['last']:g}", f"{row['limit']:g}", row["unit"])
    console.print(table)
    drained = results["drained_seconds"]
    told = "was not worked off" if drained is None else f"was worked off in {drained:g} s after the load"
    console.print(f"What waited (at most {results['most_waiting']}) {told}.")
    for finding in results["findings"]:
        console.print(f"FOUND: {finding}", markup=False)
    console.print("It went well." if not results["findings"] else f"{len(results['findings'])} findings.")


if __name__ == "__main__":
    raise SystemExit(main())
