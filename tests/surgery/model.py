"""What memory must look like: a plain fold over plain lists, which knows nothing of the product's."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any

CHANNELS = ("private", "public", "team", "agent")
WINDOW, OVERLAP = 200, 50
PEOPLE = {"bob", "ann"}
REFINING = {"amend", "attenuate"}


@dataclass
class Edit:
    """An edit as it was proposed. `applied` is its place in the order of application, from 1 on; `counts` says whether
    it was one of those of another's memory that an agent makes at once."""

    id: str
    target: str
    op: str
    by: str
    patch: dict[str, Any]
    status: str
    applied: int = 0
    is_decided_by_person: bool = False
    counts: bool = False


@dataclass
class Chunk:
    """Words [first, last) of its memory's text."""

    id: str
    first: int
    last: int


@dataclass
class Memory:
    """One event with its chunks and perhaps a decision. `number` is its place in time, `said` its own text, and `text`
    that with the words of its fields, which its chunks hold."""

    number: int
    event: str
    ts: datetime
    channel: str
    sensitivity: str
    subject: str | None
    said: str
    text: str
    chunks: list[Chunk]
    fields: dict[str, Any]
    decision: str | None = None
    supersedes: str | None = None

    @property
    def words(self):
        return self.text.split()

    @property
    def importance(self):
        return Decimal("1") if self.decision else Decimal("0.5")


@dataclass
class State:
    """What the edits make of one record."""

    importance: Decimal
    retracted: bool = False
    quarantined: bool = False
    blocked: set[str] = field(default_factory=set)
    text: str | None = None
    audience: list[str] | None = None
    edits: int = 0

    @property
    def hidden_or_amended(self):
        corrected = self.text is not None or self.audience is not None
        return self.retracted or self.quarantined or bool(self.blocked) or corrected


@dataclass
class Shown:
    """A chunk as the effective memory has it; `words` None where another chunk shows them."""

    id: str
    memory: Memory
    state: State
    words: list[str] | None


@dataclass(frozen=True)
class Reader:
    """Who reads: in one channel or, with None, in all; with quarantined memory or without."""

    channel: str | None
    quarantined: bool

    @property
    def listening(self):
        return CHANNELS if self.channel is None else (self.channel,)

    @property
    def hears(self):
        confidential = any(channel in ("private", "team") for channel in self.listening)
        return ("none", "low", "high") if confidential else ("none", "low")

    def may_see(self, state, sensitivity):
        return (
            not state.retracted
            and (self.quarantined or not state.quarantined)
            and not state.blocked & set(self.listening)
            and sensitivity in self.hears
        )


READERS = [Reader(channel, quarantined) for channel in ("private", "public", None) for quarantined in (False, True)]


class Model:
    """Everything that was recorded and every edit, and what follows from them."""

    def __init__(self):
        self.memories: list[Memory] = []
        self.edits: dict[str, Edit] = {}
        self.clock = 0

    # -- what happens

    def apply(self, edit):
        self.clock += 1
        edit.status, edit.applied = "approved", self.clock

    def add_edit(self, edit):
        self.edits[edit.id] = edit
        if edit.status == "approved":
            self.apply(edit)

    # -- the fold

    def cancelled(self, also=None):
        """The edits that reverts cancel; `also` is one more, which a revert cancels last."""
        found = set() if also is None else {also}
        reverts = [edit for edit in self.edits.values() if edit.op == "revert" and edit.status == "approved"]
        for edit in sorted(reverts, key=lambda edit: -edit.applied):
            if edit.id not in found:
                found.add(edit.patch["edit_id"])
        return found

    def can_be_reverted(self, edit_id):
        return self.edits[edit_id].status == "approved" and edit_id not in self.cancelled()

    def fold(self, target, twins, importance, also=None):
        state, cancelled = State(importance), self.cancelled(also)
        applied = [edit for edit in self.edits.values() if edit.status == "approved" and edit.op != "revert"]
        for edit in sorted(applied, key=lambda edit: edit.applied):
            if edit.id in cancelled or edit.target not in (target, *twins):
                continue
            own, patch = edit.target == target, edit.patch
            if not own and (edit.op == "attenuate" or (edit.op == "amend" and "text" not in patch)):
                continue
            state.edits += 1
            if edit.op == "retract":
                state.retracted = True
            elif edit.op == "quarantine":
                state.quarantined = True
            elif edit.op == "block":
                state.blocked.add(patch["channel"])
            elif edit.op == "audience":
                state.audience = patch["audience"]["principals"]
            elif edit.op == "amend":
                state.text = patch.get("text", state.text)
                if own and "importance" in patch:
                    state.importance = Decimal(patch["importance"])
            elif "importance" in patch:
                state.importance = Decimal(patch["importance"])
            else:
                moved = state.importance + Decimal(patch["importance_delta"])
                state.importance = min(max(moved, Decimal(0)), Decimal(1))
        return state

    def chunk_state(self, memory, chunk, also=None):
        return self.fold(chunk.id, [memory.decision] if memory.decision else [], memory.importance, also)

    def decision_state(self, memory):
        return self.fold(memory.decision, [chunk.id for chunk in memory.chunks], Decimal(1))

    def shown(self, memory):
        """The chunks of a memory. Beside an edited chunk the shared words go; the same amended text is shown once."""
        states = [self.chunk_state(memory, chunk) for chunk in memory.chunks]
        found, said = [], set()
        for place, (chunk, state) in enumerate(zip(memory.chunks, states, strict=True)):
            if state.text is not None:
                words = None if state.text in said else state.text.split()
                said.add(state.text)
            else:
                first, last = chunk.first, chunk.last
                if not state.hidden_or_amended:
                    if place > 0 and states[place - 1].hidden_or_amended:
                        first = max(first, memory.chunks[place - 1].last)
                    if place + 1 < len(states) and states[place + 1].hidden_or_amended:
                        last = min(last, memory.chunks[place + 1].first)
                words = memory.words[first:last] or None
            found.append(Shown(chunk.id, memory, state, words))
        return found

    def is_found_by_agents(self, target):
        """Whether a chunk or decision may be heard in one of the channels: an agent edits nothing else."""
        memory = self.memory_of(target)
        if target == memory.decision:
            state = self.decision_state(memory)
        else:
            state = self.chunk_state(memory, next(chunk for chunk in memory.chunks if chunk.id == target))
        return any(
            memory.sensitivity in Reader(channel, True).hears and channel not in state.blocked for channel in CHANNELS
        )

    # -- whose words an edit touches

    def memory_of(self, target):
        (memory,) = [one for one in self.memories if target in (one.decision, *(chunk.id for chunk in one.chunks))]
        return memory

    def audiences(self, target, also=None):
        """The audiences of a chunk, or of all chunks of a decision's memory; no two name the same principals."""
        memory = self.memory_of(target)
        chunks = memory.chunks if target == memory.decision else [one for one in memory.chunks if one.id == target]
        states = [self.chunk_state(memory, chunk, also) for chunk in chunks]
        return {tuple(state.audience) for state in states if state.audience is not None}

    def is_wider(self, op, target, patch):
        """Whether an agent's edit lets others hear its target: a new audience, or one that a revert brings back,
        contains none of those before it."""
        if op == "audience":
            return bool(self.audiences(target))
        return op == "revert" and not self.audiences(target) <= self.audiences(target, patch["edit_id"])

    def applies_at_once(self, policy, by, op, target, patch=None):
        """Whether an edit needs no approval. alice recorded every memory; dave is another agent."""
        if by not in PEOPLE and self.is_wider(op, target, patch):
            return False
        if policy == "open" or (by in PEOPLE and policy != "strict"):
            return True
        if policy == "strict":
            return False
        memory = self.memory_of(target)
        records = {memory.decision, *(chunk.id for chunk in memory.chunks)}
        if by == "alice":
            return self.own_applies_at_once(op, records)
        if self.is_decided_by_person(records):
            return False
        return op in REFINING and not self.is_in_force(memory) and sum(edit.counts for edit in self.edits.values()) < 20

    def is_decided_by_person(self, records):
        """Whether a person proposed or approved an edit in effect of one of the records, or rejected an edit of it."""
        cancelled = self.cancelled()
        return any(
            (edit.status == "rejected" and edit.is_decided_by_person)
            or (
                edit.status == "approved"
                and edit.id not in cancelled
                and (edit.by in PEOPLE or edit.is_decided_by_person)
            )
            for edit in self.edits.values()
            if edit.target in records
        )

    def own_applies_at_once(self, op, records):
        """Whether alice's edit of her own memory with these records, which nobody else received, needs no approval
        under the standard policy."""
        if self.is_decided_by_person(records):
            return False
        applied = [edit for edit in self.edits.values() if edit.target in records and edit.status == "approved"]
        return op in REFINING or (op == "retract" and all(edit.by == "alice" for edit in applied))

    def is_in_force(self, memory):
        if memory.decision is None or self.decision_state(memory).retracted:
            return False
        states = [(one, self.decision_state(one)) for one in self.memories if one.decision]
        return memory.decision not in {
            one.supersedes for one, state in states if not (state.retracted or state.quarantined)
        }

    # -- what readers see

    def chunks(self, reader, *, in_channel):
        """By id: those that the reader may see; `in_channel` leaves out the chunks of channels not listened to."""
        return {
            one.id: one
            for memory in self.memories
            for one in self.shown(memory)
            if one.words is not None
            and reader.may_see(one.state, memory.sensitivity)
            and (not in_channel or memory.channel in reader.listening)
        }

    def event_words(self, memory, reader):
        """(withheld, words or None where nothing was corrected)."""
        shown = self.shown(memory)
        states = [one.state for one in shown]
        if any(state.retracted for state in states):
            return "retracted", None
        if any(state.blocked & set(reader.listening) for state in states):
            return "blocked", None
        if any(state.quarantined for state in states) and not reader.quarantined:
            return "quarantined", None
        if memory.sensitivity not in reader.hears:
            return "sensitivity", None
        if all(state.text is None for state in states):
            return None, None
        words, reached = [], 0
        for one in shown:
            if one.words is None:
                continue
            if one.state.text is not None:
                words += one.words
            else:
                last = memory.words.index(one.words[-1]) + 1
                words += memory.words[max(memory.words.index(one.words[0]), reached) : last]
                reached = last
        return None, words

    def decisions_in_force(self, reader):
        """The policy's before the subject's, then newest first."""
        decided = [memory for memory in self.memories if memory.decision]
        states = {memory.number: self.decision_state(memory) for memory in decided}
        counting = [
            memory for memory in decided if not (states[memory.number].retracted or states[memory.number].quarantined)
        ]
        superseded = {memory.supersedes for memory in counting}
        return [
            (memory, states[memory.number])
            for memory in sorted(decided, key=lambda memory: (memory.subject is not None, -memory.number))
            if memory.decision not in superseded and reader.may_see(states[memory.number], memory.sensitivity)
        ]

    def removed_values(self):
        """(subject, normalised text) of what is retracted now: as recorded, as amended, as decided."""
        found = set()
        for memory in self.memories:
            for chunk in memory.chunks:
                state = self.chunk_state(memory, chunk)
                texts = (" ".join(memory.words[chunk.first : chunk.last]), state.text, memory.fields.get("decision"))
                found |= {(memory.subject, normal(text)) for text in texts if state.retracted and text is not None}
        return found

    def says_again(self, memory):
        """The chunks of a new memory that say what is removed."""
        removed = self.removed_values()
        return [
            chunk.id
            for chunk in memory.chunks
            for texts in ((" ".join(memory.words[chunk.first : chunk.last]), memory.fields.get("decision")),)
            if any(
                text is not None and normal(text) == value and (subject is None or memory.subject in (None, subject))
                for text in texts
                for subject, value in removed
            )
        ]


def normal(text):
    """Letters and digits in lower case, single spaces."""
    return re.sub(r"[\W_]+", " ", text.lower()).strip()


def windows(words):
    """The chunks of a text without sentence ends: [first, last) in words."""
    found, first = [], 0
    while True:
        last = min(first + WINDOW, len(words))
        found.append((first, last))
        if last == len(words):
            return found
        first = last - OVERLAP
