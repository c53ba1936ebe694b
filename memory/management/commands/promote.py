from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from governance.identity import identities
from governance.refusals import Refusal
from memory.tiers import promoting


class Command(BaseCommand):
    help = (
        "Evaluate the memory that is due, and move what meets the criteria of the next tier. The worker does this every"
        " two minutes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="this tenant only; the default is all")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            among = [identities.tenant_id_of(options["tenant"])] if options["tenant"] else None
            summary = promoting.promote(among=among)
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        self.stdout.write(f"Evaluated: {summary.evaluated}. Moved: {summary.moved.total()}.")
        for (before, after), count in sorted(summary.moved.items()):
            self.stdout.write(f"  {before} to {after}: {count}")
        for failed, count in sorted(summary.stayed.items()):
            self.stdout.write(f"  stayed, {failed}: {count}")
