"""`manage.py check_checkpoints`: finds files without a checkpoint, and checkpoints without a file."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from governance.acting import gate
from memory import checkpoints


class Command(BaseCommand):
    help = "Compare the files of checkpoints with the database. Exits with 1 if the file of a checkpoint is missing or"
    " damaged."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="only this tenant")
        parser.add_argument("--verify", action="store_true", help="read every file and compare its hash")
        parser.add_argument(
            "--delete", action="store_true", help="delete files without a checkpoint, as the job does every hour"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        tenants = gate.tenants()
        if (slug := options["tenant"]) is not None:
            if slug not in tenants:
                raise CommandError(f"The tenant {slug!r} does not exist.")
            tenants = {slug: tenants[slug]}
        wrong = 0
        for slug, tenant_id in tenants.items():
            found = checkpoints.sweep(tenant_id, deletes=options["delete"])
            if options["verify"]:
                found.damaged = [path for path in checkpoints.verify(tenant_id) if path not in found.missing]
            wrong += len(found.missing) + len(found.damaged)
            self.stdout.write(f"{slug}: {found.checkpoints} checkpoints, {found.files} files")
            for what, paths in (
                ("without a checkpoint", found.orphans),
                ("deleted", found.deleted),
                ("missing", found.missing),
                ("changed or damaged", found.damaged),
            ):
                for path in paths:
                    self.stdout.write(f"  {what}: {path}")
        if wrong:
            raise CommandError(f"{wrong} checkpoints cannot be restored.")
