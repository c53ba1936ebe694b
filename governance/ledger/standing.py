"""Whether the ledger of every tenant can be written, sealed and published: a server checks this when it starts."""

import uuid

from governance import gate
from governance.ledger import calls, keyring, published, unpublished
from governance.models import Chain, MerkleTree
from governance.proof.following import UnverifiedEntry
from governance.refusals import Refusal


def obstacles() -> dict[str, str]:
    """Why nothing can be written, by the slugs of the tenants that it concerns; each says what to do.

    A chain must be signed by a key that is here, and the database must hold what was published last.
    """
    found: dict[str, str] = {}
    for slug, tenant_id in gate.tenants().items():
        try:
            with gate.tenant(tenant_id):
                published.require_not_behind(tenant_id)
                pinned = Chain.objects.filter(tenant_id=tenant_id).values_list("public_key", flat=True)
                for public in {bytes(key) for key in pinned if key is not None}:
                    keyring.signer_of(public)
        except Refusal as refusal:
            found[slug] = refusal.detail
    return found


def alarms() -> dict[str, str]:
    """Why nothing is sealed or published, by the slugs of the tenants that it concerns: what the periodic task found,
    and what is found now in the entries that no tree head covers."""
    found: dict[str, str] = {}
    for slug, tenant_id in gate.tenants().items():
        with gate.tenant(tenant_id):
            reason = MerkleTree.objects.filter(tenant_id=tenant_id).values_list("alarm", flat=True).first()
            try:
                unpublished.require_signed(tenant_id)
            except UnverifiedEntry as unverified:
                reason = str(unverified)
            except Refusal:
                pass  # one of the obstacles
        if reason:
            found[slug] = reason
    return found


def set_alarm(tenant_id: uuid.UUID, reason: str | None) -> None:
    """Store why sealing and publishing stopped for a tenant, for readiness and the home page; None if they work
    again."""
    with gate.job(tenant_id, "seal"):
        calls.set_ledger_alarm(tenant=tenant_id, reason=reason)


def count_alarms() -> int:
    """The number of tenants whose sealing and publishing stopped."""
    return calls.count_ledger_alarms()
