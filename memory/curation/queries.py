"""Reading an agent's own memory: by number, by label, core memory, lists."""

import uuid
from collections.abc import Sequence

from governance.acting.principals import Principal
from governance.models import Agent
from governance.refusals import Invalid, NotFound
from memory.curation import db
from memory.curation.db import Amendment, OwnMemory
from memory.queries.audience import audience
from memory.usage.deliveries import Version, deliver
from memory.usage.means import Means


class NoSuchMemory(NotFound):
    """This memory does not exist in the chain, or you may not read it."""


class WhoseMemory(Invalid):
    """A person has no memory of their own. Use the key of an agent, or read an agent's memory with
    GET /memories?agent=NAME."""


def owner_of(principal: Principal, agent: str | None = None) -> uuid.UUID:
    """The agent whose memory `principal` reads: its own, or for people with a role the one with this slug. Raises
    WhoseMemory; another agent's memory is refused as if it did not exist."""
    if principal.kind == "agent" and agent in (None, principal.name):
        return principal.id
    found = None
    if principal.kind != "agent" and agent is not None:
        found = Agent.objects.filter(tenant_id=principal.tenant_id, slug=agent).values_list("id", flat=True).first()
    if found is None:
        own = "You can read only your own memory. Omit the agent."
        detail = own if principal.kind == "agent" else " ".join(str(WhoseMemory.__doc__).split())
        raise WhoseMemory(detail, errors=[{"parameter": "agent", "detail": detail, "code": WhoseMemory.code}])
    return found


def list_memories(
    principal: Principal,
    *,
    agent: str | None = None,
    channel: str | None = None,
    include_quarantined: bool = False,
    include_superseded: bool = False,
    type: str | None = None,
    block_label: str | None = None,
    before: int | None = None,
    limit: int = 50,
) -> list[OwnMemory]:
    """Memories of an agent's chain with a number below `before`, newest first. Raises WhoseMemory,
    ChannelNotAllowed."""
    return db.list_agent_memories(
        tenant=principal.tenant_id,
        agent=owner_of(principal, agent),
        listening=audience(principal, channel, include_quarantined=include_quarantined).listening,
        include_quarantined=include_quarantined,
        include_superseded=include_superseded,
        type=type,
        block_label=block_label,
        before=before,
        limit=limit,
    )


def find_memory(
    principal: Principal,
    seq: int,
    *,
    agent: str | None = None,
    channel: str | None = None,
    include_quarantined: bool = False,
) -> OwnMemory:
    """One memory by its number, superseded or not. Raises NoSuchMemory, WhoseMemory, ChannelNotAllowed."""
    found = db.get_agent_memories(
        tenant=principal.tenant_id,
        agent=owner_of(principal, agent),
        seqs=[seq],
        listening=audience(principal, channel, include_quarantined=include_quarantined).listening,
        include_quarantined=include_quarantined,
    )
    if not found:
        raise NoSuchMemory
    deliver(principal, _versions(found), means=Means.GET, to_people=True)
    return found[0]


def find_block(principal: Principal, label: str, *, channel: str | None = None) -> OwnMemory | None:
    """The current version of a block of the actor; None if it may read none. Raises ChannelNotAllowed."""
    found = list_memories(principal, channel=channel, type="block", block_label=label, limit=1)
    deliver(principal, _versions(found), means=Means.BLOCK)
    return found[0] if found else None


def block_history(
    principal: Principal, label: str, *, channel: str | None = None, before: int | None = None, limit: int = 20
) -> list[OwnMemory]:
    """The versions of a block of the actor with a number below `before`, newest first. Raises ChannelNotAllowed."""
    return list_memories(
        principal,
        channel=channel,
        type="block",
        block_label=label,
        include_superseded=True,
        before=before,
        limit=limit,
    )


def core_memories(principal: Principal, *, channel: str | None = None) -> Sequence[OwnMemory]:
    """The core memories of the actor, in order of their labels; none for a person. Raises ChannelNotAllowed."""
    if principal.kind != "agent":
        return []
    return db.get_core_memories(
        tenant=principal.tenant_id, agent=principal.id, listening=audience(principal, channel).listening
    )


def amendments(principal: Principal, found: Sequence[OwnMemory]) -> dict[uuid.UUID, list[Amendment]]:
    """The amends of the text of each edited memory among `found`, by its chunk, oldest first."""
    edited = [one.chunk_id for one in found if one.edits_applied]
    by_chunk: dict[uuid.UUID, list[Amendment]] = {}
    for one in db.amendments_of(tenant=principal.tenant_id, chunks=edited) if edited else ():
        by_chunk.setdefault(one.chunk_id, []).append(one)
    return by_chunk


def unconfirmed(principal: Principal, found: Sequence[OwnMemory]) -> dict[uuid.UUID, Amendment]:
    """The last amend by another agent that neither the owner nor a person has confirmed, by chunk."""
    return {
        chunk: waiting[-1]
        for chunk, made in amendments(principal, found).items()
        if (waiting := [one for one in made if not one.is_confirmed])
    }


def _versions(found: Sequence[OwnMemory]) -> list[Version]:
    return [(one.chunk_id, one.edits_applied) for one in found]
