"""`suture import KIND PATH`: import from another memory, an assistant or a coding agent."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import click

from suture_client import credentials, progress
from suture_client.errors import Away, Failed, Problem
from suture_client.importing import kinds
from suture_client.importing.detecting import AUTO, detect
from suture_client.importing.items import BadSource, LeftOut, NotParsed, Options, Read
from suture_client.importing.kinds import Find, Kind, OnRead
from suture_client.importing.preparation import PreparedItem, prepare
from suture_client.importing.report import Report
from suture_client.importing.sources import Source, sources_of
from suture_client.importing.upload import Sender

#: The exit codes: something was not imported, nothing could be read, and Ctrl-C was pressed.
PARTLY, USAGE, INTERRUPTED = 1, 2, 130
CHANNELS = ("private", "team", "agent", "public")


@click.command(
    "import",
    epilog=f"KIND is one of {', '.join(kinds.MODULES)}, or auto. PATH is the file or the directory; - reads standard "
    "input.",
)
@click.argument("kind")
@click.argument("path")
@click.option("--dry-run", is_flag=True, help="Read everything and print the result, but send nothing.")
@click.option(
    "--subject",
    default="",
    show_default=False,
    help="The subject of items for which the source names none, such as user:alice.",
)
@click.option(
    "--channel",
    default="",
    show_default=False,
    help=f"The channel of all items: {', '.join(CHANNELS)}. Default: private, but your key's channel for captures and"
    " files.",
)
@click.option(
    "--session",
    default="",
    show_default=False,
    help="The session of all items, instead of one for each conversation.",
)
@click.option("--project", default="", show_default=False, help="The project of items for which the source names none.")
@click.option("--limit", type=click.IntRange(min=1), help="Stop after this many items.")
@click.option("--report", type=click.Path(path_type=Path), help="Write what was not imported to a file, as JSON lines.")
def import_(
    kind: str,
    path: str,
    dry_run: bool,
    subject: str,
    channel: str,
    session: str,
    project: str,
    limit: int | None,
    report: Path | None,
) -> None:
    """Import existing memory. You can run it again at any time: nothing is recorded twice.

    The exit code is 0 if everything was imported, 1 if something was not understood or was refused, and 2 if nothing
    could be read.
    """
    counts = Report()
    try:
        options = Options(
            channel=_channel(channel), session=session.strip(), subject=_subject(subject), project=project
        )
        chosen = _detected(path) if kind == AUTO else kinds.get_kind(kind)
        with counts.into(report):
            if chosen.find is not None:
                _run_files(chosen, chosen.find, Path(path), options, counts, is_dry_run=dry_run, limit=limit)
            else:
                sources = sources_of(
                    path, wanted=chosen.wanted, wants=chosen.wants, takes_directory=chosen.takes_directory
                )
                _run(chosen, sources, options, counts, is_dry_run=dry_run, limit=limit)
    except BadSource as error:
        click.echo(str(error), err=True)
        raise click.exceptions.Exit(USAGE) from None
    except Failed as failed:
        _print(counts, dry_run, report)
        click.echo(str(failed), err=True)
        if isinstance(failed, Away) or (isinstance(failed, Problem) and failed.is_temporary):
            click.echo("Run the command again later: nothing is recorded twice.", err=True)
        raise click.exceptions.Exit(PARTLY) from None
    except KeyboardInterrupt:
        _print(counts, dry_run, report)
        click.echo("Interrupted. Run the command again to continue: nothing is recorded twice.", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None
    _print(counts, dry_run, report)
    if not counts.is_clean:
        raise click.exceptions.Exit(PARTLY)


def _detected(path: str) -> Kind:
    """Find out the kind, and say it. Raises BadSource."""
    kind = detect(path)
    click.echo(f"{path} is {kind.title}: {kind.name}.", err=True)
    return kind


def _print(counts: Report, is_dry_run: bool, report: Path | None) -> None:
    for line in counts.lines(is_dry_run=is_dry_run, has_report=report is not None):
        click.echo(line)


def _run(
    kind: Kind, sources: list[Source], options: Options, report: Report, *, is_dry_run: bool, limit: int | None
) -> None:
    """Read everything, and send it unless it is a dry run. Raises BadSource, Failed."""
    server = None if is_dry_run else _server()
    with progress.progress_bar(sum(source.size for source in sources), "items") as bar:
        items = islice(_items(kind, sources, options, report, bar.advance), limit)
        if server is None:
            for _ in items:
                report.read += 1
                bar.set_count(report.read)
            return
        with Sender(*server, report, on_fault=progress.print_line) as sender:
            for item in items:
                report.read += 1
                bar.set_count(report.read)
                sender.add(item)
            sender.flush()


def _run_files(
    kind: Kind, find: Find, path: Path, options: Options, report: Report, *, is_dry_run: bool, limit: int | None
) -> None:
    """Read the Markdown files of a path, and store them unless it is a dry run. Raises BadSource, Failed."""
    from suture_client.importing.markdown import Importer, Skipped  # its dependencies take a while to import

    if options.subject:
        raise BadSource("--subject does not apply to Markdown files. They belong to a project: use --project.")
    server = None if is_dry_run else _server()
    if not path.exists():
        raise BadSource(f"There is no file {path}.")
    root, found = find(path, options.session.removeprefix("watch:"), Skipped(report))
    with progress.progress_bar(len(found), "files") as bar:
        importer = Importer(root, options, kind.name, report, bar)
        if server is None:
            importer.check(found[:limit])
        else:
            importer.send(found[:limit], *server)


def _server() -> tuple[str, str]:
    """Return the address and the key from the environment or the client's configuration. Raises Failed."""
    configured = credentials.configured()
    return configured.url, configured.key


def _items(
    kind: Kind, sources: list[Source], options: Options, report: Report, on_read: OnRead
) -> Iterator[PreparedItem]:
    for source in sources:
        try:
            for one in kind.read(source, on_read) if kind.read else ():
                yield from _prepared(one, kind, options, report)
        except BadSource as error:
            if len(sources) == 1:
                raise
            # One bad file of many: import the others.
            yield from _prepared(NotParsed(source.name, str(error)), kind, options, report)


def _prepared(one: Read, kind: Kind, options: Options, report: Report) -> Iterator[PreparedItem]:
    if isinstance(one, LeftOut):
        report.leave_out(one)
    elif isinstance(one, NotParsed):
        if line := report.add_unparsed(one):
            progress.print_line(line)
    else:
        for ready in prepare(one, kind.name, options):
            if isinstance(ready, LeftOut):
                report.leave_out(ready)
            else:
                yield ready


def _channel(given: str) -> str:
    if given and given not in CHANNELS:
        raise BadSource(f"--channel must be one of {', '.join(CHANNELS)}, not {given!r}.")
    return given


def _subject(given: str) -> tuple[str, str] | None:
    if not given:
        return None
    type, mark, id = given.partition(":")
    if not (type.strip() and mark and id.strip()):
        raise BadSource(f"--subject must be a type and an id, such as user:alice, not {given!r}.")
    return type.strip(), id.strip()
