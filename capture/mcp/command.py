"""`suture mcp`: the MCP server on standard input and output; `suture mcp install`: into a client's configuration."""

import asyncio

import typer

from capture.client import Failed
from capture.installing.command import install

app = typer.Typer(invoke_without_command=True)
app.command("install")(install)


@app.callback()
def run(context: typer.Context) -> None:
    """Serve MCP on standard input and output: an MCP client starts this command.

    SUTURE_URL says where Suture runs (http://127.0.0.1:8000 if not set), SUTURE_KEY is your API key.
    """
    if context.invoked_subcommand is not None:
        return
    # the SDK takes long to import, and only this command needs it
    from capture.mcp.stdio import serve

    try:
        asyncio.run(serve())
    except Failed as failed:
        typer.echo(str(failed), err=True)
        raise typer.Exit(1) from None
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
