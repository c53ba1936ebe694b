"""What the run of faults makes of what its clients saw. The faults themselves break a whole stack: `make faults`."""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from bench.faults import effects, outcome, rounds
from bench.faults.clients import Acknowledged, Answer, Clients, Journal
from bench.faults.faults import Fault

pytestmark = pytest.mark.pure


def answer(at: float, status: int = 200, *, reason: str = "", retries: bool = False) -> Answer:
    return Answer(at, 0.0, status, reason, retries)


def test_what_clients_may_meet_is_a_503_or_no_server() -> None:
    seen = [
        answer(0),
        answer(1, 503),
        answer(2, 503, retries=True),
        answer(3, 0, reason="ConnectionRefusedError"),
        answer(4, 500),
        answer(5, 429, retries=True),
    ]
    errors = outcome.errors_of(seen)
    assert errors == {"503": 1, "503, try again": 1, "gone": 1, "500": 1, "429": 1}
    assert {kind for kind in errors if kind not in outcome.ALLOWED} == {"500", "429"}


def test_the_longest_time_without_a_write_counts_from_the_fault() -> None:
    writes = [answer(1), answer(2), answer(3, 503), answer(9), answer(10)]
    assert outcome.longest_gap(writes, 2.5, 9.5) == 6.5


def test_readiness_is_wrong_where_it_says_yes_and_no_write_is_done() -> None:
    writes = [answer(at, 503) for at in range(10)]
    assert outcome.longest_wrong([answer(0.5)], writes) == 8
    assert outcome.longest_wrong([answer(0.5, 503)], writes) == 0
    assert outcome.longest_wrong([answer(0.5), answer(4.5, 503)], writes) == 3


def test_readiness_is_wrong_where_it_says_no_and_each_write_is_done() -> None:
    writes = [answer(at) for at in range(10)]
    assert outcome.longest_wrong([answer(-1, 503), answer(5.5)], writes) == 5


def test_the_journal_is_on_disk(journal: Journal, tmp_path: Path) -> None:
    journal.note(Acknowledged("events", "1", "word"))
    assert [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()] == [["events", "1", "word"]]


def test_a_no_for_the_jobs_alone_is_told_from_others() -> None:
    assert outcome.is_about_jobs(Answer(0, 0.0, 503, failed={"broker": "it is away", "worker": "none has reported"}))
    assert not outcome.is_about_jobs(Answer(0, 0.0, 503, failed={"broker": "it is away", "writing": "disk is full"}))
    assert not outcome.is_about_jobs(answer(0, 503))


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with contextlib.closing(Journal(tmp_path / "journal")) as opened:
        yield opened


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The home of a stack whose PostgreSQL has logged something already."""
    (tmp_path / "log").mkdir()
    (tmp_path / "log" / "postgres.log").write_text("ERROR:  canceling statement due to lock timeout\n")
    return tmp_path


def test_a_fault_that_broke_nothing_is_found(home: Path, journal: Journal) -> None:
    log = effects.Log(home)
    clients = Clients(1, {}, journal)
    clients.writes += [answer(1, 503), answer(3)]
    clients.probes.append(Answer(3, 0.0, 503, failed={"clock": "it is wrong"}))
    fault = Fault(lambda stack: None, fails=True, logs="lock timeout", probed="disk is full")

    assert len([*rounds.unseen(fault, clients, log, 2, 4)]) == 3

    clients.reads.append(answer(2.5, 503))
    clients.probes.append(Answer(2.5, 0.0, 503, failed={"writing": "disk is full"}))
    with (home / "log" / "postgres.log").open("a") as file:
        file.write("ERROR:  canceling statement due to lock timeout\n")
    assert [*rounds.unseen(fault, clients, log, 2, 4)] == []


def test_a_process_that_was_to_stand_still_and_does_not_is_found() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as process:
        with pytest.raises(effects.NoEffect, match="is not frozen"):
            effects.require_stopped([psutil.Process(process.pid)])
        process.kill()
        effects.require_ended([psutil.Process(process.pid)])


def test_a_full_disk_has_a_stack_of_its_own() -> None:
    groups = rounds.groups_of(["kill-web", "full-disk", "kill-beat", "full-wal-disk"])
    assert groups == [["kill-web", "kill-beat"], ["full-disk"], ["full-wal-disk"]]
