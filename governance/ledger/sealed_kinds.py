"""Which records are sealed. Governance imports no other app: each registers its kinds of rows here.

A kind has a form, of which the database makes its leaves (leaf_functions.py), and verification makes them again.
"""

from dataclasses import dataclass

from suture_verify.leaves import LeafForm


@dataclass(frozen=True, slots=True)
class SealedKind:
    """Rows of one append-only table; `name` is what leaves and exports call them."""

    name: str
    table: str
    form: LeafForm


_kinds: dict[str, SealedKind] = {}


def register(*kinds: SealedKind) -> None:
    """Have these rows sealed; called once by their app's `ready()`."""
    _kinds.update({kind.name: kind for kind in kinds})


def kinds() -> list[SealedKind]:
    """All kinds, in order of their registration: the order in which a seal takes them."""
    return list(_kinds.values())
