"""Shared by the commands: exit codes, error output, and a progress bar for reading a file."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NoReturn

import click

#: Exit codes: no findings, findings, a file cannot be read.
WHOLE, FOUND, UNREADABLE = 0, 1, 2

# Untrusted files must not control the terminal.
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160))}


def shown(text: object) -> str:
    """Escape control characters, so that the text is one line."""
    return str(text).translate(_CONTROLS)


def say(verdict: str, color: str, text: str = "") -> None:
    """Print a verdict in color, followed by a text."""
    click.echo(click.style(verdict, fg=color, bold=True) + text)


def refuse(path: Path, reason: str) -> NoReturn:
    """Print why a file cannot be read, and exit with UNREADABLE."""
    click.echo(f"{click.style('Cannot read', fg='red', bold=True)} {shown(path)}: {shown(reason)}", err=True)
    sys.exit(UNREADABLE)


@contextmanager
def opened(path: Path, label: str) -> Iterator[BinaryIO]:
    """Open a binary file for reading. On a terminal, show a progress bar. Raises OSError."""
    with path.open("rb", buffering=0) as file:
        size, hidden = path.stat().st_size, not sys.stderr.isatty()
        with click.progressbar(length=size, label=label, file=sys.stderr, hidden=hidden) as progress:
            yield _CountingFile(file, progress)  # type: ignore[misc] # a raw file reads as a BinaryIO


class _CountingFile(io.RawIOBase):
    """A file that updates a progress bar."""

    def __init__(self, file: io.RawIOBase | io.FileIO, progress: Any) -> None:
        self._source, self._progress = file, progress

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        count = self._source.readinto(buffer) or 0
        self._progress.update(count)
        return count
