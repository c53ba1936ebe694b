import sys
from typing import Any

from django.core.management.base import BaseCommand

from governance.ledger import standing


class Command(BaseCommand):
    help = (
        "List the tenants whose ledger cannot be written, sealed or published, with the reasons. Exits with 1 if"
        " there are any."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        obstacles = standing.obstacles()
        for slug, why in obstacles.items():
            self.stdout.write(f"{slug}: {why}")
        alarms = standing.alarms()
        for slug, why in alarms.items():
            self.stdout.write(f"{slug}: ALARM: sealing and publishing stopped: {why}")
        if obstacles or alarms:
            sys.exit(1)
