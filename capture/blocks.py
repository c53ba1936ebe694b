"""`suture block get` and `suture block update`: the structured part of an agent's memory."""

from typing import Annotated

import typer

from capture.remember import AsJson, call, held_back, show, text_of

app = typer.Typer(help="Memory blocks: persona, user_profile, goals, knowledge.", no_args_is_help=True)

Label = Annotated[str, typer.Argument(help="persona, user_profile, goals or knowledge.")]


@app.command("get")
def get(label: Label, as_json: AsJson = False) -> None:
    """Print a block; nothing if it was never written."""
    answer = call("block_get", label=label)
    show(answer, as_json, lambda: (answer["memory"] or {}).get("content") or "")


@app.command("update")
def update(
    label: Label,
    content: Annotated[str, typer.Argument(help="The new content; - reads it from standard input.")],
    is_core: Annotated[
        bool | None, typer.Option("--core/--no-core", help="Whether it is always part of the context.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a new version of a block. The versions before stay in the record."""
    answer = call("block_update", label=label, content=text_of(content), isCore=is_core)
    show(
        answer, as_json, lambda: f"{label} is now version {answer['version']} (seq {answer['seq']}).{held_back(answer)}"
    )
