"""What the bench is asked for, and whether the disk has the room."""

from pathlib import Path

import pytest

from bench import __main__ as main
from bench import sizes

pytestmark = pytest.mark.pure


def test_a_database_that_is_too_large_for_the_disk_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUTURE_HOME", str(tmp_path))
    assert "of which" in sizes.require_room(1)
    with pytest.raises(SystemExit, match="Choose a smaller SIZE, or set BENCH_HOME"):
        sizes.require_room(sizes.Size(10**12, 0).bytes_needed)


def test_ten_million_chunks_are_generated_without_vectors_of_meaning() -> None:
    options = main.options_of(["--size", "10m", "--tenants", "1000"])
    assert (options.chunks, options.edits, options.tenants) == (10_000_000, 1_000_000, 1000)
    assert not options.has_meaning
    with pytest.raises(SystemExit):
        main.options_of(["--size", "10m", "--only", "retrieval"])
    size = sizes.Size(options.chunks, options.edits, options.tenants, options.has_meaning)
    assert size.all_chunks == 10_000_000 + 2 * 100_000 + 997 * 100
    assert size.bytes_needed < 70 * 1024**3
