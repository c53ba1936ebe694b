"""The stack's command line, run as an operator runs it, and what it leaves running."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from memory_project.stack.processes import processes_in

ROOT = Path(__file__).parents[2]
#: No test waits so long: what has not happened by then never will.
HANGS = 300
STACK = (sys.executable, "-m", "memory_project.stack")
#: What a stack takes of the machine, where it is not what a test is about.
SMALL = {"WEB_WORKERS": "2", "SUTURE_POSTGRES": "shared_buffers=128MB"}
OF_THE_OUTER_STACK = ("SUTURE_HOME", "DATABASE_", "REDIS_URL", "HOST", "PORT", "DJANGO_", "PYTEST_")


def environment(home: Path, **variables: str) -> dict[str, str]:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(OF_THE_OUTER_STACK)}
    return {**inherited, "SUTURE_HOME": str(home), **variables}


def stack(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the stack's command to its end."""
    return subprocess.run(
        [*STACK, *arguments],
        cwd=ROOT,
        env=environment(home, **variables),
        capture_output=True,
        text=True,
        timeout=HANGS,
        check=False,
    )


def assert_one_line(result: subprocess.CompletedProcess[str], *words: str) -> None:
    assert result.returncode == 1
    assert len(result.stderr.splitlines()) == 1, result.stderr
    for word in words:
        assert word in result.stderr


def eventually(condition: Callable[[], bool], seconds: float = HANGS) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.05)


def left_running(home: Path) -> list[int]:
    """The processes of a stack: its servers by where they work, all others by their environment."""
    mark = f"SUTURE_HOME={home}".encode()
    found = processes_in(home / "pg18", "postgres") + processes_in(home / "valkey", "valkey-server")
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except OSError:
            continue
    return found


class RunningStack:
    """`make up`, as a subprocess whose output is collected."""

    def __init__(self, home: Path, port: int, *only: str, **variables: str) -> None:
        """`only` some of web, worker and beat."""
        self.output = ""
        self.process = subprocess.Popen(
            [*STACK, "up", *(("--only", *only) if only else ())],
            cwd=ROOT,
            env=environment(home, **{"PORT": str(port), "LOG_LEVEL": "ERROR", **SMALL, **variables}),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as lines:
            for line in lines:
                self.output += line

    def wait_until_ready(self) -> None:
        eventually(lambda: "Suture is ready" in self.output or self.process.poll() is not None)
        assert "Suture is ready" in self.output, self.output

    def wait(self) -> int:
        code = self.process.wait(HANGS)
        self._reader.join()
        return code
