"""`suture block get` and `suture block update`: the blocks of an agent's memory."""

import click

from suture_client.remember import as_json_option, call, hidden_note, show, text_of


@click.group()
def block() -> None:
    """Memory blocks: persona, user_profile, goals, knowledge."""


@block.command()
@click.argument("label")
@as_json_option
def get(label: str, as_json: bool) -> None:
    """Print a block, or nothing if it has never been written.

    LABEL is persona, user_profile, goals or knowledge.
    """
    answer = call("block_get", label=label)
    show(answer, as_json, lambda: (answer["memory"] or {}).get("content") or "")


@block.command()
@click.argument("label")
@click.argument("content")
@click.option("--core/--no-core", "is_core", default=None, help="Whether the block is always part of the context.")
@as_json_option
def update(label: str, content: str, is_core: bool | None, as_json: bool) -> None:
    """Write a new version of a block. Older versions stay in the record.

    LABEL is persona, user_profile, goals or knowledge. CONTENT is the new content; - reads it from standard input.
    """
    answer = call("block_update", label=label, content=text_of(content), isCore=is_core)
    show(
        answer,
        as_json,
        lambda: f"{label} is now version {answer['version']} (seq {answer['seq']}).{hidden_note(answer)}",
    )
