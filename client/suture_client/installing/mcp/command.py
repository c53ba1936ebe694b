"""`suture mcp install`: add Suture to the configuration of an MCP client."""

from pathlib import Path

import click

from suture_client import credentials
from suture_client.errors import Failed, MissingKey
from suture_client.installing import editing, paths
from suture_client.installing.files import PRIVATE, SHARED, File
from suture_client.installing.hooks.client_config import ClientConfig
from suture_client.installing.mcp.clients import CLIENTS, HTTP, PROJECT, STDIO, USER, Client, Suture
from suture_client.installing.mcp.servers import with_server


@click.command()
@click.option(
    "--client",
    "client_name",
    type=click.Choice(list(CLIENTS)),
    help="The client. Default: the only one found on this machine.",
)
@click.option(
    "--scope",
    type=click.Choice([USER, PROJECT]),
    default=USER,
    help="Your own configuration, or that of the project in the current directory.",
)
@click.option("--path", type=click.Path(path_type=Path), help="The configuration file, if not in the usual place.")
@click.option("--url", help="The server's address. Default: SUTURE_URL, else this machine.")
@click.option(
    "--http/--stdio", default=None, help="Whether the client connects to the server over HTTP or starts `suture mcp`."
)
@click.option("--name", default="suture", help="The server's name in the client.")
@click.option("--write-key", is_flag=True, help="Write the key itself, even if the file could refer to SUTURE_KEY.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
def install(
    client_name: str | None,
    scope: str,
    path: Path | None,
    url: str | None,
    http: bool | None,
    name: str,
    write_key: bool,
    dry_run: bool,
) -> None:
    """Add Suture to the configuration file of an MCP client.

    Everything else in the file stays, including comments. A backup is kept beside it.

    If the client supports it, the file refers to the variable SUTURE_KEY instead of holding your key.
    """
    chosen = CLIENTS[client_name] if client_name else _found()
    transport = _transport(chosen, http)
    file = File(path or _file_of(chosen, scope))
    server = Suture(
        name=name,
        url=credentials.address(url),
        command=("suture", "mcp") if scope == PROJECT else _command(),
        key=_key(chosen, file, write_key=write_key),
        is_reference=not write_key and chosen.reference is not None,
    )
    with editing.naming_file(file):
        changed = with_server(chosen, file.text, name, chosen.entry(server, transport))
    if editing.apply(
        file,
        changed,
        SHARED if scope == PROJECT and server.is_reference else PRIVATE,
        dry_run=dry_run,
        done=f"Suture was added to {file.path}.",
        unchanged=f"{file.path} already has Suture.",
        secret="" if server.is_reference else server.key,
    ):
        _leave_out_of_captures(name)
        holds = f"The file holds your key. Restart {chosen.title}."
        click.echo(chosen.then.format(title=chosen.title) if server.is_reference else holds)


def _leave_out_of_captures(name: str) -> None:
    """Let hooks ignore every tool of a server whose name does not say that it is Suture."""
    if "suture" not in name.lower():
        ClientConfig().ignore_tools([f"mcp__{name}__*", f"mcp_{name}_*", f"{name}_*"])


def _found() -> Client:
    """Return the only client with settings on this machine. Raises Failed if there are none or several."""
    found = [client for client in CLIENTS.values() if client.files[USER]().exists()]
    if len(found) == 1:
        return found[0]
    names = ", ".join(client.name for client in found) or "none of the known clients"
    raise Failed(f"Name the client with --client {'|'.join(CLIENTS)}. Found on this machine: {names}.")


def _transport(client: Client, http: bool | None) -> str:
    if http is None:
        return client.transports[0]
    transport = HTTP if http else STDIO
    if transport not in client.transports:
        raise Failed(f"{client.title} only starts servers on this machine. Omit --http.")
    return transport


def _file_of(client: Client, scope: str) -> Path:
    if scope not in client.files:
        raise Failed(f"{client.title} has no project configuration. Omit --scope project.")
    return client.files[scope]()


def _command() -> tuple[str, ...]:
    """Return the command that starts `suture mcp` from any directory."""
    found = paths.suture()
    if found is None:
        raise Failed("The command `suture` is not installed beside this Python. Install it, or use --http.")
    return (found, "mcp")


def _key(client: Client, file: File, *, write_key: bool) -> str:
    """Return the key, or the client's reference to it. Raises Failed if the key would be written to a repository."""
    if client.reference is not None and not write_key:
        return client.reference
    try:
        key = credentials.key()
    except MissingKey as missing:
        why = "" if write_key else f"{client.title} cannot refer to a variable, so its file holds the key. "
        raise Failed(f"{why}{missing}") from None
    if file.repository is not None:
        if not write_key:
            raise Failed(
                f"{file.path} is in the git repository {file.repository}, and {client.title} needs the key itself "
                "in it. Keep the file out of the repository, or use --write-key. Nothing was changed."
            )
        click.echo(
            f"Your key is written into {file.path}, which is in the git repository {file.repository}. Do not commit "
            "it.",
            err=True,
        )
    return key
