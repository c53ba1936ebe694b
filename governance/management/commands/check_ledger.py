import sys
from typing import Any

from django.core.management.base import CommandError

from governance.ledger import status
from governance.ledger.fingerprints import NoFingerprint
from governance.management.exit_codes import FOUND, CheckCommand
from governance.refusals import Refusal


class Command(CheckCommand):
    help = (
        "List the tenants whose ledger cannot be written, sealed or published, with the reasons, and changes of the"
        " database schema that were not made by migrate. The exit code is 0 if there is nothing to report, 1 if there"
        " is, and 2 if the check failed."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        obstacles = status.obstacles()
        for slug, why in obstacles.items():
            self.stdout.write(f"{slug}: {why}")
        alarms = status.alarms()
        for slug, why in alarms.items():
            self.stdout.write(f"{slug}: ALARM: sealing and publishing stopped: {why}")
        problems: list[str] = []
        uncompared = ""
        try:
            problems = status.schema_problems()
        except NoFingerprint:
            self.stdout.write("schema: no fingerprint is signed yet. `manage.py migrate` signs one.")
        except Refusal as refusal:
            uncompared = f"schema: cannot be compared: {refusal.for_operator}"
        for problem in problems:
            self.stdout.write(f"schema: {problem}")
        if uncompared and not (obstacles or alarms):
            raise CommandError(uncompared)
        if uncompared:
            self.stdout.write(uncompared)
        if obstacles or alarms or problems:
            sys.exit(FOUND)
