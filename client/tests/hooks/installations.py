"""Installing and uninstalling hooks in a home directory with existing settings."""

from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from suture_client.cli import app
from suture_client.installing.hooks.agents import AGENTS

KEY = "sut_1a2b3c4d_secret"
SETTINGS = Path(__file__).parent / "settings"

USER_FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/plugins/suture.js",
}
PROJECT_FILES = USER_FILES | {"opencode": ".opencode/plugins/suture.js"}
OF_JSON = [name for name in AGENTS if name != "opencode"]
OTHERS = """\
{
    // mine
    "theme": "dark",
    "hooks": {
        "SessionStart": [{"command": "./mine.sh", "hooks": [{"type": "command", "command": "mine --now"}]}],
        "sessionStart": [{"command": "./mine.sh"}], // and this
    },
    "futureField": {"a": [1, 2]},
}
"""


def run(*arguments: str, key: str = KEY, **options: Any) -> Result:
    return CliRunner().invoke(app, [*arguments], env={"SUTURE_KEY": key} if key else {}, **options)


def install(*arguments: str, key: str = KEY, **options: Any) -> Result:
    return run("install-hooks", *arguments, key=key, **options)


def uninstall(*arguments: str) -> Result:
    return run("uninstall-hooks", *arguments)


def written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.*.bak"))
