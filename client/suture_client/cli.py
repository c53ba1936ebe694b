"""The `suture` command line. Each subcommand is a module and is registered here."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

from suture_client import __version__, blocks, correct, doctor, export, hook_commands, remember
from suture_client.errors import Failed
from suture_client.importing import command as importing
from suture_client.installing.hooks import command as hooks
from suture_client.mcp import command as mcp
from suture_client.watching import command as watching

#: The extra that installs each package.
EXTRAS = {"mcp": "mcp", "yaml": "goose", "watchfiles": "watch", "pathspec": "watch", "sentencex": "watch"}


class _Suture(click.Group):
    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except Failed as failed:
            click.echo(str(failed), err=True)
            context.exit(1)
        except ModuleNotFoundError as error:
            extra = EXTRAS.get((error.name or "").partition(".")[0])
            if extra is None:
                raise
            click.echo(
                f"This command needs the package {error.name}. Install it: pip install 'suture-client[{extra}]'",
                err=True,
            )
            context.exit(1)


@click.group(cls=_Suture, name="suture", context_settings={"show_default": True, "max_content_width": 120})
@click.version_option(__version__, message="suture %(version)s", help="Print the version and exit.")
def app() -> None:
    """Suture: a governed memory server for AI agents."""


COMMANDS = (
    *(remember.commit, remember.recall, remember.rethink, correct.correct, correct.forget, blocks.block),
    *(hooks.install_hooks, hooks.uninstall_hooks, doctor.doctor, doctor.status, *hook_commands.COMMANDS),
    *(watching.watch, importing.import_, export.export, mcp.mcp),
)
#: The commands of `suture-verify` that `suture` also offers if it is installed.
VERIFYING = {"verify": "export", "verify-proof": "proof", "verify-receipt": "receipt", "witness": "witness"}

for _command in COMMANDS:
    app.add_command(_command)

if find_spec("suture_verify"):
    _verifier = import_module("suture_verify.cli").main
    for _name, _of_verifier in VERIFYING.items():
        app.add_command(_verifier.commands[_of_verifier], _name)
