"""The accounts in the ledger of a tenant: who created them, whether they are active, and who is a superuser.

An account belongs to the whole server. A change of it has an entry in each tenant in which the person has a role at
that time, and in the superuser's tenant. So the newest entry about an account may be in another tenant's ledger.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar

from django.db.models import Q

from governance.database.typed_calls import select
from governance.identity.proving.differences import compare_fields, report
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import User
from suture_verify.entries import Entry, MalformedEntry, parse_entry

ACTIVITY = ("person.activated", "person.deactivated")
SUPERUSER_MADE = "superuser.made"

# for every tenant, by the index of its entry types
_EVERYWHERE = """
    SELECT e.canonical FROM public.governance_tenant t CROSS JOIN LATERAL (
        SELECT x.canonical FROM public.governance_entry x WHERE x.tenant_id = t.id AND x.type = ANY (%s) OFFSET 0) e
"""


@dataclass(slots=True)
class Accounts:
    """The accounts as the entries leave them, by the person's id."""

    TYPES: ClassVar[tuple[str, ...]] = ("tenant.created", SUPERUSER_MADE, "person.added", "role.granted", *ACTIVITY)

    names: dict[str, str] = field(default_factory=dict)
    #: The creator of an account, which counts as theirs for a day; None: the operator.
    makers: dict[str, str | None] = field(default_factory=dict)
    members: set[str] = field(default_factory=set)
    active: dict[str, bool] = field(default_factory=dict)
    superusers: set[str] = field(default_factory=set)

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said = proven.entry.metadata
        match proven.entry.type:
            case "tenant.created":
                # the first entry; later superusers have their own entries
                self.superusers.update(said["superusers"])
            case "superuser.made":
                self.superusers.add(said["user"])
            case "person.added":
                self.names[said["user"]] = said["name"]
                by = said["actor"]
                self.makers[said["user"]] = by["id"] if by["kind"] == "human" else None
            case "role.granted":
                self.members.add(said["user"])
            case type:
                self.active[said["user"]] = type == "person.activated"

    def compare(self, comparison: Comparison) -> None:
        """Report each account that differs from the entries."""
        mentioned = self.members | self.names.keys() | self.active.keys()
        rows = User.objects.using(comparison.using).filter(
            Q(id__in=mentioned | self.superusers) | Q(is_superuser=True) | Q(made_in_id=comparison.tenant_id)
        )
        for row in rows.defer("password").order_by("id"):
            user = str(row.id)
            self._compare_superuser(comparison, row)
            if user in mentioned:
                self._compare_activity(comparison, row)
            self._compare_origin(comparison, row)

    def _compare_superuser(self, comparison: Comparison, row: User) -> None:
        user = str(row.id)
        is_told = user in self.superusers
        if row.is_superuser and not is_told and not _is_made_elsewhere(comparison, user):
            detail = f"{row.username} is a superuser, but no entry made them one"
            report(comparison, User, user, detail, field="is_superuser", found=True, expected=False)
        elif is_told and not row.is_superuser:
            detail = f"{row.username} is no longer a superuser, but nothing can revoke that"
            report(comparison, User, user, detail, field="is_superuser", found=False, expected=True)

    def _compare_activity(self, comparison: Comparison, row: User) -> None:
        user = str(row.id)
        expected = self.active.get(user, True)
        if row.is_active != expected:
            expected = _last_word(comparison, user)
        if row.is_active != expected:
            state = "active" if row.is_active else "deactivated"
            detail = f"The account of {row.username} is {state}, but no entry made it so"
            report(comparison, User, user, detail, field="is_active", found=row.is_active, expected=expected)

    def _compare_origin(self, comparison: Comparison, row: User) -> None:
        user = str(row.id)
        is_made_here = row.made_in_id == comparison.tenant_id
        if is_made_here and user not in self.names and user not in self.members:
            detail = f"The account of {row.username} was created in this tenant, but no entry created it"
            report(comparison, User, user, detail, field="made_in_id", found=row.made_in_id)
        if user in self.names:
            found = {
                "username": row.username,
                "made_in_id": row.made_in_id,
                "made_by": None if row.made_by is None else str(row.made_by),
            }
            expected = {
                "username": self.names[user],
                "made_in_id": comparison.tenant_id,
                "made_by": self.makers[user],
            }
            compare_fields(comparison, User, user, f"the account {self.names[user]}", found, expected)


def _is_made_elsewhere(comparison: Comparison, user: str) -> bool:
    """Whether another tenant's ledger records that the operator created this superuser: this ledger could take no
    entry at that time."""
    return any(entry.metadata.get("user") == user for entry in _entries_of_all(comparison, SUPERUSER_MADE))


def _last_word(comparison: Comparison, user: str) -> bool:
    """Whether an account is active, by the last entry about it in the ledger of any tenant."""
    said: list[tuple[datetime, bool]] = [
        (entry.ts, entry.type == "person.activated")
        for entry in _entries_of_all(comparison, *ACTIVITY)
        if entry.metadata.get("user") == user
    ]
    return max(said)[1] if said else True


def _entries_of_all(comparison: Comparison, *types: str) -> Iterator[Entry]:
    """The entries of some types in the ledgers of all tenants. Each tenant's ledger is verified separately."""
    for canonical in select(bytes, _EVERYWHERE, [list(types)], using=comparison.using):
        try:
            yield parse_entry(bytes(canonical))
        except MalformedEntry:
            continue
