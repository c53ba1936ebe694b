"""The parts of the bench run at a tiny size and say what they measured. Their figures are nobody's business here."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import gates
from bench.faults.faults import FAULTS
from memory_project import environment
from tests.stack.running import environment as apart

pytestmark = [pytest.mark.slow, pytest.mark.stack]


def run(tmp_path: Path, module: str, *options: str, codes: tuple[int, ...] = (0,)) -> dict[str, Any]:
    """Run a part on servers of its own, which must end with one of the `codes`; answers the figures."""
    done = subprocess.run(
        [sys.executable, "-m", module, *options, "--results", str(tmp_path)],
        cwd=environment.BASE_DIR,
        env=apart(tmp_path, WEB_WORKERS="1"),
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode in codes, done.stdout + done.stderr
    (file,) = tmp_path.glob("*.json")
    figures: dict[str, Any] = json.loads(file.read_text())
    return figures


def test_it_measures_what_is_promised(tmp_path: Path) -> None:
    figures = run(tmp_path, "bench", "--chunks", "1000", "--seconds", "0.3", "--runs", "3")
    assert [row["case"] for row in figures["p95"]] == list(gates.P95)
    assert [row["case"] for row in figures["ingest"]] == list(gates.INGEST)
    for part in ("p95", "amends", "ingest"):
        assert all(row["runs"] and row["p95_ms"] >= row["p50_ms"] > 0 for row in figures[part]), part
    assert len(figures["fairness"]) == len(gates.BESIDE)
    for row in figures["governed"]:
        by_hand, governed = map(int, row["rows"].split(" / "))
        # the table by hand hides nothing
        assert 0 < governed <= by_hand, row
    assert all(row["ratio"] > 0 for part in ("governed", "fairness") for row in figures[part])


def test_it_evaluates_search(tmp_path: Path) -> None:
    options = ("--corpus", "paraphrases", "--every", "8", "--ways", "as it is,joined")
    (corpus,) = run(tmp_path, "bench.evaluate", *options)["corpora"].values()
    assert corpus["questions"] == 5
    assert {"as it is", "words joined by OR", "BM25 of a library, words", "BM25 of a library, stems"} == set(
        corpus["figures"]
    )
    for row in corpus["figures"].values():
        assert 0 <= row["all"]["recall_5"] <= row["all"]["recall_10"] <= 1


def test_a_soak_loads_a_whole_stack_and_says_what_it_found(tmp_path: Path) -> None:
    figures = run(tmp_path, "bench.soak", "--minutes", "0.5", "--every", "2", codes=(0, 1))
    assert {"hook", "search", "record 1 event", "context bundle"} <= {row["request"] for row in figures["requests"]}
    assert figures["growth"]
    assert figures["drained_seconds"] is not None


def test_each_fault_says_what_it_does() -> None:
    """The faults themselves: tests/stack/test_faults.py, and `make faults`."""
    assert len(FAULTS) == 27
    assert all(fault.description for fault in FAULTS.values())
