"""Reads the end of a coding agent's transcript, which is a file of JSON lines.

A transcript may have hundreds of megabytes, its last line may be incomplete, and its format may change at any time. So
it is read backwards up to a limit, and unknown lines are skipped.

Format (Claude Code): a line is {"type": "user" | "assistant" | ..., "uuid", "isMeta"?, "isSidechain"?, "message":
{"content": text or [{"type": "text" | "tool_use" | "tool_result" | ...}]}}. `transcript_formats` converts the lines of
other agents to this format.
"""

import json
import os
import stat
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

from suture_client.hooks import transcript_formats

#: Bytes that are read from the end: for a response, and for the summary of a session.
TURN, SESSION = 8_000_000, 8_000_000
_BLOCK = 262_144
#: Seconds to wait for a response that the agent has not written yet, and between checks.
_WAIT, _PAUSE = 0.3, 0.05
#: Prefixes of user messages that no person wrote.
_NOT_PROMPTS = ("<command-", "<local-command-", "<bash-", "<system-reminder>", "Caveat:", "[Request interrupted")
#: Tools of Claude Code and of Gemini CLI that write a file.
_WRITING_TOOLS = {"Write", "Edit", "MultiEdit", "NotebookEdit", "write_file", "replace"}


class Turn(NamedTuple):
    """The last turn of a conversation."""

    #: All text of the agent since the last prompt; "" if there is none.
    text: str = ""
    #: The id of the prompt's line; "" if there is none.
    identity: str = ""


class Activity(NamedTuple):
    """The activity of a session, according to the end of its transcript."""

    prompts: list[str]
    #: Paths, in the order of their first change.
    changed: list[str]
    tools: dict[str, int]
    response: str
    #: Whether all of the transcript was read.
    is_whole: bool


def last_turn(path: str, deadline: float = 0.0) -> Turn:
    """Return the last turn. If the agent has not written its response yet, wait a little, at most until `deadline`
    (`time.monotonic`)."""
    until = min(deadline, time.monotonic() + _WAIT)
    while not (turn := _last_turn(path)).text and time.monotonic() + _PAUSE < until:
        time.sleep(_PAUSE)
    return turn


def position(path: str) -> str:
    """Identify this moment of the conversation: by the id of the last line, else by the file's size."""
    size = 0
    with _File(path) as file:
        size = file.size
        for entry in file.backwards(_BLOCK):
            if isinstance(entry.get("uuid"), str):
                return str(entry["uuid"])
    return f"{size} bytes" if size else ""


def activity(path: str) -> Activity:
    """Collect the activity of a session."""
    prompts: list[str] = []
    changed: list[str] = []
    tools: dict[str, int] = {}
    responses: list[str] = []
    is_last_turn = True
    with _File(path) as file:
        for entry in file.backwards(SESSION):
            if entry.get("isSidechain"):
                continue
            if found := prompt(entry):
                prompts.append(found)
                is_last_turn = False
            elif entry.get("type") == "assistant":
                if is_last_turn:
                    responses.append(text(entry))
                for use in reversed(_blocks(entry, "tool_use")):
                    name, given = use.get("name"), use.get("input")
                    if isinstance(name, str):
                        tools[name] = tools.get(name, 0) + 1
                        changed += reversed(_changed_by(name, given))
        is_whole = file.is_at_start
    response = "\n\n".join(one for one in reversed(responses) if one)
    order = dict.fromkeys(reversed(changed))
    return Activity(prompts[::-1], list(order), dict(sorted(tools.items(), key=_by_count)), response, is_whole)


def _last_turn(path: str) -> Turn:
    responses: list[str] = []
    identity = ""
    with _File(path) as file:
        for entry in file.backwards(TURN):
            if prompt(entry):
                identity = str(entry.get("uuid") or "")
                break
            if entry.get("type") == "assistant":
                responses.append(text(entry))
    return Turn("\n\n".join(one for one in reversed(responses) if one), identity)


class _File:
    """A transcript. It has no lines if the file is missing, unreadable or not a regular file."""

    def __init__(self, path: str) -> None:
        self.path, self.size, self.is_at_start = path, 0, True
        self._descriptor = -1

    def __enter__(self) -> "_File":
        try:
            # Opening a FIFO would block.
            found = os.open(os.path.expanduser(self.path), os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (OSError, ValueError):
            return self
        self._descriptor = found
        about = os.fstat(found)
        self.size = about.st_size if stat.S_ISREG(about.st_mode) else 0
        return self

    def __exit__(self, *_: object) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)

    def backwards(self, most: int) -> Iterator[dict[str, Any]]:
        """Yield the messages in the last `most` bytes, newest first; of a rewritten message, only the last version."""
        seen: set[str] = set()
        for entry in self._backwards(most):
            rewritten = entry.get("rewritten")
            if not rewritten or rewritten not in seen:
                yield entry
            if rewritten:
                seen.add(rewritten)

    def _backwards(self, most: int) -> Iterator[dict[str, Any]]:
        place, rest = self.size, b""
        first = max(0, self.size - most)
        self.is_at_start = first == 0
        while place > first:
            begin = max(first, place - _BLOCK)
            try:
                block = os.pread(self._descriptor, place - begin, begin)
            except OSError:
                return
            place = begin
            # Join the blocks of a long line only when its start is found.
            if b"\n" not in block:
                rest = block + rest
                continue
            head, _, tail = block.partition(b"\n")
            for line in reversed((tail + rest).split(b"\n")):
                yield from _entries(line)
            rest = head
        if self.is_at_start:
            yield from _entries(rest)


def _entries(line: bytes) -> Iterator[dict[str, Any]]:
    if line.strip():
        try:
            found = json.loads(line)
        except (ValueError, RecursionError):
            return
        entry = transcript_formats.normalized(found) if isinstance(found, dict) else None
        if entry is not None:
            yield entry


def prompt(entry: dict[str, Any]) -> str:
    """Return the user's prompt in this line; "" if it is something else."""
    if entry.get("type") != "user" or entry.get("isMeta") or entry.get("isCompactSummary"):
        return ""
    if _blocks(entry, "tool_result"):
        return ""
    found = text(entry).strip()
    return "" if found.startswith(_NOT_PROMPTS) else found


def text(entry: dict[str, Any]) -> str:
    """Return the text of a line, without tool calls and results."""
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return content.strip()
    texts = [block.get("text") for block in _blocks(entry, "text")]
    return "\n\n".join(one.strip() for one in texts if isinstance(one, str) and one.strip())


def _blocks(entry: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    message = entry.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") == kind]


def _changed_by(tool: str, given: Any) -> list[str]:
    if tool == "apply_patch" and isinstance(given, str):
        headers = [line.split(" File: ", 1) for line in given.splitlines() if line.startswith("*** ")]
        return [header[1].strip() for header in headers if len(header) == 2]
    if tool not in _WRITING_TOOLS or not isinstance(given, dict):
        return []
    path = given.get("file_path") or given.get("notebook_path")
    return [path] if isinstance(path, str) and path else []


def _by_count(item: tuple[str, int]) -> tuple[int, str]:
    return -item[1], item[0]
