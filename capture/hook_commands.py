"""The commands of the hook path in `suture --help`. `capture.entry` runs them without importing this."""

from typing import Annotated

import typer

from capture.hooks import agents

session = typer.Typer(help="What a coding agent calls when a session starts and ends.", no_args_is_help=True)

_Agent = Annotated[str, typer.Option(help=f"The coding agent: {', '.join(agents.NAMES)}.")]


def hook(agent: _Agent = agents.DEFAULT) -> None:
    """Run a coding agent's hook: reads its JSON on standard input, captures, and prints context.

    The exit code is always 0, and nothing but context is printed. What goes wrong is in `suture doctor`.
    """
    _run("hook", agent)


@session.command("start")
def session_start(agent: _Agent = agents.DEFAULT) -> None:
    """Print what is remembered, for a session that starts. Reads the hook's JSON on standard input."""
    _run("session start", agent)


@session.command("end")
def session_end(agent: _Agent = agents.DEFAULT) -> None:
    """Capture a session's summary. Reads the hook's JSON on standard input."""
    _run("session end", agent)


def inject_context(agent: _Agent = agents.DEFAULT) -> None:
    """Capture a prompt and print what is remembered about it. Reads the hook's JSON on standard input."""
    _run("inject-context", agent)


def capture_memory(
    source: Annotated[str, typer.Option(help="hook (what a tool does) or response.")], agent: _Agent = agents.DEFAULT
) -> None:
    """Capture what a tool does, or a response. Reads the hook's JSON on standard input."""
    _run(f"capture-memory --source {source}", agent)


def flush() -> None:
    """Deliver the captures that wait in the spool, because the server was away. Exits with 1 if some are left."""
    from capture.hooks.flushing import flush

    raise typer.Exit(flush())


def _run(command: str, agent: str) -> None:
    from capture.entry import run_hook

    run_hook([*command.split(), "--agent", agent])


def register(app: typer.Typer) -> None:
    """Add the commands to those of `suture`."""
    app.command("hook")(hook)
    app.add_typer(session, name="session")
    app.command("inject-context")(inject_context)
    app.command("capture-memory")(capture_memory)
    app.command("flush")(flush)
