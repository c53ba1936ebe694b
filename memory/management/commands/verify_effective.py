import uuid
from typing import Any

from django.core.management.base import CommandError, CommandParser

from governance.acting import gate
from governance.edits.restoring import NotProven
from governance.identity import identities
from governance.management.exit_codes import FOUND, CheckCommand
from governance.refusals import Refusal
from memory import maintenance
from memory.db import Drift

LISTED = 100


class Command(CheckCommand):
    help = (
        "Recompute the states of edits from the ledger and effective memory from the record, and report every"
        " difference. Exits with 0 if there is none, 1 if there are any, 2 if it cannot compare."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--tenant", metavar="SLUG", help="the tenant to verify (default: all)")
        parser.add_argument(
            "--repair", action="store_true", help="restore and rebuild the rows that differ, then verify again"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        slug = options["tenant"]
        try:
            tenants = {slug: identities.tenant_id_of(slug)} if slug else gate.tenants()
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        left = {name: self._verify(name, id, repair=options["repair"]) for name, id in sorted(tenants.items())}
        drifted = [count for count in left.values() if count]
        verified = f"{len(left)} tenant{'s' * (len(left) != 1)} verified"
        if not drifted:
            self.stdout.write(f"{verified}: no drift")
            return
        self.stdout.write(f"{verified}: {sum(drifted)} drifted in {len(drifted)} of them")
        raise SystemExit(FOUND)

    def _verify(self, slug: str, tenant_id: uuid.UUID, *, repair: bool) -> int:
        """The number of rows of the tenant that differ, after the repair if `repair` is true."""
        found = self._listed(slug, maintenance.find_drift(tenant_id))
        if not found or not repair:
            return found
        try:
            self.stdout.write(f"{slug}: {maintenance.repair(tenant_id)} repaired")
        except NotProven as fault:
            for id_, reason in list(fault.refused.items())[:LISTED]:
                self.stdout.write(f"{slug}: {fault.kind} {id_} cannot be repaired: {reason}")
            self.stdout.write(f"{slug}: memory was not repaired, because it depends on these rows: {fault}")
        except Refusal as refusal:
            raise CommandError(refusal.for_operator) from None
        return self._listed(slug, maintenance.find_drift(tenant_id))

    def _listed(self, slug: str, drift: list[Drift]) -> int:
        for row in drift[:LISTED]:
            self.stdout.write(f"{slug}: {row.kind} {row.id}: {row.problem}")
        if len(drift) > LISTED:
            self.stdout.write(f"{slug}: and {len(drift) - LISTED} more")
        return len(drift)
