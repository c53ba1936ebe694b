"""`python -m bench.faults`: breaks a real stack, one fault at a time, and checks everything that it acknowledged."""

import argparse
import json
import signal
import sys
from dataclasses import asdict
from pathlib import Path

from bench import report
from bench.faults import rounds
from bench.faults.faults import FAULTS
from bench.faults.outcome import Outcome, verdict_of


def main(arguments: list[str] | None = None) -> int:
    """Run the faults; returns 1 if one was not survived."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--list", action="store_true", help="list the faults")
    parser.add_argument("--only", nargs="+", choices=FAULTS, metavar="FAULT", help="run only these")
    parser.add_argument("--json", type=Path, help="also write the results to this file")
    parser.add_argument("--keep", action="store_true", help="keep the home of the stack, and print its path")
    options = parser.parse_args(arguments)
    if options.list:
        for name, fault in FAULTS.items():
            print(f"{name:26} {fault.description}")
        return 0
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the stack is stopped
    found: list[Outcome] = []
    for group in rounds.groups_of(options.only or list(FAULTS)):
        found += rounds.run(group, rounds.Pace(), report.CONSOLE.print, keep=options.keep)
        if options.json:
            options.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    report.show("Times in seconds, and errors of clients", [_row(one) for one in found])
    return 1 if any(one.faults_found for one in found) else 0


def _row(found: Outcome) -> dict[str, object]:
    return {
        "fault": found.name,
        "acknowledged": found.acknowledged,
        "errors": ", ".join(f"{number} {kind}" for kind, number in sorted(found.errors.items())),
        "reads in it": found.reads_meanwhile,
        "no write for": round(found.longest_gap, 1),
        "well after": round(found.recovery, 1),
        "readiness wrong": round(found.wrong, 1),
        "slowest probe": round(found.slowest_probe, 1),
        "": verdict_of(found),
    }


if __name__ == "__main__":
    sys.exit(main())
