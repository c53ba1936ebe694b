"""`suture witness`: run a witness."""

import logging
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from governance.proof.cosignatures import NOTES, MalformedKey, parse_key
from governance.proof.notes import KEY_NAME
from governance.proof.signatures import KEY_SIZE

UNUSABLE = 2


def witness(
    name: Annotated[str, typer.Option(help="The witness's name, such as witness.example.com/w1: part of its key.")],
    home: Annotated[Path, typer.Option(help="The directory of its key and of what it has seen. Back it up.")],
    log: Annotated[
        list[str] | None,
        typer.Option(
            help="The public key of a server whose tree heads it cosigns (hexadecimal); you can give several."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen at.")] = 8090,
    show_key: Annotated[bool, typer.Option("--show-key", help="Print the witness's verifier key, and exit.")] = False,
) -> None:
    """Run a witness, which cosigns tree heads that continue what it has seen, and refuses others.

    Run it on a machine that the operator of the server does not control. Exits with 2 if it cannot start.
    """
    # the other commands start without these
    from capture.witness.server import Server
    from capture.witness.store import Store, Unusable
    from capture.witness.witness import Witness

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    try:
        keys = [_log_key(text) for text in log or []]
        if not keys and not show_key:
            raise Unusable("Name the public key of a server with --log.")
        with closing(Store(home)) as store:
            made = Witness(store, name, keys)
            parse_key(str(made.verifier_key))  # the name is one that others can read
            if show_key:
                typer.echo(str(made.verifier_key))
                return
            with Server((host, port), made, store) as server:
                typer.echo(f"The witness listens at http://{host}:{server.server_port}\n  its key  {made.verifier_key}")
                server.serve_forever()
    except KeyboardInterrupt:
        return
    except MalformedKey as error:
        typer.echo(f"Not a key: {error}.", err=True)
        raise typer.Exit(UNUSABLE) from None
    except (Unusable, OSError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(UNUSABLE) from None


def _log_key(text: str) -> bytes:
    """A server's public key: 64 hexadecimal digits, or a verifier key. Raises MalformedKey."""
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
