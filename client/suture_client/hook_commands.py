"""The commands of the hook path in `suture --help`. `suture_client.entry` runs them without importing this."""

import click

from suture_client.hooks import agents

_agent = click.option("--agent", default=agents.DEFAULT, help=f"The coding agent: {', '.join(agents.NAMES)}.")


@click.command()
@_agent
def hook(agent: str) -> None:
    """Run a coding agent's hook: reads its JSON on standard input, captures, and prints context.

    The exit code is always 0, and nothing but context is printed. What goes wrong is in `suture doctor`.
    """
    _run("hook", agent)


@click.group()
def session() -> None:
    """What a coding agent calls when a session starts and ends."""


@session.command("start")
@_agent
def session_start(agent: str) -> None:
    """Print what is remembered, for a session that starts. Reads the hook's JSON on standard input."""
    _run("session start", agent)


@session.command("end")
@_agent
def session_end(agent: str) -> None:
    """Capture a session's summary. Reads the hook's JSON on standard input."""
    _run("session end", agent)


@click.command()
@_agent
def inject_context(agent: str) -> None:
    """Capture a prompt and print what is remembered about it. Reads the hook's JSON on standard input."""
    _run("inject-context", agent)


@click.command()
@click.option("--source", required=True, help="hook (what a tool does) or response.")
@_agent
def capture_memory(source: str, agent: str) -> None:
    """Capture what a tool does, or a response. Reads the hook's JSON on standard input."""
    _run(f"capture-memory --source {source}", agent)


@click.command()
def flush() -> None:
    """Deliver the captures that wait in the spool, because the server was away. Exits with 1 if some are left."""
    from suture_client.hooks.flush import flush

    raise click.exceptions.Exit(flush())


def _run(command: str, agent: str) -> None:
    from suture_client.entry import run_hook

    run_hook([*command.split(), "--agent", agent])


COMMANDS = (hook, session, inject_context, capture_memory, flush)
