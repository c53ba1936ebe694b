"""`suture watch`: the files of directories become memory, and stay in step with it."""

import signal
from typing import Annotated

import typer

from capture.client import Failed, MissingKey, address
from capture.hooks import settings


def watch(
    directories: Annotated[list[str], typer.Argument(metavar="DIR...", help="The directories to watch.")],
    name: Annotated[
        list[str] | None,
        typer.Option(help="The name of a directory's session, watch:NAME; once for each directory, in their order."),
    ] = None,
    only_once: Annotated[
        bool, typer.Option("--once", help="Bring the memory up to date, then end; 1 if something failed.")
    ] = False,
    without_embeddings: Annotated[
        bool, typer.Option("--without-embeddings", help="Store chunks without embeddings: found by words only.")
    ] = False,
    log_json: Annotated[bool, typer.Option("--log-json", help="Log JSON lines.")] = False,
) -> None:
    """Capture the Markdown files of directories, and every change of them."""
    from capture.watching import running  # what it needs takes a while to import, and the other commands do without

    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.default_int_handler)
    try:
        configured = settings.read()
        if configured.problem:
            raise Failed(configured.problem)
        url = address(configured.url)
        if not configured.key:
            raise MissingKey
        is_in_step = running.watch(
            directories,
            name or [],
            url=url,
            key=configured.key,
            configuration=configured.table,
            once=only_once,
            compute_embedding=not without_embeddings,
            log_json=log_json,
        )
    except Failed as failed:
        typer.echo(str(failed), err=True)
        raise typer.Exit(1) from None
    if only_once and not is_in_step:
        raise typer.Exit(1)
