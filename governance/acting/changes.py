"""Changes of who may do what: gate functions make them, and each owes the ledger its entry.

A function takes the actor from the context, checks their authority, and answers a refusal by its name
(governance.refusals.register_constraint), having changed nothing.
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
    """Call a function that changes something in the actor's tenant; answers what it does. Raises what it refuses by:
    its one text, or the `refusal` of its row."""
    gate.act_as(actor)
    answer = function(tenant=actor.tenant_id, **values)
    refusal = answer if isinstance(answer, str) else getattr(answer, "refusal", None)
    if refusal:
        raise refusals.of_name(refusal)
    return answer
