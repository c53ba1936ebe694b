"""`suture commit`, `recall`, `rethink`: an agent's own memory, for agents without MCP."""

import asyncio
import json
import sys
from collections.abc import Callable, Mapping
from typing import Annotated, Any

import typer

from capture.client import Failed, connected

AsJson = Annotated[bool, typer.Option("--json", help="Print the answer of the API.")]


def commit(
    content: Annotated[str, typer.Argument(help="What to remember; - reads it from standard input.")],
    importance: Annotated[str | None, typer.Option(help="How important it is, from 1 to 10.")] = None,
    retention: Annotated[
        str | None,
        typer.Option("--retention", "--tier", help="How long it is kept: committed, relationship or ephemeral."),
    ] = None,
    expires_in_hours: Annotated[str | None, typer.Option(help="When ephemeral memory expires.")] = None,
    as_json: AsJson = False,
) -> None:
    """Commit something worth remembering to long-term memory."""
    answer = call(
        "memory_commit",
        content=text_of(content),
        importance=_number(importance),
        retention=retention,
        expiresInHours=_number(expires_in_hours),
    )
    show(answer, as_json, lambda: f"Committed as seq {answer['seq']}.{held_back(answer)}")


def recall(
    query: Annotated[str, typer.Argument(help="What to look for; - reads it from standard input.")],
    max_tokens: Annotated[int | None, typer.Option(help="How many tokens the memories may take.")] = None,
    max_results: Annotated[int | None, typer.Option(help="How many memories at most.")] = None,
    include_superseded: Annotated[
        bool, typer.Option("--include-superseded", help="Also memories that were consolidated.")
    ] = False,
    include_archived: Annotated[
        bool, typer.Option("--include-archived", help="Also memories that nobody used for long.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Recall the memories that matter for a question or a task."""
    answer = call(
        "memory_recall",
        query=text_of(query),
        maxTokens=max_tokens,
        maxResults=max_results,
        includeSuperseded=include_superseded or None,
        includeArchived=include_archived or None,
    )
    show(answer, as_json, lambda: "\n".join(map(_line, answer["memories"])) or "Nothing is remembered about that.")


def rethink(
    new_understanding: Annotated[
        str, typer.Argument(help="What replaces the memories; - reads it from standard input.")
    ],
    supersedes: Annotated[
        list[str], typer.Option(help="The sequence number of a memory to replace; several times, or with commas.")
    ],
    reason: Annotated[str | None, typer.Option(help="Why.")] = None,
    as_json: AsJson = False,
) -> None:
    """Consolidate memories into one. The originals stay in the record."""
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
    """The answer of a tool to the arguments that are given. Where there is none, prints why and exits with 1."""
    given = {name: value for name, value in arguments.items() if value is not None}

    async def ask() -> dict[str, Any]:
        async with connected() as rest:
            return await rest.post(f"tools/{tool}", given)

    try:
        return asyncio.run(ask())
    except Failed as failed:
        typer.echo(str(failed), err=True)
        raise typer.Exit(1) from None


def show(answer: Mapping[str, Any], as_json: bool, words: Callable[[], str]) -> None:
    """Print the answer, as JSON or in words."""
    typer.echo(json.dumps(answer, ensure_ascii=False) if as_json else words())


def text_of(argument: str) -> str:
    """The text of an argument; of `-`, what standard input holds. Exits with 1 where that is no UTF-8."""
    if argument != "-":
        return argument
    try:
        return sys.stdin.buffer.read().decode("utf-8").removesuffix("\n")
    except UnicodeDecodeError:
        typer.echo("Standard input is not UTF-8.", err=True)
        raise typer.Exit(1) from None


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
