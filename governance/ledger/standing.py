"""Whether the ledger of every tenant can be written: what a server looks at when it starts."""

from governance import gate
from governance.ledger import keyring, published
from governance.models import Chain
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
