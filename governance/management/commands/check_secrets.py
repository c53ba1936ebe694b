from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from governance.ledger import shared_secrets
from governance.refusals import Refusal


class Command(BaseCommand):
    help = (
        "Compare this node's secrets with those of its database: SECRET_KEY, the encryption keys and the signing key."
        " If any differs, print which, and where to find the right one, and exit with 1."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--replace",
            action="append",
            default=[],
            choices=["secret_key", "encryption_key"],
            help="make this node's secret the right one from now on (for the signing key, use rotate_signing_key)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            shared_secrets.note(options["replace"], replaces=True)
            shared_secrets.require_same()
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        self.stdout.write("The secrets of this node match those of its database.")
