"""`suture mcp`: the MCP server on standard input and output; `suture mcp install`: add it to a client's
configuration."""

import asyncio

import click

from suture_client.installing.mcp.command import install


@click.group(invoke_without_command=True)
@click.pass_context
def mcp(context: click.Context) -> None:
    """Serve MCP on standard input and output. An MCP client starts this command.

    SUTURE_URL is the server's address (default: http://127.0.0.1:8000), SUTURE_KEY is your API key.
    """
    if context.invoked_subcommand is not None:
        return
    # the SDK is slow to import, and only this command needs it
    from suture_client.mcp.stdio import serve

    try:
        asyncio.run(serve())
    except KeyboardInterrupt:
        raise click.exceptions.Exit(130) from None


mcp.add_command(install)
