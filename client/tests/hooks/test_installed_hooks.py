"""Installed hooks for doctor and status: existing and missing ones, and obstacles."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from suture_client.cli import app
from suture_client.hooks.hook_call import EVENTS
from suture_client.installing.hooks import installed, obstacles
from suture_client.installing.hooks.agents import AGENTS

pytestmark = pytest.mark.pure


def install(*arguments: str) -> str:
    done = CliRunner().invoke(app, ["install-hooks", *arguments], env={"SUTURE_KEY": "sut_1a2b3c4d_x"})
    assert done.exit_code == 0, done.output
    return done.output


def written(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_nothing_is_installed(home: Path) -> None:
    written(home / ".claude" / "settings.json", {"hooks": {"Stop": [{"hooks": [{"command": "mine"}]}]}})
    assert installed() == []


def test_installed_hooks_are_listed(home: Path) -> None:
    install("--project")
    for agent in AGENTS:
        install("--agent", agent)
    found = installed()
    assert [(one.agent, one.scope) for one in found] == [
        ("claude-code", "user"),
        ("claude-code", "project"),
        *((agent, "user") for agent in AGENTS if agent != "claude-code"),
    ]
    assert found[0].path == home / ".claude" / "settings.json"
    assert found[0].events == EVENTS
    for one in found:
        assert (one.missing, one.problems) == ((), ())
        assert one.events == tuple(AGENTS[one.agent].events)


def test_one_file_of_both_scopes_is_found_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    assert "runs twice" not in install()
    assert [(one.agent, one.scope) for one in installed()] == [("claude-code", "user")]


def test_missing_events_and_a_command_that_is_gone(home: Path) -> None:
    hook = {"type": "command", "command": "/gone/bin/suture hook"}
    written(home / ".claude" / "settings.json", {"hooks": {"Stop": [{"hooks": [hook]}]}})
    [found] = installed()
    assert found.events == ("Stop",)
    assert set(found.missing) == set(EVENTS) - {"Stop"}
    assert found.problems[0] == "The command /gone/bin/suture does not exist."
    assert "SessionStart" in found.problems[1]
    assert found.problems[-1] == "Run `suture install-hooks --user --agent claude-code` again."


def test_a_command_that_is_not_on_the_path(home: Path) -> None:
    written(home / ".cursor" / "hooks.json", {"hooks": {"stop": [{"command": "suture hook --agent cursor"}]}})
    [found] = installed()
    assert found.problems[0] == "The command suture is not on the PATH."


def test_a_file_that_cannot_be_read(home: Path) -> None:
    path = written(home / ".gemini" / "settings.json", '{"hooks": ')
    [found] = installed()
    assert (found.agent, found.events) == ("gemini", ())
    assert str(path) in found.problems[0]
    assert "line 1, column 11" in found.problems[0]


def test_a_plugin_of_another_version(home: Path) -> None:
    install("--agent", "opencode")
    path = home / ".config" / "opencode" / "plugins" / "suture.js"
    path.write_text(path.read_text().replace("const DEADLINES", "const OLD"))
    [found] = installed()
    assert "The plugin is from another version of Suture." in found.problems
    install("--agent", "opencode")
    assert installed()[0].problems == ()


@pytest.mark.parametrize(
    ("agent", "name", "content", "said"),
    [
        ("claude-code", ".claude/settings.json", {"disableAllHooks": True}, "disableAllHooks"),
        ("claude-code", "project/.claude/settings.local.json", {"disableAllHooks": True}, "settings.local.json"),
        ("claude-code", "../etc/claude-code/managed-settings.json", {"allowManagedHooksOnly": True}, "organisation"),
        ("claude-code", "../etc/claude-code/managed-settings.d/10-x.json", {"disableAllHooks": True}, "10-x.json"),
        ("codex", ".codex/config.toml", "[features]\nhooks = false\n", "hooks = false"),
        ("codex", ".codex/config.toml", "[[hooks.Stop]]\nhooks = []\n", "has hooks in addition to hooks.json"),
        ("codex", "../etc/codex/requirements.toml", "allow_managed_hooks_only = true\n", "organisation"),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"enabled": False}}, "hooksConfig.enabled"),
        ("gemini", ".gemini/settings.json", {"hooksConfig": {"disabled": ["suture"]}}, "/hooks enable suture"),
    ],
)
def test_obstacles_are_reported(
    home: Path, agent: str, name: str, content: Any, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    written(home / name, content)
    assert said in install("--agent", agent)
    [found] = installed()
    assert any(said in problem for problem in found.problems)


def test_harmless_settings_are_not_reported(home: Path) -> None:
    written(home / ".claude" / "settings.json", {"disableAllHooks": False})
    written(home / ".gemini" / "settings.json", {"hooksConfig": {"enabled": True, "disabled": ["other"]}})
    written(home / ".codex" / "config.toml", "[features]\nhooks = true\n[hooks.state]\n")
    assert [obstacles.obstacles(agent) for agent in AGENTS.values()] == [[]] * len(AGENTS)
