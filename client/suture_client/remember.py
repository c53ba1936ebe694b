"""`suture commit`, `recall`, `rethink`: an agent's own memory, for agents without MCP."""

import json
import sys
from collections.abc import Callable, Mapping
from typing import Any

import click

from suture_client import credentials
from suture_client.http import Api

#: Seconds between retries.
_PAUSES = (0.5, 1.0)

as_json_option = click.option("--json", "as_json", is_flag=True, help="Print the API's answer as JSON.")


@click.command()
@click.argument("content")
@click.option("--importance", help="The importance, from 1 to 10.")
@click.option("--retention", "--tier", help="The retention: committed, relationship or ephemeral.")
@click.option("--expires-in-hours", help="Hours until ephemeral memory expires.")
@as_json_option
def commit(
    content: str, importance: str | None, retention: str | None, expires_in_hours: str | None, as_json: bool
) -> None:
    """Commit something worth remembering to long-term memory.

    CONTENT is the text to remember; - reads it from standard input.
    """
    answer = call(
        "memory_commit",
        content=text_of(content),
        importance=_number(importance),
        retention=retention,
        expiresInHours=_number(expires_in_hours),
    )
    show(answer, as_json, lambda: f"Committed as seq {answer['seq']}.{hidden_note(answer)}")


@click.command()
@click.argument("query")
@click.option("--max-tokens", type=int, help="The most tokens of all memories together.")
@click.option("--max-results", type=int, help="The most memories.")
@click.option("--include-superseded", is_flag=True, help="Also memories that a consolidation replaced.")
@click.option("--include-archived", is_flag=True, help="Also archived memories.")
@as_json_option
def recall(
    query: str,
    max_tokens: int | None,
    max_results: int | None,
    include_superseded: bool,
    include_archived: bool,
    as_json: bool,
) -> None:
    """Recall memories that are relevant to a question or a task.

    QUERY is the question or the topic; - reads it from standard input.
    """
    answer = call(
        "memory_recall",
        query=text_of(query),
        maxTokens=max_tokens,
        maxResults=max_results,
        includeSuperseded=include_superseded or None,
        includeArchived=include_archived or None,
    )
    show(answer, as_json, lambda: "\n".join(map(_line, answer["memories"])) or "No memory matches.")


@click.command()
@click.argument("new_understanding")
@click.option(
    "--supersedes",
    multiple=True,
    required=True,
    help="The sequence number of a memory to replace; several times, or with commas.",
)
@click.option("--reason", help="The reason.")
@as_json_option
def rethink(new_understanding: str, supersedes: tuple[str, ...], reason: str | None, as_json: bool) -> None:
    """Consolidate memories into one. The originals stay in the record.

    NEW_UNDERSTANDING is the text that replaces them; - reads it from standard input.
    """
    numbers = [_number(number) for given in supersedes for number in given.split(",")]
    answer = call("memory_rethink", supersedes=numbers, newUnderstanding=text_of(new_understanding), reason=reason)
    show(
        answer,
        as_json,
        lambda: (
            f"Consolidated {answer['supersededCount']} memories as seq {answer['consolidationSeq']}."
            + hidden_note(answer)
        ),
    )


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """Call a tool with the arguments that are not None, and return its answer. Raises Failed."""
    given = {name: value for name, value in arguments.items() if value is not None}
    api = Api(session=credentials.session(), pauses=_PAUSES)
    # Invalid values (NaN, lone surrogates) are sent unchanged, because the API refuses them with their position.
    return api.send("POST", "tools", tool, body=json.dumps(given))


def show(answer: Mapping[str, Any], as_json: bool, words: Callable[[], str]) -> None:
    """Print the answer, as JSON or as text."""
    click.echo(json.dumps(answer, ensure_ascii=False) if as_json else words())


def text_of(argument: str) -> str:
    """Return the argument, or for `-` the text of standard input. Exits with 1 if that is not UTF-8."""
    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError:
        click.echo("Standard input is not UTF-8.", err=True)
        raise click.exceptions.Exit(1) from None


def _number(text: str | None) -> int | float | str | None:
    """Parse a number. Return other text unchanged, because the API refuses it with its position."""
    if text is None:
        return None
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def hidden_note(answer: Mapping[str, Any]) -> str:
    """Return a note about new memory that is quarantined; "" for other memory."""
    if not answer.get("is_quarantined"):
        return ""
    if edit := answer.get("approval_edit_id"):
        return f" It is quarantined until a person approves edit {edit}."
    return " It is quarantined, because it repeats retracted memory or was built on hidden memory."


def _line(memory: Mapping[str, Any]) -> str:
    """Format a memory with its number on the agent's chain, or its id if it is on none."""
    name = memory["chunk_id"] if memory.get("seq") is None else memory["seq"]
    return f"[{name}] {memory['content']}"
