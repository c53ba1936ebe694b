"""The settings of a tenant that decide who reads which memory."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from governance.identity.proving.differences import compare_fields, report
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import Tenant

#: The settings of a new tenant (found_tenant() in the database).
BEGINNING: dict[str, Any] = {
    "pending_edit_days": 30,
    "default_sensitivities": {},
    "search_language": "english",
    "hybrid_alpha": 0.5,
    "ephemeral_hours": 24,
    "agent_edits_per_hour": 20,
    "agent_pending_edits": 100,
}


@dataclass(slots=True)
class Settings:
    """The settings as the entries leave them."""

    TYPES: ClassVar[tuple[str, ...]] = ("tenant.created", "tenant.changed")

    expected: dict[str, Any] = field(default_factory=lambda: dict(BEGINNING))

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said = proven.entry.metadata
        if proven.entry.type == "tenant.created":
            self.expected["slug"] = said["slug"]
            return
        # entries of earlier versions do not name the newer settings
        self.expected |= {name: said[name] for name in BEGINNING if name in said}
        self.expected["hybrid_alpha"] = float(said["hybrid_alpha"])

    def compare(self, comparison: Comparison) -> None:
        """Report each setting that differs from the entries."""
        row = Tenant.objects.using(comparison.using).filter(id=comparison.tenant_id).first()
        if row is None:
            report(comparison, Tenant, comparison.tenant_id, "The tenant was created, but its row is missing")
            return
        found = {name: getattr(row, name) for name in self.expected}
        compare_fields(comparison, Tenant, row.id, f"the tenant {row.slug}", found, self.expected)
