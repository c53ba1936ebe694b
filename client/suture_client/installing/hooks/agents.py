"""The coding agents: their settings files, their events, and the format of their hooks."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suture_client.hooks.agents import cursor, gemini, opencode
from suture_client.hooks.hook_call import (
    EVENTS,
    POST_TOOL_USE,
    PRE_TOOL_USE,
    SESSION_END,
    SESSION_START,
    STOP,
    SUBAGENT_STOP,
    USER_PROMPT_SUBMIT,
)
from suture_client.installing import paths
from suture_client.installing.mcp.clients import PROJECT, USER

#: Milliseconds after which an agent stops a hook.
TIMEOUTS = {
    SESSION_START: 5_000,
    USER_PROMPT_SUBMIT: 2_000,
    PRE_TOOL_USE: 500,
    POST_TOOL_USE: 3_000,
    STOP: 3_000,
    SUBAGENT_STOP: 3_000,
    SESSION_END: 30_000,
}

#: Codex allows three seconds at the end of a session, and warns about longer limits.
_CODEX_SESSION_END = 3

Entry = Callable[[str, str], dict[str, Any]]


@dataclass(frozen=True)
class Agent:
    """One coding agent. `events` maps its event names to ours. `entry` builds the settings of a hook for one of our
    events and a command; it is None if the agent loads a plugin. `home` exists if the agent is in use."""

    name: str
    title: str
    files: Mapping[str, Callable[[], Path]]
    home: Callable[[], Path]
    events: Mapping[str, str]
    entry: Entry | None
    then: str
    #: Other fields that a new file needs.
    frame: Mapping[str, Any]


def _in_group(handler: Callable[[str, str], dict[str, Any]]) -> Entry:
    """Return an entry in Claude Code's format, which other agents use too: groups of hooks with a matcher."""

    def entry(event: str, command: str) -> dict[str, Any]:
        group = {"hooks": [{"type": "command", "command": command, **handler(event, command)}]}
        return {"matcher": "*", **group} if event in (PRE_TOOL_USE, POST_TOOL_USE) else group

    return entry


def _seconds(event: str) -> float:
    seconds = TIMEOUTS[event] / 1_000
    return int(seconds) if seconds.is_integer() else seconds


def _claude_code(event: str, command: str) -> dict[str, Any]:
    return {"timeout": _seconds(event)}


def _codex(event: str, command: str) -> dict[str, Any]:
    return {"timeout": _CODEX_SESSION_END if event == SESSION_END else math.ceil(_seconds(event))}


def _gemini(event: str, command: str) -> dict[str, Any]:
    return {"name": "suture", "timeout": TIMEOUTS[event]}


def _cursor(event: str, command: str) -> dict[str, Any]:
    return {"command": command, "timeout": math.ceil(_seconds(event))}


_NEW_SESSION = "Start a new session of {title}."

AGENTS = {
    agent.name: agent
    for agent in (
        Agent(
            "claude-code",
            "Claude Code",
            {
                USER: paths.below("CLAUDE_CONFIG_DIR", "settings.json", default=".claude"),
                PROJECT: paths.here(".claude", "settings.json"),
            },
            paths.below("CLAUDE_CONFIG_DIR", default=".claude"),
            {event: event for event in EVENTS},
            _in_group(_claude_code),
            _NEW_SESSION,
            {},
        ),
        Agent(
            "codex",
            "Codex",
            {
                USER: paths.below("CODEX_HOME", "hooks.json", default=".codex"),
                PROJECT: paths.here(".codex", "hooks.json"),
            },
            paths.below("CODEX_HOME", default=".codex"),
            {event: event for event in EVENTS},
            _in_group(_codex),
            "Open {title} and trust the new hooks under /hooks. It does not run them before that.",
            {},
        ),
        Agent(
            "cursor",
            "Cursor",
            {USER: paths.home(".cursor", "hooks.json"), PROJECT: paths.here(".cursor", "hooks.json")},
            paths.home(".cursor"),
            cursor.EVENTS,
            _cursor,
            "{title} reloads the file automatically. Its settings list the hooks under Hooks.",
            {"version": 1},
        ),
        Agent(
            "gemini",
            "Gemini CLI",
            {USER: paths.home(".gemini", "settings.json"), PROJECT: paths.here(".gemini", "settings.json")},
            paths.home(".gemini"),
            gemini.EVENTS,
            _in_group(_gemini),
            _NEW_SESSION,
            {},
        ),
        Agent(
            "opencode",
            "OpenCode",
            {
                USER: paths.below("XDG_CONFIG_HOME", "opencode", "plugins", "suture.js", default=".config"),
                PROJECT: paths.here(".opencode", "plugins", "suture.js"),
            },
            paths.below("XDG_CONFIG_HOME", "opencode", default=".config"),
            opencode.EVENTS,
            None,
            _NEW_SESSION,
            {},
        ),
    )
}
