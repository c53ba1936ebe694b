from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.db.models.signals import post_save

from governance.identity import superusers
from governance.models import User
from governance.refusals import Refusal


class Command(createsuperuser.Command):
    """Django's createsuperuser, by default as the owner of the tables, because the web role may not write accounts. It
    fails if no ledger can record the superuser."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the account, and commit it after its ledger entries."""
        made: list[User] = []

        def note(instance: User, created: bool, **_: Any) -> None:
            if created:
                made.append(instance)

        post_save.connect(note, sender=User, weak=False)
        try:
            with transaction.atomic(using=options["database"]):
                super().handle(*args, **options)
                for user in made:
                    self._record(user)
        finally:
            post_save.disconnect(note, sender=User)

    def _record(self, user: User) -> None:
        try:
            refused = superusers.record_made(user.id)
        except Refusal as refusal:
            raise CommandError(f"The superuser was not created: {refusal.for_operator}") from None
        for slug in refused:
            self.stderr.write(f"The ledger of {slug} accepts no entry at present, so it does not name the superuser.")
