import sys
from typing import Any

from governance.ledger import standing
from governance.management.judging import FOUND, JudgingCommand


class Command(JudgingCommand):
    help = (
        "List the tenants whose ledger cannot be written, sealed or published, with the reasons. Exits with 0 if there"
        " are none, 1 if there are any, 2 if it cannot look."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        obstacles = standing.obstacles()
        for slug, why in obstacles.items():
            self.stdout.write(f"{slug}: {why}")
        alarms = standing.alarms()
        for slug, why in alarms.items():
            self.stdout.write(f"{slug}: ALARM: sealing and publishing stopped: {why}")
        if obstacles or alarms:
            sys.exit(FOUND)
