"""The benchmark runs at a tiny size and says what it measured. Its figures are nobody's business here."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import database, load
from memory_project import environment

pytestmark = pytest.mark.stack

CASES = {
    "subject filter, newest 200",
    "get 200 by id",
    "full text, rare term, top 50",
    "full text, medium term, top 50",
    "full text, common term, top 50",
    "full text, common term and subject, top 50",
    "get 50 by id",
    "timeline, an hour either way, 50",
}


SERVER_VARIABLES = {name: environment.server(name) for name in environment.SERVER_VARIABLES}


def bench(results: Path, *options: str) -> dict[str, Any]:
    """Run it on a database of its own on the tests' server; answers the figures."""
    sizes = ("--runs", "3", "--seconds", "0.1", "--results", str(results))
    done = subprocess.run(
        [sys.executable, "-m", "bench", *sizes, *options],
        cwd=environment.BASE_DIR,
        env={**os.environ, **SERVER_VARIABLES},
        capture_output=True,
        text=True,
        timeout=1800,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = results.glob("*.json")
    figures: dict[str, Any] = json.loads(file.read_text())
    return figures


def test_it_works(tmp_path: Path) -> None:
    """Generating, folding, the drift check and every query, at two sizes."""
    figures = bench(tmp_path, "--chunks", "1000", "--edits", "100", "--only", "read", "--beside-tenth")
    assert {"chunks", "edits", "tables", "before", "after", "read"} <= set(figures)
    assert {row["case"] for row in figures["read"]} == CASES
    for row in figures["read"]:
        assert {"goal", "ratio", "ratio_with_conversion", "raw_ms", "governed_ms", "runs", "rows"} <= set(row)
        assert row["rows"]["governed"] > 0, row["case"]
        assert row["literal"]["rows"] > 0, row["case"]
    assert {row["case"] for row in figures["read_tenth"]} == {row["case"] for row in figures["read_growth"]} == CASES


def test_it_calls_the_web_server(tmp_path: Path) -> None:
    figures = bench(tmp_path, "--chunks", "300", "--edits", "30", "--only", "http")
    assert [row["case"] for row in figures["http"]] == list(load.SCENARIOS)
    assert all(row["requests"] > 0 for row in figures["http"])


def test_it_calls_the_tools_of_an_agents_own_memory(tmp_path: Path) -> None:
    rows = bench(tmp_path, "--chunks", "300", "--edits", "30", "--only", "agents")["agents"]
    assert [row["case"] for row in rows] == [
        f"{case}, {callers}" for callers in ("1 caller", "4 callers") for case in load.OF_AGENTS
    ]
    assert all(row["requests"] > 0 for row in rows)


def test_it_says_what_retrieval_finds_and_takes(tmp_path: Path) -> None:
    rows = bench(tmp_path, "--chunks", "1000", "--edits", "100", "--only", "retrieval")["retrieval"]
    recalls = [row for row in rows if row["case"].startswith("recall@10")]
    assert len(recalls) == 6
    # so little memory is searched completely
    assert all(row["figure"] == 1 for row in recalls), recalls
    assert all(row["figure"] > 0 for row in rows)
    assert {"chunks embedded by the local model", "bytes a chunk: vector E1 (HNSW)"} <= {row["case"] for row in rows}


def test_it_compares_a_tenant_that_is_new_with_a_known_one(tmp_path: Path) -> None:
    rows = bench(tmp_path, "--chunks", "300", "--edits", "30", "--only", "tenants")["tenants"]
    unknown = [row for row in rows if "unknown to statistics" in row["case"]]
    assert len(unknown) == 16
    assert all(row["rows_read"] <= 2 * row["rows_read_after"] + 100 for row in unknown)
    assert sum("search" in row["case"] and "of 1,003 tenants" in row["case"] for row in rows) == 3


def test_what_is_kept_is_used_until_what_made_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in SERVER_VARIABLES.items():
        monkeypatch.setenv(name, value)
    name = "suture_bench_test_kept"
    database.create(name)
    try:
        with database.owner(name) as connection:
            database.remember_sources(connection, database.sources())
        assert database.is_current(name)
        with database.owner(name) as connection:
            connection.execute("DELETE FROM bench_sources WHERE path LIKE 'capsules/sql/0001%'")  # not made yet then
        assert database.is_current(name)
        with database.owner(name) as connection:
            connection.execute("UPDATE bench_sources SET sha256 = '' WHERE path = 'memory/sql/0001_tables.up.sql'")
        assert not database.is_current(name)
    finally:
        database.drop_family(name)
    assert not database.is_current(name)
