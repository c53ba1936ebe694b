"""Commands whose exit code tells whether there are findings, or whether the check failed."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseFailure

#: Exit codes, the same as those of `suture verify`.
FINE, FOUND, UNVERIFIED = 0, 1, 2


class CheckCommand(BaseCommand):
    """A command that exits with FINE, with FOUND if there are findings, and with UNVERIFIED if the check failed: the
    database cannot be reached, a file cannot be read, there is no such tenant, the configuration is invalid."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command. Raises CommandError with the exit code UNVERIFIED if the check failed."""
        try:
            return super().execute(*args, **options)
        except CommandError as error:
            error.returncode = UNVERIFIED
            raise
        except DatabaseFailure as error:
            raise CommandError(f"Cannot query the database: {str(error).strip()}", returncode=UNVERIFIED) from error
