"""Decisions in force, by precedence."""

import json
from collections.abc import Mapping
from typing import Any

from governance.acting.principals import Principal
from governance.database.typed_calls import ColumnDict
from memory.queries import db
from memory.queries.audience import audience
from memory.queries.rows import ActiveDecision

#: The fields of an event of kind decision besides its statement.
DETAILS = ("rationale", "constraints", "alternatives")


def active(
    principal: Principal,
    *,
    filters: Mapping[str, str | None],
    channel: str | None = None,
    include_quarantined: bool = False,
    limit: int = 100,
) -> list[ActiveDecision]:
    """The decisions in force for a subject, project or session (or all), highest precedence first, then newest.

    Raises ChannelNotAllowed.
    """
    who = audience(principal, channel, include_quarantined=include_quarantined)
    return db.get_active_decisions(
        tenant=principal.tenant_id,
        scope=filters.get("scope"),
        project_id=filters.get("project_id"),
        subject_type=filters.get("subject_type"),
        subject_id=filters.get("subject_id"),
        session_id=filters.get("session_id"),
        listening=who.listening,
        include_quarantined=include_quarantined,
        limit=limit,
    )


def details_of(details: str | None) -> dict[str, list[str]]:
    """The fields in a row's `details`, which are JSON; empty lists if an amend withheld them."""
    fields = json.loads(details) if details else {}
    return {name: fields.get(name, []) for name in DETAILS}


_without_details = ColumnDict(ActiveDecision, "details")


def decision_json(row: ActiveDecision) -> dict[str, Any]:
    """A decision in force as JSON, with its details as separate fields."""
    return {**_without_details(row), **details_of(row.details)}
