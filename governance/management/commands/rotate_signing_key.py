from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.ledger import keyring, signing_keys
from governance.refusals import Refusal


class Command(BaseCommand):
    help = "Sign the ledger with a new key from now on: an entry on every chain says so, signed by the present key."

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chains = signing_keys.rotate()
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        key = keyring.current().public.hex()
        self.stdout.write(f"{chains} chains are signed by {key} from now on.")
        if not chains:
            self.stdout.write(
                "To rotate keys that the environment gives, put the new PEM before the present one there."
            )
