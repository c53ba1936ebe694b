"""The invitations to a tenant: an accepted invitation grants its roles."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from governance.identity.proving.differences import compare_fields, moment, report
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import Invitation

PENDING, ACCEPTED = Invitation.Status.PENDING.value, Invitation.Status.ACCEPTED.value
DECLINED, WITHDRAWN = Invitation.Status.DECLINED.value, Invitation.Status.WITHDRAWN.value


@dataclass(slots=True)
class Invitations:
    """The invitations as the entries leave them, by id. Declining one has no entry."""

    TYPES: ClassVar[tuple[str, ...]] = ("person.invited", "invitation.accepted", "invitation.withdrawn")

    expected: dict[str, dict[str, Any]] = field(default_factory=dict)
    statuses: dict[str, set[str]] = field(default_factory=dict)

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said = proven.entry.metadata
        match proven.entry.type:
            case "person.invited":
                # an invitation replaces an earlier one
                for other, expected in self.expected.items():
                    if expected["username"] == said["name"] and PENDING in self.statuses[other]:
                        self.statuses[other] = {WITHDRAWN, DECLINED}
                self.expected[said["invitation"]] = {
                    "username": said["name"],
                    "roles": said["roles"],
                    "invited_by": said["actor"]["id"],
                    "expires_at": moment(said["expires_at"]),
                }
                self.statuses[said["invitation"]] = {PENDING, DECLINED}
            case "invitation.accepted":
                self.statuses[said["invitation"]] = {ACCEPTED}
            case "invitation.withdrawn":
                self.statuses[said["invitation"]] = {WITHDRAWN}

    def compare(self, comparison: Comparison) -> None:
        """Report each invitation that differs from the entries."""
        rows = Invitation.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)
        missing = dict(self.expected)
        for row in rows.order_by("id"):
            expected = missing.pop(str(row.id), None)
            if expected is None:
                detail = f"{row.username} is invited to {', '.join(row.roles)}, but no entry invited them"
                report(comparison, Invitation, row.id, detail, found=", ".join(row.roles))
                continue
            found = {
                "username": row.username,
                "roles": row.roles,
                "invited_by": str(row.invited_by),
                "expires_at": row.expires_at,
            }
            of = f"the invitation of {expected['username']}"
            compare_fields(comparison, Invitation, row.id, of, found, expected)
            if row.status not in (statuses := self.statuses[str(row.id)]):
                wanted = " or ".join(sorted(statuses))
                detail = f"The invitation of {expected['username']} is {row.status}, but the entries say {wanted}"
                report(comparison, Invitation, row.id, detail, field="status", found=row.status, expected=wanted)
        for invitation, expected in missing.items():
            detail = f"{expected['username']} was invited, but the invitation is not in the database"
            report(comparison, Invitation, invitation, detail, expected=expected["username"])
