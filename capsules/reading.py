"""Reading capsules. Every access leaves a record, in the reader's transaction."""

import uuid
from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Max, Q

from capsules.models import EffectiveCapsule
from capsules.refusals import refuse
from capsules.rendering import capsule_json, items_json
from capsules.services import expiry
from capsules.services.handover import KINDS
from governance import gate
from governance.identity.principals import ChannelNotAllowed, Principal
from governance.ledger import access
from governance.models import AccessRecord
from memory.reading.audience import Audience, audience


class ChannelRefused(ChannelNotAllowed):
    """This key does not speak in that channel."""

    code, title = ChannelNotAllowed.code, ChannelNotAllowed.title
    keeps_record = True


READ, INJECTED, LISTED = "capsule.read", "capsule.injected", "capsules.listed"
#: Names of an audience, and readers of a capsule, that an answer lists; the counts are of all.
NAMED_AT_MOST = 100
#: What a list is narrowed by.
FILTERS = ("subject_type", "subject_id", "scope", "project_id", "author")


def available(
    principal: Principal,
    *,
    filters: Mapping[str, str | None],
    before: uuid.UUID | None = None,
    limit: int,
    channel: str | None = None,
    include_quarantined: bool = False,
) -> list[dict[str, Any]]:
    """The capsules that an agent was given and may still read, newest first; all of the tenant's for people with a
    role. Raises ChannelNotAllowed."""
    who = _audience_of(principal, channel, LISTED)
    gate.act_as(principal)
    rows = gate.call(
        "get_available_capsules", principal.tenant_id,
        *(filters[name] for name in FILTERS), who.listening, who.sensitivities, include_quarantined, before, limit,
    )  # fmt: skip
    return _listed(principal, rows)


def authored(
    principal: Principal,
    *,
    filters: Mapping[str, str | None],
    before: uuid.UUID | None = None,
    limit: int,
    channel: str | None = None,
) -> list[dict[str, Any]]:
    """One's own capsules in every status, newest first. Raises ChannelNotAllowed."""
    who = _audience_of(principal, channel, LISTED)
    gate.act_as(principal)
    rows = gate.call(
        "get_authored_capsules", principal.tenant_id, filters["subject_type"],
        filters["subject_id"], filters["scope"], filters["project_id"], None, who.listening, who.sensitivities,
        before, limit,
    )  # fmt: skip
    return _listed(principal, rows)


def warnings(principal: Principal, *, before: uuid.UUID | None = None, limit: int) -> list[dict[str, Any]]:
    """One's own capsules that are about to expire, newest first; `warned_at` is None until the job has been there."""
    who = audience(principal, None)
    gate.act_as(principal)
    rows = gate.call(
        "get_authored_capsules", principal.tenant_id, None, None, None, None,
        expiry.warning_time(), who.listening, who.sensitivities, before, limit,
    )  # fmt: skip
    return [{name: row[name] for name in _WARNED} for row in rows]


_WARNED = ("capsule_id", "created_at", "expires_at", "warned_at", "scope", "subject_type", "subject_id", "project_id")


def read(
    principal: Principal, capsule_id: uuid.UUID, *, channel: str | None = None, include_quarantined: bool = False
) -> dict[str, Any]:
    """One capsule with its items as the reader may see them now, and who gave it to whom.

    Raises NoSuchCapsule, NotInAudience, CapsuleIsRevoked, CapsuleHasExpired, ChannelNotAllowed.
    """
    who = _audience_of(principal, channel, READ, capsule_id)
    row = _row(principal, capsule_id, who, READ)
    items: list[dict[str, Any]] = []
    if row["withheld"] != "blocked":
        items = gate.call(
            "get_capsule_items", principal.tenant_id, [capsule_id], who.listening, who.sensitivities,
            include_quarantined,
        )  # fmt: skip
    custody = gate.call("capsule_custody", principal.tenant_id, capsule_id, NAMED_AT_MOST)
    access.log(READ, actor=principal, target_type="capsule", target_id=capsule_id, details={"from": "direct"})
    return {
        **capsule_json(row),
        "items": items_json(items).get(capsule_id, {name: [] for name in KINDS}),
        "audience": custody[-1]["audience"],
        "custody": custody,
    }


def usage(principal: Principal, capsule_id: uuid.UUID) -> dict[str, Any]:
    """How often a capsule was read, by whom, itself or within a context bundle; for its author and people with a role.

    Raises NoSuchCapsule, UsageNotYours, and what read raises for whoever may not read it.
    """
    _row(principal, capsule_id, audience(principal, None), "capsule.usage")
    own = EffectiveCapsule.objects.filter(tenant_id=principal.tenant_id, id=capsule_id, authored_by=principal.id)
    if not (principal.reads_all_edits or own.exists()):
        refuse("usage", "capsule.usage", capsule_id, actor=principal)
    rows = AccessRecord.objects.filter(
        tenant_id=principal.tenant_id, target_id=capsule_id, target_type="capsule", action__in=(READ, INJECTED)
    )
    allowed = rows.filter(outcome=AccessRecord.Outcome.ALLOWED)
    readers = (
        allowed.values("actor_kind", "actor")
        .annotate(
            direct=Count("id", filter=Q(action=READ)),
            acb=Count("id", filter=Q(action=INJECTED)),
            last_accessed_at=Max("at"),
        )
        .order_by("-last_accessed_at", "actor")
    )
    total = allowed.aggregate(
        count=Count("id"),
        last=Max("at"),
        direct=Count("id", filter=Q(action=READ)),
        readers=Count("actor_id", distinct=True),
    )
    return {
        "capsule_id": capsule_id,
        "access_count": total["count"],
        "direct": total["direct"],
        "acb": total["count"] - total["direct"],
        "last_accessed_at": total["last"],
        "refused_count": rows.filter(outcome=AccessRecord.Outcome.REFUSED).count(),
        "reader_count": total["readers"],
        "readers": list(readers[:NAMED_AT_MOST]),
    }


def _audience_of(
    principal: Principal, channel: str | None, action: str, capsule_id: uuid.UUID | None = None
) -> Audience:
    """Who is listening; a refusal of the channel is noted, as that of a capsule is.

    Raises ChannelRefused, and for a capsule that the reader may not read in any channel what _row raises.
    """
    try:
        return audience(principal, channel)
    except ChannelNotAllowed as refusal:
        if capsule_id is not None:
            _row(principal, capsule_id, audience(principal, None), action)
        access.log(
            action,
            actor=principal,
            target_type="capsule",
            target_id=capsule_id,
            outcome=AccessRecord.Outcome.REFUSED,
            details={"refusal": "channel"},
        )
        raise ChannelRefused(pointer="/channel") from refusal


def _row(principal: Principal, capsule_id: uuid.UUID, who: Audience, action: str) -> dict[str, Any]:
    """One capsule for its reader. Raises what `refuse` does, which is noted, where they may not read it."""
    gate.act_as(principal)
    row = gate.call("read_capsule", principal.tenant_id, capsule_id, who.listening, who.sensitivities)[0]
    if row["refusal"]:
        refuse(row["refusal"], action, capsule_id, actor=principal)
    return row


def _listed(principal: Principal, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Capsules with the ids of their items; that they were listed is noted once."""
    ids = [row["capsule_id"] for row in rows]
    held = _item_ids(principal.tenant_id, [row["capsule_id"] for row in rows if row["withheld"] != "blocked"])
    access.log(LISTED, actor=principal, target_type="capsule", details={"capsules": [str(one) for one in ids]})
    return [{**capsule_json(row), "items": held.get(row["capsule_id"], {name: [] for name in KINDS})} for row in rows]


# One row a kind, with its ids as the texts that are answered: a page holds thousands of them.
_ITEM_IDS = """
    SELECT capsule_id, kind, array_agg(item_id::text ORDER BY position) AS ids FROM capsules_capsuleitem
    WHERE tenant_id = %s AND capsule_id = ANY (%s) GROUP BY capsule_id, kind
"""


def _item_ids(tenant_id: uuid.UUID, capsule_ids: list[uuid.UUID]) -> dict[uuid.UUID, dict[str, list[str]]]:
    """The ids of each capsule's items by kind, in order."""
    names = {kind: name for name, kind in KINDS.items()}
    found: dict[uuid.UUID, dict[str, list[str]]] = {}
    for row in gate.rows(_ITEM_IDS, [tenant_id, capsule_ids]):
        found.setdefault(row["capsule_id"], {name: [] for name in KINDS})[names[row["kind"]]] = row["ids"]
    return found
