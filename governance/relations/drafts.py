"""A relation to be added, and the check of its form."""

from dataclasses import dataclass
from datetime import datetime

from django.utils import timezone

from governance.acting.principals import MalformedPrincipal, is_principal, is_relation
from governance.faults import Faults
from governance.refusals import Invalid
from governance.relations.refusals import MalformedRelation, RelationEndsBeforeItBegins
from governance.text import REASON


@dataclass(frozen=True, slots=True)
class RelationDraft:
    """A principal stands in a relation to an object, from one time (None: now) until another (None: no end)."""

    principal: str
    relation: str
    object: str
    reason: str
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    def check(self, faults: Faults, pointer: str = "") -> None:
        """Add the faults of its form. The database has the last word."""
        for place in ("principal", "object"):
            if not is_principal(getattr(self, place)):
                add(faults, f"{pointer}/{place}", MalformedPrincipal)
        if not is_relation(self.relation):
            add(faults, f"{pointer}/relation", MalformedRelation)
        if self.valid_until is not None and self.valid_until <= (self.valid_from or timezone.now()):
            add(faults, f"{pointer}/valid_until", RelationEndsBeforeItBegins)
        if fault := REASON.fault_in(self.reason):
            faults.add(f"{pointer}/reason", fault)


def add(faults: Faults, pointer: str, refusal: type[Invalid]) -> None:
    """Add the fault of a refusal."""
    faults.add(pointer, refusal().detail, refusal.code)


def raise_only(faults: Faults) -> None:
    """Raise the refusal of these faults. A single one keeps its own type, so that its code names it."""
    known: dict[str, type[Invalid]] = {
        one.code: one for one in (MalformedPrincipal, MalformedRelation, RelationEndsBeforeItBegins)
    }
    if len(faults.found) == 1 and (kind := known.get(faults.found[0].get("code", ""))):
        raise kind(errors=faults.found)
    faults.raise_any()
