"""`python -m bench.faults`: break a real stack, one fault at a time, and say what became of what it acknowledged."""

import argparse
import json
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")

import django

django.setup()

from rich.console import Console  # noqa: E402 (Django is set up first)
from rich.table import Table  # noqa: E402 (as above)

from bench.faults import rounds  # noqa: E402 (as above)
from bench.faults.faults import FAULTS  # noqa: E402 (as above)
from bench.faults.outcome import Outcome, verdict_of  # noqa: E402 (as above)

console = Console(width=200)


def main(arguments: list[str] | None = None) -> int:
    """Run the faults; 1 if one was not survived."""
    parser = argparse.ArgumentParser(prog="python -m bench.faults", description=__doc__)
    parser.add_argument("--list", action="store_true", help="name the faults")
    parser.add_argument("--only", nargs="+", choices=FAULTS, metavar="FAULT", help="run these")
    parser.add_argument("--json", type=Path, help="write the results to this file too")
    parser.add_argument("--keep", action="store_true", help="keep the home of the stack, and say where it is")
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that the stack is stopped
    if options.list:
        for name, fault in FAULTS.items():
            console.print(f"{name:26} {fault.description}")
        return 0
    found = []
    for group in rounds.groups_of(options.only or list(FAULTS)):
        found += rounds.run(group, rounds.Pace(), console.print, keep=options.keep)
        if options.json:
            options.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    show(found)
    return 1 if any(one.faults_found for one in found) else 0


def show(found: Sequence[Outcome]) -> None:
    """The table."""
    table = Table("fault", "acknowledged", "errors", "reads in it", "no write for", "well after", "readiness wrong",
                  "slowest probe", "")  # fmt: skip
    for one in found:
        errors = ", ".join(f"{number} {kind}" for kind, number in sorted(one.errors.items()))
        seconds = (one.longest_gap, one.recovery, one.wrong, one.slowest_probe)
        table.add_row(one.name, str(one.acknowledged), errors, str(one.reads_meanwhile),
                      *(f"{value:.1f} s" for value in seconds), verdict_of(one))  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
