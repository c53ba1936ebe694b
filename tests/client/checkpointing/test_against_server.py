"""A whole server: the example of docs/checkpoints.md, killed and started again, and states at the limit."""

import signal
import subprocess
import sys

import pytest

from suture_client.checkpointing import Checkpointer, Problem, restore
from tests.mcp_server.serving import Serving
from tests.stack.running import HANGS, ROOT

pytestmark = [pytest.mark.slow, pytest.mark.stack]


def run(serving: Serving, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, ROOT / "examples" / "checkpoint_agent.py", *arguments],
        env={**serving.variables(serving.agent), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


def test_an_agent_that_was_killed_ends_as_one_that_ran_through(serving: Serving) -> None:
    steady = run(serving, "steady run", "--steady")
    assert steady.returncode == 0, steady.stderr

    killed = run(serving)
    assert killed.returncode == -signal.SIGKILL
    assert killed.stdout.splitlines() == ["Turn 1", "Turn 2", "Turn 3", "Turn 4"]
    resumed = run(serving)
    assert resumed.returncode == 0, resumed.stderr

    lines = resumed.stdout.splitlines()
    assert lines[:3] == ["Turn 3 is restored: 3 payments.", "The letter to Ms Lovelace was pending.", "Turn 4"]
    assert lines[-1] == steady.stdout.splitlines()[-1]
    assert lines[-1].endswith("letters to Ms Lovelace")
    kinds = [one["kind"] for one in serving.ask("GET", "sessions/checkpoint-example/checkpoints")["results"]]
    # Turns 4, 6 and 8 after it went on; turn 2 and the letter before.
    assert kinds == ["automatic"] * 3 + ["manual", "automatic"]


def test_a_state_beyond_the_limit_is_refused_and_the_run_goes_on(serving: Serving) -> None:
    with Checkpointer("large", every=1, url=serving.url, key=serving.agent) as run:
        run.turn(working_memory="small")
        for mib in (65, 200):
            with pytest.raises(Problem) as refused:
                run.turn(messages=["x" * (mib * 2**20)])
            assert refused.value.status == 413
        made = run.turn(messages=["x" * (63 * 2**20)]).checkpoint
    assert made is not None
    assert (made.turn, made.size > 63 * 2**20) == (2, True)
    found = restore("large", url=serving.url, key=serving.agent)
    assert len(found.state["messages"][0]) == 63 * 2**20
