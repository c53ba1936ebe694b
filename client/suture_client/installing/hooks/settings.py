"""Edits Suture's hooks in an agent's settings, which are JSON. All other text stays unchanged."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from suture_client.installing import jsonc
from suture_client.installing.editing import json_object, parse_errors
from suture_client.installing.hooks import hook_commands
from suture_client.installing.hooks.agents import Agent, Entry


class Hook(NamedTuple):
    """One of Suture's hooks in a file: the agent's event, the path in the JSON, and the command's words."""

    event: str
    path: tuple[jsonc.Step, ...]
    words: list[str]


def hooks_in(text: str) -> list[Hook]:
    """Find Suture's hooks in a text. Raises Failed, with line and column, if the text is not JSON."""
    return list(_hooks(json_object(text)))


def with_hooks(agent: Agent, entry: Entry, text: str, words: list[str]) -> str:
    """Return the text with a hook for each event of the agent. An existing hook only gets the new command, and not even
    that if the user has changed the command.

    Raises Failed, with line and column, if the text cannot be changed.
    """
    present: dict[str, list[Hook]] = {}
    for hook in hooks_in(text):
        present.setdefault(hook.event, []).append(hook)
    text = text if text.strip() else "{}\n"
    with parse_errors():
        for name, value in agent.frame.items():
            if name not in json_object(text):
                text = jsonc.put(text, [name], value)
        for name, event in agent.events.items():
            if name not in present:
                text = jsonc.append(text, ["hooks", name], entry(event, hook_commands.join(words)))
            for hook in present.get(name, []):
                if hook.words != words and hook_commands.is_generated(hook.words):
                    text = jsonc.put(text, [*hook.path, "command"], hook_commands.join(words))
    return text


def without_hooks(text: str) -> str:
    """Return the text without Suture's hooks and without containers that are empty then. Raises as `with_hooks`."""
    while found := hooks_in(text):
        text = _without(text, found[-1].path)
    return text


def _without(text: str, path: tuple[jsonc.Step, ...]) -> str:
    text = jsonc.remove(text, path)
    event, every = path[:2], path[:1]
    emptied = [(event, event), (every, every)]
    if len(path) > 3:
        emptied.insert(0, (path[:4], path[:3]))
    for holder, gone in emptied:
        if _at(json_object(text), holder):
            break
        text = jsonc.remove(text, gone)
    return text


def _hooks(content: dict[str, Any]) -> Iterator[Hook]:
    """Yield the hooks of all events. Each event has a list of hooks or of groups of hooks."""
    events = content.get("hooks")
    for event, entries in events.items() if isinstance(events, dict) else ():
        for index, entry in enumerate(entries if isinstance(entries, list) else ()):
            if not isinstance(entry, dict):
                continue
            path = ("hooks", event, index)
            if words := hook_commands.parse(entry.get("command")):
                yield Hook(event, path, words)
            grouped = entry.get("hooks")
            for place, hook in enumerate(grouped if isinstance(grouped, list) else ()):
                if isinstance(hook, dict) and (words := hook_commands.parse(hook.get("command"))):
                    yield Hook(event, (*path, "hooks", place), words)


def _at(content: Any, path: tuple[jsonc.Step, ...]) -> Any:
    for step in path:
        content = content[step]
    return content
