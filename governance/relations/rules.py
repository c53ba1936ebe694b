"""The audience of new records that name none, by subject type, tag and kind."""

import uuid
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from django.db import transaction

from governance.acting.changes import change
from governance.acting.principals import Principal, is_relation
from governance.faults import Faults
from governance.ledger import appending
from governance.relations import db
from governance.relations.drafts import add, raise_only
from governance.relations.refusals import MalformedRelation
from governance.text import IDENTIFIER, REASON


@dataclass(frozen=True, slots=True)
class Conditions:
    """Which records a rule is for; an empty condition matches all."""

    subject_type: str = ""
    tag: str = ""
    kind: str = ""


@transaction.atomic
def set_audience_rule(conditions: Conditions, usersets: Sequence[str], *, actor: Principal, reason: str) -> uuid.UUID:
    """Let new records that match, and name no audience, be for `usersets` (governance.relations.audience_json); returns
    the id of the rule. It replaces the rule for the same conditions.

    Raises ManagedByAdmins, Invalid, MalformedRelation, MalformedAudience, AudienceRuleUnchanged.
    """
    actor.require_manager()
    faults = Faults()
    if conditions.subject_type and not is_relation(conditions.subject_type):
        add(faults, "/subject_type", MalformedRelation)
    for place in ("tag", "kind"):
        value = getattr(conditions, place)
        if value and (fault := IDENTIFIER.fault_in(value)):
            faults.add(f"/{place}", fault)
    if fault := REASON.fault_in(reason):
        faults.add("/reason", fault)
    raise_only(faults)
    made = change(db.set_audience_rule, actor=actor, **asdict(conditions), usersets=list(usersets), reason=reason)
    _record("audience_rule.set", made.rule_id, conditions, made.usersets, actor, reason=reason)
    return made.rule_id


@transaction.atomic
def remove_audience_rule(rule: uuid.UUID, *, actor: Principal) -> None:
    """Remove a rule. Records keep their audience. Raises ManagedByAdmins, NoSuchAudienceRule."""
    actor.require_manager()
    said = change(db.remove_audience_rule, actor=actor, rule=rule)
    conditions = Conditions(said.subject_type, said.tag, said.kind)
    _record("audience_rule.removed", rule, conditions, said.usersets, actor)


def _record(
    type: str, rule: uuid.UUID, conditions: Conditions, usersets: list[str], actor: Principal, **why: str
) -> None:
    metadata = {"id": str(rule), **asdict(conditions), "usersets": usersets, **why}
    appending.record(type, actor=actor, metadata=metadata)
