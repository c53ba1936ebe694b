"""Whether those who appended entries had the authority to, by the entries before."""

from collections import defaultdict
from dataclasses import dataclass, field
from typing import Any, ClassVar

from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import Membership
from suture_verify.findings import Kind

ADMIN = Membership.Role.ADMIN.value


@dataclass(slots=True)
class Actors:
    """Acts that an admin or the operator does, by people who never were an admin. Before the first admin, the superuser
    acts who makes the tenant. That an admin's role was withdrawn does not count: their last act may be appended after
    that."""

    TYPES: ClassVar[tuple[str, ...]] = (
        *("agent.created", "agent.activated", "agent.deactivated"),
        *("agent.quarantine_allowed", "agent.quarantine_refused", "key.issued", "key.revoked"),
        *("role.granted", "role.withdrawn", "person.added", "person.removed", "person.invited"),
        *("invitation.accepted", "invitation.withdrawn", "policy.proposed", "policy.changed", "policy.rejected"),
        "tenant.changed",
    )

    admins: set[str] = field(default_factory=set)
    invited: dict[str, list[str]] = field(default_factory=dict)
    #: The roles of the invitations that a person has accepted.
    accepted: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    strangers: list[tuple[ProvenEntry, str]] = field(default_factory=list)

    def take(self, proven: ProvenEntry) -> None:
        """Follow one entry."""
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
        """Report each entry by somebody without the authority."""
        for proven, name in self.strangers:
            detail = f"{proven.entry.type} is by {name}, whom no entry before made an admin"
            comparison.findings.add(Kind.UNPROVEN_AUTHORITY, proven.chain, proven.seq, detail)
