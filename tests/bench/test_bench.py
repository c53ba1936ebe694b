"""The benchmark runs at a tiny size and says what it measured. Its figures are nobody's business here."""

import json
import os
import subprocess
import sys
from pathlib import Path

from memory_project import environment

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


def test_it_works(tmp_path: Path) -> None:
    """Generating, folding, the drift check and every query, on a database of its own on the tests' server."""
    variables = {name: environment.server(name) for name in environment.SERVER_VARIABLES}
    options = ["--chunks", "300", "--edits", "30", "--runs", "3", "--only", "read", "--results", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "bench", *options],
        cwd=environment.BASE_DIR,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = tmp_path.glob("read-*.json")
    figures = json.loads(file.read_text())
    assert {"chunks", "edits", "tables", "before", "after", "read"} <= set(figures)
    assert {row["case"] for row in figures["read"]} == CASES
    for row in figures["read"]:
        assert {"goal", "ratio", "ratio_with_conversion", "raw_ms", "governed_ms", "runs", "rows"} <= set(row)
        assert row["rows"]["governed"] > 0, row["case"]
