"""Hooks as a coding agent runs them: whole processes, from their start to their exit.

The command is the one that `suture install-hooks` writes, run by a shell, with a payload of Claude Code on its standard
input. Every call is a new event, so that each is recorded.
"""

import json
import resource
import shlex
import socket
import statistics
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bench.capture.command import SUTURE, variables
from bench.corpus import Corpus
from bench.timing import milliseconds

#: The time limits of the specification, in ms: the agent waits no longer.
AGENT_LIMITS = {
    "SessionStart": 5_000,
    "UserPromptSubmit": 2_000,
    "PreToolUse": 500,
    "PostToolUse": 3_000,
    "Stop": 3_000,
    "SubagentStop": 3_000,
    "SessionEnd": 30_000,
}
#: What is promised of a hook that captures and prints no context, with the server up: the 95th percentile in ms.
GOAL_MS = 100.0
#: These print context, which takes a request more; the agent's limit is all that is promised.
_WITH_CONTEXT = ("SessionStart", "UserPromptSubmit")
#: A frozen server makes each call as long as it may be.
FROZEN_RUNS = 10
#: Turns of the conversation from which responses and summaries are read: about 1 MB.
_TURNS = 400

Row = dict[str, Any]


def measure(port: int, key: str, place: Path, runs: int) -> list[Row]:
    """A row for every event with the server up, down and frozen, and one for the interpreter alone."""
    transcript = place / "transcript.jsonl"
    transcript.write_text("".join(_lines(Corpus("transcript", 1_000_000))))
    rows = [_interpreter(runs)]
    with _frozen() as frozen, _closed() as closed:
        for server, at, times in (("up", port, runs), ("down", closed, runs), ("frozen", frozen, FROZEN_RUNS)):
            for event in AGENT_LIMITS:
                state = place / f"{server}-{event}"
                rows.append(_row(event, server, variables(at, key, state), transcript, state, min(times, runs)))
    return rows


def _interpreter(runs: int) -> Row:
    taken = [_timed(f"{shlex.quote(sys.executable)} -c pass", b"", {}) for _ in range(runs + 1)][1:]
    return _figures("the interpreter alone", taken, goal=None, limit=None, spooled=0)


def _row(event: str, server: str, environment: Mapping[str, str], transcript: Path, state: Path, runs: int) -> Row:
    command = f"{shlex.quote(str(SUTURE))} hook"
    corpus = Corpus(f"{server} {event}", 1_000_000)
    # the first warms the file system and the server
    taken = [_timed(command, _payload(event, transcript, corpus), environment) for _ in range(runs + 1)][1:]
    waiting = len(list((state / "spool").glob("*.json")))
    goal = GOAL_MS if server == "up" and event not in _WITH_CONTEXT else None
    return _figures(f"{event}, server {server}", taken, goal=goal, limit=AGENT_LIMITS[event], spooled=waiting)


def _figures(
    case: str, taken: list[tuple[float, float]], *, goal: float | None, limit: int | None, spooled: int
) -> Row:
    return {
        "case": case,
        "ms": milliseconds([wall for wall, _ in taken]),
        "cpu_ms": round(statistics.median(cpu for _, cpu in taken) * 1_000, 1),
        "goal_p95_ms": goal,
        "agent_limit_ms": limit,
        "spooled": spooled,
        "runs": len(taken),
    }


def _timed(command: str, payload: bytes, environment: Mapping[str, str]) -> tuple[float, float]:
    """Seconds until the process has ended, and of the processor. Raises SystemExit where it fails: hooks never do."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, shell=True, input=payload, capture_output=True, env=environment, check=False)
    taken, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{command} ended with {done.returncode}: {done.stderr.decode(errors='replace')[-1000:]}")
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _payload(event: str, transcript: Path, corpus: Corpus) -> bytes:
    """What Claude Code says at an event, in a session of its own."""
    tool = {
        "tool_name": "Bash",
        "tool_use_id": f"toolu_{uuid.uuid4().hex}",
        "tool_input": {"command": "make test", "description": "Run the tests"},
    }
    output = "\n".join(corpus.text() for _ in range(20))
    of_event: dict[str, dict[str, Any]] = {
        "SessionStart": {"source": "startup"},
        "UserPromptSubmit": {"prompt": corpus.text()},
        "PreToolUse": tool,
        "PostToolUse": {**tool, "tool_response": {"stdout": output, "stderr": ""}},
        "Stop": {"last_assistant_message": corpus.text()},
        # these two read the transcript
        "SubagentStop": {},
        "SessionEnd": {"reason": "other"},
    }
    common = {
        "session_id": str(uuid.uuid4()),
        "transcript_path": str(transcript),
        "cwd": str(transcript.parent),
        "prompt_id": str(uuid.uuid4()),
        "hook_event_name": event,
    }
    return json.dumps({**common, **of_event[event]}).encode()


def _lines(corpus: Corpus) -> Iterator[str]:
    """A conversation as Claude Code keeps it: prompts, uses of tools with their output, and responses."""
    for number in range(_TURNS):
        edit = {"type": "tool_use", "id": f"toolu_{number}", "name": "Edit", "input": {"file_path": f"{number}.py"}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": corpus.text() * 4}
        for kind, content in (
            ("user", corpus.text()),
            ("assistant", [edit]),
            ("user", [result]),
            ("assistant", [{"type": "text", "text": corpus.text()}]),
        ):
            line = {"type": kind, "uuid": str(uuid.uuid4()), "message": {"role": kind, "content": content}}
            yield json.dumps(line) + "\n"


@contextmanager
def _closed() -> Iterator[int]:
    """A port at which nothing listens, and nothing else can meanwhile."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


@contextmanager
def _frozen() -> Iterator[int]:
    """The port of a server that accepts connections and never answers."""
    accepted: list[socket.socket] = []
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening:

        def accept() -> None:
            while True:
                try:
                    accepted.append(listening.accept()[0])
                except OSError:
                    return

        threading.Thread(target=accept, daemon=True).start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
    for connection in accepted:
        connection.close()
