"""The shapes of arguments that five clients send, with the official SDKs of Python and TypeScript.

`SUTURE_TEST_TYPESCRIPT_SDK` is a directory in which `npm install @modelcontextprotocol/sdk` was run.
"""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.mcp_server.serving import SUTURE, WAYS, Serving, text_of
from tests.stack.running import HANGS, ROOT

pytestmark = [pytest.mark.stack, pytest.mark.anyio]

TYPESCRIPT_SDK = os.environ.get("SUTURE_TEST_TYPESCRIPT_SDK", "")
SCRIPT = Path(__file__).with_name("typescript_client.mjs")

TEXT = "The zebra crossing is closed"


def calls(chunk: str) -> list[tuple[str, dict[str, Any]]]:
    """The calls of n8n, Cursor, Gemini CLI, a strict agent of OpenAI, and Claude Desktop, each of which must find or
    preview the chunk."""
    return [
        ("search_memory", {"query": "zebra crossing", "toolCallId": "call_1", "chatInput": "Where?", "action": "find"}),
        ("search_memory", {"query": "zebra crossing", "limit": "3", "channel": "", "random_string": ""}),
        ("search_memory", {"query": "zebra crossing", "limit": 3.0, "maxTokens": "4000", "tag": ""}),
        ("search_memory", {"query": "zebra crossing", "limit": None, "cursor": None, "tag": None, "phrases": None}),
        ("preview_edit", {"chunkIds": json.dumps([chunk]), "op": "retract", "reason": ""}),
    ]


def assert_answered(results: list[tuple[bool, str]]) -> None:
    """Assert that no result is an error, and that each shows the chunk."""
    for is_error, text in results:
        assert not is_error, text
        assert TEXT in text


@pytest.mark.parametrize("way", WAYS)
async def test_they_are_understood_from_the_python_sdk(serving: Serving, way: str) -> None:
    chunk = serving.record(TEXT)
    async with serving.connected(way) as client:
        results = [await client.call_tool(name, given) for name, given in calls(chunk)]
    assert_answered([(result.is_error, text_of(result.content)) for result in results])


@pytest.mark.skipif(not TYPESCRIPT_SDK, reason="SUTURE_TEST_TYPESCRIPT_SDK names no directory")
@pytest.mark.parametrize("transport", ["http", "stdio"])
def test_they_are_understood_from_the_typescript_sdk(serving: Serving, transport: str) -> None:
    chunk = serving.record(TEXT)
    server = (
        {"url": serving.mcp, "headers": {"Authorization": f"Bearer {serving.agent}"}}
        if transport == "http"
        else {
            "command": SUTURE[0],
            "args": [*SUTURE[1:], "mcp"],
            "env": serving.variables(serving.agent),
            "cwd": str(ROOT),
        }
    )
    given = json.dumps({"server": server, "calls": calls(chunk)})
    done = subprocess.run(
        ["node", str(SCRIPT)],
        input=given,
        cwd=TYPESCRIPT_SDK,
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert {"search_memory", "propose_edit"} <= set(answer["tools"])
    assert_answered([(result.get("isError", False), result["content"][0]["text"]) for result in answer["results"]])
