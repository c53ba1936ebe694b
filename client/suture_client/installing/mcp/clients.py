"""MCP clients: their configuration files, and the format of a server in them. docs/mcp.md names the sources."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from suture_client.installing import paths

USER, PROJECT = "user", "project"
STDIO, HTTP = "stdio", "http"
JSON, TOML, YAML = "json", "toml", "yaml"

#: The id under which VS Code stores the key that the user entered.
INPUT_ID = "suture-key"

#: The fields of a server's transport. Those of another transport are removed.
TRANSPORT_FIELDS = (
    *("type", "command", "args", "env", "cwd", "url", "serverUrl", "httpUrl", "headers"),
    *("env_vars", "bearer_token_env_var", "http_headers", "env_http_headers"),
    *("environment", "cmd", "uri", "envs", "env_keys"),
)


@dataclass(frozen=True)
class Suture:
    """The server in a client's configuration. `key` is the key itself, or the client's reference to it."""

    name: str
    url: str
    command: tuple[str, ...]
    key: str
    is_reference: bool

    @property
    def mcp_url(self) -> str:
        """The server's address for MCP over HTTP."""
        return f"{self.url}/mcp"

    @property
    def bearer(self) -> dict[str, str]:
        """The authorization header of every request."""
        return {"Authorization": f"Bearer {self.key}"}

    def started(self, **fields: Any) -> dict[str, Any]:
        """Return the fields with which a client starts `suture mcp`."""
        command, *arguments = self.command
        return {
            **fields,
            "command": command,
            "args": arguments,
            "env": {"SUTURE_URL": self.url, "SUTURE_KEY": self.key},
        }


Entry = Callable[[Suture, str], dict[str, Any]]


@dataclass(frozen=True)
class Client:
    """One client. `reference` refers to the variable SUTURE_KEY in its file; None if the client does not support
    that. Its servers are in `section`, or in `newer_section` of a file that has it."""

    name: str
    title: str
    files: Mapping[str, Callable[[], Path]]
    section: str
    entry: Entry
    reference: str | None
    then: str
    transports: tuple[str, ...] = (HTTP, STDIO)
    format: str = JSON
    newer_section: tuple[str, ...] = ()


def _desktop(suture: Suture, transport: str) -> dict[str, Any]:
    return suture.started()


def _claude_code(suture: Suture, transport: str) -> dict[str, Any]:
    if transport == STDIO:
        return suture.started(type="stdio")
    return {"type": "http", "url": suture.mcp_url, "headers": suture.bearer}


def _windsurf(suture: Suture, transport: str) -> dict[str, Any]:
    return suture.started() if transport == STDIO else {"serverUrl": suture.mcp_url, "headers": suture.bearer}


def _gemini(suture: Suture, transport: str) -> dict[str, Any]:
    return suture.started() if transport == STDIO else {"httpUrl": suture.mcp_url, "headers": suture.bearer}


def _plain(suture: Suture, transport: str) -> dict[str, Any]:
    return suture.started() if transport == STDIO else {"url": suture.mcp_url, "headers": suture.bearer}


def _cline(suture: Suture, transport: str) -> dict[str, Any]:
    if transport == STDIO:
        return suture.started(type="stdio")
    return {"type": "streamableHttp", "url": suture.mcp_url, "headers": suture.bearer}


def _opencode(suture: Suture, transport: str) -> dict[str, Any]:
    if transport == STDIO:
        return {"type": "local", "command": list(suture.command), "environment": suture.started()["env"]}
    return {"type": "remote", "url": suture.mcp_url, "headers": suture.bearer}


def _goose(suture: Suture, transport: str) -> dict[str, Any]:
    """Goose passes the variables of `env_keys`, from its environment or its keyring, to the headers and the server."""
    entry: dict[str, Any] = {"enabled": True, "name": suture.name, "description": "Suture: memory for agents"}
    if transport == STDIO:
        command, *arguments = suture.command
        entry |= {"type": "stdio", "cmd": command, "args": arguments, "envs": {"SUTURE_URL": suture.url}}
        if not suture.is_reference:
            entry["envs"]["SUTURE_KEY"] = suture.key
    else:
        entry |= {"type": "streamable_http", "uri": suture.mcp_url, "headers": suture.bearer}
    return {**entry, **({"env_keys": ["SUTURE_KEY"]} if suture.is_reference else {}), "timeout": 300}


def _codex(suture: Suture, transport: str) -> dict[str, Any]:
    if transport == STDIO:
        entry = suture.started()
        if suture.is_reference:
            del entry["env"]["SUTURE_KEY"]
            entry["env_vars"] = [suture.key]
        return entry
    if suture.is_reference:
        return {"url": suture.mcp_url, "bearer_token_env_var": suture.key}
    return {"url": suture.mcp_url, "http_headers": suture.bearer}


def _cline_file() -> Path:
    """The file that Cline's extension and its command share."""
    given = os.environ.get("CLINE_MCP_SETTINGS_PATH", "").strip()
    data = Path(os.environ.get("CLINE_DATA_DIR") or paths.below("CLINE_DIR", "data", default=".cline")())
    return Path(given) if given else data / "settings" / "cline_mcp_settings.json"


_SET_VARIABLE = "Set SUTURE_KEY in the environment that {title} is started from, then restart {title}."

CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-desktop",
            "Claude Desktop",
            {USER: paths.settings("Claude", "claude_desktop_config.json")},
            "mcpServers",
            _desktop,
            None,
            "Restart {title}.",
            transports=(STDIO,),
        ),
        Client(
            "claude-code",
            "Claude Code",
            {
                USER: lambda: Path(os.environ.get("CLAUDE_CONFIG_DIR") or Path.home()) / ".claude.json",
                PROJECT: paths.here(".mcp.json"),
            },
            "mcpServers",
            _claude_code,
            "${SUTURE_KEY}",
            _SET_VARIABLE,
        ),
        Client(
            "cursor",
            "Cursor",
            {USER: paths.home(".cursor", "mcp.json"), PROJECT: paths.here(".cursor", "mcp.json")},
            "mcpServers",
            _plain,
            "${env:SUTURE_KEY}",
            _SET_VARIABLE,
        ),
        Client(
            "vscode",
            "VS Code",
            {USER: paths.settings("Code", "User", "mcp.json"), PROJECT: paths.here(".vscode", "mcp.json")},
            "servers",
            _claude_code,
            f"${{input:{INPUT_ID}}}",
            "{title} asks for the key when it starts the server, and keeps it.",
        ),
        Client(
            "windsurf",
            "Windsurf",
            {USER: paths.home(".codeium", "windsurf", "mcp_config.json")},
            "mcpServers",
            _windsurf,
            "${env:SUTURE_KEY}",
            _SET_VARIABLE,
        ),
        Client(
            "codex",
            "Codex",
            {
                USER: paths.below("CODEX_HOME", "config.toml", default=".codex"),
                PROJECT: paths.here(".codex", "config.toml"),
            },
            "mcp_servers",
            _codex,
            "SUTURE_KEY",
            _SET_VARIABLE,
            format=TOML,
        ),
        Client(
            "gemini",
            "Gemini CLI",
            {USER: paths.home(".gemini", "settings.json"), PROJECT: paths.here(".gemini", "settings.json")},
            "mcpServers",
            _gemini,
            "$SUTURE_KEY",
            _SET_VARIABLE,
        ),
        Client(
            "opencode",
            "OpenCode",
            {
                USER: paths.commented("opencode.json", paths.below("XDG_CONFIG_HOME", "opencode", default=".config")),
                PROJECT: paths.commented("opencode.json", paths.here()),
            },
            "mcp",
            _opencode,
            "{env:SUTURE_KEY}",
            _SET_VARIABLE,
            newer_section=("mcp", "servers"),
        ),
        Client(
            "zed",
            "Zed",
            {USER: paths.unix_settings("zed", "settings.json", windows="Zed")},
            "context_servers",
            _plain,
            None,
            "{title} reloads the file.",
        ),
        Client(
            "cline",
            "Cline",
            {USER: _cline_file},
            "mcpServers",
            _cline,
            None,
            "{title} reloads the file.",
        ),
        Client(
            "goose",
            "goose",
            {USER: paths.unix_settings("goose", "config.yaml", windows="Block/goose/config")},
            "extensions",
            _goose,
            "$SUTURE_KEY",
            "Set SUTURE_KEY in the environment that {title} is started from, then start a new session.",
            format=YAML,
        ),
        Client(
            "jetbrains",
            "Junie of JetBrains",
            {USER: paths.home(".junie", "mcp", "mcp.json"), PROJECT: paths.here(".junie", "mcp", "mcp.json")},
            "mcpServers",
            _plain,
            None,
            "Restart {title}.",
            transports=(STDIO,),
        ),
    )
}
