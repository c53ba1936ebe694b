"""`make eval` runs on a small corpus and says what it measured. Its figures are nobody's business here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from memory_project import environment
from tests.bench.test_bench import SERVER_VARIABLES

pytestmark = [pytest.mark.slow, pytest.mark.stack]


def test_it_works(tmp_path: Path) -> None:
    done = subprocess.run(
        [
            *(sys.executable, "-m", "bench.evaluate", "--corpus", "paraphrases", "--every", "8"),
            *("--ways", "as it stands,joined", "--results", str(tmp_path)),
        ],
        cwd=environment.BASE_DIR,
        env={**os.environ, **SERVER_VARIABLES},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (file,) = tmp_path.glob("*.json")
    (corpus,) = json.loads(file.read_text())["corpora"].values()
    assert corpus["questions"] == 5
    assert {"as it stands", "words joined by OR", "BM25 of a library, words", "BM25 of a library, stems"} <= set(
        corpus["figures"]
    )
    for row in corpus["figures"].values():
        assert set(row) == {"all", "paraphrase"}
        assert 0 <= row["all"]["recall_5"] <= row["all"]["recall_10"] <= 1
