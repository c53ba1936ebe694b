"""The entries of changes of people."""

import uuid
from collections.abc import Iterable

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.models import User


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
