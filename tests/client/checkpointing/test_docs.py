"""docs/checkpoints.md, pasted block after block."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.world import World

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).parents[3]
#: A graph, which the page leaves to its reader.
GRAPH = """
from typing import Annotated
from langgraph.graph import START, StateGraph
from langgraph.graph.message import MessagesState
builder = StateGraph(MessagesState)
builder.add_node("say", lambda state: {"messages": [("ai", "Booked")]})
builder.add_edge(START, "say")
"""


def blocks(kind: str) -> list[str]:
    page = (ROOT / "docs" / "checkpoints.md").read_text(encoding="utf-8")
    return re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)


def pasted(command: list[str], server: World, url: str) -> list[str]:
    done = subprocess.run(
        command,
        env={
            **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
            "PYTHONPATH": str(ROOT),
            "SUTURE_URL": url,
            "SUTURE_KEY": server.keys["alice"],
        },
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(not (shutil.which("curl") and shutil.which("bash")), reason="needs curl and bash")
def test_the_page_works_with_curl(server: World, live_server: Any, given: Callable[[str], Any]) -> None:
    given("coding-agent")
    credentials = f"make() {{ echo SUTURE_URL={live_server.url}; echo SUPPORT_AGENT_KEY={server.keys['alice']}; }}\n"
    lines = pasted(["bash", "-euo", "pipefail", "-c", credentials + "".join(blocks("sh"))], server, live_server.url)
    first, second, restored, done, listed, saved, deleted, shared = map(json.loads, filter(None, lines))
    assert (first["checkpoint"], first["next_checkpoint_turn"]) == (None, 2)
    assert (second["checkpoint"]["turn"], second["next_checkpoint_turn"]) == (2, 4)
    assert restored["state"]["working_memory"] == {"plan": ["book", "pack"]}
    assert [one["is_done"] for one in restored["pending_operations"]] == [False]
    assert done["is_done"]
    assert [one["state"]["working_memory"]["plan"] for one in listed["results"]] == [["book", "pack"]]
    assert [(one["turn"], one["label"]) for one in saved["checkpoints"]] == [(2, None), (3, "packed")]
    assert deleted == {"deleted": 1}
    assert shared["shared_with"] == ["coding-agent"]


def test_the_page_works_with_python(server: World, live_server: Any) -> None:
    lines = pasted([sys.executable, "-c", GRAPH + "\n".join(blocks("python"))], server, live_server.url)
    shown = [line.partition("# ")[2] for line in blocks("python")[1].splitlines() if line.startswith("print")]
    assert lines == [*shown, "10 0.1 leg 10", "sending"]
    sessions = {one["session_id"] for one in server.alice.ok("get", "sessions")["results"]}
    assert sessions == {"trip-8", "trip-9", "langgraph:trip-10"}
