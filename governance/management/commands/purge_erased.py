from typing import Any

from django.core.management.base import BaseCommand

from governance.erasure import purging


class Command(BaseCommand):
    help = (
        "Rewrite the tables, indexes, statistics and log segments in which erased words still lie. Locks each table"
        " while it is rewritten. Says what it could not do (exit code 1); backups are for the operator."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        left = 0
        for done, line in purging.purge():
            self.stdout.write(line if done else f"LEFT: {line}")
            left += not done
        self.stdout.write(
            f"{left} left to do." if left else "No erased word is left in this server's files. Backups keep theirs."
        )
        if left:
            raise SystemExit(1)
