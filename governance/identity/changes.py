"""Ledger entries about changes of people."""

import uuid
from collections.abc import Iterable

from governance.acting import gate
from governance.acting.principals import Principal
from governance.ledger import appending
from governance.models import User


def record_in_tenants(tenants: Iterable[uuid.UUID], type: str, user: User, *, actor: Principal) -> None:
    """Append an entry about a person in the ledger of each tenant, including the actor's own, so that a change of a
    person without any role has an entry too. The tenants are sorted, because the heads of the chains stay locked."""
    for tenant_id in sorted(tenants):
        with gate.visiting(actor, tenant_id) as there:
            appending.record(type, actor=there, metadata=person_fields(user))


def person_fields(user: User) -> dict[str, str]:
    """The fields by which the ledger names a person."""
    return {"user": str(user.id), "name": user.username}
