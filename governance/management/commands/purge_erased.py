from typing import Any

from django.core.management.base import BaseCommand

from governance.erasure import purging


class Command(BaseCommand):
    help = (
        "Rewrite the tables, indexes, statistics and WAL segments that still contain erased texts. Locks each table"
        " while rewriting it. Reports failed steps and then exits with 1. Does not change backups."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        left = 0
        for done, line in purging.purge():
            self.stdout.write(line if done else f"FAILED: {line}")
            left += not done
        self.stdout.write(
            f"Steps that failed: {left}."
            if left
            else "The files of this server contain no erased text. Backups still contain it."
        )
        if left:
            raise SystemExit(1)
