"""What an edit can be about. Governance knows no other app: each registers its kinds of target here.

A kind also has an SQL function `refold_<name>(tenant, id)`, which brings its projection to its approved edits.
"""

import uuid
from dataclasses import dataclass
from typing import Protocol

from governance.principals import Principal
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
    summary: str = ""
    text: str | None = None
    importance: str | None = None


class TargetKind(Protocol):
    """One kind of target, by its name in `Edit.target_type`."""

    name: str

    def find(self, target_id: uuid.UUID, principal: Principal) -> TargetState | None:
        """The target's present state without its words, or None when `principal`'s tenant has none such that they
        may know of. Called within the tenant."""

    def review(self, target_id: uuid.UUID) -> TargetState | None:
        """The same with its effective text, for the reviewer's page. Called within the tenant on `review`."""


_kinds: dict[str, TargetKind] = {}


def register(kind: TargetKind) -> None:
    """Make `kind` a target of edits; called once by its app's `ready()`."""
    _kinds[kind.name] = kind


def kind_of(name: str) -> TargetKind:
    """The registered kind. Raises UnknownTargetType."""
    try:
        return _kinds[name]
    except KeyError:
        raise UnknownTargetType(
            f"Edits of a {name} are not available here; of {', '.join(sorted(_kinds))} they are.",
            pointer="/target_type",
        ) from None


def find(target_type: str, target_id: uuid.UUID, principal: Principal) -> TargetState:
    """The present state of a target. Raises UnknownTargetType, NoSuchTarget."""
    state = kind_of(target_type).find(target_id, principal)
    if state is None:
        raise NoSuchTarget(f"There is no {target_type} {target_id}.", pointer="/target_id")
    return state
