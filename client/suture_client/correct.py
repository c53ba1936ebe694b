"""`suture correct`: propose other words for a memory, as the tool `propose_edit` does."""

import uuid
from typing import Any

import click

from suture_client.remember import as_json_option, call, show, text_of

#: How many memories are looked through for the words, and how many of them are listed.
_LOOKED_THROUGH, _LISTED = 50, 10
#: Characters of a memory in a list.
_SHOWN = 200
#: Nothing was proposed, because it is not clear which memory is meant.
UNCLEAR = 2


@click.command()
@click.argument("memory")
@click.option("--text", required=True, help="What it shall say; - reads it from standard input.")
@click.option("--reason", required=True, help="Why. It goes into the ledger.")
@click.option("--subject", default="", show_default=False, help="Look only at memory about this, such as user:alice.")
@as_json_option
def correct(memory: str, text: str, reason: str, subject: str, as_json: bool) -> None:
    """Correct a memory. The original stays in the record, and readers get the new words.

    MEMORY is its id, or words that only this memory has. Exits with 2 if no memory has these words, or more than one.
    """
    found = _found(memory, subject)
    answer = call("propose_edit", target_id=found["chunk_id"], op="amend", patch={"text": text_of(text)}, reason=reason)
    show(answer, as_json, lambda: _outcome(answer, found))


def _found(memory: str, subject: str) -> dict[str, Any]:
    """The memory that is meant. Where that is not clear, prints which there are, and exits with 2."""
    try:
        return {"chunk_id": str(uuid.UUID(memory))}
    except ValueError:
        pass
    type, mark, id = subject.partition(":")
    if subject and not (type and mark and id):
        click.echo(f"--subject must be a type and an id, such as user:alice, not {subject!r}.", err=True)
        raise click.exceptions.Exit(UNCLEAR)
    about = {"subject_type": type, "subject_id": id} if subject else {}
    hits = call("search_memory", query=memory, limit=_LOOKED_THROUGH, **about)["chunks"]
    wanted = _folded(memory)
    matches = [hit for hit in hits if wanted in _folded(hit["text"])]
    if len(matches) == 1:
        return dict(matches[0])
    if matches:
        click.echo(f"{len(matches)} memories have these words. Name one by its id, or by more of its words:", err=True)
    elif hits:
        click.echo("No memory has these words as they stand. Did you mean one of these? Name it by its id:", err=True)
    else:
        click.echo("No memory was found.", err=True)
    for hit in (matches or hits)[:_LISTED]:
        line = " ".join(hit["text"].split())
        click.echo(f"  {hit['chunk_id']}  {line[:_SHOWN]}{'…' if len(line) > _SHOWN else ''}", err=True)
    raise click.exceptions.Exit(UNCLEAR)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _outcome(answer: dict[str, Any], found: dict[str, Any]) -> str:
    was = f"It was: {found['text']}\n" if "text" in found else ""
    if answer["status"] == "approved":
        return f"{was}Corrected. Edit {answer['edit_id']} is in effect; the original stays in the record."
    return f"{was}Proposed as edit {answer['edit_id']}. It takes effect when a person has approved it."
