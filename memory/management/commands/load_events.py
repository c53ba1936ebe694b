import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from django.core.management.base import BaseCommand, CommandError, CommandParser

from governance.identity import identities
from governance.refusals import Refusal
from memory import importing


class Command(BaseCommand):
    help = (
        "Record the events of a file of JSON lines (each the body of POST /events, optionally with source_id). "
        "If you run it again, it skips events that are already recorded."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="- for standard input")
        parser.add_argument("--tenant", required=True, metavar="SLUG")
        parser.add_argument("--agent", required=True, metavar="NAME", help="the agent that records them")
        parser.add_argument("--batch", type=int, default=importing.BATCH, metavar="N", help="events per transaction")
        parser.add_argument("--check", action="store_true", help="check the whole file and record nothing")
        parser.add_argument("--quiet", action="store_true", help="no progress bar")

    def handle(self, *args: Any, **options: Any) -> None:
        if options["batch"] < 1:
            raise CommandError("--batch must be at least 1.")
        tally, started, check = importing.Tally(), time.monotonic(), options["check"]
        name = "stdin" if options["file"] == "-" else options["file"]
        try:
            actor = importing.agent_of(identities.tenant_id_of(options["tenant"]), options["agent"])
            with _opened(options["file"]) as stream, _progress(options, tally) as show:
                if check:
                    importing.check_events(stream, name=name, actor=actor, tally=tally, on_batch=show)
                else:
                    importing.load_events(
                        stream, name=name, actor=actor, tally=tally, batch=options["batch"], on_batch=show
                    )
        except Refusal as refusal:
            self._report(tally, started, check=check)
            raise CommandError(refusal.detail) from None
        except KeyboardInterrupt:
            self._report(tally, started, check=check)
            self.stderr.write("Interrupted. Run the command again to continue.")
            raise SystemExit(130) from None
        self._report(tally, started, check=check)

    def _report(self, tally: importing.Tally, started: float, *, check: bool) -> None:
        seconds = time.monotonic() - started
        if check:
            self.stdout.write(f"checked {tally.events}, recorded nothing, {seconds:.1f} s")
            return
        done = tally.recorded + tally.skipped
        self.stdout.write(
            f"recorded {tally.recorded}, skipped {tally.skipped}, "
            f"{seconds:.1f} s, {done / max(seconds, 0.001):.0f} events/s"
        )


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        stream = Path(file).open("rb")  # noqa: SIM115 - only the opening may fail here
    except OSError as error:
        raise CommandError(f"Cannot read {file}: {error.strerror}") from None
    with stream:
        yield stream


@contextmanager
def _progress(options: dict[str, Any], tally: importing.Tally) -> Iterator[Callable[[], object]]:
    """Show a progress bar if standard error is a terminal; yields the function to call after each batch."""
    if options["quiet"] or not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    path = Path(options["file"])
    total = path.stat().st_size if options["file"] != "-" and path.is_file() else None
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("0 events", total=total)
        yield lambda: bar.update(task, completed=tally.bytes, description=f"{tally.events} events")
