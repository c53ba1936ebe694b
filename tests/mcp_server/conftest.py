"""One running Suture for the tests of MCP: three web processes, so that no two requests need reach the same."""

import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_project.stack.processes import free_port
from tests.mcp_server.serving import Serving
from tests.stack.running import RunningStack, eventually


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(scope="session")
def serving() -> Iterator[Serving]:
    """A stack that is ready, with its requests logged."""
    place = Path(tempfile.mkdtemp(prefix="suture test "))
    place.chmod(0o755)
    port = free_port()
    stack = RunningStack(place / "home", port, LOG_LEVEL="INFO", WEB_WORKERS="3", WEB_THREADS="1")
    try:
        stack.wait_until_ready()
        eventually(lambda: "Ctrl-C stops it" in stack.output)
        keys = dict(re.findall(r"^  (?:agent|user) +(\S+) +key +(\S+)$", stack.output, re.MULTILINE))
        yield Serving(f"http://127.0.0.1:{port}", keys["support-agent"], keys["bob"], place / "home")
    finally:
        stack.process.terminate()
        stack.wait()
        shutil.rmtree(place)
