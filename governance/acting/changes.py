"""Changes of identities and rights. Gate functions make them, and each one must append its ledger entry.

A gate function takes the actor from the context and checks their authority. If it refuses, it changes nothing and
returns the name of the refusal (governance.refusals.register_constraint).
"""

from collections.abc import Callable
from typing import Any, TypeVar

from governance import refusals
from governance.acting import gate
from governance.acting.principals import ManagedByAdmins, Principal
from governance.refusals import Forbidden

A = TypeVar("A")


class NeedsSecondPerson(Forbidden):
    """Another person must approve this."""


refusals.register_constraint("managed_by_admins", ManagedByAdmins)
refusals.register_constraint("needs_second_person", NeedsSecondPerson)


def change(function: Callable[..., A], *, actor: Principal, **values: Any) -> A:
    """Call a function that changes something in the actor's tenant, and return its result. Raises the refusal that it
    names: its one text, or the `refusal` of its row."""
    gate.act_as(actor)
    answer = function(tenant=actor.tenant_id, **values)
    refusal = answer if isinstance(answer, str) else getattr(answer, "refusal", None)
    if refusal:
        raise refusals.of_name(refusal)
    return answer
