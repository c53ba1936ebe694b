import sys
from typing import Any

from django.core.management.base import BaseCommand

from governance.ledger import standing


class Command(BaseCommand):
    help = "Say for which tenants nothing can be written, sealed or published, and why. Exit code 1: there are some."

    def handle(self, *args: Any, **options: Any) -> None:
        obstacles = standing.obstacles()
        for slug, why in obstacles.items():
            self.stdout.write(f"{slug}: {why}")
        alarms = standing.alarms()
        for slug, why in alarms.items():
            self.stdout.write(f"{slug}: ALARM: nothing is sealed or published: {why}")
        if obstacles or alarms:
            sys.exit(1)
