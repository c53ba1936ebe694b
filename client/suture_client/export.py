"""`suture export`: write memory to a file of JSON lines."""

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

import click

from suture_client import credentials
from suture_client.memory.blocking import Memory


@click.command()
@click.argument("file")
@click.option("--subject", help="Only memory about this subject, such as user:alice.")
@click.option("--project", help="Only memory of this project.")
def export(file: str, subject: str | None, project: str | None) -> None:
    """Write the memory that your key may read to FILE, as JSON lines, newest first; - is standard output.

    `suture import suture FILE` records it again, on this or another server.
    """
    configured = credentials.configured()
    count = 0
    with Memory(configured.url, configured.key) as memory, _opened(file) as output:
        for one in memory.about(subject, project=project).export():
            output.write(json.dumps(one, ensure_ascii=False) + "\n")
            count += 1
    click.echo(f"{count} {'memory' if count == 1 else 'memories'} exported.", err=True)


@contextmanager
def _opened(file: str) -> Iterator[TextIO]:
    """Open the file for nobody else to read. Exits with 1 if that fails."""
    if file == "-":
        yield sys.stdout
        return
    try:
        output = os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8")
    except OSError as error:
        click.echo(f"{file} cannot be written: {error.strerror}.", err=True)
        raise click.exceptions.Exit(1) from None
    with output:
        yield output
