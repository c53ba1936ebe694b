from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.loader import MigrationLoader

from governance.database.functions import apply_functions
from governance.identity.identities import open_agent_chains
from governance.refusals import Refusal


class Command(migrate.Command):
    """Django's migrate, run as the owner of the tables by default, then the functions, then the chains of agents."""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.set_defaults(database="owner")

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate, then make the functions those of sql/functions/ (unless nothing was to be done)."""
        super().handle(*args, **options)
        if options["plan"] or options["check_unapplied"] or options["fake"]:
            return
        connection = connections[options["database"]]
        applied = apply_functions(connection)
        if applied and options["verbosity"] >= 1:
            self.stdout.write(f"  Functions created, replaced or dropped: {len(applied)}")
        loader = MigrationLoader(connection)
        if loader.disk_migrations.keys() <= loader.applied_migrations.keys():
            self._open_chains(options["verbosity"])

    def _open_chains(self, verbosity: int) -> None:
        try:
            opened = open_agent_chains()
        except Refusal as refusal:  # the ledger takes no entry at present
            raise CommandError(f"The chains of agents could not be begun: {refusal.detail}") from None
        if opened and verbosity >= 1:
            self.stdout.write(f"  Chains of agents begun: {opened}")
