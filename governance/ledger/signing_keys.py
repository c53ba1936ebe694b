"""Change the key that signs the ledger."""

import uuid

from governance.acting import gate
from governance.acting.credentials import system
from governance.ledger import appending, keyring
from governance.models import Chain


def rotate() -> int:
    """Make the current key sign every chain of every tenant; returns how many chains changed their key.

    If the keys are in our own file, a new one is created first, unless an interrupted rotation has already created it.
    Each chain has its own transaction. If this is interrupted, run it again. Raises SigningKeyMissing for a chain whose
    key is not here, SigningKeyUnusable.
    """
    with keyring.held():
        to = keyring.current()
        if keyring.is_ours() and not _chains_signed_by_others(to):
            to, _ = keyring.replace()
        chains = _chains_signed_by_others(to)
        for tenant_id, name in chains:
            with gate.tenant(tenant_id):
                appending.rotate_key(name, actor=system(tenant_id, "rotate_signing_key"), to=to)
        return len(chains)


def _chains_signed_by_others(key: keyring.SigningKey) -> list[tuple[uuid.UUID, str]]:
    found = []
    for tenant_id in gate.tenants().values():
        with gate.tenant(tenant_id):
            signed = Chain.objects.filter(tenant_id=tenant_id, public_key__isnull=False).exclude(public_key=key.public)
            found += [(tenant_id, name) for name in signed.order_by("name").values_list("name", flat=True)]
    return found
