from typing import Any

from django.core.management.base import CommandParser
from django.core.management.commands import migrate
from django.db import connections

from governance.database.functions import apply_functions


class Command(migrate.Command):
    """Django's migrate, run as the owner of the tables by default, then the functions."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, then make the functions those of sql/functions/ (unless nothing was to be done)."""
        super().handle(*args, **options)
        if options["plan"] or options["check_unapplied"] or options["fake"]:
            return
        applied = apply_functions(connections[options["database"]])
        if applied and options["verbosity"] >= 1:
            self.stdout.write(f"  Functions created, replaced or dropped: {len(applied)}")
