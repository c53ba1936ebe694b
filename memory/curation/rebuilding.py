"""Rebuilds an agent's own memory from its chain alone, and compares it with effective memory."""

import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

from governance.acting import gate
from governance.ledger import exports
from governance.ledger.db import content_hashes
from governance.models import Agent, Chain
from governance.refusals import NotFound
from memory.models import AgentMemory, Chunk, Decision, EffectiveChunk, Supersession
from suture_verify.entries import REDACTION, Entry, chain_of_agent, parse_entry, redacted_contents
from suture_verify.following import START, follow

_TYPES = frozenset(AgentMemory.Type.values)
DECISION = "decision"
#: Contents to look up at once.
BATCH = 1_000


class NoSuchAgent(NotFound):
    """The tenant has no agent with this name."""


@dataclass(frozen=True, slots=True)
class ChainMemory:
    """A memory as its entry describes it. `supersedes` are the numbers that it replaces; for a block, the previous
    version."""

    seq: int
    type: str
    chunk: uuid.UUID
    content_hash: bytes | None
    retention: str
    importance: Decimal
    channel: str
    expires_at: datetime | None
    supersedes: tuple[int, ...]
    reason: str
    block_label: str | None
    version: int | None
    previous_block_seq: int | None
    is_core: bool


@dataclass(frozen=True, slots=True)
class Difference:
    """A field of a memory that differs between the chain and the database."""

    seq: int
    field: str
    chain: str
    database: str


@dataclass(slots=True)
class Rebuilt:
    """The content of an agent's chain: its memories by number, its decisions, and the erased contents."""

    entries: int = 0
    memories: dict[int, ChainMemory] = field(default_factory=dict)
    decisions: dict[int, uuid.UUID] = field(default_factory=dict)
    erased: set[uuid.UUID] = field(default_factory=set)

    #: The numbers of the memories that superseded a memory.
    successors: dict[int, list[int]] = field(default_factory=dict)

    def add(self, memory: ChainMemory) -> None:
        """Add the next memory of the chain."""
        self.memories[memory.seq] = memory
        for seq in memory.supersedes:
            self.successors.setdefault(seq, []).insert(0, memory.seq)


def rebuild(tenant_id: uuid.UUID, agent: str) -> tuple[Rebuilt, list[Difference]]:
    """Read an agent's chain, verifying every entry, rebuild its memory, and compare. Raises NoSuchAgent, and
    UnverifiedEntry for an invalid chain."""
    with gate.tenant(tenant_id):
        found = Agent.objects.filter(tenant_id=tenant_id, slug=agent).first()
    if found is None:
        raise NoSuchAgent(f"This tenant has no agent {agent!r}.")
    rebuilt = _read(tenant_id, chain_of_agent(agent))
    with gate.tenant(tenant_id):
        return rebuilt, list(_compare(tenant_id, found.id, rebuilt))


def _read(tenant_id: uuid.UUID, name: str) -> Rebuilt:
    rebuilt = Rebuilt()
    with gate.tenant(tenant_id):
        chain = Chain.objects.get(tenant_id=tenant_id, name=name)
    extent = exports.Extent(((name, chain.id, chain.seq),), 0)
    position = START
    for line in exports.entries(tenant_id, extent):
        position = follow(position, [(line.seq, line.canonical, line.signature)], tenant=tenant_id, chain=name)
        entry = parse_entry(line.canonical)
        rebuilt.entries += 1
        if entry.type in _TYPES:
            rebuilt.add(_memory(entry))
        elif entry.type == DECISION:
            rebuilt.decisions[entry.seq] = uuid.UUID(entry.metadata["decision"])
        elif entry.type == REDACTION:
            rebuilt.erased.update(map(uuid.UUID, redacted_contents(entry.metadata)))
    return rebuilt


def _memory(entry: Entry) -> ChainMemory:
    said = entry.metadata
    previous = said.get("previous_block_seq")
    return ChainMemory(
        seq=entry.seq,
        type=entry.type,
        chunk=uuid.UUID(said["chunk"]),
        content_hash=entry.content_hash,
        retention=entry.retention,
        importance=Decimal(said["importance"]),
        channel=said["channel"],
        expires_at=datetime.fromisoformat(said["expires_at"]) if said["expires_at"] else None,
        supersedes=tuple(said.get("supersedes", () if previous is None else (previous,))),
        reason=said.get("reason") or "",
        block_label=said.get("block_label"),
        version=said.get("version"),
        previous_block_seq=previous,
        is_core=said.get("is_core", False),
    )


def _compare(tenant_id: uuid.UUID, agent: uuid.UUID, rebuilt: Rebuilt) -> Iterator[Difference]:
    rows = {row.seq: row for row in AgentMemory.objects.filter(tenant_id=tenant_id, agent_id=agent)}
    chunks = Chunk.objects.filter(tenant_id=tenant_id).in_bulk([row.id for row in rows.values()])
    effective = EffectiveChunk.objects.filter(tenant_id=tenant_id).in_bulk([row.id for row in rows.values()])
    edges: dict[int, set[int]] = {}
    pairs = Supersession.objects.filter(tenant_id=tenant_id, agent_id=agent)
    for successor, superseded in pairs.values_list("successor_seq", "superseded_seq"):
        edges.setdefault(successor, set()).add(superseded)
    hashes = _hashes(tenant_id, [chunk.content_id for chunk in chunks.values()])
    for seq in sorted(rebuilt.memories.keys() | rows.keys()):
        expected, row = rebuilt.memories.get(seq), rows.get(seq)
        if expected is None or row is None or row.id not in chunks or row.id not in effective:
            yield Difference(seq, "memory", "there" if expected else "missing", "there" if row else "missing")
            continue
        chunk, seen = chunks[row.id], effective[row.id]
        digest = hashes.get(chunk.content_id)
        if digest is None and chunk.content_id in rebuilt.erased:
            digest = expected.content_hash
        pairs_of = {
            "type": (expected.type, row.type),
            "chunk": (expected.chunk, row.id),
            "content_hash": (_hex(expected.content_hash), _hex(digest)),
            "retention": (expected.retention, chunk.retention),
            "importance": (expected.importance, chunk.importance),
            "channel": (expected.channel, chunk.channel),
            "expires_at": (expected.expires_at, row.expires_at),
            "supersedes": (sorted(expected.supersedes), sorted(edges.get(seq, ()))),
            "reason": (expected.reason, row.reason),
            "block_label": (expected.block_label, row.block_label),
            "version": (expected.version, row.version),
            "previous_block_seq": (expected.previous_block_seq, row.previous_block_seq),
            "is_core": (expected.is_core, row.is_core),
            "the projection": (
                (seq, expected.block_label, expected.is_core, expected.expires_at),
                (seen.seq, seen.block_label, seen.is_core, seen.expires_at),
            ),
        }
        by = _successor(seq, rebuilt, effective)
        pairs_of["superseded_by"] = (by, _seq_of(seen, effective))
        for name, (said, is_there) in pairs_of.items():
            if said != is_there:
                yield Difference(seq, name, str(said), str(is_there))
    known = set(
        Decision.objects.filter(tenant_id=tenant_id, id__in=rebuilt.decisions.values()).values_list("id", flat=True)
    )
    for seq, decision in rebuilt.decisions.items():
        if decision not in known:
            yield Difference(seq, "decision", str(decision), "missing")


def _successor(seq: int, rebuilt: Rebuilt, effective: Mapping[uuid.UUID, EffectiveChunk]) -> int | None:
    """The number of the memory that replaces one, as successor_of() in the database finds it."""
    above = rebuilt.successors.get(seq, [])
    while above:
        for one in above:
            row = effective.get(rebuilt.memories[one].chunk)
            if row is not None and not (row.is_retracted or row.is_quarantined):
                return one
        above = sorted({up for one in above for up in rebuilt.successors.get(one, [])}, reverse=True)
    return None


def _seq_of(seen: EffectiveChunk, effective: Mapping[uuid.UUID, EffectiveChunk]) -> int | None:
    if not seen.is_superseded or seen.superseded_by is None:
        return None
    successor = effective.get(seen.superseded_by)
    return None if successor is None else successor.seq


def _hashes(tenant_id: uuid.UUID, contents: list[uuid.UUID]) -> dict[uuid.UUID, bytes]:
    found: dict[uuid.UUID, bytes] = {}
    for start in range(0, len(contents), BATCH):
        rows = content_hashes(tenant=tenant_id, ids=contents[start : start + BATCH])
        found |= {row.id: row.sha256 for row in rows}
    return found


def _hex(digest: Any) -> str:
    return bytes(digest).hex() if digest is not None else "missing"
