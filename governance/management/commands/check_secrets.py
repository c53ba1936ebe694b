from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from governance.ledger import shared_secrets
from governance.refusals import Refusal


class Command(BaseCommand):
    help = (
        "Compare this node's secrets with those of its database: SECRET_KEY, the encryption keys and the signing key."
        " Exits with 1 if any differs, saying which, and where the right one is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--replace",
            action="append",
            default=[],
            choices=["secret_key", "encryption_key"],
            help="let this node's be the right one from now on (for the signing key: rotate_signing_key)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            shared_secrets.note(options["replace"], replaces=True)
            shared_secrets.require_same()
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        self.stdout.write("This node has the secrets of its database.")
