"""The benchmark runs at a tiny size and says what it measured. Its figures are nobody's business here."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bench import database, load, product
from bench.capture.hooks import AGENT_LIMITS
from governance.ledger import published
from memory_project import environment

pytestmark = [pytest.mark.slow, pytest.mark.stack]

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


def bench(results: Path, *options: str, web_workers: int = 4) -> dict[str, Any]:
    """Run it on a database of its own on the tests' server; answers the figures. Its name is made of its sizes: each
    test has others, since two may run at once."""
    sizes = ("--runs", "3", "--seconds", "0.1", "--results", str(results))
    done = subprocess.run(
        [sys.executable, "-m", "bench", *sizes, *options],
        cwd=environment.BASE_DIR,
        env={**os.environ, **SERVER_VARIABLES, "WEB_WORKERS": str(web_workers)},
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


def test_it_compares_the_gate_with_one_table_and_a_bare_caller_and_says_what_was_promised(tmp_path: Path) -> None:
    """The parts that need no vectors of meaning, in a database of five tenants."""
    parts = ("inline", "callers", "p95", "amends", "ingest", "space", "sealing")
    sizes = ("--chunks", "1000", "--edits", "100", "--tenants", "5", "--idle-tenants", "3", "--words-only")
    figures = bench(tmp_path, *sizes, "--callers", "2", "--only", *parts, web_workers=1)
    assert {row["tenant"] for row in figures["inline"]} == {"huge", "small", "newest"}
    for kind in ("list of a subject", "list of all", "get 50", "timeline", "search, rare", "search, common"):
        rows = [row for row in figures["inline"] if row["case"].startswith(kind)]
        assert len(rows) >= 3, kind
        # the table by hand hides nothing
        assert all(0 < row["rows"]["governed"] <= row["rows"]["raw"] for row in rows), rows
    assert {(row["case"].split(",")[0].split()[0], row["callers"]) for row in figures["callers"]} == {
        (case, 2) for case in ("search", "list", "get", "timeline")
    }
    assert all(row[side]["requests"] > 0 for row in figures["callers"] for side in ("product", "bare"))
    assert all(row[side]["database_ms"] > 0 for row in figures["callers"] for side in ("product", "bare"))
    for part in ("p95", "amends", "ingest", "space", "sealing"):
        assert any(row["goal"] for row in figures[part]), part
        assert all(row["figure"] >= 0 for row in figures[part]), part
    assert figures["space"][0]["figure"] > 500


def test_it_calls_the_web_server(tmp_path: Path) -> None:
    figures = bench(tmp_path, "--chunks", "300", "--edits", "30", "--only", "http")
    assert [row["case"] for row in figures["http"]] == list(load.SCENARIOS)
    assert all(row["requests"] > 0 for row in figures["http"])


def test_it_calls_the_tools_of_an_agents_own_memory(tmp_path: Path) -> None:
    rows = bench(tmp_path, "--chunks", "310", "--edits", "30", "--only", "agents")["agents"]
    assert [row["case"] for row in rows] == [
        f"{case}, {callers}" for callers in ("1 caller", "4 callers") for case in load.OF_AGENTS
    ]
    assert all(row["requests"] > 0 for row in rows)


def test_it_says_what_retrieval_finds_and_takes(tmp_path: Path) -> None:
    rows = bench(tmp_path, "--chunks", "1010", "--edits", "100", "--only", "retrieval")["retrieval"]
    recalls = [row for row in rows if row["case"].startswith("recall@10")]
    assert len(recalls) == 6
    # so little memory is searched completely
    assert all(row["figure"] == 1 for row in recalls), [dict(row) for row in recalls]
    assert all(row["figure"] > 0 for row in rows)
    assert {"chunks embedded by the local model", "bytes a chunk: vector E1 (HNSW)"} <= {row["case"] for row in rows}


def test_it_compares_a_tenant_that_is_new_with_a_known_one(tmp_path: Path) -> None:
    rows = bench(tmp_path, "--chunks", "320", "--edits", "30", "--only", "tenants")["tenants"]
    unknown = [row for row in rows if "unknown to statistics" in row["case"]]
    assert len(unknown) == 16
    assert all(row["rows_read"] <= 2 * row["rows_read_after"] + 100 for row in unknown)
    assert sum("search" in row["case"] and "of 1,004 tenants" in row["case"] for row in rows) == 3


def test_it_says_what_access_tracking_adds_to_a_search(tmp_path: Path) -> None:
    rows = bench(tmp_path, "--chunks", "330", "--edits", "30", "--only", "usage")["usage"]
    *compared, recorded = rows
    assert [row["unit"] for row in compared] == ["ms", "%"] * 3
    assert all(row["searches"] > 0 for row in compared[::2])
    assert recorded["recorded"] > 0


def test_it_says_what_capture_takes(tmp_path: Path) -> None:
    figures = bench(tmp_path, "--files", "3", "--only", "capture")["capture"]
    assert [row["case"] for row in figures["hooks"]] == [
        "the interpreter alone",
        *(f"{event}, server {server}" for server in ("up", "down", "frozen") for event in AGENT_LIMITS),
    ]
    spooled = {
        server: sum(row["spooled"] for row in figures["hooks"] if row["case"].endswith(server))
        for server in ("up", "down", "frozen")
    }
    # nothing is lost without a server: each call but those of SessionStart, with the one that warms up
    assert spooled["up"] < spooled["down"] == spooled["frozen"] == 4 * (len(AGENT_LIMITS) - 1)
    assert {row["case"] for row in figures["throughput"]} == {
        f"{case}, {callers}" for callers in ("1 caller", "4 callers") for case in load.OF_CAPTURES
    }
    assert all(row["figure"] > 0 for row in figures["throughput"] + figures["watching"])
    assert [row["case"] for row in figures["watching"]] == [
        "3 files indexed, without embeddings",
        "1 files indexed, with embeddings",
        "a new file is found, p95",
        "a changed file is found, p95",
    ]


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


def test_a_copy_forgets_what_an_earlier_copy_published(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the server would find that the new copy lacks entries, and write nothing."""
    for name, value in SERVER_VARIABLES.items():
        monkeypatch.setenv(name, value)
    name = "suture_bench_test_copied"
    database.create(name)
    try:
        subprocess.run(
            [sys.executable, "manage.py", "provision", "one"],
            cwd=environment.BASE_DIR,
            env={**os.environ, **database.environment(name)},
            capture_output=True,
            check=True,
        )
        with database.owner(name) as connection:
            ((tenant_id,),) = connection.execute("SELECT id FROM governance_tenant").fetchall()
        published.path_of(tenant_id).parent.mkdir(exist_ok=True)
        published.path_of(tenant_id).touch()
        assert product.copy_of(name) == f"{name}_measured"
        assert not published.path_of(tenant_id).exists()
    finally:
        database.drop_family(name)


def test_it_says_what_checkpoints_take(tmp_path: Path) -> None:
    rows = bench(tmp_path, "--runs", "3", "--checkpoints", "4", "--only", "checkpoints")["checkpoints"]
    figures = {row["case"]: row["figure"] for row in rows}
    assert figures["save a state of 5 MiB, p95"] > 0
    assert figures["restore a state of 5 MiB, p95"] > 0
    assert figures["restore a state of 64 MiB, p95"] > 0
    assert "prune 2 and delete their files" in figures


def test_it_profiles_a_request() -> None:
    """One after the other, since the first generates a database and keeps it for the others."""
    try:
        for request, function in (
            ("search", "search_chunks()"),
            ("bundle", "get_evidence()"),
            ("record", "record_events()"),
            ("amend", "record_edit()"),
        ):
            done = subprocess.run(
                [sys.executable, "-m", "bench.profile", "--request", request, "--chunks", "340", "--number", "20"],
                cwd=environment.BASE_DIR,
                env={**os.environ, **SERVER_VARIABLES},
                capture_output=True,
                text=True,
                timeout=600,
                check=False,
            )
            assert done.returncode == 0, done.stdout + done.stderr
            for said in (function, "our services", "REST framework", "database driver and waiting"):
                assert said in done.stdout, done.stdout
    finally:
        with pytest.MonkeyPatch.context() as patch:
            for name, value in SERVER_VARIABLES.items():
                patch.setenv(name, value)
            database.drop_family("suture_bench_340_34_3w")
