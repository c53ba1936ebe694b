"""The embedded PostgreSQL is sized by the machine, and by the operator."""

import sys
from pathlib import Path

import pytest

from memory_project.stack import sizing
from memory_project.stack.processes import StackError

from .running import assert_one_line, stack

GB = 1024**3


@pytest.mark.pure
def test_it_takes_a_quarter_of_the_memory_for_its_buffers() -> None:
    assert sizing.sizes(24 * GB) == {
        "shared_buffers": "6144MB",
        "effective_cache_size": "12288MB",
        "work_mem": "48MB",
        "maintenance_work_mem": "1536MB",
        "max_wal_size": "4096MB",
    }


@pytest.mark.pure
@pytest.mark.parametrize(("memory", "buffers"), [(GB // 4, "128MB"), (2 * GB, "512MB"), (1024 * GB, "16384MB")])
def test_there_is_a_least_and_a_most(memory: int, buffers: str) -> None:
    assert sizing.sizes(memory)["shared_buffers"] == buffers


@pytest.mark.pure
def test_the_limit_of_a_container_counts(tmp_path: Path) -> None:
    limit = tmp_path / "memory.max"
    limit.write_text(f"{GB}\n")
    assert sizing.memory_of_machine((str(tmp_path / "missing"), str(limit))) == GB


@pytest.mark.pure
@pytest.mark.parametrize("text", ["max\n", ""])
def test_without_a_limit_the_machine_counts(tmp_path: Path, text: str) -> None:
    limit = tmp_path / "memory.max"
    limit.write_text(text)
    assert sizing.memory_of_machine((str(limit),)) == sizing.memory_of_machine(()) > GB


@pytest.mark.pure
def test_an_operator_chooses_sizes() -> None:
    chosen = sizing.adjusted({"SUTURE_POSTGRES": "shared_buffers = 2GB, work_mem=32MB,random_page_cost=1.1,"})
    assert chosen == {"shared_buffers": "2GB", "work_mem": "32MB", "random_page_cost": "1.1"}
    assert sizing.adjusted({}) == {}


@pytest.mark.pure
@pytest.mark.parametrize(
    "setting", ["fsync=off", "listen_addresses=0.0.0.0", "log_min_error_statement=error", "work_mem"]
)
def test_nothing_else_is_set_so(setting: str) -> None:
    with pytest.raises(StackError, match="SUTURE_POSTGRES"):
        sizing.adjusted({"SUTURE_POSTGRES": setting})


@pytest.mark.pure
@pytest.mark.parametrize("value", ["", "much", "1GB; fsync=off", "1 'GB'"])
def test_a_value_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(StackError, match="work_mem"):
        sizing.adjusted({"SUTURE_POSTGRES": f"work_mem={value}"})


@pytest.mark.stack
def test_a_setting_that_cannot_be_chosen_is_one_line(home: Path) -> None:
    assert_one_line(stack(home, "run", "--", "true", SUTURE_POSTGRES="fsync=off"), "SUTURE_POSTGRES cannot set 'fsync'")


@pytest.mark.stack
def test_the_server_runs_with_them(home: Path) -> None:
    show = (
        "import os, psycopg; print(psycopg.connect(os.environ['DATABASE_URL']).execute('SHOW work_mem').fetchone()[0])"
    )
    result = stack(home, "run", "--ephemeral", "--", sys.executable, "-c", show, SUTURE_POSTGRES="work_mem=33MB")
    assert result.stdout.strip().endswith("33MB"), result.stderr
