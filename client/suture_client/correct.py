"""`suture correct` and `suture forget`: propose a new text for a memory, like the tool `propose_edit`, or change a
value everywhere, like `memory_correct` and `memory_forget`."""

import uuid
from typing import Any

import click

from suture_client.remember import as_json_option, call, show, text_of

#: The most memories to search for the words, and to list.
_MAX_HITS, _MAX_LISTED = 50, 10
#: Characters of a memory in a list.
_MAX_SHOWN = 200
#: The exit code if it is not clear which memory is meant, so nothing was proposed.
UNCLEAR = 2


@click.command()
@click.argument("memory")
@click.argument("new", required=False)
@click.option("--text", help="The new text, instead of NEW; - reads it from standard input.")
@click.option("--everywhere", is_flag=True, help="Replace the words MEMORY by NEW in all memory.")
@click.option("--reason", required=True, help="The reason, which is recorded in the ledger.")
@click.option("--subject", default="", show_default=False, help="Only memory about this subject, such as user:alice.")
@as_json_option
def correct(
    memory: str, new: str | None, text: str | None, everywhere: bool, reason: str, subject: str, as_json: bool
) -> None:
    """Correct a memory. Readers get the new text, and the original stays in the record.

    MEMORY is its id, or words that only this memory contains. The exit code is 2 if no memory or more than one has
    these words. With --everywhere, MEMORY is a phrase, such as a name or a code, and NEW replaces it wherever it
    stands.
    """
    if (new is None) == (text is None):
        raise click.UsageError("Give the new text once: as NEW or with --text.")
    said = text_of(text) if text is not None else str(new)
    if everywhere:
        changed = call("memory_correct", value=memory, to=said, reason=reason, **_about(subject))
        show(changed, as_json, lambda: _changed(changed, "Corrected"))
        return
    found = _find_memory(memory, subject)
    answer = call("propose_edit", target_id=found["chunk_id"], op="amend", patch={"text": said}, reason=reason)
    show(answer, as_json, lambda: _outcome(answer, found))


@click.command()
@click.argument("value")
@click.option("--reason", required=True, help="The reason, which is recorded in the ledger without the value.")
@click.option("--subject", default="", show_default=False, help="Only memory about this subject, such as user:alice.")
@as_json_option
def forget(value: str, reason: str, subject: str, as_json: bool) -> None:
    """Forget a phrase, such as a name or a code, everywhere, and keep it out of memory from now on."""
    changed = call("memory_forget", value=value, reason=reason, **_about(subject))
    show(changed, as_json, lambda: _changed(changed, "Forgotten"))


def _about(subject: str) -> dict[str, str]:
    type, mark, id = subject.partition(":")
    if subject and not (type and mark and id):
        click.echo(f"--subject must be a type and an id, such as user:alice, not {subject!r}.", err=True)
        raise click.exceptions.Exit(UNCLEAR)
    return {"subject_type": type, "subject_id": id} if subject else {}


def _changed(answer: dict[str, Any], done: str) -> str:
    where = f"{answer['count']} {'memory' if answer['count'] == 1 else 'memories'}"
    if answer["status"] == "approved":
        return f"{done} in {where}. Edit {answer['edit_id']} is in effect; revert it to undo this."
    return f"Proposed for {where} as edit {answer['edit_id']}. It takes effect when a person approves it."


def _find_memory(memory: str, subject: str) -> dict[str, Any]:
    """Find the memory. If it is not clear which one is meant, list the candidates and exit with 2."""
    try:
        return {"chunk_id": str(uuid.UUID(memory))}
    except ValueError:
        pass
    about = _about(subject)
    hits = call("search_memory", query=memory, limit=_MAX_HITS, **about)["chunks"]
    wanted = _normalized(memory)
    matches = [hit for hit in hits if wanted in _normalized(hit["text"])]
    if len(matches) == 1:
        return dict(matches[0])
    if matches:
        click.echo(f"{len(matches)} memories have these words. Give an id, or more words:", err=True)
    elif hits:
        click.echo("No memory has exactly these words. Did you mean one of these? Give its id:", err=True)
    else:
        click.echo("No memory was found.", err=True)
    for hit in (matches or hits)[:_MAX_LISTED]:
        line = " ".join(hit["text"].split())
        click.echo(f"  {hit['chunk_id']}  {line[:_MAX_SHOWN]}{'…' if len(line) > _MAX_SHOWN else ''}", err=True)
    raise click.exceptions.Exit(UNCLEAR)


def _normalized(text: str) -> str:
    return " ".join(text.casefold().split())


def _outcome(answer: dict[str, Any], found: dict[str, Any]) -> str:
    was = f"It was: {found['text']}\n" if "text" in found else ""
    if answer["status"] == "approved":
        return f"{was}Corrected. Edit {answer['edit_id']} is in effect; the original stays in the record."
    return f"{was}Proposed as edit {answer['edit_id']}. It takes effect when a person approves it."
