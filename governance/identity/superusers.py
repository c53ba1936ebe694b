"""Superusers, who belong to no tenant and may look into each: the ledger of each says who they are."""

import uuid

from governance.acting import gate
from governance.acting.credentials import system
from governance.ledger import appending
from governance.models import User
from governance.refusals import Refusal


def known() -> list[str]:
    """The ids of the server's superusers, active or not."""
    found = User.objects.filter(is_superuser=True).order_by("id").values_list("id", flat=True)
    return [str(user_id) for user_id in found]


def record_made(user_id: uuid.UUID) -> list[str]:
    """Say in the ledger of every tenant that the operator makes this superuser, each in a transaction of its own;
    called before the account can be seen. Returns the slugs of the tenants whose ledger takes no entry at present:
    one that does proves the superuser to all.

    Raises what appending.record raises, if no ledger takes the entry.
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
