"""What the commands share: exit codes, refusals, and a bar while they read a file."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import click

#: Exit codes: all is well, something is wrong, a file cannot be read.
WHOLE, FOUND, UNREADABLE = 0, 1, 2

# A file that somebody sent must not control the terminal.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}


def shown(text: object) -> str:
    """The text on one line, with control characters written as escapes."""
    return str(text).translate(_CONTROLS)


def say(verdict: str, color: str, text: str = "") -> None:
    """Print a verdict in a color, and the text that follows it."""
    click.echo(click.style(verdict, fg=color, bold=True) + text)


def refuse(path: Path, reason: str) -> NoReturn:
    """Say why a file cannot be read, and exit with UNREADABLE."""
    click.echo(f"{click.style('Cannot read', fg='red', bold=True)} {shown(path)}: {shown(reason)}", err=True)
    sys.exit(UNREADABLE)


@contextmanager
def opened(path: Path, label: str) -> Iterator[BinaryIO]:
    """Open a file for reading bytes. On a terminal, a bar shows how much was read. Raises OSError."""
    with path.open("rb", buffering=0) as file:
        size, hidden = path.stat().st_size, not sys.stderr.isatty()
        with click.progressbar(length=size, label=label, file=sys.stderr, hidden=hidden) as progress:
            yield _Counted(file, progress)  # type: ignore[misc] # a raw file reads as a BinaryIO


class _Counted(io.RawIOBase):
    """A file that tells a bar how much was read."""

    def __init__(self, file: io.RawIOBase | io.FileIO, progress: Any) -> None:
        self._source, self._progress = file, progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._source.readinto(buffer) or 0
        self._progress.update(count)
        return count
