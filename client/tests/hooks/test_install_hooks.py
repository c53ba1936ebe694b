"""`suture install-hooks`: adds Suture's hooks to an agent's settings, and keeps everything else."""

import json
import os
import shlex
import stat
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture_client.hooks.hook_call import EVENTS
from suture_client.installing import paths
from suture_client.installing.hooks import file_changes, settings
from suture_client.installing.hooks.agents import AGENTS
from tests.hooks.installations import (
    KEY,
    OF_JSON,
    OTHERS,
    PROJECT_FILES,
    SETTINGS,
    USER_FILES,
    backups,
    install,
    run,
    uninstall,
    written,
)

pytestmark = pytest.mark.pure


def events_in(agent: str, path: Path) -> dict[str, list[str]]:
    return file_changes.commands_in(AGENTS[agent], path.read_text())


def suture() -> str:
    found = paths.suture()
    assert found is not None
    return found


def test_a_real_settings_file_of_claude_code_before_and_after(home: Path) -> None:
    before = (SETTINGS / "before.json").read_text()
    after = (SETTINGS / "after.json").read_text().replace("SUTURE", shlex.quote(suture()))
    path = written(home / USER_FILES["claude-code"], before)
    path.chmod(0o640)
    done = install()
    assert done.exit_code == 0, done.output
    assert path.read_text() == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert [backup.read_text() for backup in backups(path)] == [before]

    again = install()
    assert again.exit_code == 0
    assert "Nothing was changed" in again.output
    assert path.read_text() == after
    assert len(backups(path)) == 1

    gone = uninstall()
    assert gone.exit_code == 0, gone.output
    assert f"stay in {home / '.config' / 'suture' / 'config.toml'}" in gone.output
    assert path.read_text() == before
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_claude_codes_hooks_have_the_timeouts_of_the_specification_in_seconds(home: Path) -> None:
    assert install().exit_code == 0
    hooks = json.loads((home / USER_FILES["claude-code"]).read_text())["hooks"]
    assert {event: group["hooks"][0]["timeout"] for event, [group] in hooks.items()} == {
        "SessionStart": 5,
        "UserPromptSubmit": 2,
        "PreToolUse": 0.5,
        "PostToolUse": 3,
        "Stop": 3,
        "SubagentStop": 3,
        "SessionEnd": 30,
    }
    assert {event for event, [group] in hooks.items() if group.get("matcher") == "*"} == {"PreToolUse", "PostToolUse"}
    assert {group["hooks"][0]["type"] for [group] in hooks.values()} == {"command"}


def test_the_timeouts_of_other_agents_are_in_their_units(home: Path) -> None:
    def timeouts(agent: str) -> dict[str, float]:
        assert install("--agent", agent).exit_code == 0
        content = json.loads((home / USER_FILES[agent]).read_text())["hooks"]
        return {
            event: (entry["hooks"][0] if "hooks" in entry else entry)["timeout"] for event, [entry] in content.items()
        }

    # whole seconds; Codex stops the end of a session after three
    assert list(timeouts("codex").values()) == [5, 2, 1, 3, 3, 3, 3]
    assert list(timeouts("cursor").values()) == [5, 2, 1, 3, 3, 3, 3, 30]
    # milliseconds
    assert list(timeouts("gemini").values()) == [5000, 2000, 500, 3000, 3000, 30000]


@pytest.mark.parametrize("agent", AGENTS)
def test_a_new_file_is_created_and_deleted_again(home: Path, agent: str) -> None:
    done = install("--agent", agent)
    assert done.exit_code == 0, done.output
    path = home / USER_FILES[agent]
    words = [suture(), "hook"] + (["--agent", agent] if agent != "claude-code" else [])
    assert events_in(agent, path) == dict.fromkeys(AGENTS[agent].events, words)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert str(path) in done.output
    assert uninstall("--agent", agent).exit_code == 0
    assert not path.exists()
    assert backups(path) == []


def test_every_agent_hooks_every_event_that_it_has() -> None:
    every = set(EVENTS)
    found = {name: set(agent.events.values()) for name, agent in AGENTS.items()}
    assert found == {
        "claude-code": every,
        "codex": every,
        "cursor": every,
        "gemini": every - {"SubagentStop"},
        "opencode": every - {"SubagentStop"},  # the plugin says so of the end of a child session
    }


@pytest.mark.parametrize("agent", AGENTS)
def test_a_projects_file_is_for_everybody_who_has_suture_on_the_path(
    home: Path, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = home / "bin"
    programs.mkdir()
    (programs / "suture").symlink_to(suture())
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin")
    done = install("--project", "--agent", agent)
    assert done.exit_code == 0, done.output
    path = home / "project" / PROJECT_FILES[agent]
    assert {words[0] for words in events_in(agent, path).values()} == {"suture"}
    assert str(home) not in path.read_text()
    assert KEY not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert not (home / USER_FILES[agent]).exists()
    assert "by its path on this machine" not in done.output


def test_a_projects_file_names_this_machines_command_where_the_path_has_none(home: Path) -> None:
    done = install("--project")
    path = home / "project" / ".claude/settings.json"
    assert {words[0] for words in events_in("claude-code", path).values()} == {suture()}
    assert "by its path on this machine" in done.output


def test_the_command_works_from_any_directory_and_with_spaces_in_its_path(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = written(home / "my tools" / "suture", '#!/bin/sh\necho "$@" && cat\n')
    script.chmod(0o755)
    monkeypatch.setattr(paths, "suture", lambda: str(script))
    assert install("--agent", "claude-code", "--agent", "gemini").exit_code == 0
    for agent, said in (("claude-code", "hook"), ("gemini", "hook --agent gemini")):
        groups = json.loads((home / USER_FILES[agent]).read_text())["hooks"]["SessionStart"]
        command = groups[0]["hooks"][0]["command"]
        done = subprocess.run(
            ["/bin/sh", "-c", command], cwd="/", input="{}", capture_output=True, text=True, check=True, env={}
        )
        assert done.stdout == f"{said}\n{{}}"


@pytest.mark.parametrize("agent", OF_JSON)
def test_existing_settings_stay(home: Path, agent: str) -> None:
    path = written(home / USER_FILES[agent], OTHERS)
    assert install("--agent", agent).exit_code == 0
    lines = iter(line.rstrip(",}]") for line in path.read_text().splitlines())
    assert all(line.rstrip(",}]") in lines for line in OTHERS.splitlines()[:4])
    for kept in ("// mine", "// and this", '"command": "./mine.sh"', "mine --now", '"futureField": {"a": [1, 2]}'):
        assert kept in path.read_text()
    assert set(events_in(agent, path)) == set(AGENTS[agent].events)
    assert uninstall("--agent", agent).exit_code == 0
    assert path.read_text() == OTHERS


HOOK = st.fixed_dictionaries({"type": st.just("command"), "command": st.sampled_from(["x", "suture", "a hook", "'"])})
GROUP = st.fixed_dictionaries(
    {"hooks": st.lists(HOOK, min_size=1, max_size=2)}, optional={"matcher": st.text(max_size=3)}
)
SOME = st.dictionaries(
    st.sampled_from(["SessionStart", "PreToolUse", "Stop", "Notification"]), st.lists(GROUP, min_size=1, max_size=2)
)


@given(hooks=SOME, indent=st.sampled_from([None, 2, "\t"]), others=st.dictionaries(st.text(max_size=3), st.integers()))
def test_adding_and_removing_hooks_changes_nothing(hooks: Any, indent: Any, others: dict[str, int]) -> None:
    content = others | ({"hooks": hooks} if hooks else {})
    agent = AGENTS["claude-code"]
    assert agent.entry is not None
    text = json.dumps(content, indent=indent)
    added = settings.with_hooks(agent, agent.entry, text, ["/bin/suture", "hook"])
    assert len(settings.hooks_in(added)) == len(EVENTS)
    assert settings.with_hooks(agent, agent.entry, added, ["/bin/suture", "hook"]) == added
    assert json.loads(settings.without_hooks(added)) == content


def test_a_moved_command_is_replaced_and_user_changes_stay(home: Path) -> None:
    path = home / USER_FILES["claude-code"]
    assert install().exit_code == 0
    text = path.read_text().replace(suture(), "/gone/bin/suture").replace('"timeout": 30', '"timeout": 60')
    path.write_text(text)
    assert install().exit_code == 0
    assert path.read_text() == text.replace("/gone/bin/suture", suture())


def test_a_hook_that_its_owner_wrote_is_left_alone(home: Path) -> None:
    own = '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "env SUTURE_URL=http://x suture hook"}]}]}}'
    path = written(home / USER_FILES["claude-code"], own)
    assert install().exit_code == 0
    stops = json.loads(path.read_text())["hooks"]["Stop"]
    assert [hook["command"] for group in stops for hook in group["hooks"]] == ["env SUTURE_URL=http://x suture hook"]


@pytest.mark.parametrize(
    ("agent", "text", "said"),
    [
        ("claude-code", '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [}\n  }\n}\n', "line 4, column 14"),
        ("claude-code", '{"a": 1\n "b": 2}', "line 2, column 2"),
        ("claude-code", "[]", "line 1, column 1"),
        ("gemini", '{"hooks": []}', "hooks must be an object"),
        ("codex", '{"hooks": {"Stop": {}}}', "hooks.Stop must be an array"),
        ("cursor", '{"version": 1', "line 1, column 14"),
        ("opencode", "export const Mine = async () => ({})\n", "line 1: the file is not Suture's plugin"),
        ("opencode", "// Suture's hooks in OpenCode.\nconst COMMAND = nonsense\n", "line 2"),
    ],
)
@pytest.mark.parametrize("command", ["install-hooks", "uninstall-hooks"])
def test_an_unreadable_file_is_refused_with_the_position(
    home: Path, agent: str, text: str, said: str, command: str
) -> None:
    if command == "uninstall-hooks" and "must be" in said:
        return
    path = written(home / USER_FILES[agent], text)
    done = run(command, "--agent", agent)
    assert done.exit_code == 1
    assert str(path) in done.output
    assert said in done.output
    assert "Nothing was changed" in done.output
    assert path.read_text() == text
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]
    assert not (home / ".config" / "suture").exists()


def test_if_one_agents_file_is_broken_no_agents_is_changed(home: Path) -> None:
    written(home / USER_FILES["gemini"], "{")
    assert install("--agent", "claude-code", "--agent", "gemini").exit_code == 1
    assert not (home / USER_FILES["claude-code"]).exists()


@pytest.mark.parametrize("agent", AGENTS)
def test_a_dry_run_shows_the_difference_and_changes_nothing(home: Path, agent: str) -> None:
    done = install("--agent", agent, "--dry-run")
    assert done.exit_code == 0
    assert any(line.startswith("+") and "suture" in line for line in done.output.splitlines())
    assert KEY not in done.output
    assert {path.name for path in home.iterdir()} == {"project"}
    assert install("--agent", agent).exit_code == 0
    before = (home / USER_FILES[agent]).read_text()
    gone = run("uninstall-hooks", "--agent", agent, "--dry-run")
    assert any(line.startswith("-") and "suture" in line for line in gone.output.splitlines())
    assert (home / USER_FILES[agent]).read_text() == before


def test_the_key_is_kept_in_the_users_own_configuration(home: Path) -> None:
    done = install("--project", "--url", "https://memory.example/")
    assert done.exit_code == 0, done.output
    path = home / ".config" / "suture" / "config.toml"
    assert tomllib.loads(path.read_text()) == {"url": "https://memory.example", "key": KEY}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert KEY not in done.output
    assert str(path) in done.output
    assert [one for one in home.rglob("*") if one.is_file() and one != path and KEY in one.read_text()] == []


def test_other_configuration_stays(home: Path) -> None:
    path = written(
        home / ".config" / "suture" / "config.toml", '# mine\nkey = "sut_old" # old\n[ignore]\npaths = ["*.env"]\n'
    )
    path.chmod(0o644)
    assert install("--key", KEY, key="").exit_code == 0
    assert path.read_text() == (
        f'# mine\nkey = "{KEY}" # old\nurl = "http://127.0.0.1:8000"\n\n[ignore]\npaths = ["*.env"]\n'
    )
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["config.toml"]
    text = path.read_text()
    assert install(key="").exit_code == 0
    assert path.read_text() == text


def test_a_broken_configuration_changes_nothing(home: Path) -> None:
    path = written(home / ".config" / "suture" / "config.toml", 'url = "x"\nkey = = 1\n')
    done = install()
    assert done.exit_code == 1
    assert f"{path}, line 2, column" in done.output
    assert not (home / ".claude").exists()


def test_the_key_is_asked_for_on_a_terminal(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture_client.installing.hooks.command.is_interactive", lambda: True)
    done = install(key="", input=f"{KEY}\n")
    assert done.exit_code == 0, done.output
    assert KEY not in done.output
    assert KEY in (home / ".config" / "suture" / "config.toml").read_text()


def test_without_a_key_the_hooks_are_installed_and_the_missing_key_is_reported(home: Path) -> None:
    done = install(key="")
    assert done.exit_code == 0
    assert "SUTURE_KEY" in done.output
    assert "--key" in done.output
    assert (home / USER_FILES["claude-code"]).exists()


@pytest.mark.parametrize("key", ["${SUTURE_KEY}", "schlüssel", "two words"])
def test_an_invalid_key_is_refused(home: Path, key: str) -> None:
    done = install("--key", key, key="")
    assert done.exit_code == 1
    assert "--key is not an API key" in done.output
    assert {path.name for path in home.iterdir()} == {"project"}


def test_an_invalid_address_is_refused(home: Path) -> None:
    done = install("--url", "nonsense")
    assert done.exit_code == 1
    assert "nonsense" in done.output
    assert {path.name for path in home.iterdir()} == {"project"}


def test_a_key_is_not_written_into_a_repository(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", "."], check=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "project" / "config"))
    done = install("--project")
    assert done.exit_code == 0
    assert "git repository" in done.output
    assert "SUTURE_KEY" in done.output
    assert [one for one in home.rglob("*") if one.is_file() and KEY in one.read_text(errors="replace")] == []


def test_hooks_in_both_scopes_are_reported(home: Path) -> None:
    assert "runs twice" not in install("--project").output
    done = install()
    assert "runs twice" in done.output
    assert "suture uninstall-hooks --project --agent claude-code" in done.output


def test_other_agents_on_the_machine_are_named(home: Path) -> None:
    (home / ".gemini").mkdir()
    assert "--agent gemini" in install().output


def test_a_directory_that_cannot_be_written_changes_nothing(home: Path) -> None:
    (home / ".claude").write_text("a file")
    done = install()
    assert done.exit_code == 1
    assert "Nothing was changed" in done.output


def test_the_agents_own_variables_say_where_their_files_are(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(home / "claude"))
    monkeypatch.setenv("CODEX_HOME", str(home / "codex"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    assert install("--agent", "claude-code", "--agent", "codex", "--agent", "opencode").exit_code == 0
    for name in (
        "claude/settings.json",
        "codex/hooks.json",
        "config/opencode/plugins/suture.js",
        "config/suture/config.toml",
    ):
        assert (home / name).exists(), name


def test_a_link_stays_a_link(home: Path) -> None:
    real = written(home / "dotfiles" / "settings.json", "{}\n")
    path = home / USER_FILES["claude-code"]
    path.parent.mkdir()
    path.symlink_to(real)
    assert install().exit_code == 0
    assert path.is_symlink()
    assert "suture" in real.read_text()
    assert os.path.realpath(path) == str(real)
