"""Check that the actors of entries had the authority, according to earlier entries."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, ClassVar

from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import Membership
from suture_verify.findings import Kind

ADMIN = Membership.Role.ADMIN.value


@dataclass(slots=True)
class Actors:
    """Actions reserved for admins and the operator, by people who never were an admin. Before the first admin, the
    superuser who creates the tenant acts. A withdrawn admin role still counts: the admin's last entry may be appended
    after the withdrawal."""

    TYPES: ClassVar[tuple[str, ...]] = (
        *("agent.created", "agent.activated", "agent.deactivated"),
        *("agent.quarantine_allowed", "agent.quarantine_refused", "key.issued", "key.revoked"),
        *("role.granted", "role.withdrawn", "person.added", "person.removed", "person.invited"),
        *("invitation.accepted", "invitation.withdrawn", "policy.proposed", "policy.changed", "policy.rejected"),
        *("implied_relation.added", "implied_relation.removed", "audience_rule.set", "audience_rule.removed"),
        "tenant.changed",
    )

    admins: set[str] = field(default_factory=set)
    invited: dict[str, list[str]] = field(default_factory=dict)
    #: The roles of the invitations that a person has accepted.
    accepted: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    strangers: list[tuple[ProvenEntry, str]] = field(default_factory=list)

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said, type = proven.entry.metadata, proven.entry.type
        actor = said["actor"]
        if type == "invitation.accepted":
            self.accepted[actor["id"]] |= set(self.invited[said["invitation"]])
        elif not self._may(type, said, actor):
            self.strangers.append((proven, actor["name"]))
        if type == "person.invited":
            self.invited[said["invitation"]] = said["roles"]
        if type == "role.granted" and said["role"] == ADMIN:
            self.admins.add(said["user"])

    def _may(self, type: str, said: dict[str, Any], actor: dict[str, Any]) -> bool:
        if actor["kind"] == "system" or not self.admins or actor["id"] in self.admins:
            return True
        is_own_role = type == "role.granted" and said["user"] == actor["id"]
        return is_own_role and said["role"] in self.accepted[actor["id"]]

    def compare(self, comparison: Comparison) -> None:
        """Report each entry by an actor without authority."""
        for proven, name in self.strangers:
            detail = f"{proven.entry.type} is by {name}, but no earlier entry made them an admin"
            comparison.findings.add(Kind.UNPROVEN_AUTHORITY, proven.chain, proven.seq, detail)
