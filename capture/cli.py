"""The `suture` command line. Each subcommand is a module and is registered here."""

from importlib.metadata import version
from typing import Annotated

import typer

from capture import blocks, correct, doctor, hook_commands, remember, verify, verify_proof, verify_receipt
from capture.hooks.installing import command as hooks
from capture.importing import command as importing
from capture.mcp import command as mcp
from capture.watching import command
from capture.witness import command as witnesses

app = typer.Typer(
    name="suture",
    help="Suture: a governed memory server for AI agents.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_show_locals=False,
)
app.command("watch")(command.watch)
app.command("verify")(verify.verify)
app.command("verify-proof")(verify_proof.verify_proof)
app.command("witness")(witnesses.witness)
app.command("verify-receipt")(verify_receipt.verify_receipt)
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
