"""Finds installed hooks and their problems, for `suture doctor` and `suture status`."""

from dataclasses import dataclass
from pathlib import Path

from suture_client.errors import Failed
from suture_client.installing.files import File
from suture_client.installing.hooks import file_changes, hook_commands
from suture_client.installing.hooks.agents import AGENTS, Agent
from suture_client.installing.hooks.obstacles import obstacles


@dataclass(frozen=True)
class Installed:
    """Suture's hooks in one file of one agent. `events` and `missing` are the agent's event names. Each problem is a
    sentence with a solution."""

    agent: str
    title: str
    #: user or project
    scope: str
    path: Path
    events: tuple[str, ...]
    missing: tuple[str, ...]
    problems: tuple[str, ...]


def installed() -> list[Installed]:
    """Find the hooks in the user's files and in those of the project in the current directory, which may be the same.
    Files without hooks are omitted, unless they cannot be read."""
    found: dict[Path, Installed | None] = {}
    for agent in AGENTS.values():
        for scope, find in agent.files.items():
            path = find()
            if path not in found:
                found[path] = _in_file(agent, scope, path)
    return [one for one in found.values() if one is not None]


def _in_file(agent: Agent, scope: str, path: Path) -> Installed | None:
    try:
        file = File(path)
        present = file_changes.commands_in(agent, file.text)
    except Failed as failed:
        problem = str(failed) if str(path) in str(failed) else f"{path}, {failed}."
        return Installed(agent.name, agent.title, scope, path, (), tuple(agent.events), (problem,))
    if not present:
        return None
    again = f"Run `suture install-hooks --{scope} --agent {agent.name}` again."
    problems = list(dict.fromkeys(filter(None, map(hook_commands.problem_with, present.values()))))
    missing = tuple(event for event in agent.events if event not in present)
    if missing:
        problems.append(f"No hook for {', '.join(missing)}.")
    if not file_changes.is_as_written(agent, file.text):
        problems.append("The plugin is from another version of Suture.")
    if problems:
        problems.append(again)
    return Installed(
        agent=agent.name,
        title=agent.title,
        scope=scope,
        path=path,
        events=tuple(event for event in agent.events if event in present),
        missing=missing,
        problems=(*problems, *obstacles(agent)),
    )
