"""The command `suture-verify`."""

import click

from suture_verify.commands.export import export
from suture_verify.commands.proof import proof
from suture_verify.commands.receipt import receipt
from suture_verify.commands.witness import witness


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="suture-verify", message="suture-verify %(version)s")
def main() -> None:
    """Verify the ledger of a Suture server, without the server."""


for command in (export, receipt, proof, witness):
    main.add_command(command)
