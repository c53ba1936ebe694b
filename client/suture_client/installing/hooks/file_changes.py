"""Computes the changes to an agent's file when hooks are installed or uninstalled."""

from suture_client.errors import Failed
from suture_client.installing.files import File
from suture_client.installing.hooks import plugin, settings
from suture_client.installing.hooks.agents import Agent


def commands_in(agent: Agent, text: str) -> dict[str, list[str]]:
    """Return the command's words for each of the agent's events that Suture hooks. Raises Failed."""
    if agent.entry is None:
        words = plugin.command_in(text)
        return dict.fromkeys(agent.events, words) if words else {}
    return {hook.event: hook.words for hook in settings.hooks_in(text)}


def added(agent: Agent, text: str, words: list[str]) -> str:
    """Return the file's text with the hooks. Raises Failed, with the position, if the text cannot be changed."""
    if agent.entry is None:
        plugin.command_in(text)
        return plugin.plugin(words)
    return settings.with_hooks(agent, agent.entry, text, words)


def removed(agent: Agent, file: File) -> str | None:
    """Return the file's text without the hooks; None if the file was created for them and must be deleted. Raises
    Failed.

    If nothing else has changed since they were added, this is exactly the old text: a backup to which adding the hooks
    gives the current file.
    """
    if agent.entry is None:
        return None if plugin.command_in(file.text) else file.text
    words = next(iter(commands_in(agent, file.text).values()), None)
    if words is None:
        return file.text
    for path in file.backups:
        try:
            before = File(path).text
            if not commands_in(agent, before) and added(agent, before, words) == file.text:
                return before
        except Failed:
            continue
    return None if added(agent, "", words) == file.text else settings.without_hooks(file.text)


def is_as_written(agent: Agent, text: str) -> bool:
    """Return whether a plugin is the one that would be written now. Settings belong to the user and always match."""
    return agent.entry is not None or text == plugin.plugin(plugin.command_in(text))
