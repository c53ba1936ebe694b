"""A running server, and clients for it."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from memory_project.stack.processes import free_port
from tests.stack.running import HANGS, ROOT, RunningStack, eventually

#: Both transports, in the newest version of the protocol and in those with a handshake.
WAYS = ("http auto", "http legacy", "stdio auto", "stdio legacy")

#: The command, from this directory.
SUTURE = (sys.executable, "-c", "from suture_client.cli import app; app()")


@dataclass(frozen=True)
class Serving:
    """The server's address, its home, and the keys of its first agent and reviewer."""

    url: str
    agent: str
    bob: str
    home: Path

    @property
    def mcp(self) -> str:
        """Where it speaks MCP."""
        return f"{self.url}/mcp"

    def ask(self, method: str, path: str, body: Any = None, key: str | None = None) -> dict[str, Any]:
        """The answer of the API, which must be one."""
        headers = {"Authorization": f"Bearer {key or self.agent}"}
        answer = httpx.request(method, f"{self.url}/api/v1/{path}", json=body, headers=headers, timeout=HANGS)
        assert answer.is_success, answer.text
        content: dict[str, Any] = answer.json()
        return content

    def download(self, path: str, key: str) -> bytes:
        """What the API answers to GET as it comes."""
        answer = httpx.get(f"{self.url}/api/v1/{path}", headers={"Authorization": f"Bearer {key}"}, timeout=HANGS)
        assert answer.is_success, answer.text
        return answer.content

    def record(self, text: str) -> str:
        """The id of a new chunk with this text."""
        event = {
            "session_id": "mcp",
            "channel": "private",
            "actor_type": "agent",
            "actor_id": "support-agent",
            "kind": "message",
            "content": {"text": text},
        }
        found: str = self.ask("POST", "events", event)["chunk_ids"][0]
        return found

    def requests(self, route: str) -> int:
        """How many requests to a route are in the log."""
        return (self.home / "log" / "web.log").read_text().count(f'"route": "{route}"')

    @asynccontextmanager
    async def connected(self, way: str = "http auto", key: str | None = None) -> AsyncIterator[Client]:
        """A client of the SDK, by one of WAYS."""
        transport, mode = way.split()
        given = self.agent if key is None else key
        if transport == "stdio":
            server = StdioServerParameters(
                command=SUTURE[0], args=[*SUTURE[1:], "mcp"], env=self.variables(given), cwd=ROOT
            )
            async with Client(server, mode=mode) as client:
                yield client
            return
        headers = {"Authorization": f"Bearer {given}"} if given else {}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=HANGS) as http,
            Client(streamable_http_client(self.mcp, http_client=http), mode=mode) as client,
        ):
            yield client

    def variables(self, key: str | None = None) -> dict[str, str]:
        """The environment of a command of this server; without a key, where it is empty."""
        return environment_of({"SUTURE_URL": self.url, **({"SUTURE_KEY": key} if key else {})})

    def run(self, *arguments: str, key: str | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
        """What `suture` says."""
        return run(*arguments, variables=self.variables(self.agent if key is None else key), **options)


@contextmanager
def started() -> Iterator[Serving]:
    """A stack that is ready, with its requests logged, of three web processes, so that no two requests need reach the
    same."""
    place = Path(tempfile.mkdtemp(prefix="suture test "))
    place.chmod(0o755)
    port = free_port()
    stack = RunningStack(place / "home", port, LOG_LEVEL="INFO", WEB_WORKERS="3", WEB_THREADS="1")
    try:
        stack.wait_until_ready()
        eventually(lambda: "Press Ctrl-C to stop" in stack.output)
        keys = dict(re.findall(r"^  (?:agent|user) +(\S+) +key +(\S+)$", stack.output, re.MULTILINE))
        yield Serving(f"http://127.0.0.1:{port}", keys["support-agent"], keys["bob"], place / "home")
    finally:
        stack.process.terminate()
        stack.wait()
        shutil.rmtree(place)


def environment_of(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the environment without the server's variables."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("SUTURE_", "DATABASE_"))}
    return {**inherited, **variables}


def run(*arguments: str, variables: Mapping[str, str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `suture` in an environment."""
    return subprocess.run(
        [*SUTURE, *arguments],
        cwd=options.pop("cwd", ROOT),
        env={"PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
        **options,
    )


def text_of(content: Any) -> str:
    """The text of the only content of a result, a resource or a message."""
    (only,) = content
    text: str = only.text
    return text


def first(error: BaseException) -> BaseException:
    """Unwrap an exception from its exception groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
