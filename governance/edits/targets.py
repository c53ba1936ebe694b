"""What an edit can be about. Governance knows no other app: each registers its kinds of target here.

A kind also has two SQL functions: `refold_<name>(tenant, id)` brings its projection to its approved edits, and
`state_of_<name>(tenant, id, lock)` is a hash of what a reviewer sees of it, and holds, where lock is true, all that
its refold changes to the end of the transaction.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from governance import gate
from governance.identity.principals import Principal
from governance.refusals import Invalid, NotFound


class UnknownTargetType(Invalid):
    """This kind of target cannot be edited."""


class NoSuchTarget(NotFound):
    """There is no such target in this tenant."""


@dataclass(frozen=True, slots=True)
class TargetState:
    """What governance needs of a target: who may hear it, and what a reviewer looks at."""

    id: uuid.UUID
    sensitivity: str
    edits_applied: int
    state: str = ""  # `state_of_<name>()`: what a reviewer's verdict is tied to
    summary: str = ""
    text: str | None = None
    risks: tuple[str, ...] | None = None  # of a capsule; None where they were erased, and for other kinds
    importance: str | None = None
    is_retracted: bool = False
    is_quarantined: bool = False
    blocked_channels: tuple[str, ...] = ()
    is_superseded: bool = False  # another record of its memory says it
    hidden: str = ""  # of one that was found: why the finder does not get its words, whichever channel they speak in

    @property
    def words(self) -> str | None:
        """All that it says as one text: of a capsule the note, then each risk on a line of its own. None where the
        text was erased."""
        if self.text is None or not self.risks:
            return self.text
        return "\n".join([*filter(None, [self.text]), *(f"Risk: {risk}" for risk in self.risks)])

    @property
    def is_in_no_answer(self) -> bool:
        """Whether nobody reads it, however they ask."""
        return self.is_retracted or self.is_superseded


class TargetKind(Protocol):
    """One kind of target, by its name in `Edit.target_type`."""

    name: str

    def find_many(self, target_ids: list[uuid.UUID], principal: Principal) -> dict[uuid.UUID, TargetState]:
        """The present states of those that exist in `principal`'s tenant, without words. Called within the tenant."""

    def read(self, target_id: uuid.UUID, principal: Principal, channel: str | None) -> TargetState | None:
        """The target with its effective text, as `principal` may see it in `channel`; None where they may not."""

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        """The same with its effective text, for the reviewer's page. Called within the tenant on `review`."""

    def read_revert(
        self, target_id: uuid.UUID, edit_id: uuid.UUID, principal: Principal, channel: str | None
    ) -> tuple[TargetState, TargetState] | None:
        """The target now, and as the fold would leave it if the edit were reverted.

        None where `principal` may not see it in `channel`. People with a reading role look after what is retracted
        or blocked too, and get its words.
        """

    def review_revert(
        self, target_id: uuid.UUID, edit_id: uuid.UUID, principal: Principal
    ) -> tuple[TargetState, TargetState] | None:
        """The same for the reviewer's page. Called within the tenant on `review`."""


_kinds: dict[str, TargetKind] = {}


def register(kind: TargetKind) -> None:
    """Make `kind` a target of edits; called once by its app's `ready()`."""
    _kinds[kind.name] = kind


def is_known(name: str) -> bool:
    """Whether targets of this kind can be edited here."""
    return name in _kinds


def kind_of(name: str, pointer: str = "/target_type") -> TargetKind:
    """The registered kind. Raises UnknownTargetType, naming the place."""
    try:
        return _kinds[name]
    except KeyError:
        raise UnknownTargetType(
            f"Edits of a {name} are not available here; of {', '.join(sorted(_kinds))} they are.",
            pointer=pointer,
        ) from None


def find_many(
    wanted: Sequence[tuple[str, uuid.UUID]], principal: Principal
) -> dict[tuple[str, uuid.UUID], TargetState]:
    """The present states of those targets that exist, one query a kind. Raises UnknownTargetType."""
    by_kind: dict[str, list[uuid.UUID]] = {}
    for name, target_id in wanted:
        by_kind.setdefault(name, []).append(target_id)
    return {
        (name, target_id): state
        for name, ids in by_kind.items()
        for target_id, state in kind_of(name).find_many(ids, principal).items()
    }


def find(target_type: str, target_id: uuid.UUID, principal: Principal) -> TargetState:
    """The present state of a target. Raises UnknownTargetType, NoSuchTarget."""
    state = find_many([(target_type, target_id)], principal).get((target_type, target_id))
    if state is None:
        raise NoSuchTarget(f"There is no {target_type} {target_id}.", pointer="/target_id")
    return state


def read(target_type: str, target_id: uuid.UUID, principal: Principal, channel: str | None) -> TargetState:
    """A target with its words, as `principal` may see it. Raises UnknownTargetType, NoSuchTarget."""
    state = kind_of(target_type).read(target_id, principal, channel)
    if state is None:
        raise _not_to_be_seen(target_type, target_id)
    return state


def read_revert(
    target_type: str, target_id: uuid.UUID, edit_id: uuid.UUID, principal: Principal, channel: str | None
) -> tuple[TargetState, TargetState]:
    """A target now and as it would be without an edit. Raises UnknownTargetType, NoSuchTarget."""
    states = kind_of(target_type).read_revert(target_id, edit_id, principal, channel)
    if states is None:
        raise _not_to_be_seen(target_type, target_id)
    return states


def _not_to_be_seen(target_type: str, target_id: uuid.UUID) -> NoSuchTarget:
    return NoSuchTarget(f"There is no {target_type} {target_id} that you may see.", pointer="/target_id")


def state_of(target_type: str, target_id: uuid.UUID, principal: Principal, *, lock: bool = False) -> str:
    """What a verdict may carry to say which state of the target was reviewed. With `lock` that state stays to the end
    of the transaction."""
    function = f"state_of_{kind_of(target_type).name}"
    return str(gate.call(function, principal.tenant_id, target_id, lock)[0][function])
