"""Who hears which records: implied relations, the rules of audiences, and the usersets of the sealed audiences.

Relations, their revocations and audiences are sealed rows, so they prove themselves.
"""

from dataclasses import dataclass, field
from typing import Any, ClassVar
from uuid import UUID

from django.db.models import Model

from governance.identity.proving.differences import compare_fields, report
from governance.ledger.comparisons import Comparison, ProvenEntry
from governance.models import Audience, AudienceRule, AudienceUserset, ImpliedRelation


@dataclass(slots=True)
class Implied:
    """The implied relations as the entries leave them, by id."""

    TYPES: ClassVar[tuple[str, ...]] = ("implied_relation.added", "implied_relation.removed")

    expected: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said = proven.entry.metadata
        if proven.entry.type == "implied_relation.removed":
            self.expected.pop(said["id"], None)
        else:
            self.expected[said["id"]] = {name: said[name] for name in ("object_type", "relation", "implies")}

    def compare(self, comparison: Comparison) -> None:
        """Report each implied relation that differs from the entries."""
        _compare(comparison, ImpliedRelation, self.expected, "implied relation")


@dataclass(slots=True)
class Rules:
    """The rules of audiences as the entries leave them, by id."""

    TYPES: ClassVar[tuple[str, ...]] = ("audience_rule.set", "audience_rule.removed")

    expected: dict[str, dict[str, Any]] = field(default_factory=dict)

    def take(self, proven: ProvenEntry) -> None:
        """Apply one entry."""
        said = proven.entry.metadata
        if proven.entry.type == "audience_rule.removed":
            self.expected.pop(said["id"], None)
        else:
            named = ("subject_type", "tag", "kind", "usersets", "reason")
            self.expected[said["id"]] = {name: said[name] for name in named}

    def compare(self, comparison: Comparison) -> None:
        """Report each rule that differs from the entries."""
        _compare(comparison, AudienceRule, self.expected, "audience rule")


@dataclass(slots=True)
class Usersets:
    """The rows by which a reader's audiences are found say the same as the sealed audiences."""

    TYPES: ClassVar[tuple[str, ...]] = ()

    def take(self, proven: ProvenEntry) -> None:
        """Apply no entry."""

    def compare(self, comparison: Comparison) -> None:
        """Report each row that no sealed audience has, and each one that is missing."""
        missing: dict[tuple[str, int], UUID] = {}
        audiences = Audience.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)
        for id, number, usersets in audiences.order_by("number").values_list("id", "number", "usersets").iterator():
            missing |= {(userset, number): id for userset in usersets}
        rows = AudienceUserset.objects.using(comparison.using).filter(tenant_id=comparison.tenant_id)
        for id, userset, number in rows.order_by("id").values_list("id", "userset", "number").iterator():
            if missing.pop((userset, number), None) is None:
                detail = f"{userset} hears the audience {number}, but that audience does not name it"
                report(comparison, AudienceUserset, id, detail, found=userset)
        for (userset, number), id in missing.items():
            detail = f"{userset} does not hear the audience {number}, which names it"
            report(comparison, Audience, id, detail, expected=userset)


def _compare(comparison: Comparison, model: type[Model], expected: dict[str, dict[str, Any]], what: str) -> None:
    missing = dict(expected)
    for row in model._default_manager.using(comparison.using).filter(tenant_id=comparison.tenant_id).order_by("id"):
        said = missing.pop(str(row.pk), None)
        if said is None:
            report(comparison, model, row.pk, f"The {what} {row} is in the database, but no entry made it")
            continue
        compare_fields(comparison, model, row.pk, f"the {what}", {name: getattr(row, name) for name in said}, said)
    for id in missing:
        report(comparison, model, id, f"An {what} was made, but is not in the database")
