"""Rounds: one fault after the other in a running stack under load, with the result of each."""

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from bench.faults import outcome as outcomes
from bench.faults.clients import Acknowledged, Clients, Journal, call
from bench.faults.disk import HOME_MB, WAL_MB, CannotMount, Disk
from bench.faults.effects import Log, NoEffect, refused
from bench.faults.faults import FAULTS, Fault, Skipped
from bench.faults.outcome import ALLOWED, Outcome
from bench.stack import UNLIMITED, Stack

#: Small servers, and no effective rate limits.
VARIABLES = {
    **UNLIMITED,
    "WEB_WORKERS": "2",
    "SUTURE_POSTGRES": "shared_buffers=64MB, max_wal_size=64MB, min_wal_size=32MB",
    "LOG_LEVEL": "WARNING",
}
#: How many of the last acknowledged records to search for after each fault.
SEARCHED = 40
NEEDS_DISKS = {"full-disk", "full-wal-disk"}


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds: of load before a fault, and without an error after it; maximum for a recovery; and maximum for wrong
    readiness."""

    before: float = 3.0
    steady: float = 3.0
    longest: float = 150.0
    most_wrong: float = 10.0


def groups_of(names: Sequence[str]) -> list[list[str]]:
    """Groups of faults that share a stack. Only faults that fill a disk use small disks, each in its own stack:
    PostgreSQL may not recover there."""
    together = [name for name in names if name not in NEEDS_DISKS]
    return [group for group in (together, *([name] for name in names if name in NEEDS_DISKS)) if group]


def run(
    names: Sequence[str],
    pace: Pace,
    tell: Callable[[str], None],
    *,
    keep: bool = False,
    verifies_each: bool = True,
) -> list[Outcome]:
    """Run faults one after the other in one stack; calls `tell` with the progress. Memory and ledger are verified after
    each, or only after the last."""
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
            return [Outcome(name, skipped=f"cannot mount a disk: {reason}") for name in names]
        found = []
        with contextlib.closing(Journal(stack.place / "journal")) as journal:
            for name in names:
                tell(f"{name}: {FAULTS[name].description}")
                found.append(one(stack, journal, name, pace))
                if verifies_each or name == names[-1]:
                    found[-1].faults_found += stack.unverified()
                tell(f"{name}: {outcomes.verdict_of(found[-1])}")
        return found
    finally:
        stack.stop()
        for disk in reversed(disks):
            disk.unmount()
        if keep:
            tell(f"kept: {stack.place}")
        else:
            stack.remove()


def _move_log(stack: Stack, disks: list[Disk]) -> None:
    """Move the write-ahead log to its own disk, which is added to `disks`."""
    stack.stop()
    log = stack.home / "pg18" / "pg_wal"
    owner = log.stat()
    disk = Disk.mount(stack.place / "wal", WAL_MB)
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


def one(stack: Stack, journal: Journal, name: str, pace: Pace) -> Outcome:
    """Run one fault under load, and read back what was acknowledged."""
    found = Outcome(name)
    fault = FAULTS[name]
    clients = Clients(stack.port, stack.keys(), journal)
    known = len(journal.entries)
    log = Log(stack.home)
    clients.start()
    time.sleep(pace.before)
    begin = time.monotonic()
    try:
        fault.inject(stack)
    except Skipped as reason:
        found.skipped = str(reason)
    except NoEffect as reason:
        found.faults_found.append(f"the fault was not in effect: {reason}")
    except Exception as error:
        found.faults_found.append(f"{type(error).__name__}: {error}")
    healed = time.monotonic()
    end = _wait_until_well(stack, clients, healed, pace)
    if stack.has_ended():
        found.faults_found.append("the stack gave up and was restarted manually")
        stack.start()
    if end is None:
        found.faults_found.append(f"not recovered {pace.longest:.0f} s after the fault")
        end = time.monotonic()
    clients.stop()
    acknowledged = journal.entries[known:]
    found.acknowledged = len(acknowledged)
    found.errors = outcomes.errors_of([*clients.writes, *clients.reads])
    found.reads_meanwhile = sum(answer.is_done for answer in clients.reads if begin < answer.at < healed)
    found.longest_gap = outcomes.longest_gap(clients.writes, begin, end)
    found.recovery = end - healed
    probes = [probe for probe in clients.probes if not (begin < probe.at < healed and outcomes.is_about_jobs(probe))]
    found.wrong = outcomes.longest_wrong(probes, clients.writes)
    found.slowest_probe = max((probe.seconds for probe in clients.probes if probe.status), default=0.0)
    found.faults_found += [
        f"{number} results of clients were {kind}" for kind, number in found.errors.items() if kind not in ALLOWED
    ]
    if found.wrong > pace.most_wrong:
        found.faults_found.append(f"readiness was wrong for {found.wrong:.1f} s")
    if not found.skipped:
        found.faults_found += unseen(fault, clients, log, begin, end)
        found.faults_found += _lost(stack, clients, acknowledged)
    return found


def unseen(fault: Fault, clients: Clients, log: Log, begin: float, end: float) -> Iterable[str]:
    """The declared signs of a fault between `begin` and `end` that are missing."""
    if fault.fails and not refused([*clients.writes, *clients.reads], begin, end):
        yield "the fault was not in effect: no request failed"
    if fault.logs and not log.count(fault.logs):
        yield f"the fault was not in effect: PostgreSQL did not log {fault.logs!r}"
    said = {reason for probe in clients.probes if probe.at >= begin for reason in probe.failed.values()}
    if fault.probed and fault.probed not in said:
        yield f"the fault was not in effect: readiness did not report {fault.probed!r}"


def _wait_until_well(stack: Stack, clients: Clients, since: float, pace: Pace) -> float | None:
    """The time from which, for a while, all processes ran, readiness was good and every write succeeded; None if that
    did not happen in time. (A killed server's remaining processes may answer for a moment.)"""
    broken = since
    while time.monotonic() < since + pace.longest and not stack.has_ended():
        now = time.monotonic()
        answers = [*clients.writes, *clients.probes]
        ends = [answer.at + answer.seconds for answer in answers if not answer.is_done]
        broken = max(broken, now if not stack.is_whole() else broken, max(ends, default=since))
        done = [clients.writes, clients.probes]
        firsts = [next((a.at + a.seconds for a in list(kind) if a.at >= broken and a.is_done), None) for kind in done]
        if now > broken + pace.steady and None not in firsts:
            return max(first for first in firsts if first is not None)
        time.sleep(0.1)
    return None


def _lost(stack: Stack, clients: Clients, acknowledged: list[Acknowledged]) -> Iterable[str]:
    """Acknowledged records that cannot be read, by id or by a search for their own word."""
    ask = partial(call, stack.port, key=next(iter(clients.keys.values())))
    lost = [
        f"{entry.kind}/{entry.id} ({outcomes.kind_of(answer)})"
        for entry in acknowledged
        if not (answer := ask("GET", f"/api/v1/{entry.kind}/{entry.id}")[0]).is_done
    ]
    if lost:
        yield f"{len(lost)} acknowledged records cannot be read, the first {lost[0]}"
    unfound = []
    for entry in [entry for entry in acknowledged if entry.kind == "edits"][-SEARCHED:]:
        query = {"query": entry.word, "mode": "keyword", "session_id": "faults"}
        _, found = ask("POST", "/api/v1/chunks/search", body=query)
        if not any(entry.word in chunk["text"] for chunk in found.get("chunks", ())):
            unfound.append(f"{entry.word} of {entry.id}")
    if unfound:
        yield f"{len(unfound)} edits are not found by search, the first {unfound[0]}"
