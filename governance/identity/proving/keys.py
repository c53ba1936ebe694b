"""The API keys of a tenant."""

from dataclasses import dataclass, field
from typing import Any, ClassVar

from governance.identity.proving.differences import compare_fields, moment, report
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import ApiKey


@dataclass(slots=True)
class Keys:
    """The keys as the entries leave them, by id."""

    TYPES: ClassVar[tuple[str, ...]] = ("key.issued", "key.revoked")

    expected: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said = proven.entry.metadata
        if proven.entry.type == "key.revoked":
            self.expected[said["key"]]["is_revoked"] = True
            return
        by = said["actor"]
        self.expected[said["key"]] = {
            "prefix": said["prefix"],
            "owner": said["owner"],
            "agent": said.get("agent"),
            "user": said.get("user"),
            "issued_by": by["id"] if by["kind"] == "human" else None,
            "digest": said["digest"],
            "expires_at": moment(said.get("expires_at")),
            "speaks_for": said.get("speaks_for", []),
            "must_speak_for": said.get("must_speak_for", False),
            "is_revoked": False,
        }

    def compare(self, comparison: Comparison) -> None:
        """Report each key that differs from the entries."""
        rows = ApiKey.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)
        missing = dict(self.expected)
        for row in rows.select_related("agent", "user").defer("user__password").order_by("id"):
            owner = row.agent.slug if row.agent else row.user.username if row.user else ""
            expected = missing.pop(str(row.id), None)
            if expected is None:
                detail = f"{owner} has the key {row.prefix}, but no entry issued it"
                report(comparison, ApiKey, row.id, detail, found=row.prefix)
                continue
            found = {
                "prefix": row.prefix,
                "owner": owner,
                "agent": _id(row.agent_id),
                "user": _id(row.user_id),
                "issued_by": _id(row.issued_by),
                "digest": bytes(row.digest).hex(),
                "expires_at": row.expires_at,
                "speaks_for": row.speaks_for,
                "must_speak_for": row.must_speak_for,
                "is_revoked": row.revoked_at is not None,
            }
            compare_fields(comparison, ApiKey, row.id, f"the key {expected['prefix']}", found, expected)
        for key, expected in missing.items():
            detail = f"The key {expected['prefix']} of {expected['owner']} was issued, but is not in the database"
            report(comparison, ApiKey, key, detail, expected=expected["prefix"])


def _id(value: object) -> str | None:
    return None if value is None else str(value)
