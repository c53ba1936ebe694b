"""The roles of people in a tenant."""

from dataclasses import dataclass, field
from typing import ClassVar

from governance.identity.proving.differences import names_of, report
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import Membership


@dataclass(slots=True)
class Roles:
    """Whether a person has a role now, by person and role, as the entries leave it; False for a withdrawn role."""

    TYPES: ClassVar[tuple[str, ...]] = ("role.granted", "role.withdrawn")

    held: dict[tuple[str, str], bool] = field(default_factory=dict)

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said = proven.entry.metadata
        self.held[said["user"], said["role"]] = proven.entry.type == "role.granted"

    def compare(self, comparison: Comparison) -> None:
        """Report each role whose state differs from the entries. Withdrawn roles matter too: no admin of another tenant
        may reset the password of a person who ever had a role here."""
        rows = Membership.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)
        missing = dict(self.held)
        for row in rows.select_related("user").defer("user__password").order_by("id"):
            holds = missing.pop((str(row.user_id), row.role), None)
            who = f"{row.user.username} has the role {row.role}"
            if row.is_active and not holds:
                detail = f"{who}, but {'its last entry withdrew it' if holds is False else 'no entry grants it'}"
            elif holds and not row.is_active:
                detail = f"{row.user.username} no longer has the role {row.role}, but no entry withdrew it"
            elif holds is None:
                detail = f"{row.user.username} had the role {row.role} before, but no entry granted it"
            else:
                continue
            report(
                comparison,
                Membership,
                row.id,
                detail,
                field="is_active",
                found=row.is_active,
                expected=bool(holds),
            )
        names = names_of(comparison, {user for user, _ in missing})
        for user, role in missing:
            detail = f"{names[user]} was granted the role {role}, but its row is missing"
            report(comparison, Membership, f"{role} of {user}", detail, expected=role)
