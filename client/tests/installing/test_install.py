"""`suture mcp install`: adds Suture to a client's configuration, and keeps everything else."""

import json
import os
import stat
import subprocess
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from suture_client.cli import app
from suture_client.errors import Failed
from suture_client.installing.files import File
from suture_client.installing.mcp.clients import CLIENTS

pytestmark = pytest.mark.pure

KEY = "sut_1a2b3c4d_secret"
URL = "http://127.0.0.1:8000"

#: For each client: the user's file, the project's file, and one with other settings.
USER_FILES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": ".config/opencode/opencode.json",
    "zed": ".config/zed/settings.json",
    "cline": ".cline/data/settings/cline_mcp_settings.json",
    "goose": ".config/goose/config.yaml",
    "jetbrains": ".junie/mcp/mcp.json",
}
PROJECT_FILES = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "opencode": "opencode.json",
}
TOML = """\
# my settings
model = "o9" # the good one

[mcp_servers.other]
command = "npx" # mine
args = ["-y", "x"]

[tools]
web = true
"""
YAML = """\
# my settings
GOOSE_PROVIDER: "anthropic" # the good one
GOOSE_SEARCH_PATHS:
  - /opt/bin

extensions:
  # comes with goose
  developer:
    enabled: true
    type: builtin

  other: {type: stdio, cmd: npx, args: ["-y", x]} # mine

# the rest
GOOSE_MODE: auto
"""
JSON = """\
{
  "theme": "dark",
  "%s": {
    "other": { "command": "npx", "args": ["-y", "x"], "futureField": {"a": [1, 2]} }
  },
  "unknown": [1, 2, 3]
}
"""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory on Linux, with a project to work in."""
    home = tmp_path / "home"
    (home / "project").mkdir(parents=True)
    for name in ("CLINE_DIR", "CLINE_DATA_DIR", "CLINE_MCP_SETTINGS_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name in ("XDG_CONFIG_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "SUTURE_URL", "SUTURE_KEY", "SUTURE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(home / "project")
    return home


def install(*arguments: str, key: str = KEY) -> Result:
    return CliRunner().invoke(app, ["mcp", "install", *arguments], env={"SUTURE_KEY": key} if key else {})


def read(path: Path) -> dict[str, object]:
    text = path.read_text()
    parse: dict[str, Callable[[str], Any]] = {".toml": tomllib.loads, ".yaml": yaml.safe_load}
    found: dict[str, object] = parse.get(path.suffix, json.loads)(text)
    return found


def example_of(client: str) -> str:
    return {"codex": TOML, "goose": YAML}.get(client) or JSON % CLIENTS[client].section


def backups(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f"{path.name}.*.bak"))


@pytest.mark.parametrize("client", CLIENTS)
def test_a_new_file_is_made_where_the_client_looks(home: Path, client: str) -> None:
    done = install("--client", client)
    assert done.exit_code == 0, done.output
    path = home / USER_FILES[client]
    assert "suture" in read(path)[CLIENTS[client].section]  # type: ignore[operator]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert backups(path) == []
    assert str(path) in done.output


@pytest.mark.parametrize("client", PROJECT_FILES)
def test_a_projects_file_is_made_without_the_key(home: Path, client: str) -> None:
    (home / "project" / ".git").mkdir()
    done = install("--client", client, "--scope", "project")
    assert done.exit_code == 0, done.output
    path = home / "project" / PROJECT_FILES[client]
    assert KEY not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert str(Path.cwd()) not in path.read_text()


def test_the_entries_are_those_of_the_clients_documentation(home: Path) -> None:
    def entry(client: str, *arguments: str) -> object:
        path = home / f"{client}{len(arguments)}{Path(USER_FILES[client]).suffix}"
        assert install("--client", client, "--path", str(path), *arguments).exit_code == 0
        return read(path)[CLIENTS[client].section]["suture"]  # type: ignore[index]

    url = f"{URL}/mcp"
    assert entry("claude-code") == {"type": "http", "url": url, "headers": {"Authorization": "Bearer ${SUTURE_KEY}"}}
    assert entry("cursor") == {"url": url, "headers": {"Authorization": "Bearer ${env:SUTURE_KEY}"}}
    assert entry("vscode") == {
        "type": "http",
        "url": url,
        "headers": {"Authorization": "Bearer ${input:suture-key}"},
    }
    assert entry("windsurf") == {"serverUrl": url, "headers": {"Authorization": "Bearer ${env:SUTURE_KEY}"}}
    assert entry("codex") == {"url": url, "bearer_token_env_var": "SUTURE_KEY"}
    assert entry("gemini") == {"httpUrl": url, "headers": {"Authorization": "Bearer $SUTURE_KEY"}}
    assert entry("opencode") == {
        "type": "remote",
        "url": url,
        "headers": {"Authorization": "Bearer {env:SUTURE_KEY}"},
    }
    assert entry("zed") == {"url": url, "headers": {"Authorization": f"Bearer {KEY}"}}
    assert entry("cline") == {"type": "streamableHttp", "url": url, "headers": {"Authorization": f"Bearer {KEY}"}}
    goose = {"enabled": True, "name": "suture", "description": "Suture: memory for agents", "timeout": 300}
    assert entry("goose") == {
        **goose,
        "type": "streamable_http",
        "uri": url,
        "headers": {"Authorization": "Bearer $SUTURE_KEY"},
        "env_keys": ["SUTURE_KEY"],
    }

    def started(key: str) -> dict[str, object]:
        return {"args": ["mcp"], "env": {"SUTURE_URL": URL, "SUTURE_KEY": key}}

    for client, fields in {
        "claude-desktop": started(KEY),
        "claude-code": {"type": "stdio", **started("${SUTURE_KEY}")},
        "cursor": started("${env:SUTURE_KEY}"),
        "vscode": {"type": "stdio", **started("${input:suture-key}")},
        "windsurf": started("${env:SUTURE_KEY}"),
        "codex": {"args": ["mcp"], "env": {"SUTURE_URL": URL}, "env_vars": ["SUTURE_KEY"]},
        "gemini": started("$SUTURE_KEY"),
        "opencode": {"type": "local", "environment": {"SUTURE_URL": URL, "SUTURE_KEY": "{env:SUTURE_KEY}"}},
        "zed": started(KEY),
        "cline": {"type": "stdio", **started(KEY)},
        "goose": {
            **goose,
            "type": "stdio",
            "args": ["mcp"],
            "envs": {"SUTURE_URL": URL},
            "env_keys": ["SUTURE_KEY"],
        },
        "jetbrains": started(KEY),
    }.items():
        found = entry(client, "--stdio")
        assert isinstance(found, dict)
        command = found.pop("cmd" if client == "goose" else "command")
        if client == "opencode":
            command, *arguments = command
            assert arguments == ["mcp"]
        assert found == fields, client
        assert os.path.isabs(command)
        assert command.endswith("suture")


def test_a_fifo_in_the_place_of_a_settings_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "settings.json")
    for path in (tmp_path / "settings.json", Path("/dev/zero"), tmp_path):
        with pytest.raises(Failed, match=r"is not a regular file\. Nothing was changed"):
            File(path)


def test_vscode_asks_for_the_key_once(home: Path) -> None:
    path = home / USER_FILES["vscode"]
    path.parent.mkdir(parents=True)
    path.write_text('{\n  // mine\n  "inputs": [{"id": "mine", "type": "promptString"}],\n}\n')
    assert install("--client", "vscode").exit_code == 0
    assert install("--client", "vscode", "--name", "suture-2").exit_code == 0
    text = path.read_text()
    assert "// mine" in text
    assert text.count('"id": "suture-key"') == 1
    assert '"password": true' in text


@pytest.mark.parametrize("client", CLIENTS)
def test_existing_settings_stay(home: Path, client: str) -> None:
    path = home / USER_FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    before = example_of(client)
    path.write_text(before)
    path.chmod(0o640)
    assert install("--client", client).exit_code == 0
    after = read(path)
    servers = after[CLIENTS[client].section]
    assert isinstance(servers, dict)
    assert servers.pop("suture")
    after.pop("inputs", None)
    assert after == read(backups(path)[0].rename(path.with_name(f"before{path.suffix}")))
    # the lines of before are there, in their order, but for a comma
    lines = iter(line.rstrip(",") for line in path.read_text().splitlines())
    assert all(line.rstrip(",") in lines for line in before.splitlines())
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize("client", CLIENTS)
def test_the_second_time_changes_nothing(home: Path, client: str) -> None:
    path = home / USER_FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(example_of(client))
    assert install("--client", client).exit_code == 0
    once, known = path.read_bytes(), backups(path)
    done = install("--client", client)
    assert done.exit_code == 0
    assert "Nothing was changed" in done.output
    assert path.read_bytes() == once
    assert backups(path) == known
    assert len(known) == 1


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", "extensions:\n  suture:\n"),
        ("# mine", "# mine\nextensions:\n  suture:\n"),
        ("extensions: {} # none\nmode: auto\n", "extensions:  # none\n  suture:\n"),
        ("extensions:\nmode: auto\n", "extensions:\n  suture:\n"),
        ("extensions:\n    # first\n    a:\n        type: builtin\n", "extensions:\n    suture:\n"),
    ],
)
def test_an_entry_of_yaml_is_the_first_of_its_section(home: Path, before: str, after: str) -> None:
    path = home / USER_FILES["goose"]
    path.parent.mkdir(parents=True)
    path.write_text(before)
    assert install("--client", "goose").exit_code == 0
    assert after in path.read_text()
    found = yaml.safe_load(before) or {}
    assert read(path).keys() == {*found, "extensions"}


def test_an_entry_of_yaml_keeps_the_users_fields(home: Path) -> None:
    path = home / USER_FILES["goose"]
    path.parent.mkdir(parents=True)
    entry = (
        "  suture:\n    type: stdio\n    cmd: old\n    available_tools:\n    - search_memory\n  # next\n  a: {b: 1}\n"
    )
    path.write_text(f"extensions:\n{entry}")
    assert install("--client", "goose").exit_code == 0
    assert "\n  # next\n  a: {b: 1}\n" in path.read_text()
    suture = read(path)["extensions"]["suture"]  # type: ignore[index] # parsed
    assert (suture["type"], suture["available_tools"]) == ("streamable_http", ["search_memory"])
    assert "cmd" not in suture


def test_opencode_has_its_servers_where_its_file_has_them(home: Path) -> None:
    path = home / ".config" / "opencode" / "opencode.jsonc"
    path.parent.mkdir(parents=True)
    path.write_text('{"mcp": {"servers": {"other": {"type": "local"}}} /* of version 2 */}')
    assert install("--client", "opencode").exit_code == 0
    assert "/* of version 2 */" in path.read_text()
    path.write_text(path.read_text().replace("/* of version 2 */", ""))
    assert read(path)["mcp"]["servers"].keys() == {"other", "suture"}  # type: ignore[index] # parsed
    path.write_text('{"mcp": {"servers": {"type": "local"}}}')
    assert install("--client", "opencode").exit_code == 0
    assert read(path)["mcp"].keys() == {"servers", "suture"}  # type: ignore[attr-defined] # parsed


def test_cline_names_its_file(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLINE_MCP_SETTINGS_PATH", str(home / "mine.json"))
    assert install("--client", "cline").exit_code == 0
    assert "suture" in (home / "mine.json").read_text()


def test_an_entry_keeps_the_users_fields(home: Path) -> None:
    path = home / USER_FILES["cursor"]
    path.parent.mkdir()
    path.write_text(
        '{"mcpServers": {"suture": {\n  "command": "old", "env": {"A": "1"},\n  "disabled": true, // for now\n'
        '  "headers": {"X-Mine": "1"}\n}}}'
    )
    assert install("--client", "cursor").exit_code == 0
    assert "// for now" in path.read_text()
    path.write_text(path.read_text().replace("// for now", ""))
    assert read(path)["mcpServers"] == {
        "suture": {
            "disabled": True,
            "headers": {"X-Mine": "1", "Authorization": "Bearer ${env:SUTURE_KEY}"},
            "url": f"{URL}/mcp",
        }
    }


@pytest.mark.parametrize("client", ["cursor", "codex", "opencode", "goose"])
def test_another_transport_replaces_the_first(home: Path, client: str) -> None:
    path = home / USER_FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(example_of(client))
    assert install("--client", client, "--http").exit_code == 0
    http = read(path)
    assert install("--client", client, "--stdio").exit_code == 0
    servers = read(path)[CLIENTS[client].section]
    assert isinstance(servers, dict)
    assert not {"url", "uri", "headers"} & servers["suture"].keys()
    assert install("--client", client, "--http").exit_code == 0
    assert read(path) == http


@pytest.mark.parametrize(
    ("client", "text", "said"),
    [
        ("cursor", '{\n  "mcpServers": {\n    "a": 1\n    "b": 2\n}}', "line 4, column 5"),
        ("cursor", "[]", "line 1, column 1"),
        ("cursor", '{"mcpServers": []}', "must be an object"),
        ("cursor", '{"mcpServers": {"suture": "x"}}', "must be an object"),
        ("vscode", '{"inputs": {}}', "must be an array"),
        ("codex", "a = 1\nb = = 2\n", "line 2, column"),
        ("codex", 'mcp_servers = "x"', "must be a table"),
        ("codex", 'mcp_servers = {suture = "x"}', "must be a table"),
        ("goose", "a: 1\nb: [\n", "line 3, column 1"),
        ("goose", "- a\n", "must be a mapping"),
        ("goose", "extensions: x\n", "must be a mapping"),
        ("goose", "extensions: {other: {type: stdio}}\n", "an entry on each line"),
        ("goose", "extensions:\n  suture: x\n", "must be a mapping"),
    ],
)
def test_a_file_that_cannot_be_read_is_left_alone(home: Path, client: str, text: str, said: str) -> None:
    path = home / USER_FILES[client]
    path.parent.mkdir(parents=True)
    path.write_text(text)
    done = install("--client", client)
    assert done.exit_code == 1
    assert str(path) in done.output
    assert said in done.output
    assert "Nothing was changed" in done.output
    assert path.read_text() == text
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_file_that_is_not_utf_8_is_left_alone(home: Path) -> None:
    path = home / USER_FILES["cursor"]
    path.parent.mkdir(parents=True)
    path.write_bytes(b'{\n"a": "\xff"}')
    done = install("--client", "cursor")
    assert (done.exit_code, "line 2" in done.output) == (1, True)
    assert path.read_bytes() == b'{\n"a": "\xff"}'


def test_a_byte_order_mark_and_an_empty_file_are_no_hindrance(home: Path) -> None:
    path = home / USER_FILES["cursor"]
    path.parent.mkdir(parents=True)
    path.write_bytes(b"\xef\xbb\xbf{}")
    assert install("--client", "cursor").exit_code == 0
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")
    path.write_text(" \n")
    assert install("--client", "cursor").exit_code == 0
    assert "suture" in path.read_text()


def test_a_link_stays_a_link(home: Path) -> None:
    path = home / USER_FILES["cursor"]
    path.parent.mkdir(parents=True)
    real = home / "dotfiles.json"
    real.write_text("{}")
    path.symlink_to(real)
    assert install("--client", "cursor").exit_code == 0
    assert path.is_symlink()
    assert "suture" in real.read_text()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_dry_run_shows_the_change_and_makes_none(home: Path, client: str) -> None:
    path = home / USER_FILES[client]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(example_of(client))
    done = install("--client", client, "--dry-run")
    assert done.exit_code == 0
    assert any(line.startswith("+") and "suture" in line for line in done.output.splitlines())
    assert KEY not in done.output
    assert path.read_text() == example_of(client)
    assert backups(path) == []


def test_hooks_ignore_the_tools_of_a_server_with_another_name(home: Path) -> None:
    config = home / ".config" / "suture" / "config.toml"
    assert install("--client", "claude-code").exit_code == 0
    assert not config.exists()
    for _ in range(2):
        assert install("--client", "claude-code", "--name", "memory").exit_code == 0
    assert read(config) == {"capture": {"ignore_tools": ["mcp__memory__*", "mcp_memory_*", "memory_*"]}}


def test_a_key_does_not_go_into_a_repository_unsaid(home: Path) -> None:
    subprocess.run(["git", "init", "-q", home], check=True)
    path = home / USER_FILES["claude-desktop"]
    done = install("--client", "claude-desktop")
    assert done.exit_code == 1
    assert str(home) in done.output
    assert "git repository" in done.output
    assert not path.exists()
    done = install("--client", "claude-desktop", "--write-key")
    assert done.exit_code == 0
    assert "git repository" in done.output
    assert KEY in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_client_that_cannot_refer_to_a_variable_needs_the_key(home: Path) -> None:
    done = install("--client", "claude-desktop", key="")
    assert done.exit_code == 1
    assert "SUTURE_KEY" in done.output
    assert not (home / USER_FILES["claude-desktop"]).exists()


@pytest.mark.parametrize("client", ["codex", "cursor", "claude-code", "vscode"])
def test_a_key_can_be_written(home: Path, client: str) -> None:
    done = install("--client", client, "--write-key")
    assert done.exit_code == 0, done.output
    path = home / USER_FILES[client]
    assert f"Bearer {KEY}" in path.read_text()
    assert KEY not in done.output
    assert "holds your key" in done.output


def test_without_a_client_the_only_one_is_taken(home: Path) -> None:
    none = install()
    assert none.exit_code == 1
    assert "--client claude-desktop|claude-code|cursor" in none.output
    (home / ".cursor").mkdir()
    (home / USER_FILES["cursor"]).write_text("{}")
    assert install().exit_code == 0
    assert "suture" in (home / USER_FILES["cursor"]).read_text()
    assert install("--client", "gemini").exit_code == 0
    both = install()
    assert both.exit_code == 1
    assert "cursor, gemini" in both.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--client", "claude-desktop", "--http"], "Omit --http"),
        (["--client", "windsurf", "--scope", "project"], "no project configuration"),
        (["--client", "cursor", "--url", "ftp://x"], "ftp://x"),
        (["--client", "cursor", "--url", "nonsense"], "nonsense"),
    ],
)
def test_impossible_options_are_refused(home: Path, arguments: list[str], said: str) -> None:
    done = install(*arguments)
    assert done.exit_code == 1
    assert said in done.output
    assert list(home.iterdir()) == [home / "project"]


def test_an_unknown_client_is_refused_with_the_known_ones(home: Path) -> None:
    done = install("--client", "emacs")
    assert done.exit_code == 2
    assert "claude-desktop" in done.output


def test_the_address_comes_from_the_option_then_the_environment(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUTURE_URL", "https://memory.example/")
    path = home / USER_FILES["cursor"]
    assert install("--client", "cursor").exit_code == 0
    assert "https://memory.example/mcp" in path.read_text()
    assert install("--client", "cursor", "--url", "https://other.example").exit_code == 0
    assert "https://other.example/mcp" in path.read_text()


def test_a_directory_that_cannot_be_written_changes_nothing(home: Path) -> None:
    (home / ".cursor").write_text("a file")
    done = install("--client", "cursor")
    assert done.exit_code == 1
    assert "Nothing was changed" in done.output
