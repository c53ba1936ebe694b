"""`suture install-hooks` and `suture uninstall-hooks`."""

import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from suture_client import credentials
from suture_client.errors import Failed, MissingKey
from suture_client.hooks import agents as adapters
from suture_client.hooks import state
from suture_client.installing import editing
from suture_client.installing.files import PRIVATE, SHARED, File
from suture_client.installing.hooks import file_changes, hook_commands
from suture_client.installing.hooks.agents import AGENTS, Agent
from suture_client.installing.hooks.client_config import ClientConfig
from suture_client.installing.hooks.obstacles import obstacles
from suture_client.installing.mcp.clients import PROJECT, USER

_Command = TypeVar("_Command", bound=Callable[..., Any])

_scope_option = click.option(
    "--user/--project",
    "is_user",
    default=True,
    help="Your own settings, or those of the project in the current directory.",
)
_dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")


def _agents_option(otherwise: str) -> Callable[[_Command], _Command]:
    return click.option(
        "--agent",
        "named",
        multiple=True,
        type=click.Choice(list(AGENTS)),
        help=f"The coding agent; may be repeated. Default: {otherwise}.",
    )


@dataclass(frozen=True)
class _Change:
    """A change to one agent's file. `text` is None if the file is deleted."""

    agent: Agent
    file: File
    text: str | None
    is_shared: bool = False
    is_for_this_machine: bool = True


@click.command()
@_scope_option
@_agents_option("Claude Code")
@click.option("--url", help="The server's address. Default: SUTURE_URL, else this machine.")
@click.option("--key", help="Your API key. Default: SUTURE_KEY. Without either, you are asked.")
@_dry_run_option
def install_hooks(is_user: bool, named: tuple[str, ...], url: str | None, key: str | None, dry_run: bool) -> None:
    """Add Suture's hooks to the settings of a coding agent, so that its sessions become memory.

    Everything else in the file stays, and a backup is kept beside it. A second run changes nothing.

    The address and the key are written to your own configuration of Suture, never to the settings.
    """
    scope = USER if is_user else PROJECT
    chosen = _agents(named, [adapters.DEFAULT])
    config = ClientConfig()
    changes = [_installation(one, scope) for one in chosen]
    _write_config(config, url, key, dry_run=dry_run)
    for change in changes:
        if _do(change, dry_run=dry_run, done=f"{change.agent.title} now has Suture's hooks: {change.file.path}."):
            click.echo(change.agent.then.format(title=change.agent.title))
        _warn(change, scope)
    others = [one.name for one in AGENTS.values() if one not in chosen and one.home().exists()]
    if others and not named:
        click.echo(f"Also on this machine: {', '.join(others)}. For their hooks, add --agent {others[0]}.")


@click.command()
@_scope_option
@_agents_option("all of them")
@_dry_run_option
def uninstall_hooks(is_user: bool, named: tuple[str, ...], dry_run: bool) -> None:
    """Remove Suture's hooks from the settings of coding agents, and nothing else."""
    scope = USER if is_user else PROJECT
    chosen = _agents(named, AGENTS)
    changes = list(filter(None, (_removal(one, scope) for one in chosen)))
    for change in changes:
        _do(change, dry_run=dry_run, done=f"{change.agent.title} no longer has Suture's hooks: {change.file.path}.")
    if changes and not dry_run and (config := Path(state.config_path())).exists():
        click.echo(f"The address and the key stay in {config}.")
    if not changes:
        titles = ", ".join(one.title for one in chosen)
        click.echo(f"Suture's hooks are not in the {scope} settings of {titles}. Nothing was changed.")


def _installation(agent: Agent, scope: str) -> _Change:
    words, is_for_this_machine = hook_commands.command_for(agent.name, scope)
    file = File(agent.files[scope]())
    with editing.naming_file(file):
        text = file_changes.added(agent, file.text, words)
    return _Change(agent, file, text, is_shared=scope == PROJECT, is_for_this_machine=is_for_this_machine)


def _removal(agent: Agent, scope: str) -> _Change | None:
    file = File(agent.files[scope]())
    with editing.naming_file(file):
        if not file_changes.commands_in(agent, file.text):
            return None
        return _Change(agent, file, file_changes.removed(agent, file))


def _agents(named: Iterable[str], otherwise: Iterable[str]) -> list[Agent]:
    return [AGENTS[name] for name in dict.fromkeys(named or otherwise)]


def _do(change: _Change, *, dry_run: bool, done: str) -> bool:
    """Change the file and print the result. Returns whether it was changed. Raises Failed."""
    mode = SHARED if change.is_shared else PRIVATE
    unchanged = f"{change.file.path} already has Suture's hooks for {change.agent.title}."
    return editing.apply(change.file, change.text, mode, dry_run=dry_run, done=done, unchanged=unchanged)


def _warn(change: _Change, scope: str) -> None:
    """Print warnings about the installed hooks."""
    agent, path = change.agent, change.file.path
    if change.is_shared and change.is_for_this_machine:
        click.echo(
            f"{path} names the command by its path on this machine, because `suture` is not on your PATH. Before you "
            "share the file, install `suture` on the PATH (pipx, uv tool) and run this command again.",
            err=True,
        )
    other = USER if scope == PROJECT else PROJECT
    other_path = agent.files[other]()
    if other_path != path and _has_hooks(agent, other_path):
        click.echo(
            f"{other_path} has Suture's hooks too. Each event is captured once, but every hook runs twice. Remove "
            f"the others with `suture uninstall-hooks --{other} --agent {agent.name}`.",
            err=True,
        )
    for obstacle in obstacles(agent):
        click.echo(obstacle, err=True)


def _has_hooks(agent: Agent, path: Path) -> bool:
    try:
        return bool(file_changes.commands_in(agent, File(path).text))
    except Failed:
        return False


def _write_config(config: ClientConfig, url: str | None, key: str | None, *, dry_run: bool) -> None:
    """Save the address and the key for the hooks. Ask for a key if none is known and the terminal is interactive."""
    is_named = url or os.environ.get(credentials.URL_VARIABLE) or not config.value("url")
    values = {"url": credentials.address(url)} if is_named else {}
    found = _key(key) or config.value("key")
    if not found and not dry_run and is_interactive():
        asked = click.prompt("Your API key", hide_input=True, default="", show_default=False)
        found = credentials.checked_key(asked.strip(), "Your input") if asked.strip() else ""
    if not found:
        click.echo(f"The hooks need a key. {MissingKey()} Or run this command again with --key.", err=True)
    elif config.repository is not None:
        click.echo(
            f"{config.path} is in the git repository {config.repository}, so your key is not written into it. Set "
            f"{credentials.KEY_VARIABLES[0]} in the environment of the agent.",
            err=True,
        )
    else:
        values["key"] = found
    values = {name: value for name, value in values.items() if config.value(name) != value}
    if dry_run:
        if values:
            click.echo(f"{config.path} would get {_names_of(values)}.")
        return
    config.make_private()
    if config.set(values):
        click.echo(f"{config.path} now has {_names_of(values)}. Only you can read it.")


def _names_of(values: Iterable[str]) -> str:
    names = {"url": "the server's address", "key": "the key"}
    return " and ".join(names[name] for name in values)


def is_interactive() -> bool:
    """Return whether the user can be asked."""
    return sys.stdin.isatty()


def _key(given: str | None) -> str:
    """Return the given key, else that of the environment, else "". Raises Failed for an invalid key."""
    if given is not None:
        return credentials.checked_key(given.strip(), "--key")
    try:
        return credentials.key()
    except MissingKey:
        return ""
