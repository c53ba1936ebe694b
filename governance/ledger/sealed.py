"""Which records are sealed. Governance imports no other app: each registers its kinds of rows here.

A kind has a SQL function `leaves_of_<name>(tenant, ids)`, of which a receipt takes the hashes that its rows have in
the ledger, and the same form declared in Python, by which verification makes them again. PostgreSQL inlines the
function into the statement that calls it, which is planned with the ids: a plan for any ids would read a small table
whole, or a table that has grown since once for each id. It is called by functions of the gate alone, hence no
SECURITY DEFINER.
"""

from dataclasses import dataclass

from governance.proof.leaves import LeafForm


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
