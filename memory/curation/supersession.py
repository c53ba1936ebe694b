"""The memories that a consolidation may supersede."""

from collections.abc import Sequence

from django.utils import timezone

from governance.acting.principals import CHOSEN_FIRST, Principal
from governance.models import Chain, Entry
from governance.refusals import Conflict, Fault, Invalid
from memory.models import AgentMemory, EffectiveChunk
from memory.queries.audience import audience, hears
from suture_verify.entries import chain_of_agent


class NoSuchMemory(Invalid):
    """A consolidation can supersede only memories of your own chain, by their sequence numbers."""


class AlreadySuperseded(Conflict):
    """A memory that you want to consolidate is already superseded. Supersede its successor instead."""


class MoreOpenThanOriginals(Invalid):
    """A consolidation may not have a more open channel than its originals. Choose a channel that is at least as
    private."""


def require_no_more_open(channel: str, originals: Sequence[EffectiveChunk]) -> None:
    """Raise MoreOpenThanOriginals if `channel` is more open than the channel of one of the memories."""
    order = [str(one) for one in CHOSEN_FIRST]
    faults = [
        Fault(
            pointer="/channel",
            detail=f"Memory {one.seq} was recorded in the channel {one.channel}, which is more private than {channel}.",
            code=MoreOpenThanOriginals.code,
        )
        for one in originals
        if order.index(channel) > order.index(one.channel)
    ]
    if faults:
        raise MoreOpenThanOriginals(errors=faults)


def check_supersedes(seqs: Sequence[int], actor: Principal) -> list[EffectiveChunk]:
    """The actor's memories with these numbers as they are now; the chain must be locked. Raises NoSuchMemory and
    AlreadySuperseded, with the position of each number."""
    numbered = AgentMemory.objects.filter(tenant_id=actor.tenant_id, agent_id=actor.id, seq__in=seqs)
    known = dict(numbered.values_list("id", "seq"))
    # by keys: no index has every memory by its number
    heard = EffectiveChunk.objects.filter(hears(audience(actor, None)), tenant_id=actor.tenant_id, id__in=list(known))
    found = {one.seq: one for one in heard}
    unknown = sorted(set(seqs) - {*known.values()})
    types = _types_of(unknown, actor) if unknown else {}
    faults: list[Fault] = []
    superseded: list[Fault] = []
    for place, seq in enumerate(seqs):
        pointer = f"/supersedes/{place}"
        one = found.get(seq)
        if seq in seqs[:place]:
            faults.append(Fault(pointer=pointer, detail=f"Memory {seq} is listed twice."))
        elif one is None and seq in types:
            faults.append(
                Fault(pointer=pointer, detail=f"Entry {seq} of your chain is not a memory, but {types[seq]}.")
            )
        elif one is None:
            faults.append(Fault(pointer=pointer, detail=f"Your chain has no memory {seq}."))
        elif one.block_label is not None:
            detail = f"Memory {seq} is a version of the block {one.block_label}. To change it, use block_update."
            faults.append(Fault(pointer=pointer, detail=detail))
        elif one.expires_at is not None and one.expires_at <= timezone.now():
            faults.append(Fault(pointer=pointer, detail=f"Memory {seq} has expired."))
        elif one.is_superseded:
            superseded.append(Fault(pointer=pointer, detail=_superseded(one)))
    if faults:
        raise NoSuchMemory(errors=[*faults, *superseded])
    if superseded:
        raise AlreadySuperseded(errors=superseded)
    return [found[seq] for seq in seqs]


def _superseded(one: EffectiveChunk) -> str:
    above = AgentMemory.objects.filter(tenant_id=one.tenant_id, id__in=[one.superseded_by])
    by = above.values_list("seq", flat=True).first()
    return f"Memory {one.seq} is superseded by memory {by}."


def _types_of(seqs: Sequence[int], actor: Principal) -> dict[int, str]:
    """The types of entries of the actor's chain that are not memories."""
    chain = Chain.objects.filter(tenant_id=actor.tenant_id, name=chain_of_agent(actor.name)).values("id")
    rows = Entry.objects.filter(tenant_id=actor.tenant_id, chain_id__in=chain, seq__in=seqs)
    return dict(rows.values_list("seq", "type"))
