"""The benchmark of the largest inputs measures masking, comparing and parsing. Its figures are of no concern here."""

import pytest

from bench import limits

pytestmark = pytest.mark.pure


def test_each_kind_of_work_is_measured(monkeypatch):
    for name, size in {"TEXT": 2_000, "WORDS": 20, "BODY": 2_000, "RUNS": 1}.items():
        monkeypatch.setattr(limits, name, size)

    rows = limits.measure()

    assert {row["case"].split()[0] for row in rows} == {"mask", "compare", "parse"}
    assert all(row["unit"] == "ms" and row["goal"] == "< 300" for row in rows)
