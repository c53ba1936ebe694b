"""What an agent's own memory must look like: a plain walk over plain lists, which knows nothing of the product's."""

from dataclasses import dataclass
from decimal import Decimal

from tests.surgery.model import Edit, Model, Reader, State

LABELS = ("persona", "user_profile", "goals", "knowledge")


#: The channels, the most open first (memory/queries/audience.py).
OPEN = ["public", "agent", "team", "private"]


@dataclass
class Own:
    """One entry of the agent's chain that says something; `below` are the numbers that it superseded."""

    seq: int
    chunk: str
    type: str
    text: str
    channel: str
    sensitivity: str
    importance: Decimal
    below: tuple[int, ...] = ()
    label: str | None = None
    version: int | None = None
    is_core: bool = False


class Chain:
    """Every memory of one agent and every edit, and what follows from them."""

    def __init__(self) -> None:
        self.memories: dict[int, Own] = {}
        self.surgery = Model()
        self.held: list[tuple[str, str]] = []  # (chunk, why) of the holds that the product has yet to name

    # -- what edits make of a memory

    def state(self, one: Own) -> State:
        state: State = self.surgery.fold(one.chunk, [], one.importance)
        return state

    def is_hidden(self, one: Own) -> bool:
        state = self.state(one)
        return state.retracted or state.quarantined

    def is_edited_away(self, one: Own) -> bool:
        return self.is_hidden(one) or bool(self.state(one).blocked)

    def text(self, one: Own) -> str:
        return self.state(one).text or one.text

    # -- what has the place of what

    def above(self, seqs: list[int]) -> list[Own]:
        """What superseded them, the latest first."""
        found = [one for one in self.memories.values() if set(one.below) & set(seqs)]
        return sorted(found, key=lambda one: -one.seq)

    def successor(self, one: Own) -> Own | None:
        """The nearest above it that is not hidden."""
        level = [one.seq]
        while above := self.above(level):
            for higher in above:
                if not self.is_hidden(higher):
                    return higher
            level = [higher.seq for higher in above]
        return None

    def of_chunk(self, chunk: str) -> Own:
        return next(one for one in self.memories.values() if one.chunk == chunk)

    def newest_version(self, label: str) -> Own | None:
        versions = [one for one in self.memories.values() if one.label == label]
        return max(versions, key=lambda one: one.seq, default=None)

    # -- what is held

    def to_hold(self, one: Own) -> list[Own]:
        """The consolidations built on a memory that an edit has just hidden, which must be held."""
        if not self.is_edited_away(one):
            return []
        above = [higher for higher in self.above([one.seq]) if higher.type == "consolidation"]
        return [higher for higher in sorted(above, key=lambda higher: higher.seq) if not self.is_hidden(higher)]

    # -- what readers get

    def seen(self, reader: Reader, *, superseded: bool) -> list[Own]:
        """The memories that the reader gets, the newest first."""
        return [
            one
            for one in sorted(self.memories.values(), key=lambda one: -one.seq)
            if reader.may_see(self.state(one), one.sensitivity) and (superseded or self.successor(one) is None)
        ]

    def assembled(self, reader: Reader, *, superseded: bool) -> list[Own]:
        """What recall and prompts take of it: for a channel, memory of channels that are at least as open."""
        seen = self.seen(reader, superseded=superseded)
        if reader.channel is None:
            return seen
        return [one for one in seen if OPEN.index(one.channel) <= OPEN.index(reader.channel)]

    def core(self, reader: Reader) -> list[Own]:
        seen = [one for one in self.assembled(reader, superseded=False) if one.is_core]
        return sorted(seen, key=lambda one: (LABELS.index(str(one.label)), -one.seq))

    def reverted(self, edit: Edit) -> bool:
        return not self.surgery.can_be_reverted(edit.id)
