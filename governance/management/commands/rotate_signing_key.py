from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.ledger import fingerprints, keyring, shared_secrets, signing_keys
from governance.refusals import Refusal


class Command(BaseCommand):
    help = (
        "Sign the ledger with a new key from now on. An entry in every chain records the change, signed with the"
        " current key."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            chains = signing_keys.rotate()
            shared_secrets.note(["signing_key"], replaces=True)
            fingerprints.sign_again(keyring.current())
        except Refusal as refusal:
            raise CommandError(refusal.for_operator) from None
        key = keyring.current().public.hex()
        self.stdout.write(f"From now on, {chains} chains are signed with the key {key}.")
        if not chains:
            self.stdout.write(
                "To rotate keys that are set in the environment, put the new PEM before the current one there."
            )
