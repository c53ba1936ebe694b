"""What the run of faults makes of what its clients saw. The faults themselves break a whole stack: `make faults`."""

import json
from pathlib import Path

import pytest

from bench.faults import __main__ as run
from bench.faults import outcome
from bench.faults.clients import Acknowledged, Answer, Journal
from bench.faults.faults import FAULTS

pytestmark = pytest.mark.pure


def answer(at: float, status: int = 200, *, reason: str = "", retries: bool = False) -> Answer:
    return Answer(at, 0.0, status, reason, retries)


def test_each_fault_has_a_name_and_says_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    assert run.main(["--list"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in FAULTS)
    assert all(inject.__doc__ for inject in FAULTS.values())


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


def test_the_journal_is_on_disk(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "journal")
    journal.note(Acknowledged("events", "1", "word"))
    journal.close()
    assert [json.loads(line) for line in (tmp_path / "journal").read_text().splitlines()] == [["events", "1", "word"]]
