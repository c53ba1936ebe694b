"""`python -m bench.faults`: break a real stack, one fault at a time, and say what became of what it acknowledged."""

import argparse
import contextlib
import json
import os
import signal
import sys
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memory_project.settings")

import django

django.setup()

from rich.console import Console  # noqa: E402 (Django is set up first)
from rich.table import Table  # noqa: E402 (as above)

from bench.faults import outcome as outcomes  # noqa: E402 (as above)
from bench.faults.clients import Acknowledged, Clients, Journal, call  # noqa: E402 (as above)
from bench.faults.disk import HOME_MB, WAL_MB, CannotMount, Disk  # noqa: E402 (as above)
from bench.faults.faults import FAULTS, Skipped  # noqa: E402 (as above)
from bench.faults.outcome import ALLOWED, Outcome  # noqa: E402 (as above)
from bench.stack import Stack  # noqa: E402 (as above)

#: Small servers, and clients that no limit of rates stops.
VARIABLES = {
    "WEB_WORKERS": "2",
    "SUTURE_POSTGRES": "shared_buffers=64MB, max_wal_size=64MB, min_wal_size=32MB",
    "RATE_LIMIT_KEY": "1000000/second",
    "RATE_LIMIT_ADDRESS": "1000000/second",
    "LOG_LEVEL": "WARNING",
}
#: Seconds of load before a fault, and without an error after it; and the most that a recovery may take.
BEFORE, STEADY, LONGEST = 3.0, 3.0, 150.0
#: How long readiness may be wrong.
MOST_WRONG = 10.0
#: What the search is asked for of each fault: the last that was acknowledged before it ended.
SEARCHED = 40
NEEDS_DISKS = {"full-disk", "full-wal-disk"}

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
        for name, inject in FAULTS.items():
            console.print(f"{name:26} {inject.__doc__}")
        return 0
    names = options.only or list(FAULTS)
    found = []
    # The disks are small only for the faults that fill them: PostgreSQL's end there may be for good.
    for group in ([n for n in names if n not in NEEDS_DISKS], *([n] for n in names if n in NEEDS_DISKS)):
        if group:
            found += run(group, keep=options.keep)
    show(found)
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in found], indent=1) + "\n")
    return 1 if any(one.faults_found for one in found) else 0


def run(names: list[str], *, keep: bool) -> list[Outcome]:
    """Run faults one after the other in one stack."""
    stack = Stack(VARIABLES)
    disks: list[Disk] = []
    try:
        try:
            if set(names) & NEEDS_DISKS:
                disks.append(Disk.mount(stack.home, HOME_MB))
            stack.start()
            if "full-wal-disk" in names:
                _move_log(stack, disks)
        except CannotMount as reason:
            return [Outcome(name, skipped=f"nothing can be mounted: {reason}") for name in names]
        found = []
        with contextlib.closing(Journal(stack.home.parent / "journal")) as journal:
            for name in names:
                console.print(f"{name}: {FAULTS[name].__doc__}")
                found.append(one(stack, journal, name))
                console.print(f"{name}: {verdict_of(found[-1])}")
        return found
    finally:
        stack.stop()
        for disk in reversed(disks):
            disk.unmount()
        if keep:
            console.print(f"kept: {stack.home.parent}")
        else:
            stack.remove()


def _move_log(stack: Stack, disks: list[Disk]) -> None:
    """Put the write-ahead log on a disk of its own, which is added to `disks`."""
    stack.stop()
    log = stack.home / "pg18" / "pg_wal"
    owner = log.stat()
    disk = Disk.mount(stack.home.parent / "wal", WAL_MB)
    disks.append(disk)
    place = disk.place / "pg_wal"
    place.mkdir(mode=0o700)
    for file in log.iterdir():
        if file.is_file():
            (place / file.name).write_bytes(file.read_bytes())
            file.unlink()
        else:
            (place / file.name).mkdir(mode=0o700)
            file.rmdir()
    log.rmdir()
    for path in (place, *place.iterdir()):
        os.chown(path, owner.st_uid, owner.st_gid)
        path.chmod(0o700 if path.is_dir() else 0o600)
    log.symlink_to(place)
    stack.start()


def one(stack: Stack, journal: Journal, name: str) -> Outcome:
    """Run one fault under load."""
    found = Outcome(name)
    clients = Clients(stack.port, stack.keys(), journal)
    known = len(journal.entries)
    clients.start()
    time.sleep(BEFORE)
    begin = time.monotonic()
    try:
        FAULTS[name](stack)
    except (Skipped, CannotMount) as reason:
        found.skipped = str(reason)
    except Exception as error:
        found.faults_found.append(f"{type(error).__name__}: {error}")
    healed = time.monotonic()
    end = _wait_until_well(stack, clients, healed)
    if stack.has_ended():
        found.faults_found.append("the stack gave up: it was started again by hand")
        stack.start()
    if end is None:
        found.faults_found.append(f"it was not well {LONGEST:.0f} s after the fault")
        end = time.monotonic()
    clients.stop()
    acknowledged = journal.entries[known:]
    found.acknowledged = len(acknowledged)
    found.errors = outcomes.errors_of([*clients.writes, *clients.reads])
    found.reads_meanwhile = sum(answer.is_done for answer in clients.reads if begin < answer.at < healed)
    found.longest_gap = outcomes.longest_gap(clients.writes, begin, end)
    found.recovery = end - healed
    found.wrong = outcomes.longest_wrong(clients.probes, clients.writes)
    found.slowest_probe = max((probe.seconds for probe in clients.probes if probe.status), default=0.0)
    found.faults_found += [
        f"{number} answers of clients were {kind}" for kind, number in found.errors.items() if kind not in ALLOWED
    ]
    if found.wrong > MOST_WRONG:
        found.faults_found.append(f"readiness was wrong for {found.wrong:.1f} s")
    if not found.skipped:
        found.faults_found += [*_lost(stack, clients, acknowledged), *_unverified(stack)]
    return found


def _wait_until_well(stack: Stack, clients: Clients, since: float) -> float | None:
    """The moment from which, for STEADY seconds, all processes ran, readiness said yes and each write was done; None if
    not in time, or never again. (What a killed server left behind may answer for a moment.)"""
    broken = since
    while time.monotonic() < since + LONGEST and not stack.has_ended():
        now = time.monotonic()
        answers = [*clients.writes, *clients.probes]
        ends = [answer.at + answer.seconds for answer in answers if not answer.is_done]
        broken = max(broken, now if not stack.is_whole() else broken, max(ends, default=since))
        done = [clients.writes, clients.probes]
        firsts = [next((a.at + a.seconds for a in list(kind) if a.at >= broken and a.is_done), None) for kind in done]
        if now > broken + STEADY and None not in firsts:
            return max(first for first in firsts if first is not None)
        time.sleep(0.1)
    return None


def _lost(stack: Stack, clients: Clients, acknowledged: list[Acknowledged]) -> Iterable[str]:
    """What was acknowledged and cannot be read, by id, and by a search for its own word."""
    key = next(iter(clients.keys.values()))
    lost = [
        f"{entry.kind}/{entry.id} ({outcomes.kind_of(answer)})"
        for entry in acknowledged
        if not (answer := call(stack.port, "GET", f"/api/v1/{entry.kind}/{entry.id}", key)[0]).is_done
    ]
    if lost:
        yield f"{len(lost)} were acknowledged and cannot be read, the first {lost[0]}"
    unfound = []
    for entry in [entry for entry in acknowledged if entry.kind == "edits"][-SEARCHED:]:
        query = {"query": entry.word, "mode": "keyword", "session_id": "faults"}
        _, found = call(stack.port, "POST", "/api/v1/chunks/search", key, query)
        if not any(entry.word in chunk["text"] for chunk in found.get("chunks", ())):
            unfound.append(f"{entry.word} of {entry.id}")
    if unfound:
        yield f"{len(unfound)} edits are not found by a search, the first {unfound[0]}"


def _unverified(stack: Stack) -> Iterable[str]:
    """What does not verify: half a change, or a ledger with a gap."""
    for command in ("verify_effective", "verify_chain"):
        done = stack.manage(command)
        if done.returncode:
            yield f"{command}: {(done.stdout + done.stderr)[-500:]}"


def verdict_of(found: Outcome) -> str:
    """Whether it was survived, or why not."""
    return "; ".join(found.faults_found) or (f"skipped: {found.skipped}" if found.skipped else "ok")


def show(found: list[Outcome]) -> None:
    """The table."""
    table = Table("fault", "acknowledged", "errors", "reads in it", "no write for", "well after", "readiness wrong",
                  "slowest probe", "")  # fmt: skip
    for one_found in found:
        errors = ", ".join(f"{number} {kind}" for kind, number in sorted(one_found.errors.items()))
        seconds = (one_found.longest_gap, one_found.recovery, one_found.wrong, one_found.slowest_probe)
        table.add_row(one_found.name, str(one_found.acknowledged), errors, str(one_found.reads_meanwhile),
                      *(f"{value:.1f} s" for value in seconds), verdict_of(one_found))  # fmt: skip
    console.print(table)


if __name__ == "__main__":
    sys.exit(main())
