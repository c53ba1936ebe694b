"""The `suture` command line. Each subcommand is a module and is registered here."""

from importlib.metadata import version
from typing import Annotated

import click
import typer

from capture import blocks, correct, doctor, hook_commands, remember
from capture.hooks.installing import command as hooks
from capture.importing import command as importing
from capture.mcp import command as mcp
from capture.watching import command as watching
from suture_verify.cli import main as verifier

app = typer.Typer(
    name="suture",
    help="Suture: a governed memory server for AI agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
app.command("watch")(watching.watch)
app.command("commit")(remember.commit)
app.command("recall")(remember.recall)
app.command("rethink")(remember.rethink)
app.command("install-hooks")(hooks.install_hooks)
app.command("uninstall-hooks")(hooks.uninstall_hooks)
app.command("doctor")(doctor.doctor)
app.command("status")(doctor.status)
app.command("correct")(correct.correct)
app.command("import")(importing.import_)
app.add_typer(blocks.app, name="block")
hook_commands.register(app)
app.add_typer(mcp.app, name="mcp")


#: The commands of `suture-verify` that `suture` offers too.
VERIFYING = {"verify": "export", "verify-proof": "proof", "verify-receipt": "receipt", "witness": "witness"}
UNPARSED = {"allow_extra_args": True, "ignore_unknown_options": True, "allow_interspersed_args": False}


def _mount(name: str, command: click.Command) -> None:
    """Offer a command of `suture-verify`. Typer has its own copy of click, so the command parses its words itself."""

    @app.command(name, help=command.help, add_help_option=False, context_settings=UNPARSED)
    def run(context: typer.Context) -> None:
        command(context.args, prog_name=f"suture {name}")


for name, command in VERIFYING.items():
    _mount(name, verifier.commands[command])


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"suture {version('suture')}")
        raise typer.Exit


@app.callback()
def main(
    _version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Suture: a governed memory server for AI agents."""
