"""The MCP Inspector against the running server: npm's `@modelcontextprotocol/inspector`, on Node 22.19 or later.

`SUTURE_TEST_INSPECTOR` is the command, such as `npx -y @modelcontextprotocol/inspector@2`.
"""

import json
import os
import shlex
import subprocess
from typing import Any

import pytest

from tests.mcp_server.serving import SUTURE, Serving, environment_of
from tests.stack.running import HANGS, ROOT

INSPECTOR = os.environ.get("SUTURE_TEST_INSPECTOR", "")

pytestmark = [
    pytest.mark.stack,
    pytest.mark.skipif(not INSPECTOR, reason="SUTURE_TEST_INSPECTOR names no MCP Inspector (see docs/mcp.md)"),
]


def inspect(serving: Serving, transport: str, *arguments: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the answer of a method."""
    if transport == "http":
        server = [serving.mcp, "--transport", "http", "--header", f"Authorization: Bearer {serving.agent}"]
    else:
        variables = {"SUTURE_URL": serving.url, "SUTURE_KEY": serving.agent}
        given = [part for name, value in variables.items() for part in ("-e", f"{name}={value}")]
        server = [*given, "--cwd", str(ROOT), *SUTURE, "mcp"]
    done = subprocess.run(
        [*shlex.split(INSPECTOR), "--cli", *server, *arguments],
        env=environment_of({}),
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.stdout, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return done.returncode, answer


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_finds_nothing_wrong(serving: Serving, transport: str) -> None:
    chunk = serving.record("Seen by the inspector")
    code, tools = inspect(serving, transport, "--method", "tools/list", "--strict")
    assert code == 0
    assert len(tools["tools"]) > 10
    code, found = inspect(
        *(serving, transport, "--method", "tools/call"),
        *("--tool-name", "search_memory", "--tool-arg", "query=inspector"),
    )
    assert code == 0
    assert not found.get("isError")
    code, resources = inspect(serving, transport, "--method", "resources/list")
    assert code == 0
    assert "suture://blocks/persona" in {resource["uri"] for resource in resources["resources"]}
    code, templates = inspect(serving, transport, "--method", "resources/templates/list")
    assert (code, len(templates["resourceTemplates"])) == (0, 3)
    code, memory = inspect(serving, transport, "--method", "resources/read", "--uri", f"suture://memories/{chunk}")
    assert code == 0
    assert "Seen by the inspector" in memory["contents"][0]["text"]
    code, prompts = inspect(serving, transport, "--method", "prompts/list")
    assert (code, [prompt["name"] for prompt in prompts["prompts"]]) == (0, ["bootstrap"])
    code, begun = inspect(
        *(serving, transport, "--method", "prompts/get"),
        *("--prompt-name", "bootstrap", "--prompt-args", "query=inspector"),
    )
    assert code == 0
    assert "Seen by the inspector" in begun["messages"][0]["content"]["text"]


@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_the_inspector_shows_a_refusal(serving: Serving, transport: str) -> None:
    code, refused = inspect(
        *(serving, transport, "--method", "tools/call"),
        *("--tool-name", "search_memory", "--tool-arg", "colour=red"),
    )
    assert code != 0
    assert refused["isError"] is True
    assert refused["structuredContent"]["status"] == 400
