"""`python -m bench.soak`: a load of some minutes or a whole day on a whole stack (`make soak MINUTES=60`)."""

import argparse
import asyncio
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

from bench import report
from bench.soak import growth
from bench.soak.calling import Load
from bench.soak.users import Tenant
from bench.stack import UNLIMITED, NotStarted, Stack

TENANTS = ("soak-one", "soak-two")
_PEOPLE = ("--agent", "writer", "--agent", "reader", "--reviewer", "bob", "--policy", "standard")
#: Maximum seconds for the jobs to finish the backlog after the load.
DRAINING = 600.0
#: Maximum number of findings of a kind to show.
SHOWN = 10


def main(arguments: list[str] | None = None) -> int:
    """Returns 0 if the soak passed, otherwise 1."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0, help="minutes of load (60; a day has 1440)")
    parser.add_argument("--every", type=float, default=10.0, help="seconds between two samples (10)")
    parser.add_argument("--results", type=Path, help="directory for the results as JSON (bench/results)")
    options = parser.parse_args(arguments)
    if options.minutes <= 0 or options.every <= 0:
        parser.error("needs a positive time and interval")
    with tempfile.TemporaryDirectory(prefix="suture-soak-") as made:
        (watched := Path(made) / "watched").mkdir()
        (state := Path(made) / "hooks").mkdir()
        stack = Stack({**UNLIMITED, "SUTURE_WATCH": str(watched)})
        try:
            stack.start()
            results = _soak(stack, watched, state, options)
        except NotStarted as printed:
            raise SystemExit(f"The stack did not start: {printed}") from None
        finally:
            stack.stop()
            stack.remove()
    report.show("Requests", results["requests"])
    report.show("Resources of the stack: medians of the first and the last third after the warm-up", results["growth"])
    drained = results["drained_seconds"]
    told = "was not finished" if drained is None else f"was finished {drained:g} s after the load"
    report.CONSOLE.print(f"The backlog (at most {results['most_waiting']}) {told}.")
    for finding in results["findings"]:
        report.CONSOLE.print(f"FOUND: {finding}", markup=False)
    report.CONSOLE.print("Passed." if not results["findings"] else f"{len(results['findings'])} findings.")
    report.save("soak", results, options.results)
    return 1 if results["findings"] else 0


def _soak(stack: Stack, watched: Path, state: Path, options: argparse.Namespace) -> dict[str, Any]:
    tenants = [Tenant(stack.provision(slug, *_PEOPLE)) for slug in TENANTS]
    seconds, began = options.minutes * 60, time.monotonic()
    report.CONSOLE.print(f"load for {options.minutes:g} minutes")
    load = Load(stack.port, seconds)
    samples: list[growth.Sample] = []

    async def look() -> None:
        while not load.is_over():
            samples.append(await asyncio.to_thread(growth.look, stack, began))
            await asyncio.sleep(options.every)

    async def together() -> None:
        await asyncio.gather(load.run(tenants, watched, state), look())

    asyncio.run(together())
    report.CONSOLE.print("waiting until the jobs have finished the backlog, and verifying")
    left, drained = _drain(stack, began)
    grown = growth.judged(samples, seconds)
    findings = [f"{what} ({times} times)" for what, times in load.failures.most_common(SHOWN)]
    findings += [f"in the log: {line}" for line in _errors(stack)[:SHOWN]]
    findings += [f"still waiting after {DRAINING:.0f} s: {count} {name}" for name, count in left.items() if count]
    findings += stack.unverified()
    findings += [
        f"{one['taken']} grew from {one['first']:g} to {one['last']:g}" for one in grown if one["last"] > one["limit"]
    ]
    return {
        "surroundings": report.surroundings(),
        "minutes": options.minutes,
        "requests": load.rows(),
        "growth": grown,
        "drained_seconds": drained,
        "most_waiting": {name: max(one.waiting[name] for one in samples) for name in growth.BACKLOGS},
        "findings": findings,
        "samples": [asdict(one) for one in samples],
    }


def _drain(stack: Stack, began: float) -> tuple[dict[str, int], float | None]:
    """The backlog after at most DRAINING seconds, and the seconds until it was empty, or None."""
    started = time.monotonic()
    while True:
        waiting = growth.look(stack, began).waiting
        passed = time.monotonic() - started
        if not any(waiting.values()):
            return waiting, round(passed, 1)
        if passed > DRAINING:
            return waiting, None
        time.sleep(2)


def _errors(stack: Stack) -> list[str]:
    """Log lines with errors."""
    return [
        f"{log.name}: {line[:3000]}"
        for log in sorted((stack.home / "log").glob("*.log*"))
        for line in log.read_text(errors="replace").splitlines()
        if '"ERROR"' in line or '"CRITICAL"' in line
    ]


if __name__ == "__main__":
    raise SystemExit(main())
