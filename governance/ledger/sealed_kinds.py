"""The kinds of sealed rows. Governance imports no other app: each registers its kinds here.

A kind has a form, from which the database builds its leaves (leaf_functions.py), and verification builds them again.
"""

from dataclasses import dataclass

from suture_verify.leaves import LeafForm


@dataclass(frozen=True, slots=True)
class SealedKind:
    """The rows of one append-only table; `name` is their name in leaves and exports."""

    name: str
    table: str
    form: LeafForm


_kinds: dict[str, SealedKind] = {}


def register(*kinds: SealedKind) -> None:
    """Register kinds of rows to seal; called once by their app's `ready()`."""
    _kinds.update({kind.name: kind for kind in kinds})


def kinds() -> list[SealedKind]:
    """All kinds, in order of registration, which is the order in a seal."""
    return list(_kinds.values())
