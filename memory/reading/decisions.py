"""Decisions in force, by precedence."""

import json
from collections.abc import Mapping
from typing import Any

from governance import gate
from governance.identity.principals import Principal
from memory.reading.audience import audience

#: The parameters of get_active_decisions(), in its order.
FILTERS = ("scope", "project_id", "subject_type", "subject_id", "session_id")
#: What an event of kind decision says beside its statement.
DETAILS = ("rationale", "constraints", "alternatives")


def active(
    principal: Principal,
    *,
    filters: Mapping[str, str | None],
    channel: str | None = None,
    include_quarantined: bool = False,
    limit: int = 100,
) -> list[dict[str, Any]]:
    """The decisions in force for a subject, project or session (or all), highest precedence first, then newest.

    Raises ChannelNotAllowed.
    """
    who = audience(principal, channel)
    found = gate.call(
        "get_active_decisions", principal.tenant_id, *(filters.get(name) for name in FILTERS), who.listening,
        who.sensitivities, include_quarantined, limit,
    )  # fmt: skip
    return [with_details(row) for row in found]


def with_details(row: dict[str, Any]) -> dict[str, Any]:
    """The row with its `details`, JSON, as fields of their own: empty lists where an amend withheld them."""
    details = row.pop("details")
    fields = json.loads(details) if details else {}
    return {**row, **{name: fields.get(name, []) for name in DETAILS}}
