"""The part `beside` of the bench: its table, its chart, and what it says without the packages of the others."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from bench import __main__ as bench
from bench.beside import chart, measuring
from bench.report import Rows
from tests.bench.test_bench import run

ROWS: Rows = [
    {"operation": "get", "system": "Suture", "p50_ms": 4.0, "p95_ms": 6.25, "runs": 9, "ratio": 1.0},
    {"operation": "get", "system": "by hand & quickly", "p50_ms": 0.5, "p95_ms": 120.4, "runs": 9, "ratio": 0.12},
    {"operation": "list", "system": "Suture", "p50_ms": 8.0, "p95_ms": 9.0, "runs": 9, "ratio": 1.0},
]
SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.pure
def test_a_row_of_the_table_is_an_operation_and_an_empty_cell_one_that_a_system_does_not_have() -> None:
    assert measuring.table(ROWS) == [
        {"operation": "get", "Suture": "4.0 / 6.2", "by hand & quickly": "0.5 / 120 (0.12x)"},
        {"operation": "list", "Suture": "8.0 / 9.0", "by hand & quickly": ""},
    ]


@pytest.mark.pure
@pytest.mark.parametrize(("ms", "base", "expected"), [(0.5, 4.0, 0.12), (4.0, 4.0, 1.0), (130.0, 7.0, 19.0)])
def test_a_ratio_has_two_digits(ms: float, base: float, expected: float) -> None:
    assert measuring.ratio(ms, base) == expected


@pytest.mark.pure
def test_the_slowest_system_of_an_operation_has_the_longest_bar() -> None:
    drawn = ElementTree.fromstring(chart.svg(ROWS, "A < B"))
    _, slow, fast, alone = (float(bar.attrib["width"]) for bar in drawn.iter(f"{SVG}rect"))
    assert slow == alone
    assert fast == slow / 8
    words = [text.text for text in drawn.iter(f"{SVG}text")]
    assert {"A < B", "by hand & quickly", "0.5 ms, 0.12x"} <= set(words)


@pytest.mark.pure
def test_without_the_packages_it_says_how_to_install_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(measuring.PACKAGES, "no-such-package", "no_such_package.at_all")
    with pytest.raises(SystemExit, match=r"pip install -e '\.\[beside\]'"):
        bench.main(["--only", "beside"])


@pytest.mark.slow
@pytest.mark.stack
@pytest.mark.skipif(measuring.missing() is not None, reason="the extra `beside` is not installed")
def test_every_system_is_measured(tmp_path: Path) -> None:
    drawn = tmp_path / "beside.svg"
    figures = run(tmp_path, "bench", "--only", "beside", "--chunks", "1000", "--runs", "3", "--svg", str(drawn))
    assert len({row["system"] for row in figures["beside"]}) == 5
    assert len({row["operation"] for row in figures["beside"]}) == 19
    assert all(row["p95_ms"] >= row["p50_ms"] > 0 and row["runs"] >= 3 for row in figures["beside"])
    assert set(measuring.PACKAGES) < set(figures["compared"])
    assert drawn.read_text().startswith("<svg")
