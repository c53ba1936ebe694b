"""`suture watch`: the files of directories become memory, and stay in step with it."""

import signal

import click

from suture_client import credentials


@click.command()
@click.argument("directories", nargs=-1, required=True, metavar="DIR...")
@click.option(
    "--name",
    "names",
    multiple=True,
    help="The name of a directory's session, watch:NAME; once for each directory, in their order.",
)
@click.option("--once", "only_once", is_flag=True, help="Bring the memory up to date, then end; 1 if something failed.")
@click.option("--without-embeddings", is_flag=True, help="Store chunks without embeddings: found by words only.")
@click.option("--log-json", is_flag=True, help="Log JSON lines.")
def watch(
    directories: tuple[str, ...], names: tuple[str, ...], only_once: bool, without_embeddings: bool, log_json: bool
) -> None:
    """Capture the Markdown files of directories, and every change of them."""
    # what it needs takes a while to import, and the other commands do without
    from suture_client.watching import running

    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.default_int_handler)
    configured = credentials.configured()
    is_in_step = running.watch(
        directories,
        names,
        url=configured.url,
        key=configured.key,
        configuration=configured.table,
        once=only_once,
        compute_embedding=not without_embeddings,
        log_json=log_json,
    )
    if only_once and not is_in_step:
        raise click.exceptions.Exit(1)
