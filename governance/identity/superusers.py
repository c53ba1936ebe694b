"""Superusers belong to no tenant and may enter each; the ledger of each tenant names them."""

import uuid

from governance.acting import gate
from governance.acting.credentials import system
from governance.ledger import appending
from governance.models import User
from governance.refusals import Refusal


def superuser_ids() -> list[str]:
    """The ids of the server's superusers, active or not."""
    found = User.objects.filter(is_superuser=True).order_by("id").values_list("id", flat=True)
    return [str(user_id) for user_id in found]


def record_made(user_id: uuid.UUID) -> list[str]:
    """Record in the ledger of every tenant that the operator creates this superuser, each in its own transaction,
    before the account becomes visible. Returns the slugs of the tenants whose ledger accepts no entry at present: an
    entry in one ledger proves the superuser to all.

    Raises the exceptions of appending.record if no ledger accepts the entry.
    """
    refused: dict[str, Refusal] = {}
    tenants = gate.tenants()
    for slug, tenant_id in tenants.items():
        actor = system(tenant_id, "createsuperuser")
        try:
            with gate.acting_as(actor):
                appending.record("superuser.made", actor=actor, metadata={"user": str(user_id)})
        except Refusal as refusal:
            refused[slug] = refusal
    if tenants and len(refused) == len(tenants):
        raise next(iter(refused.values()))
    return sorted(refused)
