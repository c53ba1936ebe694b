"""Two nodes on one database and one Redis: the second must have the secrets of the first."""

import json
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_project.environment import SERVER_VARIABLES, published

from .running import RunningStack, eventually, left_running, stack

pytestmark = pytest.mark.stack

SECRETS = ("secret_key", "encryption_key", "ledger.key")


@pytest.fixture
def first(home: Path, port: int) -> Iterator[dict[str, str]]:
    """The servers of a node that runs neither worker nor beat."""
    node = RunningStack(home, port, "web")
    try:
        node.wait_until_ready()
        yield {variable: published(home, variable) for variable in SERVER_VARIABLES}
    finally:
        node.process.send_signal(signal.SIGINT)
        assert node.wait() == 0
        assert left_running(home) == []


def test_a_second_node_needs_the_secrets_of_the_first_and_then_runs_what_it_is_asked_for(
    first: dict[str, str], home: Path, place: Path
) -> None:
    assert json.loads((home / "stack.json").read_text())["SUTURE_URL"]
    second = place / "second"
    refused = stack(second, "up", "--only", "worker", "beat", **first)
    assert refused.returncode == 1
    for name in ("SECRET_KEY", "SUTURE_ENCRYPTION_KEYS", "SUTURE_SIGNING_KEY"):
        assert f"- {name}, by default {second}" in refused.stdout
    assert f":{home}, which stored it on " in refused.stdout
    assert not (second / "ledger.key").exists()

    for name in SECRETS:
        shutil.copy2(home / name, second / name)
    node = RunningStack(second, 0, "worker", "beat", LOG_LEVEL="WARNING", **first)
    try:
        node.wait_until_ready()
        assert "runs   worker, beat only" in node.output
        eventually(lambda: "this beat sends the jobs" in (second / "log" / "beat.log").read_text())
        assert not (home / "log" / "beat.log").exists()
        assert not (second / "log" / "web.log").exists()
        assert not (second / "pg18").exists()
    finally:
        node.process.send_signal(signal.SIGINT)
        assert node.wait() == 0
    assert left_running(second) == []


def test_a_word_that_is_no_part_is_refused(home: Path) -> None:
    result = stack(home, "up", "--only", "webb")
    assert result.returncode == 2
    assert "invalid choice: 'webb' (choose from 'web', 'worker', 'beat')" in result.stderr
