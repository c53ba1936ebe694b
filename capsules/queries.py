"""Reading capsules. Every access writes an access record, in the reader's transaction."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Max, Q

from capsules import db
from capsules.db import CapsuleItemRow, CapsuleRow, Custody
from capsules.models import EffectiveCapsule
from capsules.refusals import refuse
from capsules.rendering import capsule_json, items_json
from capsules.services import expiry
from capsules.services.handover import KINDS
from governance.acting import gate
from governance.acting.principals import ChannelNotAllowed, Principal
from governance.database.typed_calls import ColumnDict, select
from governance.ledger import access
from governance.models import AccessRecord, Agent
from memory.queries.audience import Audience, audience
from memory.usage.deliveries import deliver
from memory.usage.means import Means


class ChannelRefused(ChannelNotAllowed):
    """This key does not allow that channel."""

    code, title = ChannelNotAllowed.code, ChannelNotAllowed.title
    keeps_record = True


READ, INJECTED, LISTED = "capsule.read", "capsule.injected", "capsules.listed"
#: How many names of an audience, and readers of a capsule, an answer lists; the counts include all.
NAMED_AT_MOST = 100
#: The filters of a list.
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
    """The capsules that an agent received and may still read, newest first; for people with a role, all capsules of the
    tenant. Raises ChannelNotAllowed."""
    if include_quarantined:
        principal.require_quarantine_reader()
    who = _audience_of(principal, channel, LISTED)
    gate.act_as(principal)
    rows = db.get_available_capsules(
        tenant=principal.tenant_id,
        subject_type=filters["subject_type"],
        subject_id=filters["subject_id"],
        scope=filters["scope"],
        project_id=filters["project_id"],
        author=filters["author"],
        listening=who.listening,
        include_quarantined=include_quarantined,
        before_id=before,
        limit=limit,
    )
    return _listed(principal, rows)


def authored(
    principal: Principal,
    *,
    filters: Mapping[str, str | None],
    before: uuid.UUID | None = None,
    limit: int,
    channel: str | None = None,
) -> list[dict[str, Any]]:
    """The principal's own capsules in every status, newest first. Raises ChannelNotAllowed."""
    who = _audience_of(principal, channel, LISTED)
    gate.act_as(principal)
    rows = db.get_authored_capsules(
        tenant=principal.tenant_id,
        subject_type=filters["subject_type"],
        subject_id=filters["subject_id"],
        scope=filters["scope"],
        project_id=filters["project_id"],
        listening=who.listening,
        before_id=before,
        limit=limit,
    )
    return _listed(principal, rows)


def warnings(principal: Principal, *, before: uuid.UUID | None = None, limit: int) -> list[dict[str, Any]]:
    """The principal's own capsules that are about to expire, newest first; `warned_at` is None until the job has
    run."""
    who = audience(principal, None)
    gate.act_as(principal)
    rows = db.get_authored_capsules(
        tenant=principal.tenant_id,
        within=expiry.warning_time(),
        listening=who.listening,
        before_id=before,
        limit=limit,
    )
    return [
        {
            "capsule_id": row.capsule_id,
            "created_at": row.created_at,
            "expires_at": row.expires_at,
            "warned_at": row.warned_at,
            "scope": row.scope,
            "subject_type": row.subject_type,
            "subject_id": row.subject_id,
            "project_id": row.project_id,
        }
        for row in rows
    ]


def read(
    principal: Principal, capsule_id: uuid.UUID, *, channel: str | None = None, include_quarantined: bool = False
) -> dict[str, Any]:
    """A capsule with its items as the reader may see them now, and its custody.

    Raises NoSuchCapsule, NotInAudience, CapsuleIsRevoked, CapsuleHasExpired, ChannelNotAllowed.
    """
    if include_quarantined:
        principal.require_quarantine_reader()
    who = _audience_of(principal, channel, READ, capsule_id)
    row = _row(principal, capsule_id, who, READ)
    items: list[CapsuleItemRow] = []
    if row.withheld != "blocked":
        items = db.get_capsule_items(
            tenant=principal.tenant_id,
            capsules=[capsule_id],
            listening=who.listening,
            include_quarantined=include_quarantined,
        )
    custody = db.capsule_custody(tenant=principal.tenant_id, capsule=capsule_id, names=NAMED_AT_MOST)
    if not custody:  # revoked or expired since the lookup
        _row(principal, capsule_id, who, READ)
    access.log(READ, actor=principal, target_type="capsule", target_id=capsule_id, details={"from": "direct"})
    seen = [item for item in items if item.kind == "chunk" and item.withheld is None]
    deliver(principal, [(item.item_id, item.edits_applied) for item in seen], means=Means.CAPSULE)
    return {
        **capsule_json(row),
        "items": items_json(items).get(capsule_id, {name: [] for name in KINDS}),
        "audience": custody[-1].audience,
        "audience_agent_ids": custody[-1].audience,
        "custody": [_custody_json(one) for one in custody],
    }


_custody_json = ColumnDict(Custody)


def usage(principal: Principal, capsule_id: uuid.UUID) -> dict[str, Any]:
    """How often, and by whom, a capsule was read by its id or in a context bundle; for its author and people with a
    role.

    Raises NoSuchCapsule, UsageNotYours, and the refusals of `read`.
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
    """The audience of the request. A refused channel gets an access record, like a refused capsule.

    Raises ChannelRefused, and what _row raises for a capsule that the reader may not read in any channel.
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


def _row(principal: Principal, capsule_id: uuid.UUID, who: Audience, action: str) -> CapsuleRow:
    """One capsule for its reader. Raises the refusals of `refuse`, which writes an access record."""
    gate.act_as(principal)
    row = db.read_capsule(
        tenant=principal.tenant_id,
        capsule=capsule_id,
        listening=who.listening,
    )
    if row.refusal:
        refuse(row.refusal, action, capsule_id, actor=principal)
    return row


def _listed(principal: Principal, rows: list[CapsuleRow]) -> list[dict[str, Any]]:
    """Capsules with their audience and the ids of their items; the whole list is one access record."""
    ids = [row.capsule_id for row in rows]
    held = _item_ids(principal.tenant_id, [row.capsule_id for row in rows if row.withheld != "blocked"])
    access.log(LISTED, actor=principal, target_type="capsule", details={"capsules": [str(one) for one in ids]})
    named = _audience_slugs(principal.tenant_id, ids)
    return [
        {
            **capsule_json(row),
            "audience_agent_ids": named[row.capsule_id],
            "items": held.get(row.capsule_id, {name: [] for name in KINDS}),
        }
        for row in rows
    ]


# A separate statement looks the agents up. With a join, the planner went through them for every capsule, and row
# security
# checked the tenant each time: 64 of the 70 ms of a page (measured).
_AUDIENCE = """
    SELECT c.id AS capsule_id, ARRAY(
        SELECT a.agent_id FROM capsules_capsuleaudience a WHERE a.tenant_id = %s AND a.capsule_id = c.id LIMIT %s
    ) AS agent_ids
    FROM unnest(%s::uuid[]) AS c (id)
"""


@dataclass(frozen=True, slots=True)
class _Audience:
    """The agents of a capsule's audience, NAMED_AT_MOST of them."""

    capsule_id: uuid.UUID
    agent_ids: list[uuid.UUID]


def _audience_slugs(tenant_id: uuid.UUID, capsule_ids: list[uuid.UUID]) -> dict[uuid.UUID, list[str]]:
    """The names of NAMED_AT_MOST agents of each capsule's audience, sorted."""
    audiences = select(_Audience, _AUDIENCE, [tenant_id, NAMED_AT_MOST, capsule_ids])
    wanted = {agent for row in audiences for agent in row.agent_ids}
    slugs = dict(Agent.objects.filter(tenant_id=tenant_id, id__in=wanted).values_list("id", "slug"))
    return {row.capsule_id: sorted(slugs[agent] for agent in row.agent_ids) for row in audiences}


# One row per kind, with the ids as text, as in the response: a page may have thousands of ids. The capsules are looked
# up
# one by one: for many at once, the planner reads all items of a tenant with few.
_ITEM_IDS = """
    SELECT i.capsule_id, i.kind, array_agg(i.item_id::text ORDER BY i.position) AS ids
    FROM unnest(%s::uuid[]) AS k (id) CROSS JOIN LATERAL (
        SELECT y.* FROM capsules_capsuleitem y WHERE y.tenant_id = %s AND y.capsule_id = k.id OFFSET 0) i
    GROUP BY i.capsule_id, i.kind
"""


@dataclass(frozen=True, slots=True)
class _ItemIds:
    """The items of one kind that a capsule holds, in order."""

    capsule_id: uuid.UUID
    kind: str
    ids: list[str]


def _item_ids(tenant_id: uuid.UUID, capsule_ids: list[uuid.UUID]) -> dict[uuid.UUID, dict[str, list[str]]]:
    """The ids of each capsule's items by kind, in order."""
    names = {kind: name for name, kind in KINDS.items()}
    found: dict[uuid.UUID, dict[str, list[str]]] = {}
    for row in select(_ItemIds, _ITEM_IDS, [capsule_ids, tenant_id]):
        found.setdefault(row.capsule_id, {name: [] for name in KINDS})[names[row.kind]] = row.ids
    return found
