import uuid
from collections import Counter
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from governance.acting import gate
from governance.edits.restoring import NotProven
from governance.identity import identities
from governance.refusals import Refusal
from memory import maintenance
from memory.curation import rebuilding
from memory.curation.rebuilding import Difference
from suture_verify.following import UnverifiedEntry

LISTED = 100


class Command(BaseCommand):
    help = (
        "Rebuild an agent's own memory from its chain, verifying every entry, and report every difference from"
        " effective memory (then exits with code 1)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--agent", metavar="NAME", required=True, help="the agent")
        parser.add_argument("--tenant", metavar="SLUG", help="its tenant (default: the only tenant)")
        parser.add_argument(
            "--repair", action="store_true", help="rebuild effective memory from the record, then compare again"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            tenant_id = self._tenant(options["tenant"])
            left = self._compare(tenant_id, options["agent"])
            if left and options["repair"]:
                self.stdout.write(f"{maintenance.repair(tenant_id)} rows repaired")
                left = self._compare(tenant_id, options["agent"])
        except Refusal as refusal:
            raise CommandError(refusal.detail) from None
        except NotProven as fault:
            raise CommandError(f"Nothing was repaired: {fault}. Run `manage.py verify_effective --repair`.") from None
        except UnverifiedEntry as fault:
            raise CommandError(f"{fault} Run `manage.py verify_chain`.") from None
        if left:
            raise SystemExit(1)

    def _tenant(self, slug: str | None) -> uuid.UUID:
        if slug:
            return identities.tenant_id_of(slug)
        tenants = gate.tenants()
        if len(tenants) != 1:
            raise CommandError(f"There are {len(tenants)} tenants. Name one with --tenant.")
        return next(iter(tenants.values()))

    def _compare(self, tenant_id: uuid.UUID, agent: str) -> list[Difference]:
        rebuilt, differences = rebuilding.rebuild(tenant_id, agent)
        types = Counter(one.type for one in rebuilt.memories.values())
        types["decision"] = len(rebuilt.decisions)
        counts = ", ".join(f"{count} {name}" for name, count in sorted(types.items()) if count)
        self.stdout.write(f"agent {agent}: {rebuilt.entries} entries verified: {counts or 'no memory yet'}")
        for one in differences[:LISTED]:
            self.stdout.write(f"memory {one.seq}: {one.field}: the chain says {one.chain}, the database {one.database}")
        if len(differences) > LISTED:
            self.stdout.write(f"and {len(differences) - LISTED} more")
        self.stdout.write(f"{len(differences)} differences" if differences else "no differences")
        return differences
