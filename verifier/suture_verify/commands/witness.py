"""`suture-verify witness`: run a witness."""

import logging
import sys
from contextlib import closing
from pathlib import Path

import click

from suture_verify.cosignatures import NOTES, MalformedKey, parse_key
from suture_verify.notes import KEY_NAME
from suture_verify.signatures import KEY_SIZE

#: The exit code of a witness that cannot start.
UNUSABLE = 2


@click.command()
@click.option(
    "--name", required=True, help="The witness's name, such as witness.example.com/w1. It is part of its key."
)
@click.option(
    "--home",
    required=True,
    type=click.Path(path_type=Path),
    help="The directory for the witness's key and the last tree heads that it cosigned. Back it up.",
)
@click.option(
    "--log",
    "logs",
    multiple=True,
    help="The public key of a server whose tree heads it cosigns (hexadecimal). May be repeated.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen at.")
@click.option("--port", default=8090, show_default=True, help="The port to listen at.")
@click.option("--show-key", is_flag=True, help="Print the witness's verifier key, and exit.")
def witness(name: str, home: Path, logs: tuple[str, ...], host: str, port: int, show_key: bool) -> None:
    """Run a witness, which cosigns a tree head only if it extends the last one that it cosigned.

    Run it on a machine that the operator of the server does not control. The exit code is 2 if it cannot start.
    """
    # only this command needs these
    from suture_verify.witness.server import Server
    from suture_verify.witness.store import Store, Unusable
    from suture_verify.witness.witness import Witness

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        keys = [_log_key(text) for text in logs]
        if not keys and not show_key:
            raise Unusable("Name the public key of a server with --log.")
        with closing(Store(home)) as store:
            made = Witness(store, name, keys)
            parse_key(str(made.verifier_key))  # check that the name is valid in a key
            if show_key:
                click.echo(str(made.verifier_key))
                return
            with Server((host, port), made, store) as server:
                click.echo(f"The witness listens at http://{host}:{server.server_port}\n  its key  {made.verifier_key}")
                server.serve_forever()
    except KeyboardInterrupt:
        return
    except MalformedKey as error:
        click.echo(f"Not a key: {error}.", err=True)
        sys.exit(UNUSABLE)
    except (Unusable, OSError) as error:
        click.echo(str(error), err=True)
        sys.exit(UNUSABLE)


def _log_key(text: str) -> bytes:
    """Parse a server's public key: 64 hexadecimal digits, or a verifier key. Raises MalformedKey."""
    if "+" in text:
        key = parse_key(text, NOTES)
        if key.name != KEY_NAME:
            raise MalformedKey(f"a server's key is named {KEY_NAME}")
        return key.public
    try:
        public = bytes.fromhex(text)
    except ValueError:
        public = b""
    if len(public) != KEY_SIZE:
        raise MalformedKey("a server's key has 64 hexadecimal digits")
    return public
