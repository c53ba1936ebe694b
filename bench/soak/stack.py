"""A whole stack of its own, as `make up` starts it, with two tenants and a watched directory."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from memory_project import environment
from memory_project.stack.processes import die_with_parent, free_port

START_SECONDS, STOP_SECONDS = 300.0, 120.0
#: Variables that name the servers of another stack, which the caller may run in.
_OF_ANOTHER = ("SUTURE_", "DATABASE_", "REDIS_URL", "HOST", "PORT")
#: Two tenants, whose agents record, correct and hand over, and whose reviewers decide.
TENANTS = ("soak-one", "soak-two")
AGENTS = ("writer", "reader")
REVIEWER = "bob"


@dataclass(frozen=True, slots=True)
class Stack:
    """A running stack: its address, its home, the process of its supervisor, and the keys by tenant and name."""

    url: str
    home: Path
    pid: int
    watched: Path
    keys: Mapping[str, Mapping[str, str]]

    def processes(self) -> list[psutil.Process]:
        """Every process of the stack, the supervisor first."""
        supervisor = psutil.Process(self.pid)
        return [supervisor, *supervisor.children(recursive=True)]

    def manage(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a management command beside the stack, to its end."""
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=environment.BASE_DIR,
            env=_variables(self.home),
            capture_output=True,
            text=True,
            check=False,
        )


@contextmanager
def running(home: Path, **variables: str) -> Iterator[Stack]:
    """Start a stack in `home` on a free loopback port; stop it at the end. Raises SystemExit with what it printed where
    it does not start, or does not stop."""
    watched = home / "watched"
    watched.mkdir(parents=True)
    port = free_port()
    printed = home / "printed"
    with printed.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "memory_project.stack", "up"],
            cwd=environment.BASE_DIR,
            env={**_variables(home / "home"), "PORT": str(port), "SUTURE_WATCH": str(watched), **variables},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=die_with_parent(signal.SIGTERM),
        )
    try:
        deadline = time.monotonic() + START_SECONDS
        while "Suture is ready" not in printed.read_text(errors="replace"):
            if process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"The stack did not start: {printed.read_text(errors='replace')[-2000:]}")
            time.sleep(0.2)
        stack = Stack(f"http://127.0.0.1:{port}", home / "home", process.pid, watched, {})
        yield Stack(stack.url, stack.home, stack.pid, watched, {slug: _provision(stack, slug) for slug in TENANTS})
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise SystemExit(f"The stack did not stop in {STOP_SECONDS:.0f} s.") from None


def _provision(stack: Stack, slug: str) -> dict[str, str]:
    asked = [argument for name in AGENTS for argument in ("--agent", name)]
    done = stack.manage("provision", slug, *asked, "--reviewer", REVIEWER, "--policy", "standard", "--json")
    if done.returncode:
        raise SystemExit(f"provision failed: {done.stderr}")
    made: dict[str, Any] = json.loads(done.stdout)
    return {name: one["key"] for kind in ("agents", "users") for name, one in made[kind].items()}


def _variables(home: Path) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not re.match("|".join(_OF_ANOTHER), name)}
    return {**own, "SUTURE_HOME": str(home)}
