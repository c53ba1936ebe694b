"""Changes of who may do what: gate functions make them, and each owes the ledger its entry.

A function takes the actor from the context, checks their authority, and answers a refusal by its name
(governance.refusals.register_constraint), having changed nothing.
"""

import uuid
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from governance import gate, refusals
from governance.identity.principals import ManagedByAdmins, Principal
from governance.ledger import appending
from governance.models import User
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


def record_wherever(tenants: Iterable[uuid.UUID], type: str, user: User, *, actor: Principal) -> None:
    """Append one entry about a person in the ledger of each tenant, as the function that made the change owes them: in
    the one that the actor acts from too, so that an act on somebody without any role leaves its entry. In one order:
    the heads of the chains stay locked."""
    for tenant_id in sorted(tenants):
        with gate.visiting(actor, tenant_id) as there:
            appending.record(type, actor=there, metadata=named(user))


def named(user: User) -> dict[str, str]:
    """How the ledger names a person."""
    return {"user": str(user.id), "name": user.username}
