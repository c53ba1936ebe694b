"""Commands that judge: their exit code says what they found, or that they could not look."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import Error as DatabaseFailure

#: Exit codes, the same as those of `suture verify`.
FINE, FOUND, UNVERIFIED = 0, 1, 2


class JudgingCommand(BaseCommand):
    """A command that exits with FINE, with FOUND if something is wrong, and with UNVERIFIED if it could not look: the
    database cannot be reached, a file cannot be read, there is no such tenant, the configuration is refused."""

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command. Raises CommandError with the exit code UNVERIFIED where it could not look."""
        try:
            return super().execute(*args, **options)
        except CommandError as error:
            error.returncode = UNVERIFIED
            raise
        except DatabaseFailure as error:
            raise CommandError(f"Cannot ask the database: {str(error).strip()}", returncode=UNVERIFIED) from error
