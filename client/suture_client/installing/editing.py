"""Changes a settings file and reports the change. Everything else in the file stays unchanged."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click
import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from suture_client.errors import Failed
from suture_client.installing import jsonc
from suture_client.installing.files import File


@contextmanager
def parse_errors() -> Iterator[None]:
    """Convert parse errors to Failed, with line and column."""
    try:
        yield
    except jsonc.Malformed as malformed:
        raise Failed(str(malformed)) from None
    except ParseError as error:
        raise Failed(f"line {error.line}, column {error.col}: {error}") from None
    except TOMLKitError as error:
        raise Failed(str(error)) from None


@contextmanager
def naming_file(file: File) -> Iterator[None]:
    """Add the file's name to a Failed about its text."""
    try:
        yield
    except Failed as failed:
        raise Failed(f"{file.path}, {failed}. Nothing was changed.") from None


def json_object(text: str) -> dict[str, Any]:
    """Parse the text of a JSON file as an object; {} for an empty text. Raises Failed."""
    with parse_errors():
        node = jsonc.parse(text if text.strip() else "{}")
        if not isinstance(node.value, dict):
            raise jsonc.Malformed(text, node.start, "the file must be an object")
    return node.value


def toml_document(text: str) -> tomlkit.TOMLDocument:
    """Parse the text of a TOML file as an editable document. Raises Failed."""
    with parse_errors():
        return tomlkit.parse(text)


def apply(
    file: File, text: str | None, mode: int, *, dry_run: bool, done: str, unchanged: str, secret: str = ""
) -> bool:
    """Write the text to the file, or delete the file if it is None, and print the result. Returns whether it changed.

    A dry run prints the difference without the secret. Raises Failed."""
    if text == file.text and file.exists:
        click.echo(f"{unchanged} Nothing was changed.")
        return False
    if dry_run:
        difference = file.difference(text or "")
        click.echo(difference.replace(secret, "sut_…") if secret else difference)
        return False
    if text is None:
        file.delete()
        click.echo(f"{done} The file was empty then, so it was deleted.")
        return True
    backup = file.write(text, mode)
    click.echo(done)
    if backup is not None:
        click.echo(f"Backup of the old file: {backup}")
    return True
