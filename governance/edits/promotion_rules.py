"""The promotion thresholds in a tenant's policy, and the values that each accepts. The memory app applies them
(docs/promotion.md)."""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from governance.edits import db
from governance.models import Agent
from governance.refusals import Fault, Invalid

#: The only setting that is not a number: the slugs of agents that may promote by hand.
PROMOTING_AGENTS: Final = "promoting_agents"
#: How many of them there may be.
AT_MOST_AGENTS: Final = 200


class UnknownPromotionRule(Invalid):
    """A promotion threshold is unknown, or its value is out of range."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number of the policy: its inclusive bounds and its purpose. A share is from 0 to 1, with at most four digits;
    every other threshold is a whole number."""

    name: str
    label: str
    meaning: str
    least: int
    most: int
    is_share: bool = False

    def takes(self, value: Any) -> bool:
        """Whether the threshold accepts this value."""
        if isinstance(value, bool) or not isinstance(value, (int, float) if self.is_share else int):
            return False
        return self.least <= value <= self.most and round(value, 4) == value

    @property
    def range(self) -> str:
        kind = "a number with at most four digits" if self.is_share else "a whole number"
        return f"{kind} from {self.least} to {self.most}"


THRESHOLDS: Final = (
    Threshold("uses_in_session", "Uses within one session", "From task to session: uses within one session.", 1, 1000),
    Threshold("sessions", "Sessions", "From session to longterm: sessions in which agents received it.", 1, 1000),
    Threshold("successes", "Successful outcomes", "From session to longterm: successful uses.", 0, 1000),
    Threshold("confidence", "Confidence", "From session to longterm: minimum confidence.", 0, 1, is_share=True),
    Threshold("confidence_days", "Days of confidence", "From session to longterm: days at it.", 0, 3650),
    Threshold(
        "unused_days", "Days without use", "From longterm to archive: days without use before archiving.", 1, 36500
    ),
    Threshold("low_trust", "Low trust", "Memories with less trust are never promoted.", 0, 1, is_share=True),
)
_BY_NAME: Final = {one.name: one for one in THRESHOLDS}


def rules_of(tenant_id: uuid.UUID) -> dict[str, Any]:
    """The thresholds in force, by name. Called within the tenant."""
    found: dict[str, Any] = json.loads(db.promotion_rules(tenant=tenant_id))
    return {name: found[name] for name in (*_BY_NAME, PROMOTING_AGENTS)}


def check(rules: Mapping[str, Any], tenant_id: uuid.UUID) -> dict[str, Any]:
    """Check the rules of a change, and return them with its agents sorted and without duplicates. Raises
    UnknownPromotionRule with the place of each fault. Called within the tenant."""
    faults = [
        Fault(pointer=f"/promotion/{name}", detail=_refusal(name, value), code=UnknownPromotionRule.code)
        for name, value in rules.items()
        if name != PROMOTING_AGENTS and not (name in _BY_NAME and _BY_NAME[name].takes(value))
    ]
    agents = list(rules.get(PROMOTING_AGENTS, []))
    known = set(Agent.objects.filter(tenant_id=tenant_id, slug__in=agents).values_list("slug", flat=True))
    faults += [
        Fault(
            pointer=f"/promotion/{PROMOTING_AGENTS}/{place}",
            detail=f"There is no agent {slug!r}.",
            code=UnknownPromotionRule.code,
        )
        for place, slug in enumerate(agents)
        if slug not in known
    ]
    if faults:
        raise UnknownPromotionRule(" ".join(one["detail"] for one in faults), errors=faults)
    return {**rules, PROMOTING_AGENTS: sorted(known)} if PROMOTING_AGENTS in rules else dict(rules)


def _refusal(name: str, value: Any) -> str:
    if name not in _BY_NAME:
        return f"There is no such threshold. Choose from {', '.join((*_BY_NAME, PROMOTING_AGENTS))}."
    return f"Must be {_BY_NAME[name].range}, not {value!r}."
