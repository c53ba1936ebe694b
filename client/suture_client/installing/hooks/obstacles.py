"""Detects settings that keep an agent from running its hooks."""

import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from suture_client.errors import Failed
from suture_client.installing.editing import json_object
from suture_client.installing.hooks.agents import AGENTS, Agent
from suture_client.installing.mcp.clients import PROJECT, USER


def obstacles(agent: Agent) -> list[str]:
    """Return a sentence for each obstacle, with a solution."""
    find = {"claude-code": _claude_code, "codex": _codex, "gemini": _gemini}.get(agent.name)
    return list(find()) if find else []


def managed_directory(agent: str) -> Path:
    """Return the directory of an organisation's settings, which override those of its users."""
    if sys.platform == "darwin":
        names = {"claude-code": "ClaudeCode", "gemini": "GeminiCli"}
        if agent in names:
            return Path("/Library/Application Support") / names[agent]
    if sys.platform == "win32":
        names = {"claude-code": r"C:\Program Files\ClaudeCode", "gemini": r"C:\ProgramData\gemini-cli"}
        return Path(names.get(agent, r"C:\ProgramData\OpenAI\Codex"))
    return Path("/etc") / {"gemini": "gemini-cli"}.get(agent, agent)


def _claude_code() -> Iterator[str]:
    own = AGENTS["claude-code"].files
    for path in (own[USER](), own[PROJECT](), own[PROJECT]().with_name("settings.local.json")):
        if _json(path).get("disableAllHooks") is True:
            yield f"Claude Code runs no hooks while {path} sets disableAllHooks. Remove it."
    managed = managed_directory("claude-code")
    for path in (managed / "managed-settings.json", *sorted((managed / "managed-settings.d").glob("*.json"))):
        for name in ("disableAllHooks", "allowManagedHooksOnly"):
            if _json(path).get(name) is True:
                yield (
                    f"Claude Code does not run your hooks: your organisation's settings in {path} set {name}. Ask "
                    "your administrator to add them there."
                )


def _codex() -> Iterator[str]:
    for find in AGENTS["codex"].files.values():
        path = find().with_name("config.toml")
        content = _toml(path)
        features = content.get("features")
        if isinstance(features, dict) and features.get("hooks") is False:
            yield f"Codex runs no hooks while {path} has hooks = false under [features]. Remove it."
        if isinstance(hooks := content.get("hooks"), dict) and any(isinstance(one, list) for one in hooks.values()):
            yield f"Codex warns that {path} has hooks in addition to hooks.json. It runs both."
    managed = managed_directory("codex") / "requirements.toml"
    if _toml(managed).get("allow_managed_hooks_only") is True:
        yield (
            f"Codex does not run your hooks: your organisation's settings in {managed} set allow_managed_hooks_only. "
            "Ask your administrator to add them there."
        )


def _gemini() -> Iterator[str]:
    for path in (*(find() for find in AGENTS["gemini"].files.values()), managed_directory("gemini") / "settings.json"):
        settings = _json(path).get("hooksConfig")
        if not isinstance(settings, dict):
            continue
        if settings.get("enabled") is False:
            yield f"Gemini CLI runs no hooks while hooksConfig.enabled is false in {path}. Remove it."
        disabled = settings.get("disabled")
        if isinstance(disabled, list) and "suture" in disabled:
            yield f"Gemini CLI does not run Suture's hooks: {path} disables them. Enter /hooks enable suture."


def _json(path: Path) -> dict[str, Any]:
    """Read the settings in a file; {} if it cannot be read, because its agent reports that."""
    try:
        return json_object(path.read_text("utf-8-sig"))
    except (OSError, ValueError, Failed):
        return {}


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text())
    except (OSError, ValueError):
        return {}
