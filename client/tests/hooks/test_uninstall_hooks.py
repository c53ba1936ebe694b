"""`suture uninstall-hooks`: restores the settings without the hooks, and keeps the user's later changes."""

from pathlib import Path

import pytest

from suture_client.installing import jsonc
from suture_client.installing.hooks.agents import AGENTS
from tests.hooks.installations import OF_JSON, OTHERS, SETTINGS, USER_FILES, backups, install, uninstall, written

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("agent", OF_JSON)
@pytest.mark.parametrize(
    "before", ["{}", "{ }\n", '{"a": 1}', '{"hooks": {}}\n', "", "\n", '\ufeff{\r\n\t"a": 1\r\n}\r\n']
)
def test_uninstalling_restores_the_exact_old_file(home: Path, agent: str, before: str) -> None:
    path = home / USER_FILES[agent]
    path.parent.mkdir(parents=True)
    path.write_bytes(before.encode())
    assert install("--agent", agent).exit_code == 0
    assert b"suture" in path.read_bytes()
    assert uninstall("--agent", agent).exit_code == 0
    assert path.read_bytes() == before.encode()


def test_uninstalling_removes_only_the_hooks_from_a_changed_file(home: Path) -> None:
    before = (SETTINGS / "before.json").read_text()
    path = written(home / USER_FILES["claude-code"], before)
    assert install().exit_code == 0
    path.write_text(path.read_text().replace('"model": "opus"', '"model": "haiku"'))
    assert uninstall().exit_code == 0
    assert path.read_text() == before.replace('"model": "opus"', '"model": "haiku"')


@pytest.mark.parametrize("agent", OF_JSON)
def test_uninstalling_needs_no_backup(home: Path, agent: str) -> None:
    path = written(home / USER_FILES[agent], OTHERS)
    assert install("--agent", agent).exit_code == 0
    for backup in backups(path):
        backup.unlink()
    assert uninstall("--agent", agent).exit_code == 0
    after = path.read_text()
    assert jsonc.parse(after).value == jsonc.parse(OTHERS).value | AGENTS[agent].frame
    assert after.count("//") == OTHERS.count("//")


def test_uninstalling_leaves_the_other_scope_and_says_where_there_is_nothing(home: Path) -> None:
    assert install("--project").exit_code == 0
    done = uninstall()
    assert done.exit_code == 0
    assert "Nothing was changed" in done.output
    assert (home / "project" / ".claude/settings.json").exists()
    assert uninstall("--project").exit_code == 0
    assert not (home / "project" / ".claude/settings.json").exists()


def test_uninstalling_finds_every_agent(home: Path) -> None:
    arguments = [word for agent in AGENTS for word in ("--agent", agent)]
    assert install(*arguments).exit_code == 0
    assert uninstall().exit_code == 0
    assert [home / name for name in USER_FILES.values() if (home / name).exists()] == []
