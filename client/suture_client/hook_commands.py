"""The hook commands in `suture --help`. `suture_client.entry` runs them without importing this module."""

import click

from suture_client.hooks import agents

_agent = click.option("--agent", default=agents.DEFAULT, help=f"The coding agent: {', '.join(agents.NAMES)}.")


@click.command()
@_agent
def hook(agent: str) -> None:
    """Run a coding agent's hook: read its JSON from standard input, capture it, and print context.

    The exit code is always 0, and only context is printed. `suture doctor` shows errors.
    """
    _run("hook", agent)


@click.group()
def session() -> None:
    """Hooks for the start and the end of a coding agent's session."""


@session.command("start")
@_agent
def session_start(agent: str) -> None:
    """Print context for a new session. Reads the hook's JSON from standard input."""
    _run("session start", agent)


@session.command("end")
@_agent
def session_end(agent: str) -> None:
    """Capture a session's summary. Reads the hook's JSON from standard input."""
    _run("session end", agent)


@click.command()
@_agent
def inject_context(agent: str) -> None:
    """Capture a prompt and print matching memories. Reads the hook's JSON from standard input."""
    _run("inject-context", agent)


@click.command()
@click.option("--source", required=True, help="hook (a tool call) or response.")
@_agent
def capture_memory(source: str, agent: str) -> None:
    """Capture a tool call or a response. Reads the hook's JSON from standard input."""
    _run(f"capture-memory --source {source}", agent)


@click.command()
def flush() -> None:
    """Deliver the captures that wait in the spool. The exit code is 1 if some are left."""
    from suture_client.hooks.flush import flush

    raise click.exceptions.Exit(flush())


def _run(command: str, agent: str) -> None:
    from suture_client.entry import run_hook

    run_hook([*command.split(), "--agent", agent])


COMMANDS = (hook, session, inject_context, capture_memory, flush)
