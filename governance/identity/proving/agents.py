"""The agents of a tenant."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from governance.identity.proving.differences import compare_fields, report
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import Agent


@dataclass(slots=True)
class Agents:
    """The agents as the entries leave them, by id."""

    TYPES: ClassVar[tuple[str, ...]] = (
        "agent.created",
        "agent.activated",
        "agent.deactivated",
        "agent.quarantine_allowed",
        "agent.quarantine_refused",
    )

    expected: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said = proven.entry.metadata
        match proven.entry.type:
            case "agent.created":
                self.expected[said["agent"]] = {
                    "slug": said["slug"],
                    "channels": sorted(said["channels"]),
                    "is_active": True,
                    "reads_quarantined": False,
                }
            case "agent.activated" | "agent.deactivated" as type:
                self.expected[said["agent"]]["is_active"] = type == "agent.activated"
            case type:
                self.expected[said["agent"]]["reads_quarantined"] = type == "agent.quarantine_allowed"

    def compare(self, comparison: Comparison) -> None:
        """Report each agent that differs from the entries."""
        rows = Agent.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)
        missing = dict(self.expected)
        for row in rows.order_by("id"):
            expected = missing.pop(str(row.id), None)
            if expected is None:
                detail = f"The agent {row.slug} is in the database, but no entry created it"
                report(comparison, Agent, row.id, detail, found=row.slug)
                continue
            found = {
                "slug": row.slug,
                "channels": sorted(row.channels),
                "is_active": row.is_active,
                "reads_quarantined": row.reads_quarantined,
            }
            compare_fields(comparison, Agent, row.id, f"the agent {expected['slug']}", found, expected)
        for agent, expected in missing.items():
            detail = f"The agent {expected['slug']} was created, but is not in the database"
            report(comparison, Agent, agent, detail, expected=expected["slug"])
