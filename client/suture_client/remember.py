"""`suture commit`, `recall`, `rethink`: an agent's own memory, for agents without MCP."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from suture_client import credentials
from suture_client.http import Api

#: Seconds between tries.
_PAUSES = (0.5, 1.0)

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the answer of the API.")


@click.command()
@click.argument("content")
@click.option("--importance", help="How important it is, from 1 to 10.")
@click.option("--retention", "--tier", help="How long it is kept: committed, relationship or ephemeral.")
@click.option("--expires-in-hours", help="When ephemeral memory expires.")
@as_json_option
def commit(
    content: str, importance: str | None, retention: str | None, expires_in_hours: str | None, as_json: bool
) -> None:
    """Commit something worth remembering to long-term memory.

    CONTENT is what to remember; - reads it from standard input.
    """
    answer = call(
        "memory_commit",
        content=text_of(content),
        importance=_number(importance),
        retention=retention,
        expiresInHours=_number(expires_in_hours),
    )
    show(answer, as_json, lambda: f"Committed as seq {answer['seq']}.{held_back(answer)}")


@click.command()
@click.argument("query")
@click.option("--max-tokens", type=int, help="How many tokens the memories may take.")
@click.option("--max-results", type=int, help="How many memories at most.")
@click.option("--include-superseded", is_flag=True, help="Also memories that were consolidated.")
@click.option("--include-archived", is_flag=True, help="Also memories that nobody used for long.")
@as_json_option
def recall(
    query: str,
    max_tokens: int | None,
    max_results: int | None,
    include_superseded: bool,
    include_archived: bool,
    as_json: bool,
) -> None:
    """Recall the memories that matter for a question or a task.

    QUERY is what to look for; - reads it from standard input.
    """
    answer = call(
        "memory_recall",
        query=text_of(query),
        maxTokens=max_tokens,
        maxResults=max_results,
        includeSuperseded=include_superseded or None,
        includeArchived=include_archived or None,
    )
    show(answer, as_json, lambda: "\n".join(map(_line, answer["memories"])) or "Nothing is remembered about that.")


@click.command()
@click.argument("new_understanding")
@click.option(
    "--supersedes",
    multiple=True,
    required=True,
    help="The sequence number of a memory to replace; several times, or with commas.",
)
@click.option("--reason", help="Why.")
@as_json_option
def rethink(new_understanding: str, supersedes: tuple[str, ...], reason: str | None, as_json: bool) -> None:
    """Consolidate memories into one. The originals stay in the record.

    NEW_UNDERSTANDING is what replaces the memories; - reads it from standard input.
    """
    numbers = [_number(number) for given in supersedes for number in given.split(",")]
    answer = call("memory_rethink", supersedes=numbers, newUnderstanding=text_of(new_understanding), reason=reason)
    show(
        answer,
        as_json,
        lambda: (
            f"Consolidated {answer['supersededCount']} memories as seq {answer['consolidationSeq']}."
            + held_back(answer)
        ),
    )


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """The answer of a tool to the arguments that are given. Raises Failed."""
    given = {name: value for name, value in arguments.items() if value is not None}
    api = Api(session=credentials.session(), pauses=_PAUSES)
    # What JSON has no form for (NaN, half a surrogate pair) goes as it came: the API refuses it, with its place.
    return api.send("POST", "tools", tool, body=json.dumps(given))


def show(answer: Mapping[str, Any], as_json: bool, words: Callable[[], str]) -> None:
    """Print the answer, as JSON or in words."""
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else words())


def text_of(argument: str) -> str:
    """The text of an argument; of `-`, what standard input holds. Exits with 1 where that is no UTF-8."""
    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError:
        click.echo("Standard input is not UTF-8.", err=True)
        raise click.exceptions.Exit(1) from None


def _number(text: str | None) -> int | float | str | None:
    """The number that a text is; any other text as it is, for the API to refuse with its place."""
    if text is None:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def held_back(answer: Mapping[str, Any]) -> str:
    """What to know of something written that readers do not get; empty for anything else."""
    if not answer.get("is_quarantined"):
        return ""
    if edit := answer.get("approval_edit_id"):
        return f" It is held back until a person approves edit {edit}."
    return " It is held back: it repeats what was retracted, or was built on hidden memory."


def _line(memory: Mapping[str, Any]) -> str:
    """A memory with what names it: its number on the agent's own chain, or the id of what is on none."""
    name = memory["chunk_id"] if memory.get("seq") is None else memory["seq"]
    return f"[{name}] {memory['content']}"
