"""`suture watch`: keep memory up to date with the files of directories."""

import signal

import click

from suture_client import credentials


@click.command()
@click.argument("directories", nargs=-1, required=True, metavar="DIR...")
@click.option(
    "--name",
    "names",
    multiple=True,
    help="The name of a directory's session, watch:NAME. Give one for each directory, in order.",
)
@click.option(
    "--once",
    "only_once",
    is_flag=True,
    help="Update the memory once, then exit; the exit code is 1 if something failed.",
)
@click.option("--without-embeddings", is_flag=True, help="Store no embeddings: only word search finds the chunks.")
@click.option("--log-json", is_flag=True, help="Log JSON lines.")
def watch(
    directories: tuple[str, ...], names: tuple[str, ...], only_once: bool, without_embeddings: bool, log_json: bool
) -> None:
    """Capture the Markdown files in directories, and all changes to them."""
    # its dependencies take a while to import, and other commands do not need them
    from suture_client.watching import runner

    for signum in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, signal.default_int_handler)
    configured = credentials.configured()
    is_up_to_date = runner.watch(
        directories,
        names,
        url=configured.url,
        key=configured.key,
        configuration=configured.table,
        once=only_once,
        compute_embedding=not without_embeddings,
        log_json=log_json,
    )
    if only_once and not is_up_to_date:
        raise click.exceptions.Exit(1)
