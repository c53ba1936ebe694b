"""Capsules in a generated database: ten thousand where there are a million chunks, and how fast they expire."""

import random
import time
from typing import Any

from bench import database
from bench.corpus import SUBJECT
from bench.product import AGENT, use_database
from bench.tenants import LARGE, Tenant, tenant_of

#: One capsule for so many chunks.
CHUNKS_A_CAPSULE = 100
#: Agents that are in audiences besides the bench's own.
READERS = 20
_A_TRANSACTION = 100


def make(name: str) -> int:
    """Have the large tenant's agent author its capsules, by the product's own service; returns how many there are.

    Each holds five chunks, about one of a thousand subjects, for three of the agents.
    """
    use_database(name)
    from capsules.models import EffectiveCapsule
    from capsules.services import handover
    from governance import gate
    from memory.models import EffectiveChunk

    tenant = tenant_of(name, LARGE)
    _provision_readers()
    readers = [AGENT, *(f"reader-{number}" for number in range(READERS))]
    chance = random.Random(0)
    with gate.tenant(tenant.id):
        found = EffectiveChunk.objects.filter(
            tenant_id=tenant.id, is_retracted=False, is_quarantined=False, edits_applied=0, sensitivity="none"
        ).order_by("ts")
        chunk_ids = list(found.values_list("id", flat=True)[:5_000])
        wanted = EffectiveChunk.objects.filter(tenant_id=tenant.id).count() // CHUNKS_A_CAPSULE
        made = EffectiveCapsule.objects.filter(tenant_id=tenant.id).count()
    for first in range(made, wanted, _A_TRANSACTION):
        with gate.tenant(tenant.id):
            for _ in range(first, min(first + _A_TRANSACTION, wanted)):
                handover.create_capsule(
                    actor=tenant.agent,
                    scope="user",
                    subject_type=SUBJECT[0],
                    subject_id=f"subject-{chance.randrange(1000)}",
                    audience=chance.sample(readers, 3),
                    items={"chunks": chance.sample(chunk_ids, 5)},
                    note="What the next one should know.",
                )
    return wanted


def measure_expiry(name: str) -> list[dict[str, Any]]:
    """Let every capsule's time be over, and have the job end them. The database is changed."""
    use_database(name)
    from capsules.services import expiry

    tenant = tenant_of(name, LARGE)
    _let_time_pass(name, tenant)
    started = time.perf_counter()
    ended = expiry.expire_capsules()
    took = time.perf_counter() - started
    return [
        {
            "case": f"expiring {ended:,} capsules",
            "figure": round(took, 2),
            "unit": "s",
            "goal": "<= 10 for 10,000",
            "per_second": round(ended / took),
        }
    ]


def _provision_readers() -> None:
    from governance.identity import identities

    identities.provision(LARGE, agents=[(f"reader-{number}", []) for number in range(READERS)])


def _let_time_pass(name: str, tenant: Tenant) -> None:
    """The database's clock decides, and cannot be moved: the projection says that the capsules end now."""
    with database.owner(name, autocommit=True) as connection:
        connection.execute("UPDATE capsules_effectivecapsule SET expires_at = now() WHERE tenant_id = %s", [tenant.id])
