"""The snippets in docs/mcp.md work."""

import json
import re
import subprocess
import sys
import tomllib

import pytest

from suture_client.installing.mcp.clients import CLIENTS
from tests.mcp_server.serving import Serving
from tests.stack.running import HANGS, ROOT

TEXT = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.stack
def test_the_program_runs(serving: Serving) -> None:
    (program,) = blocks("python")
    done = subprocess.run(
        [sys.executable, "-c", program.replace("http://127.0.0.1:8000", serving.url)],
        env=serving.variables(serving.agent),
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    names, answer = done.stdout.splitlines()
    assert "'search_memory'" in names
    assert '"chunks"' in answer


@pytest.mark.pure
def test_the_configurations_are_those_that_the_command_writes() -> None:
    entries = [json.loads(block)["mcpServers"]["suture"] for block in blocks("json")]
    assert entries[0] == {
        "type": "http",
        "url": "http://127.0.0.1:8000/mcp",
        "headers": {"Authorization": f"Bearer {CLIENTS['claude-code'].reference}"},
    }
    assert entries[1].keys() == {"command", "args", "env"}
    assert entries[1]["args"] == ["mcp"]
    (codex,) = map(tomllib.loads, blocks("toml"))
    assert codex["mcp_servers"]["suture"] == {
        "url": "http://127.0.0.1:8000/mcp",
        "bearer_token_env_var": CLIENTS["codex"].reference,
    }


@pytest.mark.pure
def test_every_client_is_in_the_table() -> None:
    for client in CLIENTS.values():
        (line,) = [line for line in TEXT.splitlines() if line.startswith(f"| `{client.name}` |")]
        assert client.reference is None or client.name in {"vscode", "codex"} or client.reference in line
